"""Two systems compared: a sentence that says what is shown, and the figures behind it.

Differences of two systems with their intervals, one line a depth: a forest plot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from markupsafe import Markup

from services.evaluate.matrix import SMALL
from services.report import svg
from services.report.content import ALL, CHAIN, Compared
from services.report.html_values import (
    Column,
    Entry,
    Row,
    TableView,
    name,
    none,
    p_text,
    plural,
    points,
    points_range,
    signed,
    whole,
)
from services.statistics.intervals import Interval

_LEFT, _RIGHT, _TOP, _STEP, _SIZE, _SMALL = 92.0, 10.0, 26.0, 36.0, 12.0, 11.0
_GRAIN = 0.05


def forest_plot(found: Sequence[Compared]) -> svg.Drawing:
    """The comparisons of one pair of systems; thick by cluster, thin as if questions were independent."""
    reach = _reach(found)
    bottom = _TOP + len(found) * _STEP
    rows = [_row(one, _TOP + (index + 0.5) * _STEP, reach) for index, one in enumerate(found)]
    first, second = found[0].first, found[0].second
    return svg.Drawing(
        title=f"Accuracy of {second} less that of {first}",
        desc=" ".join(map(_in_words, found)),
        height=bottom + 26,
        shapes=svg.group((*_sides(first, second, reach), *_axis(bottom, reach), *rows)),
    )


def _reach(found: Sequence[Compared]) -> float:
    ends = [0.1]
    for one in found:
        ends.append(abs(one.difference))
        for interval in (one.interval, one.naive_interval):
            if interval is not None:
                ends += [abs(interval.low), abs(interval.high)]
    return ceil(max(ends) / _GRAIN - 1e-9) * _GRAIN


def _x(difference: float, reach: float) -> float:
    return _LEFT + (svg.WIDTH - _LEFT - _RIGHT) * (difference / reach + 1) / 2


def _sides(first: str, second: str, reach: float) -> list[Markup]:
    """Which system is better on which side of zero; long names are cut."""
    zero = _x(0, reach)
    left = svg.fitted(f"\u2190 {first}", _SMALL, zero - 10)
    right = svg.fitted(f"{second} \u2192", _SMALL, svg.WIDTH - zero - 10)
    return [svg.text(zero - 8, 14, left, "tiny", "end"), svg.text(zero + 8, 14, right, "tiny", "start")]


def _axis(bottom: float, reach: float) -> list[Markup]:
    left, zero, right = _x(-reach, reach), _x(0, reach), _x(reach, reach)
    return [
        svg.line(zero, _TOP - 4, zero, bottom, "axis"),
        svg.line(left, bottom, right, bottom, "grid"),
        svg.text(left, bottom + 17, signed(-100 * reach, 0), "tiny", "start"),
        svg.text(zero, bottom + 17, "0 points", "tiny"),
        svg.text(right, bottom + 17, signed(100 * reach, 0), "tiny", "end"),
    ]


def _row(one: Compared, y: float, reach: float) -> Markup:
    shapes = [svg.text(_LEFT - 6, y + 4, svg.fitted(scope_name(one.scope), _SIZE, _LEFT - 6), "label", "end")]
    if one.naive_interval is not None:
        shapes.append(_span(one.naive_interval, y + 8, reach, "naive"))
    if one.interval is not None:
        shapes.append(_span(one.interval, y, reach, "clustered"))
    style = "estimate" if one.decided else "estimate open"
    shapes.append(svg.box(_x(one.difference, reach) - 4, y - 4, 8, 8, class_=style))
    return svg.group(shapes)


def _span(interval: Interval, y: float, reach: float, class_: str) -> Markup:
    return svg.line(_x(interval.low, reach), y, _x(interval.high, reach), y, class_)


def _in_words(one: Compared) -> str:
    span = f", 95% interval {points_range(one.interval)}" if one.interval else ", no interval by cluster"
    verdict = "shown to differ" if one.decided else "not shown to differ"
    return f"{scope_name(one.scope)}: {points(one.difference)} points{span}, {verdict}."


LEVEL = 0.05
HARDLY_ENOUGH_CLUSTERS = 10
"""With fewer clusters a test by cluster can hardly show anything, and its interval is unsteady."""


@dataclass(frozen=True, slots=True)
class PairView:
    """One pair of systems: a heading, a sentence on the whole, a plot and a table."""

    heading: Markup
    sentences: tuple[Markup, ...]
    plot: svg.Drawing
    table: TableView


def pair_views(comparisons: Sequence[Compared]) -> list[PairView]:
    """The comparisons by pair, in the order in which pairs first come."""
    pairs: dict[tuple[str, str], list[Compared]] = {}
    for one in comparisons:
        pairs.setdefault((one.first, one.second), []).append(one)
    return [
        PairView(
            heading=Markup("{} against {}").format(name(second), name(first)),
            sentences=_sentences(found),
            plot=forest_plot(found),
            table=_table(found),
        )
        for (first, second), found in pairs.items()
    ]


def verdict(one: Compared) -> Markup:
    """What a comparison shows, in a sentence."""
    first, second = name(one.first), name(one.second)
    n = _asked(one)
    if not one.difference:
        return Markup(
            "<strong>Not shown to differ.</strong> On {} {} and {} are right equally often."
        ).format(n, first, second)
    if not one.decided:
        span = f", 95% interval {points_range(one.interval)}" if one.interval else ""
        adjusted = f", p {p_text(one.p_holm)} after Holm" if one.p_holm is not None else ""
        return Markup(
            "<strong>Not shown to differ.</strong> On {} the accuracy of {} is {} points from that of {}{}{}."
        ).format(n, second, points(one.difference), first, span, adjusted)
    span = f"95% interval {points_range(one.interval)}, " if one.interval else ""
    return Markup("<strong>Shown to differ.</strong> On {} {} gives {} {} ({}p {} after Holm).").format(
        n, second, more_right(one.difference), first, span, p_text(one.p_holm or 0.0)
    )


def more_right(difference: float) -> str:
    """A difference of accuracy in words that the name of the run it is measured from goes on."""
    if not difference:
        return "as many right answers as"
    side = "more" if difference > 0 else "fewer"
    return f"{points(abs(difference)).lstrip('+')} percentage points {side} right answers than"


def scope_name(scope: str) -> str:
    """What a table calls the questions of a comparison."""
    return {ALL: "all kinds", CHAIN: "all chains"}.get(scope, scope)


def _asked(one: Compared) -> str:
    """How many questions a comparison is over, and of which kinds."""
    if one.scope == ALL:
        return f"{plural(one.n, 'question')} of all kinds"
    return plural(one.n, "chain question") + ("" if one.scope == CHAIN else f" of {one.scope}")


def chain_sentence(one: Compared) -> Markup:
    """Two runs over all chain questions together, which are those of the matrix and of a run's total.

    The test stands by itself: it is not among those that are adjusted for each other.
    """
    span = f"95% interval {points_range(one.interval)}, " if one.interval else ""
    tested = "no test" if one.p_value is None else f"p {p_text(one.p_value)} by itself"
    return Markup("On {}, which the matrix is about, {} gives {} {} ({}{}).").format(
        _asked(one), name(one.second), more_right(one.difference), name(one.first), span, tested
    )


def _sentences(found: Sequence[Compared]) -> tuple[Markup, ...]:
    whole_set = next((one for one in found if one.scope == ALL), found[0])
    sentences = [verdict(whole_set)]
    depths = [one for one in found if one is not whole_set and one.decided]
    if depths:
        scopes = ", ".join(scope_name(one.scope) for one in depths)
        sentences.append(Markup("By depth, the difference is shown at {}.").format(scopes))
    elif len(found) > 1:
        sentences.append(Markup("At no single depth is a difference shown."))
    sentences += _would_have_claimed(found)
    if whole_set.clusters < HARDLY_ENOUGH_CLUSTERS:
        sentences.append(
            Markup("There are only {}: hardly any difference could be shown.").format(
                plural(whole_set.clusters, "cluster")
            )
        )
    return tuple(sentences)


def _would_have_claimed(found: Sequence[Compared]) -> list[Markup]:
    """What is not shown, but would be without Holm's adjustment or without clusters."""
    open_ = [one for one in found if not one.decided]
    alone = [scope_name(one.scope) for one in open_ if one.p_value is not None and one.p_value < LEVEL]
    naive = [
        scope
        for one in open_
        if (scope := scope_name(one.scope)) not in alone and one.naive_p is not None and one.naive_p < LEVEL
    ]
    sentences = []
    if alone:
        sentences.append(
            Markup(
                "Looked at alone, {} would be shown; among so many comparisons one such p is to be expected."
            ).format(", ".join(alone))
        )
    if naive:
        sentences.append(
            Markup(
                "A test that takes every question for independent would have claimed a difference at {}: "
                "questions that share evidence fail together, so it counts the same news twice."
            ).format(", ".join(naive))
        )
    return sentences


