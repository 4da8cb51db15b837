"""`kg graph export`: the graph of a corpus for the tools of others.

How a terminal shows what was read back of an export.

`kg graph paths`: what hop paths there are, which are drawn, and those between two entities.

`kg graph paths between`: all shortest paths between two entities.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import Annotated, cast, get_args

import typer

from cli.completion import complete_paths, whole_id
from cli.console import number_table, out, print_json, remark, say, table
from cli.options import MOST, AsJson, Corpus, Hops, parse_depths
from cli.paths_draw import Engine, draw
from cli.question_tables import about_path, hop_table
from cli.session import Session, existing_corpus, open_session
from kg.errors import NothingToDoError, SettingsError
from kg.ledger import read_stage
from kg.paths.engines import EngineName, open_engine
from kg.paths.path_rows import Between, ToldPath, paths_between, write_ways
from kg.paths.protocol import DEPTHS, MAX_HOPS, Walk
from kg.queries import query
from kg.stages.build import require_built
from kg.stages.resolution_corrections import find_entity
from kg.store.graph import Row
from kg.store.leases import reading_whole, writing_to
from services.datasets.folder import Comparison
from services.datasets.graph_content import GraphContent, Part
from services.datasets.graph_write import (
    GRAPH_FORMATS,
    GraphExport,
    GraphFormat,
    choose_graph_format,
    export_graph,
)
from services.report.html_values import plural

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

    Only edges that hop paths may take are walked: stated facts that leave no hub. Paths of stated facts alone
    come before those with mirrored edges, which stand where two names mean the same in context. A saved path
    is no part of the sample that questions are made from; kg graph paths list --saved lists it.
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
    for number, path in enumerate(found.paths, start=1):
        out.print()
        mark = f"{number}. " if len(found.paths) > 1 else ""
        out.print(hop_table(f"{mark}{_heading(path)}", _hops(path)))
    if found.alternatives > len(found.paths):
        remark(f"{found.alternatives - len(found.paths):,} more; print them with --limit.")
    if save:
        remark(
            f"saved {len(saved)} path{'s' * (len(saved) != 1)}."
            if saved
            else "not saved: a single fact is no hop path."
        )


def _heading(path: ToldPath) -> str:
    """Its entities, and whether a step rests on what two names mean in context."""
    names = " > ".join(stop["name"] for stop in path.entities)
    mirrored = sum(hop["mirrored"] for hop in path.hops)
    return f"{names} ({plural(mirrored, 'mirrored edge')})" if mirrored else names


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


app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg graph paths census --corpus mine")
def census(
    corpus: Corpus = None,
    undirected: Undirected = False,
    literals_inside: LiteralsInside = False,
    engine: Engine = "auto",
    as_json: AsJson = False,
) -> None:
    """Count the ordered pairs of entities at each distance, with and without mirrored edges.

    A pair needs two articles when no single article holds one of its shortest paths whole; the Cypher engine
    does not count these.
    """
    counted = []
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        require_built(session.graph, name)
        for mirrored in (True, False):
            counted.append(_count(session, name, Walk(undirected, mirrored, literals_inside), engine))
    if as_json:
        print_json(
            {
                "corpus": name,
                "undirected": undirected,
                "literals_inside": literals_inside,
                "walks": [asdict(one) for one in counted],
            }
        )
        return
    rows: list[list[object]] = []
    for one in counted:
        rows.append([_edges(one.mirrored), "all", *one.pairs])
        if one.needing_two_articles is not None:
            rows.append(["", "need two articles", *one.needing_two_articles])
    distances = ("1 hop", *(f"{hops} hops" for hops in DEPTHS))
    title = f"Ordered pairs of entities in {name!r} by distance"
    out.print(number_table(title, ("edges", "pairs"), distances, rows))
    say(f"{counted[0].engine} engine, {counted[0].reason}", "dim")
    for one in counted:
        say(
            f"{_edges(one.mirrored)}: read in {one.read_seconds:.1f} s, {one.starts:,} starts searched in "
            f"{one.search_seconds:.1f} s",
            "dim",
        )


@dataclass(frozen=True, slots=True)
class _PairCounts:
    """Ordered pairs at 1, 2, ... 5 hops over some edges, and how they were counted."""

    mirrored: bool
    pairs: tuple[int, ...]
    needing_two_articles: tuple[int, ...] | None
    starts: int
    engine: str
    reason: str
    read_seconds: float
    search_seconds: float


def _edges(mirrored: bool) -> str:
    return "with mirrored" if mirrored else "without mirrored"


def _count(session: Session, corpus: str, walk: Walk, engine: EngineName) -> _PairCounts:
    started = monotonic()
    session.progress.begin("census")
    opened = open_engine(session.graph, corpus, walk, engine)
    read = monotonic()
    # scipy, which only this command counts with, takes a while to import.
    from kg.paths.sparse import census_by  # noqa: PLC0415

    found = census_by(opened.engine, opened.table, session.progress)
    session.progress.end(f"{_edges(walk.mirrored)} edges")
    return _PairCounts(
        mirrored=walk.mirrored,
        pairs=found.pairs,
        needing_two_articles=found.crossing,
        starts=found.starts,
        engine=opened.engine.name,
        reason=opened.reason,
        read_seconds=round(read - started, 3),
        search_seconds=round(monotonic() - read, 3),
    )


app.command(epilog="Example: kg graph paths draw --per-depth 200 --cross-articles --corpus mine")(draw)
app.command(epilog='Example: kg graph paths between "Mira Tolland" "Greta Lindqvist" --corpus mine')(between)


@app.command("list", epilog="Example: kg graph paths list --hops 3,4 --limit 10")
def list_(
    corpus: Corpus = None,
    hops: Hops = "2,3,4,5",
    saved: Annotated[bool, typer.Option("--saved", help="Only paths that were saved by hand.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the paths that were drawn or saved, with the names along them."""
    depths = parse_depths(hops)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        # One more than wanted tells whether there are more.
        rows = session.graph.rows(
            query("paths/page_paths"),
            corpus=name,
            hops=depths,
            link="",
            saved=saved,
            after=[],
            limit=limit + 1,
        )
        draw = "graph paths draw" if read_stage(session.graph, name, "paths") else "corpus build"
    if as_json:
        print_json(rows[:limit])
        return
    for row in rows[:limit]:
        say(" > ".join(row["names"]))
        say(f"  {about_path(row)}, {row['id']}", "dim")
    if not rows:
        command = f"kg {'graph paths between START END --save' if saved else draw}"
        lengths = ", ".join(map(str, depths))
        remark(
            f"corpus {name!r} has no {'saved ' if saved else ''}path of {lengths} hops. Make some: "
            f"{command} --corpus {quote(name)}"
        )
    if len(rows) > limit:
        remark("there are more; see them with --limit, or other depths with --hops.")


