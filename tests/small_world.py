"""Eight short articles from an invented valley, whose hop paths are known by design, and the job over them.

One chain of facts runs from Mira Tolland through five articles to a date and to a person, at every length
from two to five hops. "NHB" is joined to the board's full name by an exact equivalence, and "Venning" to
"Orla Venning" by context. One fact stands in two articles, and one is denied.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from kg.embed.local import BuiltinEmbedder
from kg.extract.choose import extractor_name, make_extractor
from kg.progress import Progress, Silent
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.stages.build import BuildOptions, Tools
from kg.stages.path_finding import PathOptions
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize
from services.pipeline import JobOptions, open_for_job, run_job
from tests.examples import read_examples
from tests.remembered_tools import RememberingEmbedder, RememberingExtractor

ARTICLES: dict[str, str] = read_examples("small_world")["articles"]


CHAIN = ("Mira Tolland", "Ostby Rovers", "Halden Shipping", "Greta Lindqvist", "Verrin University")
"""The entities of the chain; the last one leads on to each of `ENDS`."""
ENDS = ("Anton Brask", "1412")

OPTIONS = JobOptions(BuildOptions(ChunkSize(16, 48, 8), seed=0, paths=PathOptions(per_depth=12, seed=0)), 10)
"""Every pair is drawn, and every article has more than one chunk."""


def with_paths(per_depth: int, seed: int = 0, retrieved: int = OPTIONS.retrieved) -> JobOptions:
    """The options with another draw of paths."""
    return replace(
        OPTIONS, build=replace(OPTIONS.build, paths=PathOptions(per_depth, seed)), retrieved=retrieved
    )


@cache
def tools() -> Tools:
    """The real embedder and extractor, loaded once a process, and asked once about each text."""
    extractor = RememberingExtractor(make_extractor())
    embedder = RememberingEmbedder(BuiltinEmbedder(threads=1))
    return Tools("builtin", embedder, extractor_name(), lambda: extractor)


def ingest(graph: Graph, corpus: str, names: Iterable[str] = ARTICLES, options: JobOptions = OPTIONS) -> None:
    """Put some of the articles into a corpus, from a file."""
    open_for_job(graph, corpus, options, tools())
    with TemporaryDirectory() as folder:
        path = write_articles(Path(folder), names)
        ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())


def run_small_job(
    graph: Graph,
    corpus: str,
    names: Iterable[str] = ARTICLES,
    options: JobOptions = OPTIONS,
    progress: Progress | None = None,
) -> str:
    """The main job from these articles to the matrix; the name of the run."""
    ingest(graph, corpus, names, options)
    return run_job(graph, corpus, options, tools(), progress or Silent())


def write_articles(folder: Path, names: Iterable[str] = ARTICLES) -> Path:
    """Some of the articles as a file that Hopgrade reads."""
    path = folder / "articles.jsonl"
    rows = [{"id": name, "title": name.capitalize(), "body": ARTICLES[name]} for name in names]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
