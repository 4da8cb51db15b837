"""Hop-aware analysis at a glance: which run fails at which hop by which cause, and how wide it searches.

How many chunks a question's first, second ... search asks for, by run (AgenticRAGTracer, figure 3).

At which hop a run's wrong answers failed first, and by which cause: one bar a hop.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from services.evaluate.causes import CAUSES, Cause
from services.evaluate.diagnose import CauseFigures, worst_places
from services.evaluate.hop_aware import Figure, GroupFigures
from services.evaluate.run_analysis import RunAnalysis
from services.report import svg
from services.report.html_hop_aware import mean_entry, share_entry
from services.report.html_values import Column, Entry, Row, TableView, name, none, percent, plural, whole
from services.report.svg_charts import series_class

_AXIS_LEFT, _AXIS_RIGHT, _AXIS_TOP, _BAR, _STEP, _SIZE = (
    52.0,
    34.0,
    4.0,
    24.0,
    31.0,
    11.0,
)

PAINTS: Mapping[Cause, str] = {
    "planning": "hop-1",
    "retrieval": "hop-3",
    "reasoning": "reasoning",
    "answer form": "hop-5",
    "error": "failed",
    "not told": "untold",
}
"""The class of each cause's colour."""


def failure_chart(run: str, total: CauseFigures) -> svg.Drawing:
    """Bars as long as the failures of a hop, cut by their causes; those of no known hop come last."""
    rows = _rows(total)
    most = max((sum(counts.values()) for _, counts in rows), default=0)
    shapes: list[Markup] = []
    for number, (label, counts) in enumerate(rows):
        y = _AXIS_TOP + number * _STEP
        shapes += [svg.text(_AXIS_LEFT - 8, y + 16, label, "label", "end"), *_bar(counts, y, most)]
    return svg.Drawing(
        title=f"The first hop at which the wrong answers of {run} failed, by cause",
        desc=" ".join(_causes_in_words(rows)) or "No wrong answer.",
        height=_AXIS_TOP + max(1, len(rows)) * _STEP,
        shapes=svg.group(shapes),
    )


def cause_key(total: CauseFigures) -> tuple[tuple[str, str], ...]:
    """The classes of the colours in the chart, each with the cause that it stands for."""
    return tuple((PAINTS[cause], cause) for cause in CAUSES if total.causes[cause].value)


def _rows(total: CauseFigures) -> list[tuple[str, Mapping[Cause, int]]]:
    """Every hop up to the last that failed, also those where none did, and what failed at no known hop."""
    deepest = max(total.first_hops, default=0)
    rows = [(f"hop {hop}", total.first_hops.get(hop, {})) for hop in range(1, deepest + 1)]
    return [*rows, ("no hop", total.no_hop)] if total.no_hop else rows


def _bar(counts: Mapping[Cause, int], y: float, most: int) -> list[Markup]:
    width = svg.WIDTH - _AXIS_LEFT - _AXIS_RIGHT
    shapes, x = [], _AXIS_LEFT
    for cause in CAUSES:
        number = counts.get(cause, 0)
        if not number:
            continue
        part = width * number / most
        paint, words = PAINTS[cause], f"{number:,}"
        shapes.append(svg.box(x, y, part, _BAR, class_=f"{paint} part"))
        if svg.text_width(words, _SIZE) + 4 <= part:
            shapes.append(svg.text(x + part / 2, y + 16, words, f"share {paint}-ink"))
        x += part
    shapes.append(svg.text(x + 6, y + 16, f"{sum(counts.values()):,}", "label", "start"))
    return shapes


def _causes_in_words(rows: list[tuple[str, Mapping[Cause, int]]]) -> Iterator[str]:
    for label, counts in rows:
        causes = ", ".join(f"{cause} {counts[cause]:,}" for cause in CAUSES if counts.get(cause))
        failures = plural(sum(counts.values()), "failure")
        yield f"{label[:1].upper()}{label[1:]}, {failures}{': ' if causes else ''}{causes}."


