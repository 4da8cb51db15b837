"""`kg run analyse`: runs hop by hop, as tables, as a page, as JSON.

Hop-aware analysis in a terminal of 80 columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

import typer

from cli.console import check_place, out, print_json, remark, say, table, write_whole
from cli.options import AsJson, Corpus, HtmlFile, Runs
from cli.session import existing_corpus, open_session
from services.evaluate.causes import CAUSES, CAUSES_AND_EVIDENCE
from services.evaluate.diagnose import (
    AttributionFigures,
    Cascade,
    CauseFigures,
    Failure,
    frequent_places,
    worst_places,
)
from services.evaluate.hop_aware import Figure, Group, GroupFigures, HopAware, comparison_notes
from services.evaluate.matrix import SMALL
from services.evaluate.run_analysis import GoalRow, RunAnalysis, analyse_failures
from services.report.collect import choose_runs, partial_runs_note
from services.report.content import plain
from services.report.html import render_analysis

app = typer.Typer(rich_markup_mode=None)

NONE = "-"
PLACES_SHOWN = 3
IMPORTED = "imported"
"""A kind that has several query types."""


def print_analyses(analyses: Sequence[RunAnalysis]) -> None:
    """All runs at a glance; run by run how right, how deep, how searched, why failed; what one must know."""
    _print_overview(analyses)
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
    hops = [one.hops for one in analyses]
    notes = [*comparison_notes(hops), *(note for one in hops for note in one.notes)]
    if notes:
        out.print()
        say("To know", "italic")
        for note in notes:
            say(f"- {note}")


def print_places(corpus: str, failures: Sequence[Failure]) -> None:
    """Where most failures are, over all runs that were analysed, each with an answer to look at."""
    places = frequent_places(failures, PLACES_SHOWN)
    if not places:
        return
    out.print()
    say("Most frequent, with one answer each to look at", "italic")
    for one in places:
        hop = "no hop known" if one.hop is None else f"hop {one.hop}"
        say(f"- {one.cause}, {hop}: {one.count:,} of {len(failures):,} failures")
        # A failed answer's reason may be a service's message of several lines.
        say(f"  run {one.example.run}: {' '.join(one.example.why.split())}")
        say(f"  kg run trace {quote(one.example.answer)} --corpus {quote(corpus)}")


def _print_overview(analyses: Sequence[RunAnalysis]) -> None:
    """Which run fails at which hop by which cause, and the top-k of its searches one after the other."""
    known = [(one, one.hops.total) for one in analyses if one.hops.total is not None]
    columns = ("run", "n", "right", "MaxD", "Steps-C", "Steps-I", "wrong", "most often at")
    rows = [
        [
            one.hops.run,
            _n(total.n),
            _share(total.accuracies.right),
            _mean(total.depths.reached),
            _mean(total.steps.right),
            _mean(total.steps.wrong),
            one.failures.total.failures,
            _worst(one.failures.total),
        ]
        for one, total in known
    ]
    _print("Which run fails at which hop, by which cause", columns, rows)
    asked = [
        [one.hops.run, "  ".join(f"{number}: {_mean(figure)}" for number, figure in means.items())]
        for one, total in known
        if (means := total.steps.top_k_by_search)
    ]
    _print("Mean top-k by search", ("run", "first search, second search ..."), asked)


def _worst(total: CauseFigures) -> str:
    places = worst_places(total)
    if not places:
        return NONE
    if len(places) > 1:
        return "no hop stands out"
    ((hop, cause, count),) = places
    return f"hop {hop}, {cause} ({count:,})"


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
    searches = ("questions", "Steps-C", "Steps-I", "collapsed", "over", "top-k", "redundant", "faults")
    if any(one.steps.by_count or one.faults.n for one in lines):
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
    say(CAUSES_AND_EVIDENCE, "dim")
    hops = [
        [f"hop {hop}", *(by_cause.get(cause, 0) for cause in shown)]
        for hop, by_cause in found.total.first_hops.items()
    ]
    if found.total.no_hop:
        hops.append(["no hop known", *(found.total.no_hop.get(cause, 0) for cause in shown)])
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
    """Short, for lines of 80 columns: all questions of a kind of ours have the same query type."""
    kind = group.query_type if group.kind == IMPORTED else group.kind
    return kind if group.hops is None else f"{kind}, {group.hops}"


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
    return [
        _name(one.group),
        _n(found.reached.n),
        _mean_range(found.reached),
        _mean(found.unbroken),
        _mean_range(found.reached_failed),
        _mean(found.unbroken_failed),
    ]


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
        yield [name, _share(figure), _range(figure)] if figure.n else [name, "not told", ""]


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
    text = "" if interval is None else f" [{interval.low:.1f}, {interval.high:.1f}]"
    return _mean(figure) + text


def _range(figure: Figure) -> str:
    interval = figure.interval
    return "" if interval is None else f"{interval.low:.1%} - {interval.high:.1%}"


@app.command(epilog="Example: kg run analyse single-step decomposition --html hops.html")
def analyse(
    runs: Runs = None,
    corpus: Corpus = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> None:
    """Analyse runs hop by hop: accuracy, depth, searches, and to what failures are due; writes nothing.

    How deep a run gets is known where its prefix questions were asked: kg run start SYSTEM --prefixes. With
    --json every failure is listed, with its cause and why.
    """
    if html is not None:
        check_place(html, "--html")
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        chosen = choose_runs(session.graph, name, runs or [])
        if not runs and (note := partial_runs_note(session.graph, name)):
            remark(note)
        session.progress.begin("traces", len(chosen))
        found: list[RunAnalysis] = []
        failures: list[Failure] = []
        for run in chosen:
            analysis, failed = analyse_failures(session.graph, name, run)
            found.append(analysis)
            failures += failed
            session.progress.advance()
        session.progress.end(f"answers {sum(one.hops.answers for one in found):,}")
    if html is not None:
        write_whole(html, render_analysis(name, found), "--html")
        remark(f"Page written: {html}")
    if as_json:
        print_json({"corpus": name, "runs": plain(found), "failures": plain(failures)})
    elif html is None:
        print_analyses(found)
        print_places(name, failures)
