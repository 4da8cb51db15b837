"""A small question set of our own, written out in the forms of the sets that people measure on."""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.examples import read_examples

PASSAGES: dict[str, str] = read_examples("services/benchmarks/passage_sets")["passages"]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answer: str
    gold: tuple[str, ...]


QUESTIONS = (
    Question(
        "Who owns the club that Mira Tolland plays for?", "Halden Shipping", ("Mira Tolland", "Ostby Rovers")
    ),
    Question(
        "Where did the founder of Halden Shipping study?",
        "Verrin University",
        ("Halden Shipping", "Greta Lindqvist"),
    ),
    Question(
        "Where was the architect of Verrin University born?",
        "Marlow Bay",
        ("Verrin University", "Anton Brask"),
    ),
    Question(
        "What does the winner of the Corrin Medal direct?",
        "Norholm Health Board",
        ("Corrin Medal", "Orla Venning"),
    ),
)


@dataclass(frozen=True, slots=True)
class Files:
    corpus: Path
    questions: Path


def write_musique(folder: Path, questions: tuple[Question, ...] = QUESTIONS) -> Files:
    """As musique_train100_corpus.json and musique_train100.json are."""
    corpus = [{"title": title, "text": text} for title, text in PASSAGES.items()]
    rows = [
        {
            "id": f"2hop__{place}",
            "paragraphs": [
                {
                    "idx": index,
                    "title": title,
                    "paragraph_text": PASSAGES.get(title, "A text that the corpus does not hold."),
                    "is_supporting": title in one.gold,
                }
                for index, title in enumerate((*one.gold, "Soup"))
            ],
            "question": one.text,
            "question_decomposition": [
                {"id": index, "question": "?", "answer": one.answer, "paragraph_support_idx": index}
                for index, _ in enumerate(one.gold)
            ],
            "answer": one.answer,
            "answer_aliases": [],
            "answerable": True,
        }
        for place, one in enumerate(questions)
    ]
    return _written(folder, "musique_corpus.json", json.dumps(corpus), "musique.json", json.dumps(rows))


def write_hotpotqa(folder: Path) -> Files:
    """As hotpotqa_train100_corpus.json and hotpotqa_train100.json are."""
    sentences = {title: _sentences(text) for title, text in PASSAGES.items()}
    rows = [
        {
            "_id": f"h{place}",
            "question": one.text,
            "answer": one.answer,
            "type": "bridge",
            "level": "easy",
            "supporting_facts": [[title, 1] for title in one.gold],
            "context": [[title, sentences[title]] for title in (*one.gold, "Soup")],
        }
        for place, one in enumerate(QUESTIONS)
    ]
    return _written(folder, "hotpot_corpus.json", json.dumps(sentences), "hotpot.json", json.dumps(rows))


def write_kg_rag(folder: Path) -> Files:
    """As data__processed__corpus.jsonl and gold__questions_dev.jsonl are."""
    ids = {title: f"c{place:05}" for place, title in enumerate(PASSAGES)}
    corpus = [
        {"chunk_id": ids[title], "source_title": title, "source_para_idx": 0, "text": text}
        for title, text in PASSAGES.items()
    ]
    rows = [
        {
            "id": f"k{place}",
            "question": one.text,
            "answer": one.answer,
            "hop_type": "bridge",
            "hop_count": 2,
            "gold_support_chunk_ids": [ids[title] for title in one.gold],
            "gold_triples": [],
            "split": "dev",
        }
        for place, one in enumerate(QUESTIONS)
    ]
    return _written(folder, "kg_rag_corpus.jsonl", _lines(corpus), "kg_rag.jsonl", _lines(rows))


def _sentences(text: str) -> list[str]:
    first, second = text.split(". ", maxsplit=1)
    return [f"{first}.", f" {second}"]


def _lines(rows: list[dict[str, object]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _written(folder: Path, corpus_name: str, corpus: str, questions_name: str, questions: str) -> Files:
    files = Files(folder / corpus_name, folder / questions_name)
    files.corpus.write_text(corpus, encoding="utf-8")
    files.questions.write_text(questions, encoding="utf-8")
    return files
