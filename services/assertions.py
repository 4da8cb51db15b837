"""Assertions about runs for tests: no worse than a baseline, no more wrong than a limit."""

from collections.abc import Iterator, Mapping
from warnings import warn

from kg.errors import SettingsError
from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import BIN_NAMES, Cell, Matrix
from services.gate import MAX_DROP, GateRules
from services.python_api.runs import Run

ALL = "all"
Place = str | int | tuple[int, str | int]
"""Where in a matrix: "all"; a depth, 2 to 5; a quartile, "near", "Q2", "Q3", "far"; or depth and quartile."""
MaxError = float | Mapping[Place, float]
"""The error rate that is allowed, over all questions or at each of some places; 0 to 1."""

_QUARTILES = {name: quartile for quartile, name in BIN_NAMES.items()}


class HopgradeWarning(UserWarning):
    """A figure is beyond its limit, and it could be chance."""


def assert_no_worse(
    run: Run,
    baseline: Run | str,
    max_drop: float = MAX_DROP,
    per_depth: bool = False,
    strict: bool = False,
    seed: int = 0,
) -> None:
    """Fail where a run's accuracy is below a baseline's by more than `max_drop`, and not by chance.

    A larger drop that could be chance is a warning, and a failure where `strict`. With `per_depth`, every
    depth is checked too.

    Raises:
        AssertionError: the run is worse; the message has the figures and what was tested.
        UserError: the runs can't be compared.

    >>> hopgrade.assert_no_worse(corpus.run("single-step"), "multi-step", max_drop=0.5)
    """
    gate = run.gate(baseline, GateRules(max_drop, per_depth, strict, seed))
    if not gate.passed:
        raise AssertionError(f"run {gate.run!r} is worse than {gate.baseline!r}\n{gate}")
    for warning in gate.warnings:
        warn(warning, HopgradeWarning, stacklevel=2)


def assert_max_error(run: Run, max_error: MaxError, strict: bool = False) -> None:
    """Fail where an error rate of a run's difficulty matrix is above its limit, and not by chance.

    A limit is broken where the whole 95 % interval (by cluster) lies above it, or, where `strict`, the rate
    itself. A rate above its limit that could be chance is a warning. A place without answers breaks it.

    Raises:
        AssertionError: a limit is broken; the message names each place with its figures.
        SettingsError: a place is none of the matrix, or a limit is no share.

    >>> hopgrade.assert_max_error(corpus.run("single-step"), {"all": 1.0, 2: 1.0})
    """
    limits: Mapping[Place, float] = max_error if isinstance(max_error, Mapping) else {ALL: max_error}
    found = list(_beyond(run.difficulty_matrix(), limits))
    if broken := [told for told, shown in found if shown or strict]:
        raise AssertionError("\n".join((f"run {run.name!r} is wrong too often", *broken)))
    for told, _ in found:
        warn(f"run {run.name!r}: {told}", HopgradeWarning, stacklevel=2)


def _beyond(matrix: Matrix, limits: Mapping[Place, float]) -> Iterator[tuple[str, bool]]:
    """Each rate above its limit in words, and whether it is shown to be."""
    for place, limit in limits.items():
        if not 0 <= limit <= 1:
            raise SettingsError(f"{limit!r} is no error rate.", "Give a limit from 0 to 1.")
        cell = _cell(matrix, place)
        name = _cell_name(cell)
        spread = cell.clustered or cell.interval
        if cell.error_rate is None or spread is None:
            yield f"{name}: there are no answers, so nothing shows that at most {limit:.3f} are wrong.", True
        elif cell.error_rate > limit:
            shown = spread.low > limit
            chance = "" if shown else "; it could be chance"
            yield (
                f"{name}: error rate {cell.error_rate:.3f} [{spread.low:.3f}, {spread.high:.3f}] of "
                f"{cell.n:,} questions, allowed {limit:.3f}{chance}.",
                shown,
            )


def _cell(matrix: Matrix, place: Place) -> Cell:
    hops, quartile = place if isinstance(place, tuple) else _sides(place)
    bin_ = _QUARTILES.get(quartile) if isinstance(quartile, str) else quartile
    known = (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total)
    unknown = isinstance(quartile, str) and bin_ is None
    for cell in known:
        if not unknown and (cell.hops, cell.bin) == (hops, bin_):
            return cell
    raise SettingsError(
        f"{place!r} is no place in a difficulty matrix.",
        f"Use 'all', a depth ({', '.join(map(str, DEPTHS))}), a quartile ({', '.join(_QUARTILES)}), or both: "
        "(4, 'far').",
    )


def _sides(place: str | int) -> tuple[int | None, str | int | None]:
    if place == ALL:
        return None, None
    return (place, None) if isinstance(place, int) else (None, place)


def _cell_name(cell: Cell) -> str:
    parts = ([f"{cell.hops} hops"] if cell.hops else []) + ([BIN_NAMES[cell.bin]] if cell.bin else [])
    return ", ".join(parts) or ALL