def _table(found: Sequence[Compared]) -> TableView:
    columns = ("questions", "difference, points", "p after Holm", "ignoring clusters", "design effect")
    return TableView(
        Markup("Accuracy of {} less that of {}").format(name(found[0].second), name(found[0].first)),
        "scope",
        tuple(map(Column, columns)),
        tuple(Row(name(scope_name(one.scope)), _figures(one)) for one in found),
        (
            "A row of hops has chain questions only. Intervals are 95%, Student's by cluster; p is from sign "
            "flips of whole clusters, then adjusted by Holm over all comparisons in this report. The design "
            "effect is how many times larger the variance is than that of independent questions; below it, "
            "how many of those would say as much. \u00b1 is the standard error of a p that was drawn by "
            "chance.",
        ),
    )


def _figures(one: Compared) -> tuple[Entry, ...]:
    difference = points(one.difference)
    by_cluster = (
        points_range(one.interval) if one.interval else f"no interval: {plural(one.clusters, 'cluster')}"
    )
    return (
        Entry(whole(one.n), (plural(one.clusters, "cluster"),), small=one.n < SMALL),
        Entry(difference, (by_cluster,)),
        _adjusted(one),
        _naive(one),
        none("undefined")
        if one.design_effect is None
        else Entry(
            f"{one.design_effect:.2f}",
            () if one.effective_n is None else (f"worth {one.effective_n:,.0f}",),
        ),
    )


def _adjusted(one: Compared) -> Entry:
    if one.p_holm is None:
        return none(f"undefined: {plural(one.clusters, 'cluster')}")
    if one.p_value is None:
        return Entry(p_text(one.p_holm))
    error = f" \u00b1 {one.p_error:.4f}" if one.p_error else ""
    return Entry(p_text(one.p_holm), (f"alone {p_text(one.p_value)}{error}",))


def _naive(one: Compared) -> Entry:
    if one.naive_interval is None:
        return none("undefined")
    p = f"p {p_text(one.naive_p)}" if one.naive_p is not None else "p undefined"
    return Entry(points_range(one.naive_interval), (p,))
