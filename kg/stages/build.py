"""The stages from articles to paths in their order, each run only when what it depends on has changed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from kg.corpus import article_fingerprint
from kg.embed.choose import Embedder
from kg.engine.choose import Engine
from kg.engine.processes import LocalEngine
from kg.errors import NothingToDoError, command
from kg.extract.protocol import Extractor
from kg.ledger import Outcome, read_stage, run_stage, stage_key
from kg.llm.budget import Budget
from kg.progress import Progress
from kg.stages.chunking import chunk_articles, embed_missing
from kg.stages.extraction import extract_claims
from kg.stages.path_finding import PathOptions, clear_paths, find_paths
from kg.stages.resolution import DEFAULT_EDGES, EdgePolicy, clear_resolution, resolve_entities
from kg.stages.resolution_corrections import corrections_key
from kg.stages.resolution_links import LinkFinder, RuleLinks
from kg.store.graph import Graph, Row
from kg.text.chunks import MEDIUM, ChunkSize

CHUNKS = "chunks-2"
RESOLUTION = "resolution-6"
PATHS = "paths-5"
"""Versions of what these stages do; a change makes finished corpora redo them."""

LastStage = Literal["resolution", "paths"]
"""Where a build may end: with entities, for who only searches the graph, or with paths, to make questions."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What the graph of a corpus depends on besides its articles."""

    chunk_size: ChunkSize = MEDIUM
    seed: int = 0
    paths: PathOptions = field(default_factory=PathOptions)
    edges: EdgePolicy = DEFAULT_EDGES


@dataclass(frozen=True, slots=True)
class Tools:
    """What does the work; loading takes seconds, so each is made only when a stage needs it."""

    embedder_option: str
    embedder: Embedder
    extractor_name: str
    make_extractor: Callable[[], Extractor]
    link_finder: LinkFinder = field(default_factory=RuleLinks)
    budget: Budget | None = None
    engine: Engine = field(default_factory=LocalEngine)


def build_graph(
    graph: Graph,
    corpus: str,
    options: BuildOptions,
    tools: Tools,
    progress: Progress,
    until: LastStage = "paths",
) -> Outcome:
    """Bring the graph of a corpus up to date, stage by stage `until` the last one wanted; its outcome.

    Raises:
        NothingToDoError: the corpus has no article.
    """
    total, articles = article_fingerprint(graph, corpus)
    if total == 0:
        raise NothingToDoError(
            f"corpus {corpus!r} has no article.",
            f"Add some: {command('corpus ingest FILE --corpus', corpus)}.",
        )

    def vectors() -> dict[str, int | float | str]:
        embed_missing(graph, corpus, "chunks", tools.embedder, progress)
        return {"dimensions": tools.embedder.dimensions}

    def keep() -> None:
        """New articles add to what is there: these stages go on article by article."""

    def stage(
        name: str, key: str, work: Callable[[], dict[str, int | float | str]], clear: Callable[[], None]
    ) -> Outcome:
        return run_stage(graph, corpus, name, key, work, clear, progress)

    chunked = stage(
        "chunks",
        stage_key(articles, CHUNKS, str(options.chunk_size)),
        lambda: chunk_articles(graph, corpus, options.chunk_size, progress, tools.engine),
        keep,
    )
    embedded = stage("vectors", stage_key(chunked.key, tools.embedder.name), vectors, keep)
    claimed = stage(
        "claims",
        stage_key(embedded.key, tools.extractor_name),
        lambda: extract_claims(graph, corpus, tools.make_extractor, progress),
        keep,
    )
    resolved = stage(
        "resolution",
        stage_key(
            claimed.key,
            RESOLUTION,
            options.seed,
            tools.link_finder.name,
            options.edges.hubs,
            corrections_key(graph, corpus),
            *options.edges.key_parts(),
        ),
        lambda: resolve_entities(
            graph, corpus, tools.embedder, options.seed, progress, tools.link_finder, options.edges
        ),
        lambda: clear_resolution(graph, corpus),
    )
    if until == "resolution":
        return resolved
    return stage(
        "paths",
        stage_key(resolved.key, PATHS, options.paths),
        lambda: find_paths(graph, corpus, options.paths, progress, tools.engine),
        lambda: clear_paths(graph, corpus),
    )


def require_built(graph: Graph, corpus: str) -> Row:
    """The ledger's line of the resolution of a corpus, which must have ended: figures on less would mislead.

    Raises:
        NothingToDoError: the corpus has no graph yet, or what was there is being made anew.
    """
    line = read_stage(graph, corpus, "resolution")
    if line is None:
        raise NothingToDoError(
            f"the graph of corpus {corpus!r} is not built yet.",
            f"Build it: {command('corpus build --corpus', corpus)}",
        )
    if line["state"] != "done":
        raise NothingToDoError(
            f"the graph of corpus {corpus!r} is not whole: a build is at work, or was cut off.",
            f"End it: {command('corpus build --corpus', corpus)}",
        )
    return line
