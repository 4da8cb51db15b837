"""`kg benchmark`: retrievers and embedders measured beside each other.

What a benchmark prints: its tables, at most a hundred columns wide.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from cli import options
from cli.console import out, p_text, print_json, remark, say, table
from cli.session import open_session
from kg.errors import SettingsError
from kg.model import Reject
from kg.text.chunks import parse_chunk_size
from services.benchmarks.contenders import INSTALL, Ground, choose_contenders
from services.benchmarks.retrieval import TESTED, SetResult, SystemResult, measure_set, retrieval_json
from services.benchmarks.retrieval_sets import (
    ONE_CHUNK,
    ReadySet,
    SetFiles,
    check_set,
    development_sets,
    pair_files,
    prepare_set,
)
from services.datasets.choose import QUESTION_FORMATS
from services.settled_options import DEFAULT_EMBEDDER
from services.statistics.intervals import Interval
from services.statistics.rankings import Mean

_MAIN = {
    "R@2": "Recall@2",
    "R@5": "Recall@5",
    "R@10": "Recall@10",
    "All@5": "AllGold@5",
    "All@10": "AllGold@10",
    "MRR": "MRR@10",
    "MAP": "MAP@10",
    "nDCG": "nDCG@10",
}
_SHORT = {name: short for short, name in _MAIN.items()}
_HITS = {
    "Hits@4": "Hits@4",
    "Hits@10": "Hits@10",
    "share@4": "Recall@4",
    "Hits@4*": "official Hits@4",
    "Hits@10*": "official Hits@10",
    "MRR*": "official MRR@10",
    "MAP*": "official MAP@10",
}
_REJECTS_SHOWN = 3
_REASON_SHOWN = 200


def print_set(result: SetResult) -> None:
    """Measures with cost, intervals with tests, and both ways of counting hits."""
    ready = result.ready
    passages = len({passage.article for passage in ready.passages})
    title = f"{ready.files.name}: {len(ready.questions):,} questions over {passages:,} passages"
    out.print(table(title, ("", *_MAIN), [_measures(one, _MAIN.values()) for one in result.systems]))
    say("In percent, the mean over questions. MRR, MAP and nDCG are at 10.", "dim")
    print_failures(result)
    print_costs(result)
    print_tests(result)
    out.print()
    hits = [_measures(one, _HITS.values()) for one in result.systems]
    out.print(table("Hits as MultiHop-RAG counts them", ("", *_HITS), hits))
    say("Hits: any gold in the first k. share: how much of it, the paper's Hit@k; share@10 is R@10.", "dim")
    say("*: by the official script, a fact counts where a text holds it as a substring.", "dim")


def print_costs(result: SetResult) -> None:
    """Latency and memory of each retriever."""
    head = ("", "median ms", "p95 ms", "to open, s", "MiB", "of it new")
    out.print()
    out.print(table("Cost", head, [[one.trial.name, *_cost(one)] for one in result.systems]))
    say(
        "ms: one question alone, its embedding included, warm. MiB: most resident, without the server.", "dim"
    )


def print_tests(result: SetResult) -> None:
    """The intervals of the tested measures, and the differences to the base."""
    rows = [row for measure in TESTED for one in result.systems for row in _test_row(result, one, measure)]
    head = ("measure", "", "mean", "interval", "diff.", "interval", "p(Holm)")
    out.print()
    out.print(table(f"Intervals (95 %), and differences to {result.base}", head, rows))
    clusters, questions = len(set(result.clusters)), len(result.clusters)
    say(
        f"Questions that share gold count as one draw: {clusters:,} clusters of {questions:,} questions.",
        "dim",
    )


def print_failures(result: SetResult) -> None:
    """What was not measured, and why, on standard error."""
    ready = result.ready
    for count, words in (
        (len(ready.rejected), "rows are no questions that can be used"),
        (ready.without_gold, "questions have no gold, such as null queries, and are left out"),
        (ready.not_found, "questions are left out: none of their gold is among the passages"),
        (ready.partly_found, "questions miss some of their gold among the passages; it counts as not found"),
    ):
        if count:
            remark(f"{ready.files.name}: {count:,} {words}.")
    if ready.given_triples and ready.given_for:
        remark(
            f"{ready.files.name}: triples are given for {ready.given_for.matched:,} passages, for "
            f"{ready.given_for.without:,} none; {len(ready.given_for.unmatched):,} are given for no passage."
        )
    for one in (*ready.rejected, *ready.unmatched, *_misfits(ready))[:_REJECTS_SHOWN]:
        remark(f"  {one.place}: {one.reason}")
    for system in result.systems:
        failures = system.trial.failures
        if failures:
            reason = shorten(failures[0][1], _REASON_SHOWN, placeholder="…")
            remark(f"{system.trial.name}: {len(failures):,} questions failed, the first so: {reason}")


def _misfits(ready: ReadySet) -> Iterator[Reject]:
    """What can't be used of the given triples."""
    if ready.given_triples and ready.given_for:
        yield from (*ready.given_triples.rejected, *ready.given_for.unmatched)


def _measures(system: SystemResult, names: Iterable[str]) -> list[object]:
    return [system.trial.name, *(_percent(system.means.get(name)) for name in names)]


def _percent(mean: Mean | None) -> float | str:
    return "-" if mean is None else round(100 * mean.value, 1)


def _cost(system: SystemResult) -> Iterator[float]:
    yield round(1000 * system.trial.latency.median, 1)
    yield round(1000 * system.trial.latency.p95, 1)
    yield round(system.trial.opening_seconds, 1)
    yield round(system.trial.memory.most)
    yield round(system.trial.memory.grown)


def _test_row(result: SetResult, system: SystemResult, measure: str) -> Iterator[list[object]]:
    mean = system.means.get(measure)
    if mean is None:
        return
    compared = system.compared.get(measure)
    row: list[object] = [_SHORT[measure], system.trial.name, _percent(mean), _interval(mean.interval)]
    if compared is None:
        yield [*row, "base" if system.trial.name == result.base else "-", "-", "-"]
        return
    difference = compared.difference
    yield [
        *row,
        f"{100 * difference.value:+.1f}",
        _interval(difference.interval, sign=True),
        p_text(compared.p_holm),
    ]


def _interval(interval: Interval | None, sign: bool = False) -> str:
    if interval is None:
        return "-"
    plus = "+" if sign else ""
    return f"[{100 * interval.low:{plus}.1f},{100 * interval.high:{plus}.1f}]"


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
            help=f"Format of the questions: {', '.join(QUESTION_FORMATS)}. Default: told from the content.",
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
    names, missing = choose_contenders(options.split_list(retriever))
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
        try:
            for one in sets:
                ready = prepare_set(
                    session.graph, session.settings, one, embedder, size, session.progress, limit
                )
                ground = Ground(
                    session.graph, session.settings, ready.corpus, ready.passages, ready.embedder, top
                )
                results.append(measure_set(ground, ready, names, base, seed, session.progress))
                if not as_json:
                    out.print()
                    print_set(results[-1])
        finally:
            # What was measured is not lost where a later set fails.
            if as_json and results:
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
