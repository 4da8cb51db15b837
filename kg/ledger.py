"""The ledger of a corpus: which stage ran with which input, how far it came, and what came of it.

A stage has a key: a hash over its settings and over the keys of what it reads. A finished stage with the
same key is not run again. A stage whose key changed has its old output cleared first; the stages after it
have their keys changed with it, so they follow by themselves. They are also marked as outdated at once: when
the old key comes back before they ran, what they read was made anew, and what they wrote may be gone. A stage
that was cut off runs again: what it writes is merged by content, so nothing is lost or doubled.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import monotonic

from kg.errors import command
from kg.ids import content_hash, node_id
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row

Counts = dict[str, int | float | str]
"""What came of a stage, by name, for the ledger and for people."""

STAGES = ("articles", "chunks", "vectors", "claims", "resolution", "paths", "questions", "run", "matrix")
"""The stages in their order; a run and its matrix have the run's name added."""

LATER = ("entity-vectors", "fact-vectors")
"""Stages after the resolution that run where somebody reads what they make; nothing else is made of it."""

ASIDE = ("prefixes", "composed")
"""Stages after these that run only where somebody asks for them; that of prefixes has a run's name added."""

_PLACES = {name: place for place, name in enumerate((*STAGES, *ASIDE))}
_PLACES |= dict.fromkeys(LATER, _PLACES["paths"])

_DEPTH = re.compile(r"_(\d)_hops\b")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a stage ended: its key for those that read it, its counts, and whether it had to run."""

    key: str
    counts: Counts
    ran: bool


def stage_key(*parts: object) -> str:
    """The key of a stage from its settings and from the keys of what it reads."""
    return content_hash(map(repr, parts))


def run_stage(
    graph: Graph,
    corpus: str,
    name: str,
    key: str,
    work: Callable[[], Counts],
    clear: Callable[[], None],
    progress: Progress,
) -> Outcome:
    """Run a stage unless it is done with this key; `clear` removes the output of another key."""
    line = read_stage(graph, corpus, name)
    if line is not None and line["state"] == "done" and line["key"] == key:
        counts = counts_of(line)
        progress.begin(name)
        progress.end(f"{describe(counts)}, done before")
        return Outcome(key, counts, ran=False)
    graph.require_room()
    progress.begin(name)
    if line is not None and line["key"] != key:
        _write(graph, corpus, name, line["key"], "clearing", {})
        stage, _, run = name.partition(" ")
        if stage not in LATER:
            reads = stages_of(run) if run else ()
            outdate_stages(graph, corpus, _PLACES[stage] + 1, reads)
        clear()
    _write(graph, corpus, name, key, "running", {})
    started = monotonic()
    counts = work()
    _write(graph, corpus, name, key, "done", counts, monotonic() - started)
    progress.end(describe(counts))
    return Outcome(key, counts, ran=True)


def stage_id(corpus: str, name: str) -> str:
    """The id of a line of the ledger."""
    return node_id(corpus, "stage", name)


def stages_of(run: str) -> tuple[str, ...]:
    """The names of a run's stages in the ledger."""
    return tuple(f"{stage} {run}" for stage in ("run", "matrix", "prefixes"))


def outdate_stages(graph: Graph, corpus: str, position: int, names: Sequence[str] = ()) -> None:
    """Mark the finished stages from a place on, or those of some names among them, so that they run again."""
    graph.rows(
        query("store/outdate_stages"), corpus=corpus, position=position, names=list(names), cleared=False
    )


def reopen_stages(graph: Graph, corpus: str, first: str) -> None:
    """Make a stage and all after it run again, clearing what they made."""
    position = _PLACES[first]
    graph.rows(query("store/outdate_stages"), corpus=corpus, position=position, names=[], cleared=True)


def record_stage(graph: Graph, corpus: str, name: str, key: str, counts: Counts) -> None:
    """Note that a stage that keeps no key of its own has ended, and what came of it."""
    _write(graph, corpus, name, key, "done", counts)


def recount_stage(graph: Graph, corpus: str, name: str, counts: Counts) -> None:
    """Note other counts of a finished stage whose output changed without it; other lines stay as they are."""
    line = read_stage(graph, corpus, name)
    if line is not None and line["state"] == "done":
        _write(graph, corpus, name, line["key"], "done", counts, line.get("seconds"))


def read_ledger(graph: Graph, corpus: str) -> list[Row]:
    """Every line of the ledger, in the order of the stages."""
    return [row["stage"] for row in graph.rows(query("store/read_stages"), corpus=corpus)]


def read_stage(graph: Graph, corpus: str, name: str) -> Row | None:
    """One line of the ledger, None where the stage never ran."""
    return next((line for line in read_ledger(graph, corpus) if line["name"] == name), None)


def missing_stages(done: Iterable[str]) -> tuple[str, ...]:
    """The stages that never ended, in their order, given the names of those that did; any run counts."""
    ended = {name.partition(" ")[0] for name in done}
    return tuple(stage for stage in STAGES if stage not in ended)


def making_command(stage: str, corpus: str) -> str:
    """The command that brings a corpus to a stage that it doesn't have."""
    match stage:
        case "articles":
            return command("corpus ingest FILE --corpus", corpus)
        case "questions":
            return command("questions make --corpus", corpus)
        case "run" | "matrix":
            return command("run start single-step --corpus", corpus)
        case _:
            return command("corpus build --corpus", corpus)


def counts_of(line: Row) -> Counts:
    """What came of a stage, without what the ledger itself keeps."""
    return {name: line[name] for name in line["counted"]}


COUNT_LABELS = {
    "over_caps": "left for others",
    "not_fitting": "no fitting path",
    "one_sentence": "one sentence twice",
    "by_context": "only by context",
    "unaskable": "nothing to ask",
    "crossing": "across articles",
    "exact": "by exact link",
    "context": "by contextual link",
    "context_starts": "starts known by context only",
    "kept_apart": "groups kept apart",
    "unverified": "in doubt",
}
"""What people read for a count whose name says too little; docs/glossary.md explains them."""


def count_label(name: str) -> str:
    """A count's name as people read it."""
    return COUNT_LABELS.get(name, name.replace("_", " "))


def describe(counts: Counts) -> str:
    """Counts in a line: "articles 48, paths at 2 / 3 hops: 400 / 231"; reasons in words are left out."""
    parts = []
    told = [(name, value) for name, value in counts.items() if " " not in str(value)]
    for (name, by_depth), group in groupby(told, key=lambda item: _DEPTH.subn("", item[0])):
        items = list(group)
        values = " / ".join(f"{value:,}" if isinstance(value, int) else str(value) for _, value in items)
        depths = " / ".join(_DEPTH.findall(" ".join(key for key, _ in items)))
        parts.append(f"{count_label(name)}{f' at {depths} hops:' if by_depth else ''} {values}")
    return ", ".join(parts)


def _write(
    graph: Graph, corpus: str, name: str, key: str, state: str, counts: Counts, seconds: float | None = None
) -> None:
    line = {
        "corpus": corpus,
        "name": name,
        "key": key,
        "state": state,
        "position": _PLACES[name.split(" ", maxsplit=1)[0]],
        "counted": list(counts),
        "seconds": None if seconds is None else round(seconds, 2),
        **counts,
    }
    graph.rows(query("store/write_stage"), id=stage_id(corpus, name), stage=line)
