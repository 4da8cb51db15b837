"""The hypotheses of a protocol, held against the verdicts of each judge.

The hypotheses as one family: which may be claimed together, over all looks so far.

What a hypothesis says, and what its tests come to, in words.

The p-values of a hypothesis and of its contrary, by cluster, and as if questions were independent.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scipy.special import stdtr

from services.comparison.analysis.content import Adjusted, Decision, HypothesisResult, Tested
from services.comparison.analysis.contrasts import (
    Contrast,
    Contrasted,
    allow_for_judge,
    implied_p,
    tested_difference,
    tested_error,
)
from services.comparison.analysis.measures_table import JUDGED, UNJUDGED
from services.comparison.archive import ROLES, JudgeRole
from services.comparison.judging.calibration import CalibrationFigures
from services.comparison.protocol import MEASURE_NAMES, Direction, Hypothesis, Inference, Protocol
from services.statistics.clustered_means import ClusteredMean, equivalence
from services.statistics.paired import detectable
from services.statistics.resampling import EXACT_UP_TO, Alternative
from services.statistics.several_tests import HolmOutcome, holm, sequential_holm

CONTRARY: Mapping[str, Alternative] = {"greater": "less", "less": "greater"}


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value; where it was drawn by chance, not `exact`, with its Monte Carlo standard error."""

    value: float
    exact: bool = True
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Tests:
    """The p-values of a hypothesis and of its contrary, by cluster and naive; None where undefined.

    The contrary of "greater" is "less"; that of "different", that the difference is smaller than the smallest
    one of interest; that of "equivalent", that it is larger.
    `within` is that it is smaller, whatever was claimed.
    """

    claimed: PValue | None
    contrary: PValue | None
    naive: PValue | None
    naive_contrary: PValue | None
    within: PValue | None


def tests_of(one: Hypothesis, found: Contrasted, judge: CalibrationFigures) -> Tests:
    """All tests of a hypothesis.

    An equivalence allows for the errors of a judge who is to be adjusted. Where the systems are not silent
    alike, every test of accuracy allows for what that makes of his verdicts: the larger p counts, that of the
    verdicts or that of the difference which they imply.
    """
    naive = _naive(found)
    within, naive_within = _equivalent(one, found, judge, _within), _equivalent(one, naive, judge, _within)
    match one.direction:
        case "equivalent":
            beyond = _equivalent(one, found, judge, _beyond)
            naive_beyond = _equivalent(one, naive, judge, _beyond)
            return Tests(within, beyond, naive_within, naive_beyond, within)
        case "different":
            return Tests(
                flipped(found, "different"),
                within,
                _by_question(found, naive, "different"),
                naive_within,
                within,
            )
        case direction:
            contrary = CONTRARY[direction]
            return Tests(
                flipped(found, direction),
                flipped(found, contrary),
                _by_question(found, naive, direction),
                _by_question(found, naive, contrary),
                within,
            )


def flipped(found: Contrasted, alternative: Alternative) -> PValue | None:
    """The sign flip by cluster, or Student's test of the implied difference where that has the larger p."""
    test = found.test(alternative)
    by_flips = None if test is None else PValue(test.p_value, test.exact, test.standard_error)
    return _the_larger(by_flips, implied_p(found, alternative))


def _by_question(found: Contrasted, naive: Contrasted, alternative: Alternative) -> PValue | None:
    return _the_larger(_p_value(found.naive_p(alternative)), implied_p(naive, alternative))


def _the_larger(found: PValue | None, implied: float | None) -> PValue | None:
    if found is None or implied is None or found.value >= implied:
        return found
    return PValue(implied, exact=False)


def _p_value(p: float | None) -> PValue | None:
    return None if p is None else PValue(p)


