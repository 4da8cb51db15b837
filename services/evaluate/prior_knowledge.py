"""What a model could know before it reads: how old the articles are, and what it answers from memory.

A question whose article was published before a model's training data ends may be answered from memory (GRADE,
section 3.1, took later articles only).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.matrix import SMALL, Cell, Judged, difficulty_matrix
from services.evaluate.write_back import read_judged
from services.statistics.intervals import Interval


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


def known_cells(rows: Sequence[Judged]) -> tuple[KnownCell, ...]:
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
    return tuple(map(_known, (*lines, *found.by_bin, found.total)))


def _known(cell: Cell) -> KnownCell:
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
            known_cells(read_judged(graph, corpus, row["name"])),
        )
        for row in graph.rows(query("runs/list_ceilings"), corpus=corpus)
        if row["evidence"] == "none"
    )
