"""What is lost when a run is made anew because its settings changed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph
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
    found = graph.rows(query("runs/read_run"), id=run)
    recorded = dict(found[0]["run"]) if found else {}
    (verdicts,) = graph.rows(query("runs/count_verdicts"), run=run)
    return Loss(
        changes=_changes(recorded, settings) if recorded else (),
        answers=graph.rows(query("runs/count_answers"), run=run)[0]["answers"],
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
