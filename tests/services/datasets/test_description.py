"""What a dataset is like: the tables by hand, and of the small world."""

import pytest

from kg.store.graph import Graph
from services.datasets.description import CategoryRow, describe, first_word, read_statistics


def _row(
    text: str, answer: str, kind: str = "comparison", pieces: int = 2, kept: bool = True, questions: int = 1
) -> dict[str, object]:
    types = {"comparison": "comparison", "temporal": "temporal", "null": "null", "chain": "inference"}
    return {
        "kind": kind, "query_type": types[kind], "kept": kept, "text": text, "answer": answer,
        "pieces": pieces, "questions": questions,
    }  # fmt: skip


def test_the_tables_by_hand() -> None:
    found = describe(
        [CategoryRow("sports", 3, 2000.0), CategoryRow("health", 1, 1000.0)],
        [
            _row("Does The Age agree?", "Yes"),
            _row("Does The Verge agree?", "Yes"),
            _row("", "No", pieces=0, kept=False, questions=3),
            _row("Did it come before or after?", "Before", "temporal"),
            _row("'Who' is meant?", "YouTube", "chain", pieces=3),
            _row("Who chairs it?", "Insufficient information", "null", pieces=1),
        ],
    )
    assert found.total == CategoryRow("total", 4, 1750.0)
    assert [(row.name, row.questions, row.share) for row in found.types] == [
        ("comparison", 2, 0.4), ("inference", 1, 0.2), ("null", 1, 0.2), ("temporal", 1, 0.2),
    ]  # fmt: skip
    # The null question's one fact leads to what nobody tells: it counts as none (MultiHop-RAG, table 4).
    assert [(row.name, row.questions) for row in found.evidence] == [("0", 1), ("2", 3), ("3", 1)]
    assert [(row.name, row.questions) for row in found.first_words] == [("does", 2), ("who", 2), ("did", 1)]
    assert [(row.query_type, row.answers, row.made, row.kept, row.share) for row in found.balance] == [
        ("comparison", ("yes", "no"), (2, 3), (2, 0), 1.0),
        ("temporal", ("before", "after"), (1, 0), (1, 0), 1.0),
    ]


@pytest.mark.parametrize(
    ("question", "word"), [("\u00bfWhat\u2019s that?", "what\u2019s"), ("  DOES it?", "does"), ("?!", "")]
)
def test_the_first_word_is_one_of_letters(question: str, word: str) -> None:
    assert first_word(question) == word


def test_nothing_is_a_table_of_nothing() -> None:
    found = describe([], [])
    assert (found.total.articles, found.types, found.balance) == (0, (), ())


def test_the_small_world_in_figures(graph: Graph, small_corpus: str) -> None:
    found = read_statistics(graph, small_corpus)
    assert found.total.articles == sum(row.articles for row in found.categories) > 0
    for counts in (found.types, found.evidence, found.first_words):
        assert sum(row.share for row in counts) == pytest.approx(1)
        assert sum(row.questions for row in counts) == sum(row.questions for row in found.types)
    nulls = sum(row.questions for row in found.types if row.name == "null")
    assert sum(row.questions for row in found.evidence if row.name == "0") == nulls
