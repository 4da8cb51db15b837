"""Verdicts by hand: they win over every judge, and stay when the run is judged again.

People label a sample of a run's answers, so that its judge can be held against them (AgenticRAGTracer,
appendix G). The sample is stratified by kind, hops and what counts as right now, each stratum in proportion,
so that kappa over it is that of the whole. Verdicts that are given where one looks for errors stand in no
agreement.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg.errors import InputError, NothingToDoError, UserError, command
from kg.ids import node_id, run_id
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import HAND
from services.evaluate.judge import read_run, settle_answers
from services.statistics.groups import draw_stratified

LABELS: Mapping[str, bool] = {"right": True, "wrong": False}
"""What a person writes of an answer."""


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


@dataclass(frozen=True, slots=True)
class Label:
    """What a person says of an answer in a sample."""

    answer: str
    correct: bool
    why: str


def write_sample(
    graph: Graph,
    corpus: str,
    run: str,
    size: int,
    seed: int,
    path: Path,
    only: Collection[str] | None = None,
) -> int:
    """Write a sample of a run's answers as JSON lines with an empty label; how many. No verdict is in it.

    With `only`, the ids of a comparison's questions, the sample is of answers to these that are no
    abstention, for only those are what its judges are tried on.

    Raises:
        NothingToDoError: there is no such run, or it has no answer, or none to these questions.
        InputError: the file can't be written.
    """
    read_run(graph, corpus, run)
    rows = graph.rows(query("answers/list_to_label"), run=run_id(corpus, run))
    if not rows:
        raise NothingToDoError(
            f"run {run!r} has no answer to label.",
            f"Let it answer first: {command('run start --corpus', corpus)}",
        )
    if only is not None:
        rows = [row for row in rows if row["about"] in only and not row["abstained"]]
        if not rows:
            raise NothingToDoError(
                f"run {run!r} has no answer to the comparison's questions, abstentions aside.",
                f"Let it answer them: {command('run start --corpus', corpus)}",
            )
    names = {
        "id": "answer",
        "question": "question",
        "key": "expected",
        "accepted": "accepted",
        "text": "said",
    }
    strata = [(row["kind"], row["hops"], row["right"]) for row in rows]
    lines = [
        json.dumps(
            {**{to: rows[at][of] for of, to in names.items()}, "label": "", "why": ""}, ensure_ascii=False
        )
        for at in draw_stratified(strata, size, seed)
    ]
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}.", "Name another file.") from error
    return len(lines)


def read_labels(path: Path) -> list[Label]:
    """The labels in a file of `write_sample` that was filled in; lines without a label are left out.

    Raises:
        InputError: the file or a line can't be read, or a label is neither right nor wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"{path} can't be read: {reason}.", f"Name a file of {command('run sample')}."
        ) from error
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{path.name}:{number}"
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{place} is no JSON: {error}.", "Mend the line, or take it out.") from error
        given = value if isinstance(value, dict) else {}
        label, answer = str(given.get("label") or "").strip().casefold(), given.get("answer")
        if label and (label not in LABELS or not isinstance(answer, str)):
            raise InputError(
                f"{place}: {label!r} is no label of an answer.", "Write right, wrong, or nothing."
            )
        if label:
            found.append(Label(str(answer), LABELS[label], str(given.get("why") or "")))
    return found


def record_labels(
    graph: Graph, corpus: str, run: str, labels: Sequence[Label], by: str, progress: Progress
) -> int:
    """Keep labels as verdicts by hand, which win over every judge; how many.

    Raises:
        InputError: one is of an answer that this run did not give; then none is kept.
    """
    known = {row["id"] for row in graph.rows(query("answers/list_to_label"), run=run_id(corpus, run))}
    unknown = next((one.answer for one in labels if one.answer not in known), None)
    if unknown is not None:
        raise InputError(
            f"run {run!r} of corpus {corpus!r} has no answer {unknown!r}.", "Name the run of the sample."
        )
    rows = [
        {
            "answer": one.answer,
            "verdict": _verdict(corpus, one.answer, one.correct, one.why, by, sampled=True),
        }
        for one in labels
    ]
    graph.write_rows(query("answers/write_verdicts"), rows, corpus=corpus)
    settle_answers(graph, corpus, run, progress)
    return len(rows)


def _verdict(
    corpus: str, answer: str, correct: bool, why: str, by: str, *, sampled: bool
) -> dict[str, object]:
    return {
        "id": node_id(corpus, "verdict", answer, HAND),
        "judge": HAND,
        "scale": "binary",
        "correct": correct,
        "score": None,
        "why": why,
        "by": by,
        "by_hand": True,
        "sampled": sampled,
        "prompt": "",
    }


def find_answer(graph: Graph, corpus: str, run: str, question: str) -> str:
    """The id of the answer that a run gave to a question, by the run's name and the question's id.

    Raises:
        NothingToDoError: it gave none.
    """
    found = graph.rows(query("answers/find_answers"), corpus=corpus, id=question, run=run)
    rows = [row for row in found if row["question"] == question]
    if not rows:
        raise NothingToDoError(
            f"run {run!r} of corpus {corpus!r} has no answer to question {question!r}.",
            f"See what runs answered: {command('questions show ID')}.",
        )
    return str(rows[0]["answer"])


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
    # An answer of a sample stays one: people may think again.
    verdict = _verdict(corpus, answer, correct, why, by, sampled=before["sampled"])
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
    graph.rows(query("corpus/delete_by_ids"), ids=[before["hand"]])
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
