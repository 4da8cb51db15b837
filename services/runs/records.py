"""The runs of a corpus: their list, and dropping one.

What is lost when a run is made anew because its settings changed.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from kg.corpus import read_properties
from kg.errors import NothingToDoError, command
from kg.ids import run_id
from kg.ledger import stage_id, stages_of
from kg.queries import query
from kg.stages.path_finding import write_rates
from kg.store.graph import Graph, Row
from services.rag.run_options import RunSettings


@dataclass(frozen=True, slots=True)
class Loss:
    """`changes` say what is different ("top 10, now 5"); the counts are of what would be deleted."""

    changes: tuple[str, ...]
    answers: int
    verdicts: int
    by_hand: int


def read_loss(graph: Graph, corpus: str, settings: RunSettings) -> Loss:
    """What stands in the graph of the run with this name, and how its settings differ from these."""
    run = run_id(corpus, settings.name)
    recorded = read_properties(graph, run)
    (verdicts,) = graph.rows(query("answers/count_verdicts"), run=run)
    return Loss(
        changes=_changes(recorded, settings) if recorded else (),
        answers=graph.rows(query("answers/count_answers"), run=run, prefixes=False)[0]["answers"],
        verdicts=verdicts["verdicts"],
        by_hand=verdicts["by_hand"],
    )


def _changes(recorded: Mapping[str, object], settings: RunSettings) -> tuple[str, ...]:
    wanted = {name: _text(value) for name, value in asdict(settings).items()}
    before = {name: _text(recorded.get(name)) for name in wanted}
    return tuple(
        # A hash tells a reader nothing.
        "its file, address or map is another"
        if name == "source"
        else f"{name} {before[name] or 'none'}, now {now or 'none'}"
        for name, now in wanted.items()
        if before[name] != now
    )


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def read_totals(graph: Graph, corpus: str) -> Mapping[str, Row]:
    """By the name of each run that has a matrix: its chain questions, the wrong ones, and the interval."""
    return {row["run"]: row for row in graph.rows(query("runs/list_totals"), corpus=corpus)}


def list_runs(graph: Graph, corpus: str) -> list[Row]:
    """Every run of a corpus with what came of it, by name."""
    return graph.rows(query("runs/list_runs"), corpus=corpus)


def list_errors(graph: Graph, corpus: str, name: str, most: int) -> list[Row]:
    """Why answers of a run failed, each reason with how many, the most frequent first."""
    return graph.rows(query("answers/list_errors"), run=run_id(corpus, name), limit=most)


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
            f"See them: {command('run list --corpus', corpus)}",
        )
    delete_run(graph, corpus, name)
    write_rates(graph, corpus)
    return int(found["answers"])


def delete_run(graph: Graph, corpus: str, name: str) -> None:
    """Delete a run and its lines in the ledger; error rates stay as they are."""
    graph.rows(query("corpus/delete_by_ids"), ids=[stage_id(corpus, one) for one in stages_of(name)])
    graph.rows(query("runs/delete_run"), id=run_id(corpus, name))
