"""Hop-aware analysis in a terminal of 80 columns."""

from collections.abc import Iterable, Iterator, Sequence

from cli.console import out, say, table
from services.evaluate.attribution.cascade import Cascade
from services.evaluate.attribution.causes import CAUSES
from services.evaluate.attribution.figures import AttributionFigures, CauseFigures
from services.evaluate.goal_seeking_table import GoalRow
from services.evaluate.hop_aware.content import Group, GroupFigures, HopAware
from services.evaluate.hop_aware.figures import Figure
from services.evaluate.matrix import SMALL
from services.evaluate.run_analysis import RunAnalysis

NONE = "-"


def print_analyses(analyses: Sequence[RunAnalysis]) -> None:
    """Run by run how often right, how deep, how searched, and why it failed; then what a reader must know."""
    for one in analyses:
        _print_hops(one.hops)
        _print_failures(one.failures)
        if one.goals:
            _print_goals(one.goals)
    say(
        f"* fewer than {SMALL} answers. Intervals: 95 %, by clusters of questions whose answer stands in one "
        "article.",
        "dim",
    )
    notes = [note for one in analyses for note in one.hops.notes]
    if notes:
        out.print()
        say("To know", "italic")
        for note in notes:
            say(f"- {note}")


def _print_hops(found: HopAware) -> None:
    say(f"Run {found.run!r}, hop by hop: {found.answers:,} answers", "bold")
    lines = list(_lines(found))
    if not lines:
        return
    _print("How often right", ("questions", "n", "right", "95 %", "EM", "F1", "0-2"), map(_accuracies, lines))
    if any(one.depths.reached.n for one in lines):
        depths = ("questions", "asked", "MaxD", "unbroken", "MaxD, wrong", "unbroken, wrong")
        chained = (one for one in lines if one.depths.reached.n)
        _print("How deep it gets, over questions whose prefixes were asked", depths, map(_depths, chained))
    searches = ("questions", "Steps-C", "Steps-I", "collapsed", "over-ext.", "top-k", "redundant", "faults")
    _print("How it searches", searches, map(_steps, lines))
    _print("Searches: answers (right)", ("questions", "searches"), map(_counts, lines))


def _print_failures(found: AttributionFigures) -> None:
    if not found.total.failures:
        return
    groups = [one for one in (*found.groups, found.total) if one.failures]
    shown = [cause for cause in CAUSES if found.total.causes[cause].value]
    rows = (
        [_name(one.group), _n(one.failures), *(_share(one.causes[cause]) for cause in shown)]
        for one in groups
    )
    _print("What failures are attributed to", ("questions", "wrong", *shown), rows)
    hops = (
        [f"hop {hop}", *(by_cause.get(cause, 0) for cause in shown)]
        for hop, by_cause in found.total.first_hops.items()
    )
    _print("The first hop that failed", ("hop", *shown), hops)
    _print("How it behaved where it failed", ("behaviour", "share", "95 %"), _behaviours(found.total))
    columns = ("hop", "missed", "then got next", "then right", "next, if got", "right, if got")
    _print("What a miss leads to, by evidence", columns, _cascades(found.by_evidence))
    _print("What a miss leads to, by prefix questions", columns, _cascades(found.by_prefixes))


def _print_goals(rows: Sequence[GoalRow]) -> None:
    columns = ("query type", "n", "accuracy", "goals achieved", "right where achieved", "iterations")
    lines = (
        [
            row.query_type,
            _n(row.accuracy.n),
            *map(_share, (row.accuracy, row.achieved, row.right_when_achieved)),
            _mean(row.iterations),
        ]
        for row in rows
    )
    _print("Goals by query type", columns, lines)


def _print(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    lines = list(rows)
    if lines:
        out.print(table(title, columns, lines))
        out.print()


def _lines(found: HopAware) -> Iterator[GroupFigures]:
    yield from found.groups
    if found.total is not None and len(found.groups) > 1:
        yield found.total


def _name(group: Group) -> str:
    return group.label if group.hops is None else f"{group.label}, {group.hops}"


def _accuracies(one: GroupFigures) -> list[object]:
    found = one.accuracies
    score = f"{_share(found.judged)} ({'/'.join(map(str, found.scores))})" if found.judged.n else NONE
    return [
        _name(one.group),
        _n(one.n),
        _share(found.right),
        _range(found.right),
        _share(found.exact),
        _mean(found.f1),
        score,
    ]


def _depths(one: GroupFigures) -> list[object]:
    found = one.depths
    figures = (found.reached, found.unbroken, found.reached_failed, found.unbroken_failed)
    return [_name(one.group), _n(found.reached.n), *map(_mean_range, figures)]


def _steps(one: GroupFigures) -> list[object]:
    found = one.steps
    return [
        _name(one.group),
        _mean(found.right),
        _mean(found.wrong),
        _share(found.collapsed),
        _share(found.extended),
        _mean(found.top_k),
        _share(found.redundant),
        _mean(one.faults),
    ]


def _counts(one: GroupFigures) -> list[object]:
    counts = (
        f"{count}: {right + wrong:,} ({right:,})" for count, (right, wrong) in one.steps.by_count.items()
    )
    return [_name(one.group), "  ".join(counts) or "not told"]


def _behaviours(total: CauseFigures) -> Iterator[list[object]]:
    for name, figure in total.behaviours.items():
        yield [name, _share(figure), _range(figure)]


def _cascades(cascades: Sequence[Cascade]) -> Iterator[list[object]]:
    for one in cascades:
        if one.missed.n:
            figures = (one.missed, one.recovered, one.right, one.next_after_hit, one.right_after_hit)
            yield [f"hop {one.hop}", *map(_of, figures)]


def _n(number: int) -> str:
    return f"{number:,}{'*' if number < SMALL else ''}"


def _share(figure: Figure) -> str:
    return NONE if figure.value is None else f"{figure.value:.1%}"


def _of(figure: Figure) -> str:
    return NONE if figure.value is None else f"{figure.value:.0%} of {_n(figure.n)}"


def _mean(figure: Figure) -> str:
    return NONE if figure.value is None else f"{figure.value:.2f}"


def _mean_range(figure: Figure) -> str:
    interval = figure.interval
    told = "" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]"
    return _mean(figure) + told


def _range(figure: Figure) -> str:
    interval = figure.interval
    return "" if interval is None else f"{interval.low:.1%} - {interval.high:.1%}"