@app.command(epilog="Example: kg graph paths show path-0123456789abcdef")
def show(
    path: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="Id of the path, or as much of it as no other has.",
            autocompletion=complete_paths,
        ),
    ],
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Show one path: what each hop says, in which sentence of which article.

    A hop is joined to the one before by a shared name, by two names of one thing, or, over a mirrored edge,
    by two names that mean the same in context. With --json these are shared, exact and context.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus) if corpus else ""
        rows = session.graph.rows(query("paths/read_path"), id=whole_id(session.graph, "path", path, name))
    if not rows:
        raise NothingToDoError(f"there is no path {path!r}.", "See the ids: kg graph paths list.")
    row = rows[0]
    if as_json:
        print_json(row)
        return
    say(" > ".join(entity["name"] for entity in row["entities"]), "bold")
    say(about_path(row["path"]))
    out.print(hop_table("Hops", row["hops"]))


_TABLES_SHOWN = 8


def print_comparisons(compared: Sequence[Comparison]) -> None:
    """A line for each table; where there are many, for each that is not as it was written, and a sum."""
    many = len(compared) > _TABLES_SHOWN
    for one in compared:
        if not (many and one.equal):
            text = "equal" if one.equal else "not as they were written"
            say(f"read back: {one.found:,} of {one.written:,} {one.table} {text}.")
    if many:
        equal = [one for one in compared if one.equal]
        say(f"read back: {sum(one.found for one in equal):,} records in {len(equal)} tables equal.")


@app.command(epilog="Example: kg graph export graphml --out exported/graph --corpus news")
def export(
    format_: Annotated[
        str, typer.Argument(metavar="FORMAT", help=f"One of: {', '.join(GRAPH_FORMATS)}.", show_default=False)
    ],
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder to write.", show_default=False)
    ],
    corpus: Corpus = None,
    part: Annotated[
        str, typer.Option(help="all, or knowledge: without questions, runs and what hangs on them.")
    ] = "all",
    texts: Annotated[
        bool, typer.Option("--texts/--no-texts", help="With the sentences of the articles, or without.")
    ] = True,
    vectors: Annotated[
        bool | None,
        typer.Option(
            "--vectors/--no-vectors",
            help="With embeddings, or without. Default: with, for cypher and neo4j-csv with texts.",
            show_default=False,
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option(help="Licence of the articles, to be stated in the export.", show_default=False)
    ] = "",
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Read everything back and compare it with the graph before it appears."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an older export in this folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the graph of a corpus as GraphML, a Cypher script, RDF, or CSV files for Neo4j's import.

    The folder appears whole or not at all, and the same graph gives the same bytes. Its README.md says how to
    load it, manifest.json has counts and checksums; kg dataset verify checks it later.
    """
    chosen = choose_graph_format(format_)
    content = _content(chosen, part, texts, vectors)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        with reading_whole(session.graph, name) as graph:
            done = export_graph(
                graph, name, chosen, content, folder, session.progress, licence, force, verify
            )
    if as_json:
        print_json(
            {
                "folder": str(done.folder),
                "format": chosen.name,
                "corpus": name,
                "nodes": dict(done.nodes),
                "edges": dict(done.edges),
                "files": [asdict(one) for one in done.files],
                "compared": [asdict(one) for one in done.compared],
            }
        )
        return
    _show(done)
    if texts and not licence:
        remark(
            "note: the texts of the articles are in it, and no licence. State it with --licence, or leave "
            "them out with --no-texts."
        )


def _content(chosen: GraphFormat, part: str, texts: bool, vectors: bool | None) -> GraphContent:
    if part not in get_args(Part):
        raise SettingsError(f"{part!r} is no part of a graph.", f"Give one of: {', '.join(get_args(Part))}.")
    wanted = chosen.restores and texts if vectors is None else vectors
    return GraphContent(cast(Part, part), texts, wanted)


def _show(done: GraphExport) -> None:
    rows = [[one.name, f"{one.bytes:,}", one.sha256[:12]] for one in done.files]
    out.print(table(f"Written to {done.folder}", ("file", "bytes", "sha256"), rows))
    say(f"{sum(done.nodes.values()):,} nodes, {sum(done.edges.values()):,} edges.")
    print_comparisons(done.compared)
