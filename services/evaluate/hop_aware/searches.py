"""What an answer's searches were like: how many, how wide, and how many asked what was asked before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.evaluate.hop_aware.traces import Trace, TraceStep
from services.rag.question_words import words

REPEATED = "repeated query"
"""The fault of a search that was not run, because the same one was run before."""

_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b")


@dataclass(frozen=True, slots=True)
class Searches:
    """The searches of an answer.

    `run` counts the steps that looked for chunks. `top_k` has what each asked for in their order, None where
    that isn't known, and `seen` how many chunks each brought. Of `wanted` searches, among them those that
    were not run because they repeat one, `redundant` look for what an earlier one looked for.
    """

    run: int
    top_k: tuple[int | None, ...]
    seen: tuple[int, ...]
    wanted: int
    redundant: int


def searches_of(trace: Trace) -> Searches | None:
    """The searches of an answer; None where the system tells no step, or none that retrieves."""
    run = trace.searches
    if not trace.steps_told or not trace.steps or (not run and not trace.told):
        return None
    wanted = [step for step in trace.steps if step.retrieves or step.fault == REPEATED]
    return Searches(
        run=len(run),
        top_k=tuple(step.top_k for step in run),
        seen=tuple(len(step.seen) for step in run) if trace.told else (),
        wanted=len(wanted),
        redundant=sum(_is_redundant(step, wanted[:number]) for number, step in enumerate(wanted)),
    )


def near_same(one: str, other: str) -> bool:
    """Whether two queries have the same content words, in any order and form, and don't ask differently.

    "Owner of the Ostby Rovers" and "Who owns Ostby Rovers?" are near the same; "Where was Ann born?" and
    "When was Ann born?" are not.
    """
    content = frozenset(words(one))
    if content != frozenset(words(other)):
        return False
    if not content:
        return one.split() == other.split()
    asking, other_asking = _asking(one), _asking(other)
    return not asking or not other_asking or asking == other_asking


def _asking(query: str) -> frozenset[str]:
    return frozenset(_ASKING.findall(query.casefold()))


def _is_redundant(step: TraceStep, before: Sequence[TraceStep]) -> bool:
    if step.fault == REPEATED:
        return True
    return any(
        step.filters == earlier.filters
        and step.action == earlier.action
        and near_same(step.query, earlier.query)
        for earlier in before
    )
