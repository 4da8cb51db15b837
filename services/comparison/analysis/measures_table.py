"""Every measure of every system as one table of numbers: a row a question, a column a system.

What a system did over all its answers, counted while they are read.

The tables of the looks before this one: the first questions of the same table.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from kg.errors import InputError
from services.answers import NULL, exact_match, is_right, token_f1
from services.comparison.analysis.content import Role, SystemFacts
from services.comparison.archive import ROLES, Comparison, JudgeRole, Look
from services.comparison.protocol import Inference, Measure, SystemUnderTest
from services.comparison.records import Answer, Question
from services.statistics.intervals import Floats, Partition, partition


class Tally:
    """Counts over the answers of one system; each is added once and forgotten."""

    def __init__(self) -> None:
        self._answers = self._errors = self._abstained = 0
        self._evidence = self._most = self._words = self._read = self._written = 0
        self._seconds = 0.0
        self._cost: float | None = None

    def add(self, answer: Answer) -> None:
        """Count an answer; one that failed has no length."""
        self._answers += 1
        self._read += answer.input_tokens
        self._written += answer.output_tokens
        self._seconds += answer.seconds
        if answer.cost is not None:
            self._cost = (self._cost or 0.0) + answer.cost
        if answer.error:
            self._errors += 1
            return
        self._abstained += answer.abstained
        self._evidence += answer.evidence_tokens
        self._most = max(self._most, answer.evidence_tokens)
        self._words += answer.answer_tokens

    def facts(self, system: SystemUnderTest, questions: int) -> SystemFacts:
        """What was counted, of a system that was to answer so many questions."""
        good = self._answers - self._errors
        return SystemFacts(
            name=system.name,
            origin=f"run {system.run}" if system.selector is None else f"{system.system}, {system.selector}",
            answers=self._answers,
            missing=questions - self._answers,
            errors=self._errors,
            abstained=self._abstained,
            evidence_tokens=self._evidence / good if good else None,
            most_evidence_tokens=self._most,
            answer_tokens=self._words / good if good else None,
            input_tokens=self._read,
            output_tokens=self._written,
            seconds=self._seconds,
            cost=self._cost,
        )


MEASURES: tuple[Measure, ...] = get_args(Measure)
JUDGED: Measure = "accuracy"
"""The measure that is a share of right verdicts, to which sensitivity and specificity apply."""
UNJUDGED: frozenset[Measure] = frozenset({"exact match", "f1"})
"""The measures that follow from the words of the answer, without a judge."""

Columns: TypeAlias = Mapping[tuple[Role, Measure], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class MeasureTable:
    """The numbers that the analysis goes by.

    `values[role, measure]` has shape (questions, systems), NaN where undefined. `verdicts[role]` has 1 for
    right, 0 for wrong and NaN for none, as the judge said it; `silent` marks answers that say nothing to a
    judge, since the system failed or abstained. `held[role]` has the share of hops whose evidence was shown,
    and `borne[role]` the share of used chunks that state a gold fact, NaN where there is none of either.
    """

    questions: tuple[Question, ...]
    parts: Partition
    systems: tuple[str, ...]
    judges: Mapping[Role, str]
    values: Columns
    verdicts: Mapping[JudgeRole, Floats]
    silent: NDArray[np.bool_]
    facts: tuple[SystemFacts, ...]
    hops_shown: Mapping[JudgeRole, Floats]
    borne: Mapping[JudgeRole, Floats]

    def column(self, role: Role, measure: Measure, system: str) -> Floats:
        """The values of a system, one a question; shape (questions,)."""
        return self.values[role, measure][:, self.systems.index(system)]


def roles_of(measure: Measure) -> tuple[Role, ...]:
    """By whom a measure is told: both judges, or nobody."""
    return ("none",) if measure in UNJUDGED else ROLES


def measure_table(comparison: Comparison) -> MeasureTable:
    """Read the rows of a comparison, one at a time, into its table.

    An error of the system scores 0 in accuracy, exact match and F1 whatever a judge said; a missing verdict
    is undefined.

    Raises:
        InputError: a row is about a question that the comparison doesn't hold.
    """
    questions, protocol = comparison.questions, comparison.protocol
    places = {question.id: row for row, question in enumerate(questions)}
    shape = (len(questions), len(protocol.systems))
    f1, exact = np.full(shape, np.nan), np.full(shape, np.nan)
    failed, silent = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    facts = []
    # Systems often give the same answer, and comparing words is what takes longest.
    known: dict[tuple[int, str], float] = {}
    for column, system in enumerate(protocol.systems):
        tally = Tally()
        for answer in comparison.answers[system.name]:
            row = _place(places, answer.question)
            f1[row, column] = _f1(questions[row], answer, row, known)
            exact[row, column] = is_exact(questions[row], answer)
            failed[row, column] = bool(answer.error)
            silent[row, column] = bool(answer.error) or answer.abstained
            tally.add(answer)
        facts.append(tally.facts(system, len(questions)))
    values: dict[tuple[Role, Measure], Floats] = {("none", "exact match"): exact, ("none", "f1"): f1}
    verdicts: dict[JudgeRole, Floats] = {}
    held: dict[JudgeRole, Floats] = {}
    borne: dict[JudgeRole, Floats] = {}
    for role in ROLES:
        read, held[role], borne[role] = _judged(comparison, role, places)
        verdicts[role] = read.pop("accuracy")
        values[role, "accuracy"] = np.where(failed, 0.0, verdicts[role])
        values |= {(role, measure): found for measure, found in read.items()}
    return MeasureTable(
        questions=questions,
        parts=partition([question.cluster for question in questions]),
        systems=tuple(system.name for system in protocol.systems),
        judges={"judge": protocol.judge.name, "second_judge": protocol.second_judge.name, "none": ""},
        values=values,
        verdicts=verdicts,
        silent=silent,
        facts=tuple(facts),
        hops_shown=held,
        borne=borne,
    )


def _judged(
    comparison: Comparison, role: JudgeRole, places: Mapping[str, int]
) -> tuple[dict[Measure, Floats], Floats, Floats]:
    shape = (len(places), len(comparison.protocol.systems))
    read: dict[Measure, Floats] = {name: np.full(shape, np.nan) for name in MEASURES if name not in UNJUDGED}
    accuracy, recall = read["accuracy"], read["cluster recall"]
    order, alignment = read["hop consistency"], read["evidence alignment"]
    held, borne = np.full(shape, np.nan), np.full(shape, np.nan)
    for column, system in enumerate(comparison.protocol.systems):
        for said in comparison.judgements[role][system.name]:
            row = _place(places, said.question)
            accuracy[row, column] = _number(said.right)
            recall[row, column] = _number(said.cluster_recall)
            order[row, column] = _number(said.hop_consistency)
            alignment[row, column] = _number(said.evidence_alignment)
            held[row, column] = _share(said.hops)
            borne[row, column] = _share(said.supports.values())
    return read, held, borne


def _place(places: Mapping[str, int], question: str) -> int:
    if question not in places:
        raise InputError(
            f"there is a row about question {question!r}, which is not among those of the comparison.",
            "The archive was changed; get it again from whoever made it.",
        )
    return places[question]


def is_exact(question: Question, answer: Answer) -> bool:
    """Whether an answer is the key or another form of it (SQuAD), or abstains where there is no answer."""
    null = question.kind == NULL
    fits = not null and exact_match(answer.text, question.answer, question.accepted)
    return is_right(fits, null=null, abstained=answer.abstained, failed=bool(answer.error))


def _f1(question: Question, answer: Answer, row: int, known: dict[tuple[int, str], float]) -> float:
    if answer.error:
        return 0.0
    if (row, answer.text) not in known:
        known[row, answer.text] = token_f1(answer.text, question.answer, question.accepted)
    return known[row, answer.text]


def _share(flags: Collection[bool]) -> float:
    return sum(flags) / len(flags) if flags else np.nan


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def tables_so_far(table: MeasureTable, look: Look, inference: Inference) -> Iterator[MeasureTable]:
    """The table at each look up to this one, itself the last; `services.comparison.collect` tells the order.

    Questions stand in the order in which clusters were drawn, so that those of an earlier look are the first
    whole clusters which held its share of all planned questions.
    """
    for share in inference.looks[: look.number - 1]:
        yield _first(table, ceil(share * look.planned))
    yield table


def _first(table: MeasureTable, needed: int) -> MeasureTable:
    codes = table.parts.codes
    end = min(needed, len(codes))
    while end < len(codes) and codes[end] == codes[end - 1]:
        end += 1
    # Clusters are numbered in the order of the questions.
    return replace(
        table,
        questions=table.questions[:end],
        parts=Partition(codes[:end], int(codes[:end].max()) + 1),
        values={key: values[:end] for key, values in table.values.items()},
        verdicts={role: values[:end] for role, values in table.verdicts.items()},
        silent=table.silent[:end],
        hops_shown={role: held[:end] for role, held in table.hops_shown.items()},
        borne={role: borne[:end] for role, borne in table.borne.items()},
    )
