"""Hop-aware analysis at a glance: which run fails at which hop by which cause, and how wide it searches."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from services.evaluate.attribution.figures import CauseFigures, worst_places
from services.evaluate.hop_aware.content import GroupFigures
from services.evaluate.run_analysis import RunAnalysis
from services.report import svg
from services.report.html_hop_aware import mean_entry, share_entry
from services.report.html_values import Column, Entry, Row, TableView, name, none, percent, plural, whole
from services.report.svg_failures import cause_key, failure_chart
from services.report.svg_rates import series_class
from services.report.svg_top_k import MOST_SEARCHES, top_k_chart


@dataclass(frozen=True, slots=True)
class FailureView:
    """Where a run fails: a sentence, and the drawing of hops by cause with the key to its colours."""

    run: Markup
    sentence: str
    drawing: Markup
    key: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """Some runs at a glance; `top_k` is a drawing and a table, None where no search told its top-k.

    `key` has the mark of each run in that drawing, empty for one run.
    """

    table: TableView
    failures: tuple[FailureView, ...]
    top_k: tuple[Markup, TableView] | None
    key: tuple[tuple[Markup, Markup], ...]


def overview(id_: str, analyses: Sequence[RunAnalysis]) -> Overview | None:
    """The runs that answered anything, at a glance; None where none did. Ids of drawings begin with `id_`."""
    known = [(one, one.hops.total) for one in analyses if one.hops.total is not None]
    if not known:
        return None
    return Overview(
        table=overview_table(known),
        failures=tuple(
            FailureView(
                run=name(one.hops.run),
                sentence=failing_sentence(one.failures.total),
                drawing=svg.figure(
                    f"{id_}-failures-{number}", failure_chart(one.hops.run, one.failures.total)
                ),
                key=cause_key(one.failures.total),
            )
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
