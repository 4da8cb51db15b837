"""The difficulty matrix of a run in a terminal, and how error goes with difficulty."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from cli.console import out, p_text, print_json, remark, say, table
from cli.crossing_tables import print_crossings
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from cli.whole_file import check_place, write_whole
from kg.errors import NothingToDoError
from kg.paths.walk import DEPTHS
from kg.store.graph import Graph, Row
from services.evaluate.crossings import crossing_tables
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL, Association, Cell, Matrix
from services.evaluate.statistics.correlation import Correlation
from services.evaluate.write_back import read_judged, read_matrix, read_worst
from services.questions.spans.question_spans import renew_spans
from services.report.as_json import plain
from services.report.collect import choose_runs
from services.report.content import RunFacts
from services.report.run_facts import read_facts
from services.report.svg_file import svg_file
from services.report.svg_heat import heat_map


def matrix(
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="Name of the run. Default: the only one.", show_default=False),
    ] = None,
    corpus: Corpus = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Write it as a picture too.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print error rates by reasoning depth and retrieval distance, with intervals and correlations."""
    if svg is not None:
        check_place(svg, "--svg")
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        chosen = _choose_run(session.graph, name, run)
        renew_spans(session.graph, name)
        found = read_matrix(session.graph, name, chosen)
        worst = read_worst(session.graph, name)
        facts = read_facts(session.graph, name, chosen)
        crossings = crossing_tables(read_judged(session.graph, name, chosen))
    if svg is not None:
        write_whole(svg, svg_file(heat_map(found, chosen)), "--svg")
        remark(f"Picture written: {svg}")
    if as_json:
        print_json(
            {
                "corpus": name,
                "run": chosen,
                "matrix": matrix_json(found),
                "crossings": plain(crossings),
                "worst_entities": worst,
            }
        )
        return
    print_matrix(found, chosen, worst, facts)
    if crossings:
        out.print()
        print_crossings(crossings)


def _choose_run(graph: Graph, corpus: str, given: str | None) -> str:
    names = choose_runs(graph, corpus, [] if given is None else [given])
    if len(names) > 1:
        raise NothingToDoError(
            f"corpus {corpus!r} has {len(names)} runs: {', '.join(map(repr, names))}.", "Say which one."
        )
    return names[0]


def matrix_json(found: Matrix) -> dict[str, object]:
    """The matrix as plain values."""
    return asdict(found)


def print_matrix(found: Matrix, run: str, worst: Sequence[Row], facts: RunFacts | None = None) -> None:
    """The matrix as a table, with what it rests on below; `facts` tell who answered and who judged."""
    by_whom = f" by {facts.judge}, {facts.generator}" if facts else ""
    out.print(f"Run {run!r}: wrong answers{by_whom}, {found.total.n:,} questions", markup=False)
    print_grid(found)
    out.print()
    print_associations(found)
    if worst:
        named = (f"{row['name']} ({row['error_rate']:.2f} of {row['answers']})" for row in worst)
        say(f"\nFails most, over all runs, on paths through: {', '.join(named)}")


def print_grid(found: Matrix) -> None:
    """The matrix as a table: error rate, number of questions and interval of each cell."""
    out.print(_grid(found))
    say(
        "Cell: error rate (questions), below it the 95 % interval by cluster, or where a cell has only one "
        f"cluster the Wilson 95 % interval; * fewer than {SMALL} questions. Columns: quartiles of the "
        "distance from question to its farthest evidence.",
        "dim",
    )
    if empty := [str(cell.hops) for cell in found.by_depth if cell.n == 0]:
        say(f"No questions of {' or '.join(empty)} hops: no path of that length, or none passed the checks.")


def print_associations(found: Matrix) -> None:
    """How error goes with difficulty, and what the matrix rests on."""
    out.print(_associations(found))
    say(
        "r, bins: Pearson of quartile and error rate; r, questions: point-biserial of distance and error, "
        "its p by cluster; trend: Cochran-Armitage over quartiles.",
        "dim",
    )
    say(_what_it_rests_on(found), "dim")


def _grid(found: Matrix) -> Table:
    rows = []
    for depth in DEPTHS:
        cells = [found.cell(depth, quartile) for quartile in BINS]
        total = next(cell for cell in found.by_depth if cell.hops == depth)
        rows.append([f"{depth} hops", *map(_cell_text, cells), _cell_text(total)])
    rows.append(["all", *map(_cell_text, found.by_bin), _cell_text(found.total)])
    title = "Error rate by reasoning depth and retrieval distance"
    return table(title, ("", *(BIN_NAMES[quartile] for quartile in BINS), "all"), rows)


def _cell_text(cell: Cell) -> str:
    spread = cell.clustered or cell.interval
    if cell.error_rate is None or spread is None:
        return "-"
    mark = "*" if cell.small else ""
    return f"{_share(cell.error_rate)} ({cell.n}){mark}\n{_share(spread.low)} to {_share(spread.high)}"


def _associations(found: Matrix) -> Table:
    rows = [_association_row(f"{item.hops} hops", item) for item in found.associations]
    rows.append(_association_row("all", found.overall))
    columns = ("", "r, bins", "r, questions", "p by cluster", "trend p by cluster")
    return table("How error goes with retrieval distance", columns, rows)


def _association_row(name: str, item: Association) -> list[str]:
    trend = item.trend.p_clustered if item.trend else None
    return [
        name,
        correlation_text(item.bins),
        correlation_text(item.questions),
        p_text(item.questions.p_clustered if item.questions else None),
        p_text(trend),
    ]


def _what_it_rests_on(found: Matrix) -> str:
    clusters = found.clusters
    joined = f" Joined by any shared article they are {clusters.components}." if clusters.components else ""
    return (
        f"Along the diagonal r = {correlation_text(found.diagonal)}. Questions whose answer is in one "
        f"article are one cluster: {clusters.groups} clusters, the largest of {clusters.largest} "
        f"questions, worth {clusters.effective:.1f} of equal size.{joined} {found.small_cells} of 16 cells "
        f"are smaller than {SMALL} questions."
    )


def _share(value: float) -> str:
    return f"{value:.2f}"


def correlation_text(found: Correlation | None) -> str:
    """A correlation with its sign, or a dash where it is undefined."""
    return "-" if found is None else f"{found.r:+.2f}"
