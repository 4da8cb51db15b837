"""The hypotheses as one family: which may be claimed together, over all looks so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.evaluate.statistics.holm import holm
from services.evaluate.statistics.sequential_holm import Held, sequential_holm
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


def _value(p: PValue | None) -> float | None:
    return None if p is None else p.value
