"""The hypotheses of a protocol, held against the verdicts of each judge.

The hypotheses as one family: which may be claimed together, over all looks so far.

What a hypothesis says, and what its tests come to, in words.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.evaluate.statistics.holm import holm
from services.evaluate.statistics.power import detectable
from services.evaluate.statistics.sequential_holm import Held, sequential_holm
from services.evaluate.statistics.sign_flip import EXACT_UP_TO
from services.standard.analysis.content import Adjusted, Decision, HypothesisResult, Tested
from services.standard.analysis.contrasts import Contrast, Contrasted
from services.standard.analysis.hypothesis_tests import PValue, Tests, tests_of
from services.standard.analysis.judge_errors import allow_for_judge, tested_error
from services.standard.analysis.measures_table import UNJUDGED
from services.standard.archive import ROLES, JudgeRole
from services.standard.calibration.figures import CalibrationFigures
from services.standard.protocol import MEASURE_NAMES, Direction, Hypothesis, Inference, Protocol


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was shown of a hypothesis: itself, its contrary, or neither; `possible` if it could be at all."""

    claimed: bool
    contrary: bool
    possible: bool


def claim(one: Hypothesis) -> str:
    """The hypothesis as a sentence without its full stop."""
    measure, margin = MEASURE_NAMES[one.measure], f"{100 * one.smallest:g} points"
    match one.direction:
        case "greater":
            return f"{one.system} has a higher {measure} than {one.against}"
        case "less":
            return f"{one.system} has a lower {measure} than {one.against}"
        case "different":
            return f"{one.system} and {one.against} differ in {measure}"
    return f"{one.system} and {one.against} differ in {measure} by less than {margin}"


def decide(verdict: Verdict, found: Contrasted, judge: CalibrationFigures | None) -> Decision:
    """The decision by one judge; `judge` is None where the measure needs none."""
    if not found.clustered.n:
        return "no questions"
    if judge is not None and judge.verdict == "rejected":
        return "judge rejected"
    if verdict.claimed:
        return "supported"
    if verdict.contrary:
        return "contradicted"
    return "not supported" if verdict.possible else "too few clusters to say"


def reason(
    decision: Decision,
    one: Hypothesis,
    found: Contrasted,
    adjusted: Adjusted,
    detectable: float | None,
    judge: str,
) -> str:
    """What stands behind a decision, in a sentence; nothing where the figures say it all."""
    clusters = found.clustered.clusters
    return {
        "no questions": "There is no question where both systems have a value.",
        "judge rejected": f"{judge} failed the calibration, so nothing is claimed by that judge.",
        "too few clusters to say": (
            f"With {clusters} {'cluster' if clusters == 1 else 'clusters'} no difference whatever could have "
            "been claimed."
        ),
        "supported": _size(one, found, adjusted),
        "contradicted": "",
        "not supported": _blunt(one, detectable),
    }[decision]


def _blunt(one: Hypothesis, detectable: float | None) -> str:
    if detectable is None or detectable <= one.smallest:
        return ""
    return (
        f"With a chance of 80% these questions show a difference of {100 * detectable:.1f} points, and not "
        f"one of {100 * one.smallest:g}, the smallest of interest."
    )


def _size(one: Hypothesis, found: Contrasted, adjusted: Adjusted) -> str:
    margin = f"{100 * one.smallest:g} points"
    interval = found.clustered.interval
    if interval is None or one.direction == "equivalent":
        return ""
    # What is left once the judge's errors are allowed for must lie beyond it too.
    intervals = [interval] if adjusted.interval is None else [interval, adjusted.interval]
    low, high = min(each.low for each in intervals), max(each.high for each in intervals)
    least = {"greater": low, "less": -high, "different": max(low, -high)}[one.direction]
    if least >= one.smallest:
        return f"All of the interval lies beyond {margin}, the smallest difference of interest."
    return f"The difference may be below {margin}, the smallest of interest."


@dataclass(frozen=True, slots=True)
class Family:
    """What came of a family, one entry a hypothesis: p after correction at this look, and what was shown."""

    adjusted: tuple[float | None, ...]
    held: tuple[Held, ...]


def family(
    looks: Sequence[Sequence[Tests]],
    which: Callable[[Tests], PValue | None],
    two_sided: Sequence[bool],
    inference: Inference,
) -> Family:
    """Decide a family by one of its p-values; `looks` has a row a look so far, an entry a hypothesis."""
    rows = [[_value(which(tests)) for tests in look] for look in looks]
    corrected = inference.correction == "holm"
    return Family(
        adjusted=tuple(_adjusted(rows[-1]) if corrected else rows[-1]),
        held=tuple(
            sequential_holm(
                rows, two_sided, inference.looks, inference.alpha, inference.spending, correct=corrected
            )
        ),
    )


def claimable(clusters: int, direction: Direction, level: float | None) -> bool:
    """Whether any p-value over so many clusters reaches the level that it was held against, None for none.

    The smallest p-value that the 2^G patterns of G clusters allow is 2^-G, two-sided twice that. An
    equivalence goes by a t test, which can be as sure over two clusters as over many.
    """
    if clusters < 2 or direction == "equivalent":
        return clusters >= 2
    least = 2.0 ** ((1 if direction == "different" else 0) - clusters)
    return level is not None and least <= level


def _adjusted(row: Sequence[float | None]) -> list[float | None]:
    """Holm's p-values; a hypothesis without a test has its part in the family, as one that shows nothing."""
    adjusted = holm([1.0 if p is None else p for p in row])
    return [None if p is None else found for p, found in zip(row, adjusted, strict=True)]


