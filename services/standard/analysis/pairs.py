"""All pairs of systems in all measures about which nothing was claimed beforehand: looked at, not tested."""

from collections.abc import Sequence
from itertools import combinations

from services.evaluate.statistics.holm import holm
from services.standard.analysis.content import Pair
from services.standard.analysis.contrasts import Contrast, Contrasted
from services.standard.analysis.hypothesis_tests import flipped
from services.standard.analysis.measures_table import MEASURES, UNJUDGED
from services.standard.protocol import Protocol


def exploratory(protocol: Protocol) -> list[Contrast]:
    """Every two systems in every measure, by the first judge, less those that a hypothesis is about.

    The later system is compared with the earlier one, in the order of the protocol.
    """
    claimed = {(one.measure, frozenset((one.system, one.against))) for one in protocol.hypotheses}
    return [
        Contrast(second.name, first.name, measure, "none" if measure == UNJUDGED else "judge")
        for measure in MEASURES
        for first, second in combinations(protocol.systems, 2)
        if (measure, frozenset((first.name, second.name))) not in claimed
    ]


def pairs(found: Sequence[Contrasted]) -> tuple[Pair, ...]:
    """What the exploratory contrasts show; Holm's adjustment is over all of them."""
    tests = [flipped(one, "different") for one in found]
    adjusted = holm([None if test is None else test.value for test in tests])
    return tuple(
        Pair(
            first=one.contrast.against,
            second=one.contrast.system,
            measure=one.contrast.measure,
            n=one.clustered.n,
            clusters=one.clustered.clusters,
            estimate=one.clustered.mean,
            interval=one.clustered.interval,
            p=None if test is None else test.value,
            p_holm=p_holm,
            naive_p=one.naive_p("different"),
        )
        for one, test, p_holm in zip(found, tests, adjusted, strict=True)
    )
