"""Corpora: their sizes, what they were made with, how far their pipeline is, growth, and their graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from kg.corpus import corpus_id
from kg.ledger import counts_of
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from services.datasets.description import DatasetStatistics
from services.evaluate.graph_quality import GraphQuality
from services.report.html_values import Column, Entry, Row, TableView, name, none, percent, plural, whole
from services.web.views.cursors import MissingError, require_known


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """A corpus with the numbers of its parts; `questions` are those that are asked."""

    name: str
    articles: int
    chunks: int
    entities: int
    questions: int
    embedder: str
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class StageLine:
    """A line of the pipeline's ledger: `state` is running, clearing, outdated or done."""

    name: str
    state: str
    seconds: float | None
    counts: dict[str, int | float | str]


@dataclass(frozen=True, slots=True)
class CorpusDetail:
    """What a corpus was made with, and what became of each stage."""

    name: str
    embedder: str
    vectors: str
    dimensions: int
    chunking: str
    extractor: str
    dataset: str
    created_at: datetime | None
    stages: tuple[StageLine, ...]


async def list_corpora(graph: AsyncGraph) -> tuple[CorpusSummary, ...]:
    """Every corpus, by name."""
    rows = await graph.rows(query("corpus/list_corpora"))
    return tuple(CorpusSummary(**row | {"created_at": _native(row["created_at"])}) for row in rows)


async def read_corpus(graph: AsyncGraph, corpus: str) -> CorpusDetail:
    """One corpus.

    Raises:
        MissingError: there is none of that name.
    """
    rows = await graph.rows(query("corpus/read_properties"), id=corpus_id(corpus))
    if not rows:
        await require_known(graph, corpus)
        raise MissingError(f"there is no corpus {corpus!r}.")
    kept = rows[0]["properties"]
    ledger = [row["stage"] for row in await graph.rows(query("store/read_stages"), corpus=corpus)]
    return CorpusDetail(
        name=kept["name"],
        embedder=kept["embedder"],
        vectors=kept["vectors"],
        dimensions=kept["dimensions"],
        chunking=kept["chunking"],
        extractor=kept["extractor"],
        dataset=kept.get("dataset", ""),
        created_at=_native(kept.get("created_at")),
        stages=tuple(
            StageLine(line["name"], line["state"], line.get("seconds"), counts_of(line)) for line in ledger
        ),
    )


def _native(time: object) -> datetime | None:
    """A time of the graph as Python has it."""
    to_native = getattr(time, "to_native", None)
    native = to_native() if to_native else time
    return native if isinstance(native, datetime) else None


PERIODS = {"day": 10, "month": 7, "year": 4}
"""Lengths of the beginning of a day as text, by what it stands for."""
MOST_BARS = 36


@dataclass(frozen=True, slots=True)
class Growth:
    """Articles of a day, a month or a year, and the entities that these articles were the first to name."""

    period: str
    articles: int
    entities: int


async def read_known_corpora(graph: AsyncGraph) -> tuple[dict[str, object], ...]:
    """Every corpus with its sizes, by name: the columns of `corpus/list_corpora`."""
    return tuple(await graph.rows(query("corpus/list_corpora")))


async def count_parts(graph: AsyncGraph, corpus: str) -> dict[str, int]:
    """How much there is of each part of a corpus' graph, by the columns of `corpus/count_parts`."""
    return (await graph.rows(query("corpus/count_parts"), corpus=corpus))[0]


def read_growth(graph: Graph, corpus: str) -> tuple[str, tuple[Growth, ...]]:
    """How a corpus grew, with what a period of it is: a day, a month or a year. Every mention is read."""
    rows = graph.rows(query("articles/count_by_day"), corpus=corpus)
    return grouped([Growth(row["day"], row["articles"], row["entities"]) for row in rows])


def grouped(days: Sequence[Growth]) -> tuple[str, tuple[Growth, ...]]:
    """The days by day, month or year, whichever is the finest that gives few enough periods."""
    fitting = (unit for unit in PERIODS if len(_by_period(days, unit)) <= MOST_BARS)
    unit = next(fitting, "year")
    return unit, _by_period(days, unit)


def _by_period(days: Sequence[Growth], unit: str) -> tuple[Growth, ...]:
    length = PERIODS[unit]
    return tuple(
        Growth(period, sum(day.articles for day in inside), sum(day.entities for day in inside))
        for period, inside in (
            (period, list(group)) for period, group in groupby(days, lambda day: day.period[:length])
        )
    )