MOST_SEARCHES = 10
"""Searches that are drawn and listed; few questions take more."""

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 34.0, 8.0, 12.0, 40.0, 196.0
_APART = 9.0
_NICE = (1, 2, 5, 10, 20, 50, 100)


def top_k_chart(title: str, runs: Sequence[tuple[str, Mapping[int, Figure]]]) -> svg.Drawing:
    """Means by the number of the search, joined by lines; runs stand beside each other, as many are alike."""
    last = min(MOST_SEARCHES, max((number for _, means in runs for number in means), default=1))
    drawn = [
        {number: one.value for number, one in means.items() if number <= last and one.value is not None}
        for _, means in runs
    ]
    top = _top(max((value for means in drawn for value in means.values()), default=1.0))
    slot = (svg.WIDTH - _LEFT - _RIGHT) / last
    shapes = _axis(top)
    shapes += [
        svg.text(_LEFT + slot * (number - 0.5), _HEIGHT - _BOTTOM + 17, str(number), "label")
        for number in range(1, last + 1)
    ]
    shapes.append(svg.text(_LEFT + (svg.WIDTH - _LEFT) / 2, _HEIGHT - 6, "search", "small"))
    apart = min(_APART, 0.8 * slot / max(1, len(runs)))
    for at, means in enumerate(drawn):
        shift = apart * (at - (len(runs) - 1) / 2)
        places = [(_LEFT + slot * (number - 0.5) + shift, _y(value / top)) for number, value in means.items()]
        shapes += _series(places, at)
    words = (_in_words(run, means) for (run, _), means in zip(runs, drawn, strict=True))
    return svg.Drawing(title, " ".join(words), _HEIGHT, svg.group(shapes))


def _top(value: float) -> float:
    """A round number that is not below the value."""
    return float(next((nice for nice in _NICE if nice >= value), value))


def _axis(top: float) -> list[Markup]:
    shapes = []
    for part in (0.0, 0.5, 1.0):
        y = _y(part)
        shapes.append(svg.line(_LEFT, y, svg.WIDTH - _RIGHT, y, "grid" if part else "axis"))
        shapes.append(svg.text(_LEFT - 6, y + 3.5, f"{top * part:g}", "tiny", "end"))
    return shapes


def _series(places: Sequence[tuple[float, float]], at: int) -> list[Markup]:
    colour = series_class(at)
    lines = [svg.line(*one, *other, f"whisker {colour}") for one, other in pairwise(places)]
    return [*lines, *(svg.marker(at, x, y, f"mark {colour}") for x, y in places)]


def _in_words(run: str, means: Mapping[int, float]) -> str:
    text = ", ".join(f"search {number} {value:.1f}" for number, value in means.items())
    return f"{run}: {text or 'top-k not known'}."


def _y(part: float) -> float:
    return _HEIGHT - _BOTTOM - part * (_HEIGHT - _BOTTOM - _TOP)


@dataclass(frozen=True, slots=True)
class Overview:
    """Some runs at a glance. `failures` tell where each fails: its `run`, a `sentence`, and the `drawing` of
    hops by cause with the `key` to its colours. `top_k` is a drawing and a table, None where no search told
    its top-k.

    `key` has the mark of each run in that drawing, empty for one run.
    """

    table: TableView
    failures: tuple[Mapping[str, object], ...]
    top_k: tuple[Markup, TableView] | None
    key: tuple[tuple[Markup, Markup], ...]

    @property
    def tables(self) -> tuple[TableView, ...]:
        """Its tables without the drawings."""
        return (self.table, self.top_k[1]) if self.top_k else (self.table,)


