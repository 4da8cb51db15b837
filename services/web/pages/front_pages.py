"""The first pages: every corpus with its verdict, and a corpus that begins with where its systems fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from kg.errors import CorpusError, NothingToDoError
from kg.ledger import describe, making_command, missing_stages
from kg.paths.protocol import DEPTHS
from services.datasets.description import read_statistics
from services.evaluate.graph_quality import measure_built
from services.evaluate.matrix import BINS
from services.report import svg
from services.report.collect import collect_report, is_whole
from services.report.content import Report, RunSection, Worst
from services.report.html_comparisons import more_right
from services.report.html_environment import heat_step
from services.report.html_summary import run_sentences
from services.report.html_values import plural
from services.report.svg import figure
from services.web.api.resources import Resources, Shared
from services.web.pages.parameters import CorpusName, RunRow, read_runs, require_known
from services.web.pages.rendering import PageRoute, page
from services.web.pages.run_pages import HOW_TO_READ, SEED, rate_rows
from services.web.views.corpora import (
    Growth,
    count_parts,
    graph_sentence,
    graph_tables,
    read_corpus,
    read_growth,
    read_known_corpora,
    statistics_tables,
)
from services.web.views.cursors import MissingError
from services.web.views.runs import Cells, CellView, read_newest_matrices, read_totals

router = APIRouter(route_class=PageRoute, include_in_schema=False)

CARDS = 6
"""Runs that the front page of a corpus shows; the list of runs has all."""
WORST = 6
GRAPH = "The graph in figures"


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run with its total over chain questions; `change` says how much more is right than in `before`."""

    run: RunRow
    total: CellView | None
    change: str
    before: str


@router.get("/")
async def corpora(shared: Shared) -> Response:
    """Every corpus with its sizes, and where its newest run fails; where there is one, its overview."""
    known = await read_known_corpora(shared.graph)
    if len(known) == 1:
        return await overview(shared, str(known[0]["name"]))
    matrices = await read_newest_matrices(shared.graph)
    cards = [
        (
            one,
            matrices.get(str(one["name"])),
            small_heat(matrices[str(one["name"])].cells) if str(one["name"]) in matrices else (),
        )
        for one in known
    ]
    return page("corpora.html", "Corpora", corpora=cards)


async def warm_front(shared: Resources) -> None:
    """Compute what the first page takes a second for, where one corpus is all there is."""
    known = await read_known_corpora(shared.graph)
    if len(known) == 1:
        corpus = str(known[0]["name"])
        front = (await read_newest_matrices(shared.graph, corpus)).get(corpus)
        if front:
            await _newest_section(shared, corpus, front.run)


async def _newest_section(shared: Resources, corpus: str, run: str) -> RunSection:
    report: Report = await shared.of_runs(corpus, [run], collect_report, [run], SEED, traces=False)
    return report.runs[0]


@router.get("/c/{corpus}")
async def overview(shared: Shared, corpus: CorpusName) -> Response:
    """A corpus at a glance: where its newest run fails, its runs, and how it was made."""
    try:
        found = await read_corpus(shared.graph, corpus)
    except MissingError as error:
        raise CorpusError(error.message, "Choose one of the list of corpora.") from error
    parts = await count_parts(shared.graph, corpus)
    missing = missing_stages(line.name for line in found.stages if line.state == "done")
    runs = await read_runs(shared.graph, corpus)
    totals = await read_totals(shared.graph, corpus)
    front = (await read_newest_matrices(shared.graph, corpus)).get(corpus)
    newest, cells = (front.run, front.cells) if front else ("", {})
    section = await _newest_section(shared, corpus, newest) if newest else None
    cards = run_cards(runs, totals)
    unit, growth = await shared.of_graph(corpus, read_growth, str(parts["articles"]))
    return page(
        "overview.html",
        corpus,
        corpus,
        "",
        view=found,
        parts=parts,
        stages=[(line, describe(line.counts)) for line in found.stages],
        missing=missing,
        making=making_command(missing[0], corpus) if missing else "",
        newest=newest,
        sentences=run_sentences(section) if section else (),
        advice=advice(section, cards, parts["kept"]) if section else None,
        matrix=rate_rows(corpus, newest, cells) if cells else None,
        how_to_read=HOW_TO_READ,
        cards=cards[:CARDS],
        more_runs=max(0, len(runs) - CARDS),
        worst=worst_entities(section) if section else (),
        chart=figure("growth", growth_chart(growth, unit)) if growth else None,
        growth=growth,
        unit=unit,
    )


@router.get("/c/{corpus}/statistics")
async def statistics(shared: Shared, corpus: CorpusName) -> Response:
    """What the articles and questions of a corpus are like; every question is read for it."""
    await require_known(shared.graph, corpus)
    found = await shared.in_thread(read_statistics, shared.lent, corpus)
    lead = "What the articles and the kept questions are like."
    return page("figures.html", "Statistics", corpus, "", lead=lead, views=statistics_tables(found), hint="")


