"""Ninth stage: what a run's verdicts say, written onto its answers, as cells, and as rates of nodes."""

from collections.abc import Sequence

from kg.ids import node_id, run_id
from kg.ledger import Counts
from kg.progress import Progress
from kg.queries import query
from kg.stages.forgetting import write_rates
from kg.store.graph import Graph, Row
from services.evaluate.losses import write_losses
from services.evaluate.matrix import SMALL, Cell, Judged, Matrix, difficulty_matrix

WORST_SHOWN = 5


def read_judged(graph: Graph, corpus: str, run: str) -> list[Judged]:
    """The verdicts on a run's answers to chain questions, with difficulty by the minimum."""
    return [
        Judged(
            question_id=row["question"],
            hops=row["hops"],
            bin=row["bin"],
            difficulty=row["difficulty"],
            wrong=not row["correct"],
            cluster=row["cluster"],
            articles=tuple(row["articles"]),
            crossings={facet: number for facet, number in row["crossings"].items() if number is not None},
        )
        for row in graph.rows(query("runs/read_judged"), run=run_id(corpus, run))
    ]


def read_matrix(graph: Graph, corpus: str, run: str) -> Matrix:
    """The difficulty matrix of a run; a cluster is the questions whose answer stands in one article."""
    return difficulty_matrix(read_judged(graph, corpus, run))


def read_worst(graph: Graph, corpus: str) -> list[Row]:
    """The entities on which answers go wrong most often, of those with enough answers, worst first."""
    return graph.rows(query("runs/read_worst"), corpus=corpus, least=SMALL, limit=WORST_SHOWN)


def write_matrix(graph: Graph, corpus: str, run: str, progress: Progress) -> Counts:
    """Analyse a run, and write the error rates over all runs onto the nodes; again after verdicts changed."""
    progress.step("matrix and error rates")
    matrix = analyse_run(graph, corpus, run)
    write_rates(graph, corpus)
    return {"questions": matrix.total.n, "wrong": matrix.total.errors}


def analyse_run(graph: Graph, corpus: str, run: str) -> Matrix:
    """Write where each answer of a run was lost, and the cells of its matrix with their totals."""
    write_losses(graph, run_id(corpus, run))
    matrix = read_matrix(graph, corpus, run)
    cells: Sequence[Cell] = (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total)
    graph.rows(
        query("runs/write_cells"),
        corpus=corpus,
        run=run_id(corpus, run),
        rows=[_cell_row(corpus, run, cell) for cell in cells],
    )
    return matrix


def _cell_row(corpus: str, run: str, cell: Cell) -> Row:
    interval, clustered = cell.interval, cell.clustered
    return {
        "id": node_id(corpus, "cell", run, str(cell.hops), str(cell.bin)),
        "run": run,
        "hops": cell.hops,
        "bin": cell.bin,
        "n": cell.n,
        "errors": cell.errors,
        "error_rate": cell.error_rate,
        "small": cell.small,
        "ci_low": interval.low if interval else None,
        "ci_high": interval.high if interval else None,
        "clusters": cell.clusters,
        "clustered_low": clustered.low if clustered else None,
        "clustered_high": clustered.high if clustered else None,
        "design_effect": clustered.design_effect if clustered else None,
        "effective_n": clustered.effective_n if clustered else None,
    }
