"""The judges of a run, two by two: where they say the same of an answer, and where not; and with people.

Verdicts by hand: they win over every judge, and stay when the run is judged again.

People label a sample of a run's answers, so that its judge can be held against them (AgenticRAGTracer,
appendix G). The sample is stratified by kind, hops and what counts as right now, each stratum in proportion,
so that kappa over it is that of the whole. Verdicts that are given where one looks for errors stand in no
agreement.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from kg.errors import InputError, NothingToDoError, UserError, command
from kg.ids import node_id, run_id
from kg.llm.roles import model_behind
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import ANSWER_MATCH, EXACT_MATCH, HAND
from services.evaluate.judge import read_run, settle_answers
from services.statistics.agreement import Agreement, clustered_kappa, cohen_kappa
from services.statistics.intervals import draw_stratified, partition


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges over the answers that both were asked about, as a table of two by two.

    Exact match and answer match count as judges that were asked about all of them.
    """

    agreement: Agreement
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int

    @property
    def flips(self) -> int:
        """How many answers would change from right to wrong, or back, with the other judge."""
        return self.only_first + self.only_second

    def as_dict(self) -> dict[str, object]:
        """The agreement, the table and the flips, as one map of names and values."""
        told = asdict(self)
        return {**told.pop("agreement"), **told, "flips": self.flips}


PEOPLE = "people"
"""Who labelled a sample, as agreements name them."""

PEOPLE_SEED = 0
"""Of the draws behind an interval of agreement with people."""


def read_judge_pairs(graph: Graph, run: str) -> tuple[JudgePair, ...]:
    """Every two judges of the run with this id, and each that was asked about exact matches with these.

    Abstentions, and exact matches that nobody was asked about, are left out: agreement on what no judge has
    seen would say nothing of the judges. So are verdicts by hand, which are given where one looks for errors.
    A judge who saw only answers that are no exact match can't be compared with exact match, and a model not
    with itself, under another name or on another scale.
    """
    rows = graph.rows(query("answers/read_verdicts"), run=run)
    if not rows:
        return ()
    names = _judge_names(rows)
    exact = {row["answer"]: row["exact"] for row in rows}
    said: dict[str, dict[str, bool]] = defaultdict(dict)
    for row in rows:
        said[names[row["judge"], row["scale"]]].setdefault(row["answer"], row["correct"])
    matches = {row["answer"]: row["matches"] for row in rows}
    judges = {EXACT_MATCH: exact, ANSWER_MATCH: matches, **dict(sorted(said.items()))}
    models = {shown: model_behind(judge) for (judge, _), shown in names.items()}
    return tuple(
        compare_judges(first, second, judges[first], judges[second])
        for first, second in combinations(judges, 2)
        if second != ANSWER_MATCH
        and models.get(first) != models[second]
        and (first != EXACT_MATCH or any(exact[answer] for answer in judges[second]))
    )


def _judge_names(verdicts: Sequence[Row]) -> dict[tuple[str, str], str]:
    """How each judge and scale is shown: a model with several names by the first of them."""
    shown: dict[tuple[str, str], str] = {}
    given = sorted({(row["judge"], row["scale"]) for row in verdicts})
    for judge, scale in given:
        shown.setdefault((model_behind(judge), scale), f"{judge} ({scale})")
    return {(judge, scale): shown[model_behind(judge), scale] for judge, scale in given}


def compare_judges(
    first: str, second: str, said_first: dict[str, bool], said_second: dict[str, bool]
) -> JudgePair:
    """Two judges by name, and what each said of which answer; only answers of both count."""
    shared = sorted(said_first.keys() & said_second.keys())
    pairs = [(said_first[answer], said_second[answer]) for answer in shared]
    kappa = cohen_kappa([one for one, _ in pairs], [other for _, other in pairs])
    agreement = Agreement(
        first=first,
        second=second,
        n=len(pairs),
        agreed=sum(one == other for one, other in pairs),
        kappa=None if kappa is None else kappa.value,
        interval=None if kappa is None else kappa.interval,
    )
    return JudgePair(
        agreement,
        both_right=pairs.count((True, True)),
        only_first=pairs.count((True, False)),
        only_second=pairs.count((False, True)),
        both_wrong=pairs.count((False, False)),
    )