def statistics_tables(found: DatasetStatistics) -> tuple[TableView, ...]:
    """What the articles and the kept questions are like (MultiHop-RAG, tables 2 to 4, and first words)."""
    categories = TableView(
        "Articles by category",
        "category",
        (Column("articles"), Column("mean tokens")),
        tuple(
            Row(
                name(one.category or "none given"),
                (Entry(whole(one.articles)), Entry(f"{one.mean_tokens:,.1f}")),
                total=one is found.total,
            )
            for one in (*found.categories, found.total)
        ),
    )
    counted = (
        ("Questions by type", "type", found.types, ()),
        (
            "Questions by evidence",
            "evidence",
            found.evidence,
            ("Null questions have 0 pieces of evidence: nothing holds their answer.",),
        ),
        ("First words of questions", "word", found.first_words, ()),
    )
    counts = (
        TableView(
            caption,
            corner,
            (Column("questions"), Column("share")),
            tuple(
                Row(name(one.name), (Entry(whole(one.questions)), Entry(percent(one.share)))) for one in rows
            ),
            notes,
        )
        for caption, corner, rows, notes in counted
        if rows
    )
    balance = TableView(
        "Answers of opposite value",
        "type, answers",
        (Column("made"), Column("kept"), Column("share of the first")),
        tuple(
            Row(
                name(f"{one.query_type}, {' / '.join(one.answers)}"),
                (
                    Entry(" / ".join(map(whole, one.made))),
                    Entry(" / ".join(map(whole, one.kept))),
                    none("none kept") if one.share is None else Entry(percent(one.share)),
                ),
            )
            for one in found.balance
        ),
    )
    return (categories, *counts, *((balance,) if balance.rows else ()))


MOST_HUBS = 15
LINKS = ("exact", "context", "either")
EDGES = {"RELATES": "facts", "MIRRORED": "mirrored"}


def graph_sentence(found: GraphQuality) -> str:
    """What the graph is like, in sentences."""
    parts, tail = found.components, found.degrees
    kept_out = found.path_edges_with_hubs - found.path_edges
    return (
        f"{found.in_two_articles:,} of {found.named_entities:,} named entities stand in two or more "
        f"articles. {plural(found.path_edges, 'edge')} for paths join "
        f"{plural(parts.entities, 'entity', 'entities')} in {plural(parts.count, 'component')}, the largest "
        f"of {parts.largest:,}. Half of the entities have at most {tail.median:.0f} facts, one has "
        f"{tail.max:,}; {plural(len(found.hubs), 'hub')} keep {plural(kept_out, 'edge')} out of paths."
    )


def graph_tables(found: GraphQuality) -> tuple[TableView, ...]:
    """The figures as tables; those without a row are left out."""
    tables = (_pairs(found), _drawn(found), _gates(found), _edges(found), _hubs(found))
    return tuple(view for view in tables if view.rows)


def _pairs(found: GraphQuality) -> TableView:
    crossing = found.pairs.crossing or (0,) * len(found.pairs.pairs)
    columns = ("pairs", "need two articles", *(f"need {kind}" for kind in LINKS), "pairs through hubs too")
    rows = []
    for depth in DEPTHS:
        pairs, need = found.pairs.pairs[depth - 1], found.need[depth - 1]
        needed = (crossing[depth - 1], need.exact, need.context, need.either)
        shares = tuple(_share(number, pairs) for number in needed)
        through_hubs = Entry(whole(found.pairs_with_hubs.pairs[depth - 1]))
        rows.append(Row(f"{depth} hops", (Entry(whole(pairs)), *shares, through_hubs)))
    return TableView(
        "Pairs of entities by distance",
        "distance",
        tuple(map(Column, columns)),
        tuple(rows),
        (
            "A pair needs two articles if none holds one of its shortest paths whole, an exact link if all "
            "of them join two names of one entity, and a context link if all of them take a mirrored edge.",
        ),
    )


def _drawn(found: GraphQuality) -> TableView:
    kinds = ("crossing", *LINKS)
    return TableView(
        "Drawn paths",
        "distance",
        tuple(map(Column, ("paths", "cross articles", *(f"use {kind}" for kind in LINKS)))),
        tuple(
            Row(
                f"{row['hops']} hops",
                (Entry(whole(row["paths"])), *(_share(row[kind], row["paths"]) for kind in kinds)),
            )
            for row in found.drawn
        ),
    )


def _gates(found: GraphQuality) -> TableView:
    return TableView(
        "Facts that gates keep out of paths",
        "gate",
        tuple(map(Column, ("in all", "it alone"))),
        tuple(
            Row(row["gate"], (Entry(whole(row["facts"])), Entry(whole(row["alone"])))) for row in found.gates
        ),
        ("It alone: so many facts more would be in paths without that gate.",),
    )


def _edges(found: GraphQuality) -> TableView:
    return TableView(
        "Edges by reason",
        "first reason",
        (Column("edges", number=False), Column("number")),
        tuple(
            Row(row["reason"] or "in paths", (Entry(EDGES[row["kind"]]), Entry(whole(row["edges"]))))
            for row in found.edges
        ),
    )


def _hubs(found: GraphQuality) -> TableView:
    return TableView(
        "Hubs with most facts",
        "entity",
        (Column("type", number=False), Column("facts"), Column("because", number=False)),
        tuple(
            Row(name(row["name"]), (Entry(row["type"]), Entry(whole(row["degree"])), Entry(row["reason"])))
            for row in found.hubs[:MOST_HUBS]
        ),
    )


def _share(part: int, of: int) -> Entry:
    return Entry(percent(part / of), (f"{part:,}",)) if of else none("no pairs")
