"""Searches against hops as a grid: a row for each depth, a column for each number of searches."""

from collections.abc import Sequence

from markupsafe import Markup

from services.evaluate.hop_aware.analyse import CHAINED
from services.evaluate.hop_aware.content import GroupFigures, HopAware
from services.report import svg
from services.report.html_environment import DAY
from services.report.html_hop_aware import MOST_COUNTED, counts_by_column
from services.report.html_values import SMALL_MARK, percent, plural

_STEPS_LEFT, _STEPS_TOP, _STEPS_ROW, _STEPS_GAP = 66.0, 24.0, 34.0, 2.0
_STEPS_SHADES = len(DAY.hops)
"""Of one hue, which is not that of error rates."""


def grid_figures(id_: str, found: HopAware) -> tuple[Markup, ...]:
    """A grid for each kind of question that is a chain of hops, where searches are known."""
    kinds = dict.fromkeys(one.group.label for one in found.groups if one.group.kind in CHAINED)
    grids = []
    for number, label in enumerate(kinds, start=1):
        rows = [one for one in found.groups if one.group.label == label and one.group.hops is not None]
        if any(one.steps.by_count for one in rows):
            title = f"Searches of {found.run} for a question, by depth: {label}"
            grids.append(svg.figure(f"{id_}-{number}", steps_grid(rows, title)))
    return tuple(grids)


def steps_grid(rows: Sequence[GroupFigures], title: str) -> svg.Drawing:
    """The shares of a depth's answers by their number of searches; a frame is around as many as hops."""
    most = max((count for one in rows for count in (*one.steps.by_count, one.group.hops or 0)), default=0)
    columns = min(most, MOST_COUNTED) + 1 + (most > MOST_COUNTED)
    width = (svg.WIDTH - _STEPS_LEFT - 2) / columns
    shapes = [
        svg.text(_STEPS_LEFT + (at + 0.5) * width, _STEPS_TOP - 8, _label(at, columns, most), "tiny")
        for at in range(columns)
    ]
    for number, one in enumerate(rows):
        shapes += _row(one, _STEPS_TOP + number * (_STEPS_ROW + _STEPS_GAP), columns, width)
    bottom = _STEPS_TOP + len(rows) * (_STEPS_ROW + _STEPS_GAP)
    shapes.append(
        svg.text(_STEPS_LEFT + (svg.WIDTH - _STEPS_LEFT) / 2, bottom + 14, "searches for a question", "small")
    )
    return svg.Drawing(title, " ".join(map(_in_words, rows)), bottom + 22, svg.group(shapes))


def _label(at: int, columns: int, most: int) -> str:
    return f"{at}+" if at == columns - 1 and most > at else str(at)


def _row(one: GroupFigures, y: float, columns: int, width: float) -> list[Markup]:
    counts = counts_by_column(one.steps, columns)
    answers = sum(right + wrong for right, wrong in counts)
    mark = SMALL_MARK if one.accuracies.right.small else ""
    shapes = [
        svg.text(_STEPS_LEFT - 6, y + 14, f"{one.group.hops} hops", "label", "end"),
        svg.text(_STEPS_LEFT - 6, y + 27, f"n {answers:,}{mark}", "tiny", "end"),
    ]
    for at, (right, wrong) in enumerate(counts):
        x = _STEPS_LEFT + at * width
        if not right + wrong:
            shapes.append(svg.box(x + 0.5, y + 0.5, width - _STEPS_GAP - 1, _STEPS_ROW - 1, class_="empty"))
        else:
            part = (right + wrong) / answers
            paint = f"hop-{_STEPS_SHADES - min(_STEPS_SHADES - 1, int(part * _STEPS_SHADES))}"
            shapes += [
                svg.box(x, y, width - _STEPS_GAP, _STEPS_ROW, class_=paint),
                svg.text(x + (width - _STEPS_GAP) / 2, y + 21, percent(part), f"tiny {paint}-ink"),
            ]
        if at == one.group.hops:
            shapes.append(svg.box(x + 1.5, y + 1.5, width - _STEPS_GAP - 3, _STEPS_ROW - 3, class_="framed"))
    return shapes


def _in_words(one: GroupFigures) -> str:
    told = sum(right + wrong for right, wrong in one.steps.by_count.values())
    if not told:
        return f"At {one.group.hops} hops the searches are not known."
    counts = sorted(one.steps.by_count.items(), key=lambda item: -sum(item[1]))[:3]
    words = ", ".join(
        f"{percent(sum(both) / told)} took {plural(count, 'search', 'searches')}" for count, both in counts
    )
    return f"At {one.group.hops} hops {words}."
