"""The runs of a corpus: their list, and dropping one."""

from shlex import quote

from kg.errors import NothingToDoError
from kg.ids import run_id
from kg.queries import query
from kg.stages.forgetting import write_rates
from kg.store.graph import Graph, Row


def list_runs(graph: Graph, corpus: str) -> list[Row]:
    """Every run of a corpus with what came of it, by name."""
    return graph.rows(query("runs/list_runs"), corpus=corpus)


def list_errors(graph: Graph, corpus: str, name: str, most: int) -> list[Row]:
    """Why answers of a run failed, each reason with how many, the most frequent first."""
    return graph.rows(query("runs/list_errors"), run=run_id(corpus, name), limit=most)


def drop_run(graph: Graph, corpus: str, name: str) -> int:
    """Delete a run with all that it left, in the ledger and in the error rates too; its answers.

    Raises:
        NothingToDoError: there is no run of this name.
    """
    runs = list_runs(graph, corpus)
    found = next((row for row in runs if row["name"] == name), None)
    if found is None:
        names = ", ".join(repr(row["name"]) for row in runs) or "none yet"
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {name!r} (found: {names}).",
            f"See them: kg run list --corpus {quote(corpus)}",
        )
    graph.rows(query("runs/delete_stages"), corpus=corpus, names=stages_of(name))
    graph.rows(query("runs/delete_run"), id=run_id(corpus, name))
    write_rates(graph, corpus)
    return int(found["answers"])


def stages_of(run: str) -> list[str]:
    """The names of a run's stages in the ledger."""
    return [f"run {run}", f"matrix {run}", f"prefixes {run}"]
