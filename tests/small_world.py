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
from tests.remembered_tools import RememberingEmbedder, RememberingExtractor

ARTICLES: dict[str, str] = {
    "rovers": (
        "Mira Tolland plays for the Ostby Rovers. The crowd likes her left foot and her short temper. "
        "Tolland was born in Kaldmere. Nobody on the terraces cared about the rain on that Saturday, and "
        "the band played until the lamps went out over the empty stand."
    ),
    "owner": (
        "The Ostby Rovers are owned by Halden Shipping. The ships lay idle for a winter, so a club was "
        "something to do. The office cat sleeps on the minutes of the board, and nobody dares to move it. "
        "Some supporters grumble about the price of soup."
    ),
    "founder": (
        "Halden Shipping was founded by Greta Lindqvist. She began with one tug and a borrowed rope. "
        "The rope still hangs over the door of the counting room, grey with salt, and visitors touch it for "
        "luck when they think that nobody looks."
    ),
    "teacher": (
        "Greta Lindqvist studied at Verrin University. The lecture rooms were cold, and students wrote with "
        "their gloves on. Old letters tell of long walks by the canal, of bad coffee and of a fiddle that "
        "was always out of tune."
    ),
    "school": (
        "Verrin University was designed by Anton Brask. Verrin University was founded in 1412. The tower "
        "leans a little to the west. Pigeons like the ledge below the clock, and every spring a ladder is "
        "carried up to it, and every spring the ladder turns out to be too short."
    ),
    "board": (
        "Orla Venning directs the Norholm Health Board (NHB). Her garden is known for its pears. The wards "
        "look out over the water, and gulls steal bread from the sills. Halden Shipping was founded by Greta "
        "Lindqvist. Nobody remembers why a brass plate beside the door says so."
    ),
    "history": (
        "The NHB was founded by Otto Pelham. He kept the plans in a barn, and the barn kept its owls. Anton "
        "Brask never worked for Halden Shipping. It took nine summers to find enough bricks."
    ),
    "prize": (
        "The Corrin Medal was awarded to Venning. The ceremony took place in a tent, because the hall had no "
        "roof. Wind took two of the hats, and a dog brought one of them back before the speeches were over."
    ),
}


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