def _equivalent(
    one: Hypothesis,
    found: Contrasted,
    judge: CalibrationFigures,
    test: Callable[[ClusteredMean, float, bool], PValue | None],
) -> PValue | None:
    verdicts = found.contrast.measure == JUDGED
    decided = test(*tested_difference(found, judge, one.smallest), verdicts)
    if found.implied is None or not found.implied.shifted:
        return decided
    plain = test(found.clustered, one.smallest, verdicts)
    return _the_larger(plain, None if decided is None else decided.value)


def _within(difference: ClusteredMean, margin: float, verdicts: bool) -> PValue | None:
    found = equivalence(difference, margin, verdicts=verdicts)
    return None if found is None else PValue(found.p_value, exact=False)


def _beyond(difference: ClusteredMean, margin: float, verdicts: bool) -> PValue | None:
    """That the difference is larger than the margin, either way: twice the one-sided p of the nearer side.

    Of `verdicts` and of fractions alike.
    """
    mean, error, freedom = difference.mean, difference.standard_error, difference.freedom
    if mean is None or not error or freedom is None:
        return None
    return PValue(min(1.0, 2 * (1 - float(stdtr(freedom, (abs(mean) - margin) / error)))), exact=False)


def _naive(found: Contrasted) -> Contrasted:
    """The same contrast with the errors and the freedom that independent questions would leave."""
    implied = found.implied
    return replace(
        found,
        clustered=_independent(found.clustered),
        implied=implied and replace(implied, clustered=_independent(implied.clustered)),
    )


def _independent(found: ClusteredMean) -> ClusteredMean:
    return ClusteredMean(
        n=found.n,
        clusters=found.n,
        mean=found.mean,
        standard_error=found.naive_error,
        freedom=max(1.0, found.n - 1.0),
        interval=found.naive_interval,
        design_effect=1.0 if found.naive_error else None,
        effective_n=float(found.n),
        intra_cluster=None,
        naive_error=found.naive_error,
        naive_interval=found.naive_interval,
    )


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
    outcomes: tuple[HolmOutcome, ...]


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
        outcomes=tuple(
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

    claimed: Family
    contrary: Family
    naive: Family
    naive_contrary: Family


def claimed_contrasts(protocol: Protocol) -> list[Contrast]:
    """What the hypotheses are about: for the first judge in their order, then for the second."""
    return [
        Contrast(one.system, one.against, one.measure, "none" if one.measure in UNJUDGED else role)
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
    alone = protocol.judges_share_code
    return tuple(_result(one, by, alone) for one, *by in zip(protocol.hypotheses, *tested, strict=True))


def _result(one: Hypothesis, by: Sequence[Tested], alone: bool) -> HypothesisResult:
    needed = tuple(by[:1] if one.measure in UNJUDGED else by)
    decision = needed[0].decision
    replicable = len(needed) > 1 and decision in ("supported", "contradicted")
    survives = needed[1].decision == decision if replicable else None
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
        survives=None if survives and alone else survives,
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
        family(tests, lambda one: one.claimed, two_sided, protocol.inference),
        family(tests, lambda one: one.contrary, one_sided, protocol.inference),
        family(tests, lambda one: one.naive, two_sided, protocol.inference),
        family(tests, lambda one: one.naive_contrary, one_sided, protocol.inference),
    )
    for place, (one, found) in enumerate(zip(protocol.hypotheses, looks[-1], strict=True)):
        level = families.claimed.outcomes[place].level
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
    clustered, held = found.clustered, families.claimed.outcomes[place]
    judged = None if found.contrast.role == "none" else judge
    verdict = Verdict(_is_shown(families.claimed, place), _is_shown(families.contrary, place), possible)
    naive = Verdict(
        _is_shown(families.naive, place), _is_shown(families.naive_contrary, place), possible=True
    )
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
        p=_value(tests.claimed),
        exact=tests.claimed is not None and tests.claimed.exact,
        p_error=0.0 if tests.claimed is None else tests.claimed.error,
        p_holm=families.claimed.adjusted[place],
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


def _is_shown(found: Family, place: int) -> bool:
    return found.outcomes[place].shown_at is not None


def _value(p: PValue | None) -> float | None:
    return None if p is None else p.value
