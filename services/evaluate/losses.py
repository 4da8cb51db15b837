"""Where the chain of a wrong answer broke: which hops' evidence was retrieved, and what went wrong then."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kg.queries import query
from kg.store.graph import Graph, Row

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
    rows = graph.rows(query("runs/read_evidence"), run=run)
    graph.write_rows(query("runs/write_losses"), map(_loss_row, rows))


def _loss_row(row: Row) -> Row:
    answerable = row["kind"] != "null"
    loss = find_loss(
        [(chunk["hop"], chunk["found"]) for chunk in row["evidence"]],
        correct=row["correct"] or (not answerable and row["abstained"]),
        failed=bool(row["error"]),
        answerable=answerable,
        told=row["told"],
    )
    return {
        "answer": row["answer"],
        "hops_found": list(loss.hops_found),
        "first_lost": loss.first_lost,
        "broken_by": loss.broken_by,
    }
