"""Ninth stage: what a run's verdicts say, written onto its answers, as cells, and as rates of nodes.

Where the chain of a wrong answer broke: which hops' evidence was retrieved, and what went wrong then.

What a model could know before it reads: how old the articles are, and what it answers from memory.

A question whose article was published before a model's training data ends may be answered from memory (GRADE,
section 3.1, took later articles only).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from kg.ids import node_id, run_id
from kg.ledger import Counts
from kg.progress import Progress
from kg.queries import query
from kg.stages.path_finding import write_rates
from kg.store.graph import Graph, Row
from services.answers import NULL, counted_kind, question_cluster
from services.evaluate.matrix import SMALL, AnswerVerdict, Cell, Matrix, difficulty_matrix
from services.statistics.intervals import Interval

BrokenBy = Literal["retrieval", "reasoning", "error", "not told"]


@dataclass(frozen=True, slots=True)
class Loss:
    """What became of an answer on its way.

    `hops_found[i]` tells whether any chunk that states the fact of the i-th hop was retrieved, in any step;
    `first_lost` is the number of the first hop of which none was. `broken_by` is None for a right answer, and
    "not told" for a wrong one of a system that doesn't tell what it retrieved; then `hops_found` is empty.
    """

    hops_found: tuple[bool, ...]
    first_lost: int | None
    broken_by: BrokenBy | None


def find_loss(
    evidence: Iterable[tuple[int, bool]],
    correct: bool,
    failed: bool = False,
    answerable: bool = True,
    told: bool = True,
) -> Loss:
    """The loss of one answer, from (hop, whether that chunk was retrieved) for every supporting chunk.

    One chunk is enough for a hop, as in the difficulty (GRADE, equation 1); a failure is retrieval's where a
    hop has none, else reasoning's (AgenticRAGTracer's attribution, without its planning). `failed` tells that
    the system gave no answer at all. A question that isn't `answerable` can't be lost in retrieval: what it
    asks for stands nowhere. Without `told` nothing is known of what was retrieved.
    """
    if not told:
        return Loss((), None, None if correct else "error" if failed else "not told")
    found: dict[int, bool] = {}
    for hop, retrieved in evidence:
        found[hop] = found.get(hop, False) or retrieved
    hops = sorted(found)
    first_lost = next((hop for hop in hops if not found[hop]), None) if answerable else None
    broken_by: BrokenBy | None = None
    if not correct:
        broken_by = "error" if failed else "reasoning" if first_lost is None else "retrieval"
    return Loss(tuple(found[hop] for hop in hops), first_lost, broken_by)


def write_losses(graph: Graph, run: str) -> None:
    """Write the losses of a run's answers, given the run's id, onto its Answer nodes."""
    rows = graph.rows(query("answers/read_evidence"), run=run)
    graph.write_rows(query("corpus/write_properties"), map(_loss_row, rows))


def _loss_row(row: Row) -> Row:
    answerable = counted_kind(row["kind"], row["query_type"]) != NULL
    loss = find_loss(
        [(chunk["hop"], chunk["found"]) for chunk in row["evidence"]],
        correct=row["correct"],
        failed=bool(row["error"]),
        answerable=answerable,
        told=row["told"],
    )
    return {
        "id": row["answer"],
        "properties": {
            "hops_found": list(loss.hops_found),
            "first_lost": loss.first_lost,
            "broken_by": loss.broken_by,
        },
    }


def read_verdicts(graph: Graph, corpus: str, run: str) -> list[AnswerVerdict]:
    """The verdicts on a run's answers to chain questions, with difficulty by the minimum."""
    return [
        AnswerVerdict(
            question_id=row["question"],
            hops=row["hops"],
            bin=row["bin"],
            difficulty=row["difficulty"],
            wrong=not row["correct"],
            cluster=question_cluster(
                row["question"], ((one["hop"], one["article"]) for one in row["evidence"])
            ),
            articles=tuple(sorted({one["article"] for one in row["evidence"]})),
            crossings={facet: number for facet, number in row["crossings"].items() if number is not None},
        )
        for row in graph.rows(query("answers/read_for_matrix"), run=run_id(corpus, run))
    ]


