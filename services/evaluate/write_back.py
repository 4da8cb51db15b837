"""Ninth stage: the difficulty matrix of a run as cells, and error rates onto the nodes of the graph."""

from kg.ids import node_id
from kg.ledger import Counts
from kg.progress import Progress
from kg.queries import query
from kg.stages.forgetting import write_rates
from kg.store.graph import Graph, Row
from services.evaluate.matrix import Cell, Judged, Matrix, difficulty_matrix
from services.rag.run import run_id

ENOUGH_ANSWERS = 20
WORST_SHOWN = 5


def read_matrix(graph: Graph, corpus: str, run: str) -> Matrix:
    """The difficulty matrix of a run; a cluster is the questions whose answer stands in one article."""
    rows = graph.rows(query("runs/read_judged"), run=run_id(corpus, run))
    return difficulty_matrix(
        [
            Judged(
                question_id=row["question"],
                hops=row["hops"],
                bin=row["bin"],
                difficulty=row["difficulty"],
                wrong=not row["correct"],
                cluster=row["article"],
            )
            for row in rows
        ]
    )


def read_worst(graph: Graph, corpus: str) -> list[Row]:
    """The entities on which answers go wrong most often, of those with enough answers, worst first."""
    return graph.rows(query("runs/read_worst"), corpus=corpus, least=ENOUGH_ANSWERS, limit=WORST_SHOWN)


def write_matrix(graph: Graph, corpus: str, run: str, progress: Progress) -> Counts:
    """Write the cells of a run's matrix, and the error rates over all runs onto the nodes."""
    progress.step("matrix and error rates")
    matrix = read_matrix(graph, corpus, run)
    graph.rows(
        query("runs/write_cells"),
        corpus=corpus,
        run=run_id(corpus, run),
        rows=[_cell_row(corpus, run, cell) for cell in matrix.cells],
    )
    write_rates(graph, corpus)
    return {"questions": matrix.total.n, "errors": matrix.total.errors}


def _cell_row(corpus: str, run: str, cell: Cell) -> Row:
    return {
        "id": node_id(corpus, "cell", run, str(cell.hops), str(cell.bin)),
        "run": run,
        "hops": cell.hops,
        "bin": cell.bin,
        "n": cell.n,
        "errors": cell.errors,
        "error_rate": cell.error_rate,
        "ci_low": cell.interval.low if cell.interval else None,
        "ci_high": cell.interval.high if cell.interval else None,
    }
