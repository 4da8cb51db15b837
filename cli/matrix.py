"""`kg evaluate matrix`: the difficulty matrix of a run, and how error goes with difficulty."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from cli.console import out, print_json, say, table
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.errors import NothingToDoError
from kg.paths.walk import DEPTHS
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.correlation import Correlation
from services.evaluate.matrix import BINS, SMALL, Association, Cell, Matrix
from services.evaluate.write_back import read_matrix, read_worst

BIN_NAMES = {1: "near", 2: "Q2", 3: "Q3", 4: "far"}


def matrix(
    corpus: Corpus = None,
    run: Annotated[
        str | None, typer.Option(help="Name of the run. Default: the only one.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print error rates by reasoning depth and retrieval distance, with intervals and correlations."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        chosen = _choose_run(session.graph, name, run)
        found = read_matrix(session.graph, name, chosen)
        worst = read_worst(session.graph, name)
    if as_json:
        print_json({"corpus": name, "run": chosen, "matrix": matrix_json(found), "worst_entities": worst})
        return
    print_matrix(found, chosen, worst)


def _choose_run(graph: Graph, corpus: str, given: str | None) -> str:
    names = [row["name"] for row in graph.rows(query("runs/list_runs"), corpus=corpus)]
    if given in names or (given is None and len(names) == 1):
        return str(given or names[0])
    if not names:
        raise NothingToDoError(f"corpus {corpus!r} has no run yet.", "Make one: kg run-all FILE.")
    raise NothingToDoError(f"corpus {corpus!r} has the runs {names}.", "Say which one: --run NAME.")


def matrix_json(found: Matrix) -> dict[str, object]:
    """The matrix as plain values."""
    return asdict(found)


def print_matrix(found: Matrix, run: str, worst: Sequence[Row]) -> None:
    """The matrix as a table, with what it rests on below."""
    out.print(
        f"Run {run!r}: wrong answers by exact match, rules reader, {found.total.n:,} questions", markup=False
    )
    out.print(_grid(found))
    say(
        f"Cell: error rate (questions), below it the Wilson 95 % interval; * fewer than {SMALL} questions. "
        f"Columns: quartiles of the distance from question to its farthest evidence, cut within a depth.",
        "dim",
    )
    if empty := [str(cell.hops) for cell in found.by_depth if cell.n == 0]:
        say(f"No questions of {' or '.join(empty)} hops: no path of that length, or none passed the checks.")
    out.print()
    out.print(_associations(found))
    say(
        "r, bins: Pearson of quartile and error rate; r, questions: point-biserial of distance and error, "
        "its p by cluster; trend: Cochran-Armitage over quartiles.",
        "dim",
    )
    say(_what_it_rests_on(found), "dim")
    if worst:
        named = (f"{row['name']} ({row['error_rate']:.2f} of {row['answers']})" for row in worst)
        say(f"\nFails most, over all runs, on paths through: {', '.join(named)}")


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
    if cell.error_rate is None or cell.interval is None:
        return "-"
    mark = "*" if cell.small else ""
    return (
        f"{_share(cell.error_rate)} ({cell.n}){mark}\n"
        f"{_share(cell.interval.low)} to {_share(cell.interval.high)}"
    )


def _associations(found: Matrix) -> Table:
    rows = [_association_row(f"{item.hops} hops", item) for item in found.associations]
    rows.append(_association_row("all", found.overall))
    columns = ("", "r, bins", "r, questions", "p by cluster", "trend p by cluster")
    return table("How error goes with retrieval distance", columns, rows)


def _association_row(name: str, item: Association) -> list[str]:
    trend = item.trend.p_clustered if item.trend else None
    return [
        name,
        _r(item.bins),
        _r(item.questions),
        _p(item.questions.p_clustered if item.questions else None),
        _p(trend),
    ]


def _what_it_rests_on(found: Matrix) -> str:
    diagonal = _r(found.diagonal)
    clusters = found.clusters
    return (
        f"Along the diagonal r = {diagonal}. Questions whose answer is in one article are one cluster: "
        f"{clusters.groups} clusters, the largest of {clusters.largest} questions, worth "
        f"{clusters.effective:.1f} of equal size. {found.small_cells} of 16 cells are smaller than "
        f"{SMALL} questions."
    )


def _share(value: float) -> str:
    return f"{value:.2f}"


def _r(found: Correlation | None) -> str:
    return "-" if found is None else f"{found.r:+.2f}"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else f"{value:.3f}"


def register(app: typer.Typer) -> None:
    """Add this command to the tree."""
    app.command(epilog="Example: kg evaluate matrix --corpus ormelund")(matrix)
