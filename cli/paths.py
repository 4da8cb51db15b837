"""`kg graph paths`: what hop paths there are, which are drawn, and those between two entities."""

from dataclasses import asdict, dataclass
from time import monotonic
from typing import Annotated

import typer

from cli.console import out, print_json, remark, say
from cli.options import MOST, AsJson, Corpus, Hops, parse_depths
from cli.path_tables import about_path, hop_table, number_table
from cli.paths_between import LiteralsInside, Undirected, between
from cli.paths_draw import Engine, draw
from cli.session import Session, existing_corpus, open_session, require_built
from kg.errors import NothingToDoError
from kg.paths.engines import EngineName, open_engine
from kg.paths.walk import DEPTHS, Walk
from kg.queries import query

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
class _Counted:
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


def _count(session: Session, corpus: str, walk: Walk, engine: EngineName) -> _Counted:
    started = monotonic()
    session.progress.begin("census")
    opened = open_engine(session.graph, corpus, walk, engine)
    read = monotonic()
    # scipy, which only this command counts with, takes a while to import.
    from kg.paths.census import census_by  # noqa: PLC0415

    found = census_by(opened.engine, opened.table, session.progress)
    session.progress.end(f"{_edges(walk.mirrored)} edges")
    return _Counted(
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
        found = session.graph.rows(
            query("paths/list_found"), corpus=name, hops=depths, saved=saved, limit=limit + 1
        )
    if as_json:
        print_json(found[:limit])
        return
    for row in found[:limit]:
        say(" > ".join(row["names"]))
        say(f"  {about_path(row)}, {row['id']}", "dim")
    if not found:
        command = "kg graph paths between START END --save" if saved else "kg graph paths draw"
        lengths = ", ".join(map(str, depths))
        remark(
            f"corpus {name!r} has no {'saved ' if saved else ''}path of {lengths} hops. Make some: {command}"
        )
    if len(found) > limit:
        remark("there are more; see them with --limit, or other depths with --hops.")


@app.command(epilog="Example: kg graph paths show path-0123456789abcdef")
def show(
    path: Annotated[str, typer.Argument(metavar="ID", help="Id of the path.")], as_json: AsJson = False
) -> None:
    """Show one path: what each hop says, in which sentence of which article.

    The link of a hop says how it joins the one before: by a shared name, by an exact equivalence of two
    names, or by context, which is a mirrored edge.
    """
    with open_session() as session:
        found = session.graph.rows(query("paths/read_path"), id=path)
    if not found:
        raise NothingToDoError(f"there is no path {path!r}.", "See the ids: kg graph paths list.")
    row = found[0]
    if as_json:
        print_json(row)
        return
    say(" > ".join(entity["name"] for entity in row["entities"]), "bold")
    say(about_path(row["path"]))
    out.print(hop_table("Hops", row["hops"]))