def overview(id_: str, analyses: Sequence[RunAnalysis]) -> Overview | None:
    """The runs that answered anything, at a glance; None where none did. Ids of drawings begin with `id_`."""
    known = [(one, one.hops.total) for one in analyses if one.hops.total is not None]
    if not known:
        return None
    return Overview(
        table=overview_table(known),
        failures=tuple(
            {
                "run": name(one.hops.run),
                "sentence": failing_sentence(one.failures.total),
                "drawing": svg.figure(
                    f"{id_}-failures-{number}", failure_chart(one.hops.run, one.failures.total)
                ),
                "key": cause_key(one.failures.total),
            }
            for number, (one, _) in enumerate(known, start=1)
            if one.failures.total.failures
        ),
        top_k=_top_k(id_, known),
        key=tuple(
            (svg.swatch(number, series_class(number)), name(one.hops.run))
            for number, (one, _) in enumerate(known)
        )
        if len(known) > 1
        else (),
    )


def overview_table(runs: Sequence[tuple[RunAnalysis, GroupFigures]]) -> TableView:
    """A line a run: how right, how deep, how many searches, and where most of its failures begin."""
    columns = (
        "answers", "right", "MaxD", "Steps-C", "Steps-I", "top-k", "failures", "most often fails at",
    )  # fmt: skip
    return TableView(
        "Which run fails at which hop, by which cause",
        "run",
        tuple(Column(label, number=label != columns[-1]) for label in columns),
        tuple(Row(name(one.hops.run), _glance(one, total)) for one, total in runs),
        (
            "MaxD: the most hops of a prefix question, or of the question, that is answered right. Steps-C "
            "and Steps-I: searches for a question answered right and wrong. Most often fails at: the first "
            "failing hop with its cause, of all failures.",
        ),
    )


def failing_sentence(total: CauseFigures) -> str:
    """Where a run fails most and by which cause, in a sentence."""
    failures = f"{plural(total.failures, 'failure')} in {plural(total.answers, 'answer')}"
    places = worst_places(total)
    if not places:
        return f"{failures}; at which hop is not known of any."
    if len(places) > 1:
        return f"{failures}; no hop and cause is more frequent than all others."
    ((hop, cause, count),) = places
    share = percent(count / total.failures)
    return f"{failures}; most often at hop {hop} by {cause}: {whole(count)}, which is {share} of them."


def top_k_table(runs: Sequence[tuple[RunAnalysis, GroupFigures]]) -> TableView:
    """The mean top-k of each run's first search, second search, and so on (figure 3 of the paper)."""
    last = min(MOST_SEARCHES, max(number for _, one in runs for number in one.steps.top_k_by_search))
    return TableView(
        "Mean top-k by search",
        "run",
        tuple(Column(f"search {number}") for number in range(1, last + 1)),
        tuple(
            Row(
                name(one.hops.run),
                tuple(
                    mean_entry(found[number]) if number in found else none("no search")
                    for number in range(1, last + 1)
                ),
            )
            for one, total in runs
            for found in [total.steps.top_k_by_search]
        ),
        ("Over all answers that took so many searches; a search without a known top-k counts in none.",),
    )


def _glance(one: RunAnalysis, total: GroupFigures) -> tuple[Entry, ...]:
    failed = one.failures.total
    return (
        Entry(whole(total.n), small=total.accuracies.right.small),
        share_entry(total.accuracies.right),
        mean_entry(total.depths.reached, "not asked"),
        mean_entry(total.steps.right, "none right"),
        mean_entry(total.steps.wrong, "none wrong"),
        mean_entry(total.steps.top_k, "not told"),
        Entry(whole(failed.failures)),
        _worst(failed),
    )


def _worst(failed: CauseFigures) -> Entry:
    places = worst_places(failed)
    if not places:
        return none("no hop known" if failed.failures else "no failure")
    if len(places) > 1:
        return none("no hop stands out")
    ((hop, cause, count),) = places
    return Entry(f"hop {hop}, {cause}", (f"{whole(count)} of {whole(failed.failures)}",))


def _top_k(id_: str, runs: Sequence[tuple[RunAnalysis, GroupFigures]]) -> tuple[Markup, TableView] | None:
    means = [(one.hops.run, total.steps.top_k_by_search) for one, total in runs]
    if not any(found for _, found in means):
        return None
    chart = top_k_chart("Mean top-k of the first, second and later searches for a question", means)
    return svg.figure(f"{id_}-top-k", chart), top_k_table(runs)
