"""The tables of a graph's figures: pairs by distance, their need of links, hubs, and what gates keep out."""

from kg.paths.walk import DEPTHS
from services.evaluate.graph_quality import GraphQuality
from services.report.html_values import Column, Entry, Row, TableView, name, none, percent, plural, whole

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
