"""What an answer took stands in the graph beside it, what was cached and thought apart."""

from kg.llm.protocol import Usage
from services.rag.answering import answer_row
from services.rag.protocol import Answered


def test_an_answer_keeps_all_tokens_that_it_took() -> None:
    usage = Usage(90, 12, cached_input_tokens=60, reasoning_tokens=8)
    question = {
        "id": "q", "kind": "chain", "query_type": "inference", "text": "Who owns the pier?",
        "answer": "Oda Wexler", "accepted": [], "chain": ["Fell Pier", "Oda Wexler"],
    }  # fmt: skip
    answered = Answered("q", "Oda Wexler", (), (), (), usage, None, 1.0)
    row = answer_row("news", "run-1", question, answered)["answer"]
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens")
    assert [row[name] for name in names] == [90, 12, 60, 8]
    assert row["correct"]