def read_matrix(graph: Graph, corpus: str, run: str) -> Matrix:
    """The difficulty matrix of a run; a cluster is the questions whose answer stands in one article."""
    return difficulty_matrix(read_verdicts(graph, corpus, run))


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


@dataclass(frozen=True, slots=True)
class Age:
    """How many articles of a corpus a model may have read: published up to the last day of its data.

    `undated` articles have no day; `read` is a part of `dated`.
    """

    cutoff: date
    dated: int
    undated: int
    read: int

    @property
    def warning(self) -> str:
        """The sentence for a reader; empty where the model can have read none of them."""
        if not self.read:
            return ""
        return (
            f"{self.read:,} of {self.dated:,} dated articles were published before the model's data ends "
            f"({self.cutoff}): it may know answers by heart."
        )


def article_age(graph: Graph, corpus: str, cutoff: date) -> Age:
    """How many articles are older than the end of a model's training data, its last day included."""
    days = [row["day"] for row in graph.rows(query("articles/list_articles"), corpus=corpus)]
    dated = [day for day in days if day]
    read = sum(day <= cutoff.isoformat() for day in dated)
    return Age(cutoff, dated=len(dated), undated=len(days) - len(dated), read=read)


def tell_cutoff(graph: Graph, corpus: str, cutoff: date | None, progress: Progress) -> None:
    """Say, before a model answers, how many articles it may have read; nothing where that is not known."""
    if cutoff is not None and (warning := article_age(graph, corpus, cutoff).warning):
        progress.begin("note")
        progress.end(f"{warning} A run with --evidence none shows how many it does.")


@dataclass(frozen=True, slots=True)
class KnownCell:
    """How many questions of a depth and quartile of distance are answered right from memory; None for all.

    `interval` of the share is by cluster, or Wilson's where there are fewer than two clusters.
    """

    hops: int | None
    bin: int | None
    n: int
    right: int
    share: float | None
    interval: Interval | None

    @property
    def small(self) -> bool:
        """Whether there are too few questions to say anything."""
        return self.n < SMALL


@dataclass(frozen=True, slots=True)
class ClosedBook:
    """A run that read nothing: who answered, and what was known, by cell of the difficulty matrix."""

    run: str
    generator: str
    judge: str
    cells: tuple[KnownCell, ...]


def known_cells(rows: Sequence[AnswerVerdict]) -> tuple[KnownCell, ...]:
    """The share of chain questions that a run answered right, by cell of the difficulty matrix.

    Of a run that read nothing it is what the model knew before (GRADE, section 3.1, means later articles to
    make it 0). Depth by depth its quartiles and their total, then those of all depths. The share is 1 less
    the cell's error rate, and its interval by cluster is that of the error rate turned round.
    """
    found = difficulty_matrix(rows)
    lines = [
        cell
        for total in found.by_depth
        for cell in (*(one for one in found.cells if one.hops == total.hops), total)
    ]
    return tuple(map(_known_cell, (*lines, *found.by_bin, found.total)))


def _known_cell(cell: Cell) -> KnownCell:
    spread = cell.clustered or cell.interval
    return KnownCell(
        cell.hops,
        cell.bin,
        cell.n,
        cell.n - cell.errors,
        None if cell.error_rate is None else 1 - cell.error_rate,
        Interval(1 - spread.high, 1 - spread.low) if spread else None,
    )


def closed_book(graph: Graph, corpus: str) -> tuple[ClosedBook, ...]:
    """What was known to each run of a corpus that read nothing, by name."""
    return tuple(
        ClosedBook(
            row["name"],
            row["generator"] or "",
            row["judge"] or "",
            known_cells(read_verdicts(graph, corpus, row["name"])),
        )
        for row in graph.rows(query("runs/list_ceilings"), corpus=corpus)
        if row["evidence"] == "none"
    )
