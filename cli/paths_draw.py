"""`kg graph paths draw`: the hop paths of a corpus, drawn anew."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

import typer

from cli.console import number_table, out, print_json, say
from cli.options import MAX_SEED, MOST, AsJson, Corpus, PerDepth
from cli.remarks import remark_on_outdated
from cli.session import existing_corpus, open_session
from kg.ledger import Counts, Outcome, count_label, run_stage, stage_key
from kg.paths.engines import EngineChoice, EngineName, choose_engine
from kg.paths.protocol import DEPTHS
from kg.progress import Progress
from kg.queries import query
from kg.stages.build import PATHS, require_built
from kg.stages.path_finding import PathOptions, check_domain, clear_paths, find_paths, read_path_options
from kg.store.graph import Graph, Row
from kg.store.leases import writing_to
from services.questions.hand_work import require_consent_to_draw

T = TypeVar("T")

Engine = Annotated[
    EngineName,
    typer.Option(help="Who searches: in memory, Neo4j, or by the size of the graph. The result is the same."),
]


def draw(
    corpus: Corpus = None,
    per_depth: PerDepth = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MAX_SEED,
            help="Seed of the draw. Default: as before, at first that of kg corpus build.",
        ),
    ] = None,
    per_start: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST, help="Paths of a depth from one entity at most, 0 for any number. At first any."
        ),
    ] = None,
    per_end: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST, help="Paths of a depth to one entity at most, 0 for any number. At first any."
        ),
    ] = None,
    per_middle: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST,
            help="Paths of a depth through one entity at most, 0 for any number. At first any.",
        ),
    ] = None,
    cross_articles: Annotated[
        bool | None,
        typer.Option(
            "--cross-articles/--any-articles",
            help="Only paths over two articles or more. At first any.",
        ),
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(help="Category that all articles of a path have, '' for any. At first any."),
    ] = None,
    undirected: Annotated[
        bool | None,
        typer.Option(
            "--undirected/--directed", help="Walk edges against their direction as well. At first directed."
        ),
    ] = None,
    mirrored: Annotated[
        bool | None,
        typer.Option("--mirrored/--no-mirrored", help="Take edges that context added. At first they are."),
    ] = None,
    literals_inside: Annotated[
        bool | None,
        typer.Option(
            "--literals-inside/--literals-at-ends",
            help="Let undirected paths go on from dates and numbers. At first only at ends.",
        ),
    ] = None,
    engine: Engine = "auto",
    discard_work: Annotated[
        bool, typer.Option("--discard-work", help="Delete the questions and runs that other paths led to.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Draw the hop paths of a corpus anew. What is not given stays as it was in the last draw.

    Questions and runs that were made from other paths are deleted, but only with --discard-work; kg run-all
    makes questions and the first run again. To look at paths, kg graph paths list and between draw nothing.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        with writing_to(session.graph, name) as graph:
            choice = choose_engine(graph, name, engine)
            kept = read_path_options(graph, name)
            options = PathOptions(
                per_depth=_or_default(per_depth, kept.per_depth),
                seed=_or_default(seed, kept.seed),
                per_start=_or_default(per_start, kept.per_start),
                per_end=_or_default(per_end, kept.per_end),
                per_middle=_or_default(per_middle, kept.per_middle),
                cross_articles=_or_default(cross_articles, kept.cross_articles),
                domain=_or_default(domain, kept.domain),
                undirected=_or_default(undirected, kept.undirected),
                mirrored=_or_default(mirrored, kept.mirrored),
                literals_inside=_or_default(literals_inside, kept.literals_inside),
                engine=choice.name,
            )
            drawn = _draw(graph, name, options, session.progress, discard_work=discard_work)
        spread = session.graph.rows(query("paths/count_most_used"), corpus=name)
        remark_on_outdated(session.graph, name)
    if as_json:
        reason = choice.reason if drawn.ran else "done before"
        print_json({**drawn.counts, "engine_reason": reason, "most_used": spread})
        return
    _print_drawn(name, options, drawn, choice)
    _print_spread(spread)


def _or_default(value: T | None, kept: T) -> T:
    return kept if value is None else value


def _draw(
    graph: Graph, name: str, options: PathOptions, progress: Progress, *, discard_work: bool
) -> Outcome:
    """Run the stage with its line in the ledger, so that a build with these options finds it done."""
    resolved = require_built(graph, name)
    check_domain(graph, name, options.domain)
    key = stage_key(resolved["key"], PATHS, options)
    if not discard_work:
        require_consent_to_draw(graph, name, key)
    return run_stage(
        graph,
        name,
        "paths",
        key,
        lambda: find_paths(graph, name, options, progress),
        lambda: clear_paths(graph, name),
        progress,
    )


def _print_drawn(name: str, options: PathOptions, drawn: Outcome, choice: EngineChoice) -> None:
    counts = drawn.counts
    kinds = (
        "over_caps",
        "one_sentence",
        "by_context",
        "circular",
        "unaskable",
        "not_fitting",
    )
    columns = ("pairs", "paths drawn", *map(count_label, kinds))
    rows = [
        [depth, *(_count(counts, kind, depth) for kind in ("pairs", "paths", *kinds))] for depth in DEPTHS
    ]
    out.print(number_table(f"Hop paths of {name!r}", ("hops",), columns, rows))
    say(
        f"{counts['crossing']:,} paths cross articles, {counts['exact']:,} need an exact link, "
        f"{counts['context']:,} a link by context."
    )
    short = [
        str(depth)
        for depth in DEPTHS
        if _count(counts, "paths", depth) < min(options.per_depth, _count(counts, "pairs", depth))
    ]
    if short:
        say(
            f"Fewer than {options.per_depth:,} at {', '.join(short)} hops: no other pair has a path that "
            "fits and is within the caps. What can be loosened: kg graph paths draw --help"
        )
    say(f"{counts['engine']} engine, {choice.reason if drawn.ran else 'done before'}", "dim")


def _print_spread(spread: Sequence[Row]) -> None:
    """What each depth has most of, a start, an entity inside, an end and a fact, with their shares."""
    about = ("hops", "place", "name", "used", "share", "different")
    rows = [[{**row, "share": f"{row['used'] / row['paths']:.1%}"}[name] for name in about] for row in spread]
    if rows:
        labels, numbers = ("hops", "most frequent", "name"), ("paths", "share", "different ones")
        out.print(number_table("What the drawn paths have most of", labels, numbers, rows))


def _count(counts: Counts, kind: str, depth: int) -> int:
    return int(counts.get(f"{kind}_{depth}_hops", 0))
