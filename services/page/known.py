"""What many views begin with: that the corpus is there, and its runs."""

from dataclasses import dataclass
from shlex import quote as shell_word

from kg.errors import CorpusError, NothingToDoError
from kg.ids import node_id
from kg.queries import query
from kg.store.async_graph import AsyncGraph


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list; `right` is by the run's judge, `cost` is None without a price."""

    name: str
    system: str
    generator: str
    judge: str
    answers: int
    right: int
    abstained: int
    errors: int
    cost: float | None
    started: str
    finished: bool


async def require_known(graph: AsyncGraph, corpus: str) -> str:
    """The embedder of a corpus that must exist.

    Raises:
        CorpusError: there is none of that name, or it is half deleted.
    """
    found = await graph.rows(query("corpus/read_corpus"), id=node_id(corpus, "corpus"))
    if not found:
        raise CorpusError(f"there is no corpus {corpus!r}.", "Choose one of the list of corpora.")
    if found[0]["settings"].get("dropping"):
        raise CorpusError(
            f"corpus {corpus!r} is half deleted.", f"End it: kg corpus drop {shell_word(corpus)}"
        )
    return str(found[0]["settings"]["embedder"])


async def read_runs(graph: AsyncGraph, corpus: str) -> tuple[RunRow, ...]:
    """The runs of a corpus by name."""
    rows = await graph.rows(query("runs/list_runs"), corpus=corpus)
    return tuple(
        RunRow(
            name=row["name"],
            system=row["system"] or "",
            generator=row["generator"] or "",
            judge=row["judge"] or "exact match",
            answers=row["answers"],
            right=row["right"],
            abstained=row["abstained"],
            errors=row["errors"],
            cost=row["cost"],
            started=f"{row['started_at']}"[:16].replace("T", " ") if row["started_at"] else "",
            finished=row["finished_at"] is not None,
        )
        for row in rows
    )


def require_run(runs: tuple[RunRow, ...], corpus: str, name: str) -> str:
    """The name of a run that must exist.

    Raises:
        NothingToDoError: the corpus has none of that name.
    """
    if name not in (run.name for run in runs):
        listed = ", ".join(repr(run.name) for run in runs) or "none yet"
        raise NothingToDoError(f"corpus {corpus!r} has no run {name!r}.", f"It has: {listed}.")
    return name
