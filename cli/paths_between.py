"""`kg graph paths between`: all shortest paths between two entities."""

from collections.abc import Sequence
from typing import Annotated

import typer

from cli.console import out, print_json, remark, say
from cli.options import MOST, AsJson, Corpus
from cli.path_tables import hop_table
from cli.session import existing_corpus, open_session, require_built
from kg.entities import find_entity
from kg.errors import NothingToDoError
from kg.paths.between import Between, ToldPath, paths_between
from kg.paths.path_rows import write_ways
from kg.paths.walk import MAX_HOPS, Walk
from kg.store.graph import Row
from kg.store.leases import writing_to

Undirected = Annotated[bool, typer.Option("--undirected", help="Walk edges against their direction as well.")]
LiteralsInside = Annotated[
    bool, typer.Option("--literals-inside", help="Let undirected paths go on from dates and numbers.")
]


def between(
    start: Annotated[str, typer.Argument(metavar="START", help="Any name of the first entity, or its id.")],
    end: Annotated[str, typer.Argument(metavar="END", help="Any name of the last entity, or its id.")],
    corpus: Corpus = None,
    hops: Annotated[int, typer.Option(min=1, max=MAX_HOPS, help="Hops at most.")] = MAX_HOPS,
    undirected: Undirected = False,
    literals_inside: LiteralsInside = False,
    mirrored: Annotated[
        bool, typer.Option("--mirrored/--no-mirrored", help="Take edges that context added.")
    ] = True,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST, help="How many paths to print and save at most.")
    ] = 20,
    save: Annotated[
        bool, typer.Option("--save", help="Keep the printed paths in the graph as Path nodes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print all shortest paths between two entities, with the claims, sentences and articles behind them.

    Only edges that hop paths may take are walked: stated facts that leave no hub. The link of a hop says how
    it joins the one before: by a shared name, by an exact equivalence of two names, or by context, which is a
    mirrored edge. A saved path is no part of the sample that questions are made from; kg graph paths list
    --saved lists it.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        require_built(session.graph, name)
        first, last = (find_entity(session.graph, name, text) for text in (start, end))
        walk = Walk(undirected, mirrored, literals_inside)
        found = paths_between(session.graph, name, first["id"], last["id"], walk, hops, limit)
        if found is None:
            raise _no_path(first, last, hops, undirected)
        saved: list[str] = []
        if save and found.hops > 1:
            with writing_to(session.graph, name) as graph:
                saved = list(write_ways(graph, name, (path.way for path in found.paths), "saved"))
    if as_json:
        print_json(_as_json(first, last, found, saved))
        return
    how_many = "1 shortest path" if found.alternatives == 1 else f"{found.alternatives:,} shortest paths"
    say(f"{first['name']} to {last['name']}: {found.hops} hop{'s' * (found.hops > 1)}, {how_many}", "bold")
    for path in found.paths:
        out.print()
        out.print(hop_table(" > ".join(stop["name"] for stop in path.entities), _hops(path)))
    if found.alternatives > len(found.paths):
        remark(f"{found.alternatives - len(found.paths):,} more; print them with --limit.")
    if save:
        remark(
            f"saved {len(saved)} path{'s' * (len(saved) != 1)}."
            if saved
            else "not saved: a single fact is no hop path."
        )


def _hops(path: ToldPath) -> list[Row]:
    return [{**hop, "link": link} for hop, link in zip(path.hops, path.links, strict=True)]


def _as_json(first: Row, last: Row, found: Between, saved: Sequence[str]) -> Row:
    return {
        "start": first,
        "end": last,
        "hops": found.hops,
        "alternatives": found.alternatives,
        "paths": [{"entities": path.entities, "hops": _hops(path)} for path in found.paths],
        "saved": saved,
    }


def _no_path(first: Row, last: Row, hops: int, undirected: bool) -> NothingToDoError:
    if first["id"] == last["id"]:
        return NothingToDoError(f"both names mean {first['name']!r}.", "Give two different entities.")
    remedies = []
    if hops < MAX_HOPS:
        remedies.append(f"--hops {MAX_HOPS}")
    if not undirected:
        remedies.append("--undirected")
    return NothingToDoError(
        f"no path of at most {hops} hop{'s' * (hops > 1)} leads from {first['name']!r} to {last['name']!r}.",
        f"Try the other way round{''.join(f', or {remedy}' for remedy in remedies)}.",
    )
