"""`kg corpus graph`: figures on the graph of a corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from cli.console import out, print_json, say, table
from cli.options import AsJson, Corpus
from cli.question_tables import number_table
from cli.session import existing_corpus, open_session
from kg.paths.walk import DEPTHS
from kg.stages.build import require_built

if TYPE_CHECKING:
    from services.evaluate.graph_quality import GraphQuality

app = typer.Typer(rich_markup_mode=None)

MOST_HUBS = 15
REASONS = (
    "Kept out of paths: unnamed, an end is neither a name nor a date; self, both ends are one entity;\n"
    "literal, it starts at a date or a number, or ends at a number; hub, it starts at a hub; all others\n"
    "are doubts about what is said."
)


@app.command(epilog="Example: kg corpus graph --corpus ormelund")
def graph(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Measure the graph: who stands in several articles, pairs at each depth, missing links, hubs, gaps."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        require_built(session.graph, name)
        # scipy, which only this command counts with, takes a while to import.
        from services.evaluate.graph_quality import read_graph_quality  # noqa: PLC0415

        found = read_graph_quality(session.graph, name, session.progress)
    if as_json:
        print_json({"corpus": name, **asdict(found)})
        return
    print_graph_quality(name, found)


def print_graph_quality(corpus: str, found: "GraphQuality") -> None:
    """The figures as tables."""
    parts = found.components
    say(f"Graph of {corpus!r}", "bold")
    say(
        f"{found.named_entities:,} named entities, {found.in_two_articles:,} "
        f"({_percent(found.in_two_articles, found.named_entities)}) in two or more articles"
    )
    say(
        f"{found.path_edges:,} edges for paths join {parts.entities:,} entities in {parts.count:,} "
        f"components, the largest of {parts.largest:,}"
    )
    _print_pairs(found)
    _print_drawn(found)
    _print_hubs(found)
    _print_edges(found)


def _print_pairs(found: "GraphQuality") -> None:
    crossing = found.pairs.crossing or (0,) * len(found.pairs.pairs)
    rows = []
    for depth in DEPTHS:
        pairs, need = found.pairs.pairs[depth - 1], found.need[depth - 1]
        rows.append(
            [
                f"{depth} hops",
                pairs,
                _percent(crossing[depth - 1], pairs),
                *(_percent(number, pairs) for number in (need.exact, need.context, need.either)),
                found.pairs_with_hubs.pairs[depth - 1],
            ]
        )
    columns = (
        "pairs",
        "need two articles",
        "need exact",
        "need context",
        "need either",
        "pairs without the hub policy",
    )
    out.print()
    out.print(number_table("Pairs of entities by distance", ("",), columns, rows))
    say(
        "A pair needs two articles if none holds one of its shortest paths whole, an exact link if all of "
        "them\njoin two names of one entity, and a context link if all of them take a mirrored edge. "
        "GRADE's table 4\ncounts questions, this counts pairs. Paths for questions start at no name "
        "that only context knows, so\nkg corpus status and kg graph paths draw count fewer pairs.",
        "dim",
    )


def _print_drawn(found: "GraphQuality") -> None:
    if not found.drawn:
        return
    kinds = ("crossing", "exact", "context", "either")
    rows = [
        [f"{row['hops']} hops", row["paths"], *(_percent(row[kind], row["paths"]) for kind in kinds)]
        for row in found.drawn
    ]
    out.print()
    columns = ("paths", "cross articles", "use exact", "use context", "use either")
    out.print(number_table("Drawn paths", ("",), columns, rows))


def _print_hubs(found: "GraphQuality") -> None:
    tail = found.degrees
    out.print()
    say(
        f"Facts an entity: median {tail.median:.0f}, 95 % have at most {tail.p95:.0f}, 99 % at most "
        f"{tail.p99:.0f}, one has {tail.max:,}; the top 1 % hold {_percent(tail.top_share, 1)} of all ends"
    )
    kept_out = found.path_edges_with_hubs - found.path_edges
    say(
        f"Hubs end paths, but no path goes on from one: {_counted(len(found.hubs), 'hub')}, "
        f"{_counted(kept_out, 'edge')} kept out"
    )
    shown = [[row["name"], row["type"], row["degree"], row["reason"]] for row in found.hubs[:MOST_HUBS]]
    if shown:
        out.print(table("Hubs with most facts", ("name", "type", "facts", "because"), shown))


def _print_edges(found: "GraphQuality") -> None:
    rows = [
        [{"RELATES": "facts", "MIRRORED": "mirrored"}[row["kind"]], row["reason"] or "in paths", row["edges"]]
        for row in found.edges
    ]
    out.print()
    out.print(table("Edges by reason", ("edges", "first reason", "number"), rows))
    say(REASONS, "dim")
    gates = [[row["gate"], row["facts"], row["alone"]] for row in found.gates]
    out.print()
    out.print(table("Facts kept out", ("by gate", "in all", "it alone"), gates))
    say("It alone: so many facts more would be in paths without that gate.", "dim")
    say(f"Not read or set aside: {_listed(found.failures, sorted(found.failures)) or 'nothing'}")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _listed(counts: Mapping[str, int], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {counts[name]:,}" for name in names)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