def read_agreements(graph: Graph, corpus: str, run: str) -> tuple[Agreement, ...]:
    """How far every two judges of a run agree, both rules among them, and each with people's labels.

    Empty where neither judges nor people have looked at it.
    """
    node = run_id(corpus, run)
    pairs = tuple(pair.agreement for pair in read_judge_pairs(graph, node))
    return (*agreements_with_people(graph.rows(query("answers/read_labels"), run=node)), *pairs)


def agreements_with_people(rows: Sequence[Row]) -> tuple[Agreement, ...]:
    """How far each judge, answer match among them, agrees with people on a sample that these labelled.

    From the rows of `answers/read_labels`. Kappa is Cohen's, its interval that of `clustered_kappa`, with the
    article of the last hop as cluster; abstentions and exact matches count, as they do in the run's accuracy.
    """
    said: dict[str, dict[int, bool]] = defaultdict(dict)
    names = _judge_names([one for row in rows for one in row["judges"]])
    for at, row in enumerate(rows):
        said[ANSWER_MATCH][at] = row["matches"]
        for one in row["judges"]:
            said[names[one["judge"], one["scale"]]].setdefault(at, one["correct"])
    return tuple(_with_people(rows, name, given) for name, given in said.items())


def _with_people(rows: Sequence[Row], judge: str, said: Mapping[int, bool]) -> Agreement:
    labels = [rows[at]["labelled"] for at in said]
    found = clustered_kappa(
        labels,
        list(said.values()),
        partition([rows[at]["article"] for at in said]),
        np.random.default_rng(PEOPLE_SEED),
    )
    return Agreement(
        PEOPLE,
        judge,
        len(labels),
        sum(one == other for one, other in zip(labels, said.values(), strict=True)),
        None if found is None else found.plain.value,
        None if found is None else found.interval,
    )


LABELS: Mapping[str, bool] = {"right": True, "wrong": False}
"""What a person writes of an answer."""


@dataclass(frozen=True, slots=True)
class Revision:
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
    return str(_read_answer(graph, answer)["corpus"])


def revise(graph: Graph, answer: str, correct: bool, why: str, by: str, progress: Progress) -> Revision:
    """Say by hand that an answer is right or wrong; an earlier word by hand on it is replaced.

    Raises:
        NothingToDoError: there is no such answer.
        UserError: the answer failed, so there is nothing to judge.
    """
    before = _read_answer(graph, answer)
    if before["error"]:
        raise UserError(
            f"answer {answer!r} failed ({before['error']}), so there is nothing to judge.",
            f"Let the run answer that question again: {command('run start')}.",
        )
    corpus = before["corpus"]
    # An answer of a sample stays one: people may think again.
    verdict = _verdict(corpus, answer, correct, why, by, sampled=before["sampled"])
    graph.rows(query("answers/write_verdicts"), corpus=corpus, rows=[{"answer": answer, "verdict": verdict}])
    return _settle(graph, answer, before, progress)


def undo_revision(graph: Graph, answer: str, progress: Progress) -> Revision:
    """Take back the verdict by hand on an answer.

    Raises:
        NothingToDoError: there is no such answer, or no verdict by hand on it.
    """
    before = _read_answer(graph, answer)
    if before["hand"] is None:
        raise NothingToDoError(
            f"answer {answer!r} has no verdict by hand.",
            f"Give one: {command('run revise ID')} right|wrong --why TEXT.",
        )
    graph.rows(query("corpus/delete_by_ids"), ids=[before["hand"]])
    return _settle(graph, answer, before, progress)


def _settle(graph: Graph, answer: str, before: Row, progress: Progress) -> Revision:
    settle_answers(graph, before["corpus"], before["run"], progress)
    after = _read_answer(graph, answer)
    return Revision(
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


def _read_answer(graph: Graph, answer: str) -> Row:
    rows = graph.rows(query("answers/read_for_hand"), id=answer)
    if not rows:
        raise NothingToDoError(
            f"there is no answer {answer!r}.",
            f"Name it by its run and question: {command('run revise')} right --run RUN "
            "--question ID --why TEXT.",
        )
    return rows[0]
