"""`kg benchmark`: retrievers and embedders measured beside each other."""

import os
from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.benchmark_tables import print_set
from cli.console import out, print_json, remark
from cli.session import open_session
from kg.errors import SettingsError
from kg.text.chunks import parse_chunk_size
from services.benchmarks.contenders import INSTALL, Ground, choose_contenders
from services.benchmarks.question_files import FORMATS
from services.benchmarks.retrieval import SetResult, measure_set
from services.benchmarks.retrieval_json import retrieval_json
from services.benchmarks.retrieval_sets import (
    ONE_CHUNK,
    SetFiles,
    check_set,
    development_sets,
    pair_files,
    prepare_set,
)
from services.settled_options import DEFAULT_EMBEDDER

app = typer.Typer(rich_markup_mode=None)

DEFAULT_BASE = "vector"
"""What others are tested against unless told otherwise: what most systems do today."""


@app.command(
    epilog="Example: kg benchmark retrieval --corpus passages.json --questions questions.json --json"
)
def retrieval(
    corpus: Annotated[
        list[Path],
        typer.Option(
            "--corpus",
            metavar="FILE",
            help="Passages of a set; with --questions, once for each set. Default: the development sets.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    questions: Annotated[
        list[Path],
        typer.Option(
            "--questions", metavar="FILE", help="Questions over these passages.", show_default=False
        ),
    ] = [],  # noqa: B006
    format: Annotated[  # noqa: A002
        str,
        typer.Option(
            help=f"Format of the questions: {', '.join(FORMATS)}. Default: told from the content.",
            show_default=False,
        ),
    ] = "",
    retriever: Annotated[
        str, typer.Option(help="Retrievers to measure, with commas. Default: all.", show_default=False)
    ] = "",
    base: Annotated[
        str,
        typer.Option(
            help="The retriever that the others are tested against. Default: vector, or the first measured.",
            show_default=False,
        ),
    ] = "",
    name: Annotated[
        list[str],
        typer.Option(
            "--name",
            help="What to call a set, once for each. Default: the name of its questions' file.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    triples: Annotated[
        list[Path],
        typer.Option(
            "--triples",
            metavar="FILE",
            help="Names and triples to add to what is read in the passages, in the form of HippoRAG's OpenIE "
            "results; once for each --corpus.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST,
            help="Measure so many questions of a set, the first ones. Default: all.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", min=10, max=100, help="Chunks that a retriever is asked for.")
    ] = 20,
    embedder: Annotated[
        str, typer.Option(help="builtin, sentence-transformers:MODEL or openai:MODEL.")
    ] = DEFAULT_EMBEDDER,
    chunks: Annotated[
        str, typer.Option(help="Chunk size in tokens; by default a passage is one chunk.")
    ] = str(ONE_CHUNK),
    seed: Annotated[
        int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of the intervals and tests.")
    ] = 0,
    as_json: options.AsJson = False,
) -> None:
    """Measure retrievers on question sets: recall, ranking, intervals, tests, latency and memory.

    The passages become a corpus of their own, which is found again the next time.
    """
    names, missing = choose_contenders([part.strip() for part in retriever.split(",") if part.strip()])
    base = _base(base, names)
    named = corpus or questions or triples
    sets = pair_files(corpus, questions, name, format, triples) if named else _development_sets()
    size = parse_chunk_size(chunks)
    for one in sets:
        check_set(one)
    if missing:
        remark(f"left out, because not installed: {', '.join(missing)}. Install them: {INSTALL}")
    results: list[SetResult] = []
    with open_session() as session:
        for one in sets:
            ready = prepare_set(session.graph, session.settings, one, embedder, size, session.progress, limit)
            ground = Ground(
                session.graph, session.settings, ready.corpus, ready.passages, ready.embedder, top
            )
            results.append(measure_set(ground, ready, names, base, seed, session.progress))
            if not as_json:
                out.print()
                print_set(results[-1])
        if as_json:
            asked = {
                "retrievers": names, "base": base, "top": top, "limit": limit, "seed": seed,
                "embedder": embedder, "chunks": str(size), "format": format,
                "triples": [str(path) for path in triples],
            }  # fmt: skip
            print_json(retrieval_json(results, asked, missing, session.graph))


def _base(given: str, names: list[str]) -> str:
    """The base of the tests.

    Raises:
        SettingsError: it is not among what is measured.
    """
    if given and given not in names:
        raise SettingsError(f"the base {given!r} is not measured.", f"Use one of: {', '.join(names)}.")
    return given or (DEFAULT_BASE if DEFAULT_BASE in names else names[0])


def _development_sets() -> list[SetFiles]:
    folder = os.environ.get("HOPGRADE_SHARED")
    return development_sets([Path(folder) / "data"] if folder else [Path("../shared/data")])