@dataclass(frozen=True, slots=True)
class _Families:
    """The four families of one judge's tests: of the hypotheses, of their contraries, and both naive."""

    found: Family
    contrary: Family
    naive: Family
    naive_contrary: Family


def claimed_contrasts(protocol: Protocol) -> list[Contrast]:
    """What the hypotheses are about: for the first judge in their order, then for the second."""
    return [
        Contrast(one.system, one.against, one.measure, "none" if one.measure == UNJUDGED else role)
        for role in ROLES
        for one in protocol.hypotheses
    ]


def hypothesis_results(
    protocol: Protocol,
    looks: Sequence[Sequence[Contrasted]],
    judges: Mapping[JudgeRole, CalibrationFigures],
) -> tuple[HypothesisResult, ...]:
    """What came of each hypothesis; each judge's verdicts make a family of tests.

    `looks` has the `claimed_contrasts` as they were at each look so far, the last row being this one's.
    """
    number = len(protocol.hypotheses)
    tested = [
        tuple(_of_judge(protocol, [look[place * number :][:number] for look in looks], judges[role]))
        for place, role in enumerate(ROLES)
    ]
    return tuple(_result(one, by) for one, *by in zip(protocol.hypotheses, *tested, strict=True))


def _result(one: Hypothesis, by: Sequence[Tested]) -> HypothesisResult:
    needed = tuple(by[:1] if one.measure == UNJUDGED else by)
    decision = needed[0].decision
    replicable = len(needed) > 1 and decision in ("supported", "contradicted")
    return HypothesisResult(
        id=one.id,
        claim=claim(one),
        system=one.system,
        against=one.against,
        measure=one.measure,
        direction=one.direction,
        smallest=one.smallest,
        by=needed,
        decision=decision,
        survives=needed[1].decision == decision if replicable else None,
    )


def _of_judge(
    protocol: Protocol, looks: Sequence[Sequence[Contrasted]], judge: CalibrationFigures
) -> Iterator[Tested]:
    tests = [
        [tests_of(one, found, judge) for one, found in zip(protocol.hypotheses, look, strict=True)]
        for look in looks
    ]
    two_sided = [one.direction == "different" for one in protocol.hypotheses]
    # The contrary of a two-sided hypothesis is an equivalence, which is one-sided twice.
    one_sided = [False] * len(two_sided)
    families = _Families(
        family(tests, lambda one: one.found, two_sided, protocol.inference),
        family(tests, lambda one: one.contrary, one_sided, protocol.inference),
        family(tests, lambda one: one.naive, two_sided, protocol.inference),
        family(tests, lambda one: one.naive_contrary, one_sided, protocol.inference),
    )
    for place, (one, found) in enumerate(zip(protocol.hypotheses, looks[-1], strict=True)):
        level = families.found.held[place].level
        possible = claimable(found.clustered.clusters, one.direction, level)
        yield _tested(one, found, tests[-1][place], families, place, judge, protocol.inference, possible)


def _tested(
    one: Hypothesis,
    found: Contrasted,
    tests: Tests,
    families: _Families,
    place: int,
    judge: CalibrationFigures,
    inference: Inference,
    possible: bool,
) -> Tested:
    clustered, held = found.clustered, families.found.held[place]
    judged = None if found.contrast.role == "none" else judge
    verdict = Verdict(_shown(families.found, place), _shown(families.contrary, place), possible)
    naive = Verdict(_shown(families.naive, place), _shown(families.naive_contrary, place), possible=True)
    seen = _detectable(one, found, held.level, inference.draws)
    decision, adjusted = decide(verdict, found, judged), allow_for_judge(found)
    return Tested(
        role=found.contrast.role,
        judge="" if judged is None else judged.judge,
        n=clustered.n,
        undefined=found.undefined,
        clusters=clustered.clusters,
        mean=found.mean,
        mean_against=found.mean_against,
        estimate=clustered.mean,
        standard_error=clustered.standard_error,
        t_interval=clustered.interval,
        percentile=found.percentile,
        bca=found.bca,
        design_effect=clustered.design_effect,
        effective_n=clustered.effective_n,
        p=_value(tests.found),
        exact=tests.found is not None and tests.found.exact,
        p_error=0.0 if tests.found is None else tests.found.error,
        p_holm=families.found.adjusted[place],
        p_opposite=_value(tests.contrary),
        p_opposite_holm=families.contrary.adjusted[place],
        level=held.level,
        shown_at=held.shown_at,
        naive_interval=clustered.naive_interval,
        naive_p=_value(tests.naive),
        naive_p_holm=families.naive.adjusted[place],
        naive_decision=decide(naive, found, judged),
        equivalence_p=_value(tests.within),
        detectable=seen,
        adjusted=adjusted,
        decision=decision,
        why=reason(decision, one, found, adjusted, seen, "" if judged is None else judged.judge),
    )


def _detectable(one: Hypothesis, found: Contrasted, level: float | None, draws: int) -> float | None:
    """The smallest difference that these questions show with a chance of .8, where p must reach a level."""
    error, freedom = tested_error(found), found.clustered.freedom
    if not error or freedom is None or one.direction == "equivalent":
        return None
    if level is None:
        return None
    two_sided = one.direction == "different"
    if found.clustered.clusters > EXACT_UP_TO and level < 1 / (draws + 1):
        return 1.0
    return min(1.0, detectable(error, freedom, alpha=level, two_sided=two_sided))


def _shown(found: Family, place: int) -> bool:
    return found.held[place].shown_at is not None


def _value(p: PValue | None) -> float | None:
    return None if p is None else p.value
