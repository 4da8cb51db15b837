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
from kg.ledger import Outcome, read_ledger, read_stage, run_stage, stage_key
from kg.llm.budget import Budget
from kg.progress import Progress
from kg.stages.articles import chunk_articles
from kg.stages.extraction import extract_claims
from kg.stages.path_finding import PathOptions, clear_paths, find_paths
from kg.stages.resolution import DEFAULT_EDGES, EdgePolicy, clear_resolution, resolve_entities
from kg.stages.resolution_corrections import corrections_key
from kg.stages.resolution_links import LinkFinder, RuleLinks
from kg.stages.vectors import embed_missing
from kg.store.graph import Graph, Row
from kg.text.chunks import MEDIUM, ChunkSize

CHUNKS = "chunks-2"
RESOLUTION = "resolution-8"
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

    keys = _stage_keys(graph, corpus, articles, options, tools)

    def vectors() -> dict[str, int | float | str]:
        embed_missing(graph, corpus, "chunks", tools.embedder, progress)
        return {"dimensions": tools.embedder.dimensions}

    def keep() -> None:
        """New articles add to what is there: these stages go on article by article."""

    def stage(
        name: str, work: Callable[[], dict[str, int | float | str]], clear: Callable[[], None] = keep
    ) -> Outcome:
        return run_stage(graph, corpus, name, keys[name], work, clear, progress)

    stage("chunks", lambda: chunk_articles(graph, corpus, options.chunk_size, progress, tools.engine))
    stage("vectors", vectors)
    stage("claims", lambda: extract_claims(graph, corpus, tools.make_extractor, progress))
    resolved = stage(
        "resolution",
        lambda: resolve_entities(
            graph, corpus, tools.embedder, options.seed, progress, tools.link_finder, options.edges
        ),
        lambda: clear_resolution(graph, corpus),
    )
    if until == "resolution":
        return resolved
    return stage(
        "paths",
        lambda: find_paths(graph, corpus, options.paths, progress, tools.engine),
        lambda: clear_paths(graph, corpus),
    )


def _stage_keys(
    graph: Graph, corpus: str, articles: str, options: BuildOptions, tools: Tools
) -> dict[str, str]:
    """The keys that the stages have after a build with these options and `articles`, by their fingerprint."""
    edges = options.edges
    chunks = stage_key(articles, CHUNKS, str(options.chunk_size))
    vectors = stage_key(chunks, tools.embedder.name)
    claims = stage_key(vectors, tools.extractor_name)
    corrections = corrections_key(graph, corpus)
    resolution = stage_key(
        claims,
        RESOLUTION,
        options.seed,
        tools.link_finder.name,
        edges.hubs,
        corrections,
        *edges.key_parts(),
    )
    return {
        "chunks": chunks,
        "vectors": vectors,
        "claims": claims,
        "resolution": resolution,
        "paths": stage_key(resolution, PATHS, options.paths),
    }


def draws_anew(graph: Graph, corpus: str, options: BuildOptions, tools: Tools) -> bool:
    """Whether a build with these options deletes paths that were drawn, and all that came of them."""
    _, articles = article_fingerprint(graph, corpus)
    keys = _stage_keys(graph, corpus, articles, options, tools)
    lines = {line["name"]: line for line in read_ledger(graph, corpus)}
    return any(name in lines and lines[name]["key"] != keys[name] for name in ("resolution", "paths"))


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
