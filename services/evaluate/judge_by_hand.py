"""Verdicts by hand: they win over every judge, and stay when the run is judged again."""

from dataclasses import dataclass

from kg.errors import NothingToDoError, UserError, command
from kg.ids import node_id, run_id
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import HAND
from services.evaluate.judge import settle_answers


@dataclass(frozen=True, slots=True)
class Revised:
    """An answer after a verdict by hand was given or taken back; `was` is what it counted as before."""

    answer: str
    corpus: str
    run: str
    question: str
    key: str
    text: str
    was: bool
    correct: bool
    judged_by: str


def find_answer(graph: Graph, corpus: str, run: str, question: str) -> str:
    """The id of the answer that a run gave to a question, by the run's name and the question's id.

    Raises:
        NothingToDoError: it gave none.
    """
    rows = graph.rows(query("answers/find_answer"), run=run_id(corpus, run), question=question)
    if not rows:
        raise NothingToDoError(
            f"run {run!r} of corpus {corpus!r} has no answer to question {question!r}.",
            f"See what runs answered: {command('questions show ID')}.",
        )
    return str(rows[0]["id"])


def corpus_of_answer(graph: Graph, answer: str) -> str:
    """The corpus that an answer belongs to.

    Raises:
        NothingToDoError: there is no such answer.
    """
    return str(_read(graph, answer)["corpus"])


def revise(graph: Graph, answer: str, correct: bool, why: str, by: str, progress: Progress) -> Revised:
    """Say by hand that an answer is right or wrong; an earlier word by hand on it is replaced.

    Raises:
        NothingToDoError: there is no such answer.
        UserError: the answer failed, so there is nothing to judge.
    """
    before = _read(graph, answer)
    if before["error"]:
        raise UserError(
            f"answer {answer!r} failed ({before['error']}), so there is nothing to judge.",
            f"Let the run answer that question again: {command('run start')}.",
        )
    corpus = before["corpus"]
    verdict = {
        "id": node_id(corpus, "verdict", answer, HAND),
        "judge": HAND,
        "scale": "binary",
        "correct": correct,
        "score": None,
        "why": why,
        "by": by,
        "by_hand": True,
        "prompt": "",
    }
    graph.rows(query("answers/write_verdicts"), corpus=corpus, rows=[{"answer": answer, "verdict": verdict}])
    return _settled(graph, answer, before, progress)


def undo_revision(graph: Graph, answer: str, progress: Progress) -> Revised:
    """Take back the verdict by hand on an answer.

    Raises:
        NothingToDoError: there is no such answer, or no verdict by hand on it.
    """
    before = _read(graph, answer)
    if before["hand"] is None:
        raise NothingToDoError(
            f"answer {answer!r} has no verdict by hand.",
            f"Give one: {command('run revise ID')} right|wrong --why TEXT.",
        )
    graph.rows(query("answers/delete_verdict"), id=before["hand"])
    return _settled(graph, answer, before, progress)


def _settled(graph: Graph, answer: str, before: Row, progress: Progress) -> Revised:
    settle_answers(graph, before["corpus"], before["run"], progress)
    after = _read(graph, answer)
    return Revised(
        answer=answer,
        corpus=after["corpus"],
        run=after["run"],
        question=after["question"],
        key=after["key"],
        text=after["text"],
        was=before["correct"],
        correct=after["correct"],
        judged_by=after["judged_by"],
    )


def _read(graph: Graph, answer: str) -> Row:
    rows = graph.rows(query("answers/read_for_hand"), id=answer)
    if not rows:
        raise NothingToDoError(
            f"there is no answer {answer!r}.",
            f"Name it by its run and question: {command('run revise')} right --run RUN "
            "--question ID --why TEXT.",
        )
    return rows[0]
