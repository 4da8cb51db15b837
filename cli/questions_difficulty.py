"""`kg questions difficulty`: the difficulty of questions under other embedders and chunk sizes."""

from collections.abc import Sequence
from dataclasses import asdict
from shlex import quote
from typing import Annotated

import numpy as np
import typer

from cli.completion import complete_runs
from cli.console import out, print_json, remark, say, table
from cli.matrix import matrix_json, print_associations, print_grid
from cli.options import AsJson, Corpus
from cli.session import Session, existing_corpus, open_session
from kg.corpus import CorpusSettings, require_corpus
from kg.embed.choose import make_embedder
from kg.errors import NothingToDoError
from kg.queries import query
from kg.store.graph import Graph
from kg.text.chunks import parse_chunk_size
from services.evaluate.matrix import BINS, Matrix
from services.evaluate.write_back import read_verdicts
from services.questions.choice import BinsOption, parse_bins
from services.questions.dataset import read_cuts
from services.questions.difficulty import AGGREGATES, Aggregate
from services.questions.rating import (
    DifficultyShift,
    Rated,
    RatedQuestion,
    Rating,
    cut_anew,
    movements,
    own_rating,
    rate,
    read_asked,
    write_rating,
)
from services.report.collect import rebin

app = typer.Typer(rich_markup_mode=None)

_TITLES = {"min": "weakest hop", "mean": "mean of hops", "power": "power mean"}


