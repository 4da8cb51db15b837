"""The hypotheses as one family: which may be claimed together, over all looks so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.evaluate.statistics.holm import holm
from services.evaluate.statistics.sequential_holm import Held, sequential_holm
from services.evaluate.statistics.spending import level_at
from services.standard.analysis.hypothesis_tests import PValue, Tests
from services.standard.protocol import Direction, Inference


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
        adjusted=tuple(holm(rows[-1]) if corrected else rows[-1]),
        held=tuple(
            sequential_holm(
                rows, two_sided, inference.looks, inference.alpha, inference.spending, correct=corrected
            )
        ),
    )


def claimable(clusters: int, direction: Direction, hypotheses: int, inference: Inference, look: int) -> bool:
    """Whether anything can be claimed over so many clusters at all, as the first of so many hypotheses.

    The smallest p-value that the 2^G patterns of G clusters allow is 2^-G, two-sided twice that.
    An equivalence goes by a t test, which can be as sure over two clusters as over many.
    """
    if clusters < 2 or direction == "equivalent":
        return clusters >= 2
    two_sided = direction == "different"
    share = inference.alpha / hypotheses if inference.correction == "holm" else inference.alpha
    least = 2.0 ** ((1 if two_sided else 0) - clusters)
    return least <= level_at(inference.looks, look, share, inference.spending, two_sided)


def _value(p: PValue | None) -> float | None:
    return None if p is None else p.value