@router.get("/c/{corpus}/graph-quality")
async def graph_quality(shared: Shared, corpus: CorpusName) -> Response:
    """How good the graph is for questions of several hops; every pair of entities is counted for it."""
    await require_known(shared.graph, corpus)
    try:
        found = await shared.of_graph(corpus, measure_built)
    except NothingToDoError as error:
        return page("figures.html", GRAPH, corpus, "", lead=error.message, views=(), hint=error.remedy)
    lead, tables = graph_sentence(found), graph_tables(found)
    return page("figures.html", GRAPH, corpus, "", lead=lead, views=tables, hint="")


def small_heat(cells: Cells) -> tuple[tuple[str, ...], ...]:
    """The classes of a matrix' cells without its figures, a row a depth; empty where nothing was answered."""
    return tuple(
        tuple(
            f"on-heat-{heat_step(cell.error_rate)}"
            if (cell := cells.get((hops, bin_))) is not None and cell.error_rate is not None
            else ""
            for bin_ in BINS
        )
        for hops in DEPTHS
    )


def run_cards(runs: Sequence[RunRow], totals: Mapping[str, CellView]) -> tuple[RunCard, ...]:
    """The runs, newest first, those that answered few questions last.

    Each has its change since the one before it that answered about as many.
    """
    most = max((total.n for total in totals.values()), default=0)
    cards = []
    for number, run in enumerate(runs):
        total = totals.get(run.name)
        before = next((one.name for one in runs[number + 1 :] if _as_many(total, totals.get(one.name))), "")
        change = ""
        if total and total.error_rate is not None and before:
            earlier = totals[before].error_rate
            change = "" if earlier is None else more_right(earlier - total.error_rate)
        cards.append(RunCard(run, total, change, before if change else ""))
    return tuple(sorted(cards, key=lambda card: card.total is not None and not is_whole(card.total.n, most)))


def _as_many(one: CellView | None, other: CellView | None) -> bool:
    """Whether two runs answered about as many chain questions: else a change of the rate says nothing."""
    return bool(one and other and is_whole(min(one.n, other.n), max(one.n, other.n)))


def advice(section: RunSection, cards: Sequence[RunCard], questions: int) -> dict[str, object]:
    """Which of the template's sentences follow from the newest whole run's figures, and what they name.

    `questions` are all that are kept.
    """
    lost = sum(sum(loss.retrieval) for loss in section.losses)
    reasoning = sum(loss.reasoning for loss in section.losses)
    before = next((card.before for card in cards if card.run.name == section.facts.name), "")
    return {
        "lost_by_retrieval": lost > reasoning,
        "lost_by_reasoning": reasoning > lost,
        "before": before,
        "unanswered": 0 if is_whole(section.facts.answers, questions) else questions - section.facts.answers,
        "small_cells": section.matrix.small_cells,
        "retriever": section.facts.retriever,
    }


def worst_entities(section: RunSection) -> tuple[Worst, ...]:
    """Those on whose paths the run fails most."""
    return tuple(section.worst.get("entities", ()))[:WORST]


_LEFT, _RIGHT, _TOP, _BARS, _BETWEEN = 8.0, 8.0, 20.0, 70.0, 34.0


def growth_chart(growth: Sequence[Growth], unit: str) -> svg.Drawing:
    """Articles above, and below them the entities that each period's articles were the first to name."""
    articles = [one.articles for one in growth]
    entities = [one.entities for one in growth]
    second = _TOP + _BARS + _BETWEEN
    bottom = second + _BARS
    return svg.Drawing(
        title=f"Articles and new entities by {unit}",
        desc=(
            f"From {growth[0].period} to {growth[-1].period}: {plural(sum(articles), 'article')} and "
            f"{plural(sum(entities), 'entity', 'entities')} that they name."
        ),
        height=bottom + 22,
        shapes=svg.group(
            (
                *_bars(articles, _TOP, f"articles, at most {max(articles):,} a {unit}", "series-0"),
                *_bars(entities, second, f"new entities, at most {max(entities):,} a {unit}", "series-1"),
                svg.text(_LEFT, bottom + 16, growth[0].period, "tiny", "start"),
                svg.text(svg.WIDTH - _RIGHT, bottom + 16, growth[-1].period, "tiny", "end"),
            )
        ),
    )


def _bars(values: Sequence[int], top: float, label: str, class_: str) -> list[Markup]:
    slot = (svg.WIDTH - _LEFT - _RIGHT) / len(values)
    most = max(1, *values)
    shapes = [
        svg.text(_LEFT, top - 7, label, "small", "start"),
        svg.line(_LEFT, top + _BARS, svg.WIDTH - _RIGHT, top + _BARS, "axis"),
    ]
    for index, value in enumerate(values):
        height = _BARS * value / most
        if height:
            x = _LEFT + index * slot + 0.1 * slot
            shapes.append(svg.box(x, top + _BARS - height, 0.8 * slot, height, class_=f"growth-bar {class_}"))
    return shapes