@app.command(epilog="Example: kg questions difficulty --corpus ormelund --chunking small")
def difficulty(
    corpus: Corpus = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="builtin, sentence-transformers:MODEL or openai:MODEL. Default: the corpus' own.",
            show_default=False,
        ),
    ] = None,
    chunking: Annotated[
        str | None,
        typer.Option(
            help="small (64-128/25), medium (128-256/50), large (256-512/100), or MIN-MAX/OVERLAP in tokens. "
            "Default: the corpus' own.",
            show_default=False,
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            help="Show this run's matrix. Default: the only run.",
            show_default=False,
            autocompletion=complete_runs,
        ),
    ] = None,
    bins: Annotated[
        str | None,
        typer.Option(
            help="Cut quartiles by depth, or global: over all depths. Default: as the corpus has them.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how hard the questions are to retrieve for, or how that changes with embedder and chunks.

    With an embedder or a chunk size, difficulties are computed anew and kept beside the corpus' own, so that
    reports show the runs' matrices under both; the corpus' chunks and vectors stay as they are.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        settings = require_corpus(session.graph, name)
        own_bins = read_cuts(session.graph, name).bins
        wanted_bins = parse_bins(bins) if bins else own_bins
        shown_run = _choose_run(session.graph, name, run)
        asked = read_asked(session.graph, name)
        own = own_rating(asked, settings.vectors, settings.chunking, own_bins)
        found = _rating(session, asked, own, settings, embedder, chunking, wanted_bins)
        if found is not own:
            write_rating(session.graph, name, found)
        matrix = _matrix(session.graph, name, shown_run, found)
    moved = movements(own, found) if found is not own else []
    if as_json:
        print_json(_as_json(name, found, moved, shown_run, matrix))
        return
    _print_distribution(found, own=found is own)
    if moved:
        _print_moved(moved)
    if matrix is not None:
        out.print()
        say(f"Run {shown_run!r} in these quartiles")
        print_grid(matrix)
        print_associations(matrix)


def _rating(
    session: Session,
    asked: Sequence[RatedQuestion],
    own: Rating,
    settings: CorpusSettings,
    embedder: str | None,
    chunking: str | None,
    bins: BinsOption,
) -> Rating:
    """The corpus' own difficulties where nothing else is asked for, else those computed anew."""
    size = parse_chunk_size(chunking or settings.chunking)
    other_vectors = embedder is not None and embedder.strip() != settings.embedder
    if not other_vectors and str(size) == settings.chunking:
        return own if bins == own.bins else cut_anew(asked, own, bins)
    used = make_embedder(embedder or settings.embedder, session.settings)
    session.progress.begin("difficulty")
    found = rate(session.graph, asked, used, size, bins, session.progress)
    session.progress.end(f"{len(found.rated):,} questions, {used.name}, chunks of {size} tokens")
    return found


def _choose_run(graph: Graph, corpus: str, given: str | None) -> str | None:
    """The run that was named, or the only one; None where there are none or several.

    Raises:
        NothingToDoError: there is no run of that name.
    """
    names = [str(row["name"]) for row in graph.rows(query("runs/list_runs"), corpus=corpus)]
    if given is not None and given not in names:
        known = ", ".join(map(repr, names)) or "none yet"
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {given!r} (found: {known}).",
            f"See them: kg run list --corpus {quote(corpus)}",
        )
    if given is None and len(names) > 1:
        listed = ", ".join(map(repr, names))
        remark(f"the corpus has the runs {listed}; see the matrix of one in these quartiles: --run NAME")
    return given or (names[0] if len(names) == 1 else None)


def _matrix(graph: Graph, corpus: str, run: str | None, found: Rating) -> Matrix | None:
    if run is None:
        return None
    placed = {one.question: (one.min, one.bin) for one in found.rated if one.bin is not None}
    return rebin(read_verdicts(graph, corpus, run), {(found.embedder, found.chunking, found.bins): placed})[
        0
    ].matrix


def _print_distribution(found: Rating, own: bool) -> None:
    whose = "the corpus' own" if own else "computed anew"
    rows = [
        [f"{depth} hops", len(members), _TITLES[aggregate], *_summary(members, aggregate)]
        for depth, members in _by_depth(found)
        for aggregate in AGGREGATES
    ]
    columns = ("", "n", "difficulty by", "least", "quarter", "half", "three quarters", "most")
    out.print(table(f"Difficulty of {len(found.rated):,} chain questions, {whose}", columns, rows))
    say(f"By {found.embedder}, chunks of {found.chunking} tokens.", "dim")
    cut = "within a depth" if found.bins == "depth" else "over all depths"
    say(f"Difficulty is 1 - similarity: 0 is nearest. Quartiles are cut {cut}, by the weakest hop.", "dim")
    counts = [sum(one.bin == quartile for one in found.rated) for quartile in BINS]
    say(f"Questions a quartile, near to far: {', '.join(f'{count:,}' for count in counts)}.", "dim")
    if found.left_out:
        remark(f"{found.left_out:,} questions are left out: the sentences of a hop are not in the graph.")


def _by_depth(found: Rating) -> list[tuple[int, list[Rated]]]:
    depths = sorted({one.hops for one in found.rated})
    return [(depth, [one for one in found.rated if one.hops == depth]) for depth in depths]


def _summary(members: Sequence[Rated], aggregate: Aggregate) -> list[str]:
    values = np.quantile([getattr(one, aggregate) for one in members], (0, 0.25, 0.5, 0.75, 1))
    return [f"{value:.3f}" for value in values]


def _print_moved(moved: Sequence[DifficultyShift]) -> None:
    rows = [
        [
            "all" if one.hops is None else f"{one.hops} hops",
            one.n,
            "-" if one.rank_correlation is None else f"{one.rank_correlation:+.2f}",
            f"{one.changed / one.n:.2f} ({one.changed:,})" if one.n else "-",
        ]
        for one in moved
    ]
    out.print()
    out.print(
        table(
            "Against the corpus' own difficulty", ("", "n", "rank correlation", "in another quartile"), rows
        )
    )
    say(
        "Rank correlation is Spearman's; - where it is undefined: under three questions, or all alike.", "dim"
    )


def _as_json(
    corpus: str, found: Rating, moved: Sequence[DifficultyShift], run: str | None, matrix: Matrix | None
) -> dict[str, object]:
    return {
        "corpus": corpus,
        "embedder": found.embedder,
        "chunking": found.chunking,
        "bins": found.bins,
        "left_out": found.left_out,
        "moved": [asdict(one) for one in moved],
        "questions": [asdict(one) for one in found.rated],
        "run": run,
        "matrix": None if matrix is None else matrix_json(matrix),
    }
