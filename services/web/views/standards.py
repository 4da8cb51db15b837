"""Judged comparisons of a corpus: what was fixed before each, and what came of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from kg.errors import NothingToDoError, command
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row
from services.comparison.analysis.content import Decision, Results, read_results
from services.web.views.cursors import missing, read_rows

StandardState = Literal["locked", "analysed", "of another version"]
"""What is known of a comparison: its protocol, also results, or results that this version can't read."""

_DOCUMENT = TypeAdapter(dict[str, object])


@dataclass(frozen=True, slots=True)
class StandardSummary:
    """A judged comparison; `hash` is that of its protocol, `locked_at` ISO 8601.

    What follows `state` is None, or empty, where there are no results that this version can read: after which
    look of how many, over how many questions in how many clusters, how often each decision was made, and how
    many of the hypotheses that were tested by two judges survived both, None for two rules, which share code.
    """

    name: str
    hash: str
    locked_at: str
    version: str
    systems: tuple[str, ...]
    hypotheses: int
    state: StandardState
    look: int | None = None
    looks: int | None = None
    questions: int | None = None
    clusters: int | None = None
    decisions: Mapping[Decision, int] = field(default_factory=dict)
    survived: int | None = None


@dataclass(frozen=True, slots=True)
class StandardDetail:
    """A judged comparison in full; `results` is null where `state` is not "analysed"."""

    name: str
    hash: str
    locked_at: str
    version: str
    state: StandardState
    protocol: dict[str, object]
    results: Results | None


async def list_standards(graph: AsyncGraph, corpus: str) -> tuple[StandardSummary, ...]:
    """The judged comparisons of a corpus, by name.

    Raises:
        MissingError: there is no such corpus.
    """
    rows = await read_rows(graph, query("comparisons/page_standards"), corpus, name="")
    return tuple(map(summary_of_row, rows))


def summary_of_row(row: Row) -> StandardSummary:
    """A comparison as `comparisons/page_standards` gives it, in short."""
    return _summary(_detail(row))


async def read_standard(graph: AsyncGraph, corpus: str, name: str) -> StandardDetail:
    """One judged comparison.

    Raises:
        MissingError: there is no such corpus, or no such comparison in it.
    """
    rows = await read_rows(graph, query("comparisons/page_standards"), corpus, name=name)
    if not rows or not name:
        raise missing("standard", name, corpus)
    return _detail(rows[0])


def results_of(standard: StandardDetail) -> Results:
    """What came of a comparison.

    Raises:
        NothingToDoError: nothing yet, or another version of Hopgrade wrote it.
    """
    if standard.results is not None:
        return standard.results
    if standard.state == "locked":
        raise NothingToDoError(
            f"standard {standard.name!r} has no results yet.", f"Run it: {command('standard run FOLDER')}"
        )
    raise NothingToDoError(
        f"the results of standard {standard.name!r} were written by another version of Hopgrade.",
        f"Write them anew, nothing is asked again: {command('standard run FOLDER')}",
    )


def _detail(row: Row) -> StandardDetail:
    results: Results | None = None
    state: StandardState = "locked"
    if row["results"]:
        try:
            results, state = read_results(row["results"]), "analysed"
        except ValidationError:
            state = "of another version"
    return StandardDetail(
        name=row["name"],
        hash=row["hash"],
        locked_at=row["locked_at"],
        version=row["version"],
        state=state,
        protocol=_DOCUMENT.validate_json(row["protocol"]),
        results=results,
    )


def _summary(one: StandardDetail) -> StandardSummary:
    fixed = StandardSummary(
        name=one.name,
        hash=one.hash,
        locked_at=one.locked_at,
        version=one.version,
        systems=_names(one.protocol.get("systems")),
        hypotheses=len(_names(one.protocol.get("hypotheses"), "id")),
        state=one.state,
    )
    found = one.results
    if found is None:
        return fixed
    return replace(
        fixed,
        look=found.look.number,
        looks=found.look.looks,
        questions=found.clusters.questions,
        clusters=found.clusters.clusters,
        decisions=dict(Counter(tested.decision for tested in found.hypotheses)),
        survived=None
        if found.replication.share_code
        else sum(bool(tested.survives) for tested in found.hypotheses),
    )


def _names(parts: object, key: str = "name") -> tuple[str, ...]:
    """What the parts of a locked protocol are called; an earlier version may have known other parts."""
    listed = parts if isinstance(parts, list) else []
    return tuple(str(part[key]) for part in listed if isinstance(part, dict) and key in part)
