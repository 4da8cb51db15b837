"""Before anything is asked: what so many questions in so many clusters can show, and how many it takes.

How often models would be asked by a comparison, and what that takes, before anything is sent.

What a protocol's hypotheses can be expected to show, before anything is known of the answers.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, pstdev
from types import MappingProxyType

import numpy as np

from kg.errors import NothingToDoError, SettingsError, command
from kg.ids import run_id
from kg.llm.budget import estimate_tokens, likely_tokens
from kg.llm.protocol import Estimate, Usage
from kg.store.graph import Graph
from services.comparison.judging.known_answers import most_calls
from services.comparison.judging.model_judge import JUDGING, ROOM, USUAL_HOP, USUAL_VERDICT
from services.comparison.protocol import Hypothesis, Measure, Protocol
from services.comparison.records import Question
from services.evaluate.run_analysis import read_answers
from services.rag.model_generator import ANSWERING, USUAL_TOKENS
from services.rag.run_options import SystemName
from services.report.collect import choose_runs
from services.runs.agent_courses import frame_tokens
from services.statistics.clustered_means import clustered_means
from services.statistics.intervals import FEW_CLUSTERS, partition
from services.statistics.paired import (
    ALPHA,
    POWER,
    PairedSpread,
    detectable,
    plan_questions,
    power_of,
    power_of_equivalence,
)
from services.statistics.several_tests import level_at

_CALLS: Mapping[SystemName, int] = MappingProxyType({"single-step": 1, "multi-step": 2})
"""Requests for a question, of systems that make a fixed number."""

AGENT_CALLS = 5
"""Requests for a question as a rule, of systems that decide themselves: 60 for 11 questions in
docs/evaluation/model.md."""

HOPS = 3
"""Of a question as a rule, for what a judge says of each."""

MoneyOf = Callable[[Usage], float | None]
"""What tokens cost at a model's price, None without one."""


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """So many answers are made, each is judged twice, and so many requests go to models at most.

    `answering` is None where a system decides itself how often it asks. Replies that are kept cost nothing.
    """

    questions: int
    answers: int
    answering: int | None
    judging: int
    calibrating: int


def planned_calls(protocol: Protocol, questions: int) -> PlannedCalls:
    """What a comparison over so many questions asks, if nothing of it was kept from before."""
    by_models = sum(judge.kind == "model" for judge in (protocol.judge, protocol.second_judge))
    answers = questions * len(protocol.systems)
    return PlannedCalls(
        questions=questions,
        answers=answers,
        answering=_answering(protocol, questions),
        judging=answers * by_models,
        calibrating=most_calls(protocol.calibration, questions) * by_models,
    )


def _answering(protocol: Protocol, questions: int) -> int | None:
    if protocol.generator.kind == "rules":
        return 0
    calls = [_CALLS.get(one.system) for one in protocol.systems if one.selector is not None]
    return None if None in calls else questions * sum(one or 0 for one in calls)


def answering_cost(protocol: Protocol, calls: PlannedCalls, money_of: MoneyOf) -> Estimate:
    """What the answers take if nothing is kept, each request with all the evidence that it may have."""
    asking = sum(one.selector is not None for one in protocol.systems)
    number = calls.questions * asking * AGENT_CALLS if calls.answering is None else calls.answering
    made = USUAL_TOKENS[ANSWERING], protocol.budget.answer_tokens
    return _cost(protocol, ANSWERING, number, made, money_of)


def judging_cost(protocol: Protocol, calls: PlannedCalls, money_of: MoneyOf) -> Mapping[str, Estimate]:
    """What one judge takes if nothing is kept: to judge every answer, and to be calibrated."""
    made = USUAL_VERDICT + USUAL_HOP * HOPS, ROOM
    tried = most_calls(protocol.calibration, calls.questions)
    return {
        "judging": _cost(protocol, JUDGING, calls.answers, made, money_of),
        "calibration": _cost(protocol, JUDGING, tried, made, money_of),
    }


