"""A run of eight answers, and a judge by rule that reads the fences of his prompts."""

import re
from dataclasses import dataclass

from kg.corpus import CorpusSettings, open_corpus
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph
from services.answer_match import answer_match
from tests.scripted_endpoint import Answer, Asked
from tests.scripted_reader import fences

RUN = "vector-10"

SETTINGS = CorpusSettings("builtin", "builtin", 384, "16-48/8", "rules")


@dataclass(frozen=True, slots=True)
class Given:
    """A question with the answer that the run gave; `error` says why there is none."""

    name: str
    key: str
    text: str
    hops: int = 2
    bin: int | None = 1
    kind: str = "chain"
    accepted: tuple[str, ...] = ()
    exact: bool = False
    abstained: bool = False
    error: str = ""


ANSWERS = (
    Given("exact", "Otto Pelham", "Otto Pelham", exact=True),
    Given("reworded", "Norholm Health Board", "It was the NHB.", accepted=("NHB",)),
    Given("other", "Greta Lindqvist", "Anton Brask", hops=3),
    Given("chatty", "1412", "In 1412, when the tower was not yet old", hops=3, bin=4),
    Given("silent", "Kaldmere", "Insufficient information", abstained=True),
    Given("failed", "Verrin", "", error="time-out: no answer in 2 s"),
    Given("null", "Insufficient information", "Insufficient information", 2, None, "null", (), True, True),
    Given("null, guessed", "Insufficient information", "Mira Tolland", 2, None, "null"),
)
ASKED = 4
"""How many of them a judge must be asked about; the exact match is one more with `exact_too`."""


def write_world(graph: Graph, corpus: str, generator: str = "rules-reader-1") -> None:
    """Questions, the run, and its answers, by the project's own statements."""
    open_corpus(graph, corpus, SETTINGS)
    graph.rows(
        query("questions/write_questions"), corpus=corpus, rows=[_question(corpus, one) for one in ANSWERS]
    )
    settings = {"name": RUN, "system": "single-step", "retriever": "vector", "generator": generator}
    graph.rows(query("runs/write_run"), id=run_id(corpus, RUN), corpus=corpus, settings=settings)
    rows = [_answer(corpus, one) for one in ANSWERS]
    graph.rows(query("answers/write_answers"), corpus=corpus, run=run_id(corpus, RUN), rows=rows)


def question_id(corpus: str, name: str) -> str:
    """The id of a question of this world."""
    return f"question-{corpus}-{name}"


def answer_id(corpus: str, name: str) -> str:
    """The id of the answer to it."""
    return f"answer-{corpus}-{name}"


def _question(corpus: str, one: Given) -> dict[str, object]:
    question = {
        "id": question_id(corpus, one.name),
        "text": f"Who or what is behind {one.name}?",
        "answer": one.key,
        "accepted": [one.key, *one.accepted],
        "kind": one.kind,
        "hops": one.hops,
        "status": "kept",
        "difficulty_min": 0.5,
        "bin": one.bin,
    }
    return {"question": question, "asks_about": [], "claims": [], "support": [], "prefixes": []}


def _answer(corpus: str, one: Given) -> dict[str, object]:
    answer = {
        "id": answer_id(corpus, one.name),
        "text": one.text,
        "correct": one.exact or answer_match(one.text, one.key, one.accepted),
        "exact_match": one.exact,
        "answer_match": one.exact or answer_match(one.text, one.key, one.accepted),
        "f1": 0.0,
        "abstained": one.abstained,
        "error": one.error,
        "judged_by": "answer match",
    }
    return {"question": question_id(corpus, one.name), "answer": answer, "retrieved": [], "steps": []}


def mark(asked: Asked) -> Answer:
    """A fair judge: an answer is right if it holds the key or another name for it; alone it has 2 points."""
    shown = fences(asked)
    names = [name.strip() for name in re.split(r"\n|;|also called:", shown["key"]) if name.strip()]
    held = any(name in shown["answer"] for name in names)
    return verdict(asked, held, alone=shown["answer"].rstrip(".") in names)


def verdict(asked: Asked, right: bool, alone: bool = False) -> Answer:
    """A verdict on the scale that was asked for."""
    if "You score answers" in asked.system:
        return {"reason": "by rule", "score": (2 if alone else 1) if right else 0}
    return {"reason": "by rule", "verdict": "right" if right else "wrong"}