def _cost(protocol: Protocol, prompt: str, calls: int, made: tuple[int, int], money_of: MoneyOf) -> Estimate:
    """So many requests by a prompt, with all the evidence allowed; `made` are likely tokens out, and most."""
    evidence = protocol.budget.evidence_tokens
    # A token of evidence is WordPiece's; estimates count a third more, see kg.llm.budget.
    given = (
        calls * (frame_tokens(prompt, likely_tokens) + evidence),
        calls * (frame_tokens(prompt, estimate_tokens) + evidence * 4 // 3),
    )
    likely, most = (Usage(*both) for both in zip(given, (calls * made[0], calls * made[1]), strict=True))
    return Estimate(
        calls,
        0,
        likely.input_tokens,
        likely.output_tokens,
        money_of(likely),
        most.input_tokens,
        most.output_tokens,
        money_of(most),
    )


ASSUMED_SD = 0.5
"""The standard deviation of paired differences: that of two systems of which a quarter of the answers are
judged otherwise."""
ASSUMED_SD_OF_RECALL = 0.3
"""That of Cluster Recall, a share of several clusters: two systems seldom differ in all of them."""
ASSUMED_INTRA_CLUSTER = 0.1
"""The correlation of two questions of a cluster: what is usual where evidence is shared."""
ENOUGH = POWER
"""The chance of being seen below which a smallest difference is warned of."""


@dataclass(frozen=True, slots=True)
class PlannedPower:
    """The chance that a hypothesis' smallest difference is seen, and what is seen with a chance of .8.

    Over `questions` that can have its measure, in `clusters`; at `level`, that of the first step of Holm and
    of the last look, to which earlier ones leave less. `sd` is what paired differences are assumed to have.
    `chance` and `detectable` are None below two clusters, `detectable` for an equivalence too.
    """

    hypothesis: str
    questions: int
    clusters: int
    smallest: float
    sd: float
    level: float
    chance: float | None
    detectable: float | None

    @property
    def seen(self) -> bool:
        """Whether the smallest difference of interest will most likely be seen, if it is there."""
        return self.chance is not None and self.chance >= ENOUGH


def planned_powers(protocol: Protocol, questions: Sequence[Question]) -> Iterator[PlannedPower]:
    """The planned power of each hypothesis, on what is assumed above; a pilot of your own says more."""
    for hypothesis in protocol.hypotheses:
        sizes = Counter(one.cluster for one in _measurable(hypothesis, questions))
        yield _planned(hypothesis, list(sizes.values()), _level(hypothesis, protocol))


def assumed_sd(measure: Measure) -> float:
    """The standard deviation that paired differences of a measure are assumed to have."""
    return ASSUMED_SD_OF_RECALL if measure == "cluster recall" else ASSUMED_SD


def _level(hypothesis: Hypothesis, protocol: Protocol) -> float:
    inference = protocol.inference
    share = inference.alpha / len(protocol.hypotheses) if inference.correction == "holm" else inference.alpha
    two_sided = hypothesis.direction == "different"
    return level_at(inference.looks, len(inference.looks), share, inference.spending, two_sided)


def _measurable(hypothesis: Hypothesis, questions: Iterable[Question]) -> Iterator[Question]:
    """The questions that can have the measure: those on evidence need gold, and consistency adjacent hops."""
    for question in questions:
        hops = {piece.hop for piece in question.gold}
        match hypothesis.measure:
            case "cluster recall" | "evidence alignment":
                can = bool(hops)
            case "hop consistency":
                can = any(hop + 1 in hops for hop in hops)
            case _:
                can = True
        if can:
            yield question


def _planned(hypothesis: Hypothesis, sizes: Sequence[int], level: float) -> PlannedPower:
    clusters, count, smallest = len(sizes), sum(sizes), hypothesis.smallest
    sd = assumed_sd(hypothesis.measure)
    if clusters < 2:
        return PlannedPower(hypothesis.id, count, clusters, smallest, sd, level, None, None)
    spread = PairedSpread(sd, ASSUMED_INTRA_CLUSTER, count / clusters, pstdev(sizes) / fmean(sizes))
    error, freedom = spread.standard_error(clusters), spread.freedom(clusters)
    if hypothesis.direction == "equivalent":
        chance = power_of_equivalence(smallest, error, freedom, level)
        return PlannedPower(hypothesis.id, count, clusters, smallest, sd, level, chance, None)
    two_sided = hypothesis.direction == "different"
    return PlannedPower(
        hypothesis=hypothesis.id,
        questions=count,
        clusters=clusters,
        smallest=smallest,
        sd=sd,
        level=level,
        chance=power_of(smallest, error, freedom, level, two_sided),
        detectable=min(1.0, detectable(error, freedom, POWER, level, two_sided)),
    )


PER_CLUSTER = 4.0
"""Assumed mean number of questions of a cluster."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """What two runs on the same questions show of how their differences vary; `difference` is the second's
    accuracy less the first's."""

    first: str
    second: str
    questions: int
    clusters: int
    difference: float
    spread: PairedSpread


@dataclass(frozen=True, slots=True)
class Aim:
    """How a difference is to be shown: with chance `power`, while `hypotheses` tests share `alpha`."""

    power: float = POWER
    alpha: float = ALPHA
    two_sided: bool = True
    hypotheses: int = 1

    @property
    def level(self) -> float:
        """What a single p-value must not exceed in the worst case."""
        return self.alpha / self.hypotheses


@dataclass(frozen=True, slots=True)
class Design:
    """A number of questions in clusters and what it can show.

    `power` is the chance to show `difference`, None where none was given; `detectable` is what is shown with
    the chance that was asked for. `naive_questions` is how many would do if all were independent, None where
    the number was given. `warnings` are sentences.
    """

    questions: int
    clusters: int
    spread: PairedSpread
    design_effect: float
    effective_n: float
    standard_error: float
    difference: float | None
    power: float | None
    detectable: float
    naive_questions: int | None
    warnings: tuple[str, ...]


def design_for(spread: PairedSpread, difference: float, aim: Aim) -> Design:
    """The smallest design that shows `difference` with the power of `aim`.

    Raises:
        SettingsError: no number of questions would do.
    """
    lone = PairedSpread(spread.sd, 0.0, 1.0)
    try:
        plan = plan_questions(spread, difference, aim.power, aim.level, aim.two_sided)
        naive = plan_questions(lone, difference, aim.power, aim.level, aim.two_sided).questions
    except ValueError as error:
        raise SettingsError(str(error), "Plan for a larger --difference.") from error
    return _design(spread, plan.questions, plan.clusters, difference, naive, aim)


def design_of(
    spread: PairedSpread, questions: int, clusters: int, difference: float | None, aim: Aim
) -> Design:
    """What `questions` in `clusters` can show, and with which chance they show `difference`.

    Raises:
        SettingsError: there are fewer than two clusters, or more clusters than questions.
    """
    if not 2 <= clusters <= questions:
        raise SettingsError(
            f"{questions:,} questions can't be in {clusters:,} clusters and show a difference.",
            "Give at least 2 clusters, and no more than questions.",
        )
    shaped = PairedSpread(spread.sd, spread.intra_cluster, questions / clusters, spread.uneven)
    return _design(shaped, questions, clusters, difference, None, aim)


def read_pilot(graph: Graph, corpus: str, first: str, second: str) -> Pilot:
    """What two runs of a corpus tell for a plan, over the questions that both answered.

    Raises:
        NothingToDoError: there is no such run, or they share no two questions in different clusters.
        SettingsError: both are one run, or they never differ.
    """
    if first == second:
        raise SettingsError(f"{first!r} does not differ from itself.", "Name two runs: --pilot ONE OTHER.")
    choose_runs(graph, corpus, [first, second])
    before = {answer.question: answer for answer in read_answers(graph, run_id(corpus, first))}
    pairs = [
        (before[answer.question], answer)
        for answer in read_answers(graph, run_id(corpus, second))
        if answer.question in before
    ]
    parts = partition([answer.cluster for _, answer in pairs])
    if parts.size < 2:
        raise NothingToDoError(
            f"runs {first!r} and {second!r} share no questions of two clusters.",
            f"Let both answer the same: {command('run list --corpus', corpus)}",
        )
    gained = np.array([float(late.right) - float(early.right) for early, late in pairs])
    found = clustered_means(gained, parts).column(0)
    if not found.naive_error:
        raise SettingsError(
            f"runs {first!r} and {second!r} differ on no question, or on all alike: that tells no spread.",
            "Give --sd, or name other runs.",
        )
    sizes = parts.sizes
    return Pilot(
        first=first,
        second=second,
        questions=found.n,
        clusters=parts.size,
        difference=float(gained.mean()),
        spread=PairedSpread(
            sd=found.naive_error * sqrt(found.n),
            intra_cluster=found.intra_cluster or 0.0,
            per_cluster=found.n / parts.size,
            uneven=float(sizes.std() / sizes.mean()),
        ),
    )


def _design(
    spread: PairedSpread,
    questions: int,
    clusters: int,
    difference: float | None,
    naive_questions: int | None,
    aim: Aim,
) -> Design:
    error, freedom = spread.standard_error(clusters), spread.freedom(clusters)
    least = detectable(error, freedom, aim.power, aim.level, aim.two_sided)
    power = None if difference is None else power_of(difference, error, freedom, aim.level, aim.two_sided)
    return Design(
        questions=questions,
        clusters=clusters,
        spread=spread,
        design_effect=spread.design_effect,
        effective_n=questions / max(1.0, spread.design_effect),
        standard_error=error,
        difference=difference,
        power=power,
        detectable=min(1.0, least),
        naive_questions=naive_questions,
        warnings=tuple(_warnings(clusters, aim)),
    )


def _warnings(clusters: int, aim: Aim) -> list[str]:
    found = []
    if 2.0 ** (-clusters + aim.two_sided) > aim.level:
        found.append(
            f"A sign-flip test over {clusters} clusters can't reach p ≤ {aim.level:.3g}, whatever comes out."
        )
    elif clusters < FEW_CLUSTERS:
        found.append(
            f"With fewer than {FEW_CLUSTERS} clusters, intervals and tests hold only roughly what they say, "
            "and the sign-flip test sees less than the t test, by which this is planned."
        )
    return found
