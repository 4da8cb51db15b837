"""What hop-aware analysis keeps of a trace: a few numbers an answer, so that runs of any size fit.

How deep into its chain a system gets: the prefix questions that it answers right.

What an answer's searches were like: how many, how wide, and how many asked what was asked before.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.answers import answered_unread
from services.evaluate.hop_aware.traces import Trace, TraceStep
from services.rag.question_words import words


@dataclass(frozen=True, slots=True)
class Depth:
    """`reached` is MaxD, the most hops of a prefix, or of the question itself, that is answered right;
    `unbroken` the most hops such that every prefix up to there is. Both are 0 where none is."""

    reached: int
    unbroken: int


def depth_of(hops: int, right: bool, prefixes: Mapping[int, bool]) -> Depth | None:
    """The depth on a question of so many hops, from whether each prefix question was answered right.

    MaxD is AgenticRAGTracer's (section 4.3): the highest of the shorter questions that is right; the whole
    question counts as the last of them, since its table 2 has means above hops - 1. None where a prefix
    question was not asked, and for a question of one hop.
    """
    if hops < 2 or any(depth not in prefixes for depth in range(1, hops)):
        return None
    verdicts = [*(prefixes[depth] for depth in range(1, hops)), right]
    reached = max((depth for depth, fits in enumerate(verdicts, start=1) if fits), default=0)
    unbroken = next((depth for depth, fits in enumerate(verdicts) if not fits), hops)
    return Depth(reached, unbroken)


REPEATED = "repeated query"
"""The fault of a search that was not run, because the same one was run before."""

_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b")


@dataclass(frozen=True, slots=True)
class Searches:
    """The searches of an answer.

    `run` counts the steps that looked for chunks. `top_k` has what each asked for in their order, None where
    that isn't known, and `seen` how many chunks each brought. Of `attempts` searches, among them those that
    were not run because they repeat one, `redundant` look for what an earlier one looked for.
    """

    run: int
    top_k: tuple[int | None, ...]
    seen: tuple[int, ...]
    attempts: int
    redundant: int


def searches_of(trace: Trace) -> Searches | None:
    """The searches of an answer; None where the system tells no step, or none that retrieves."""
    run = trace.searches
    if not trace.steps_reported or not trace.steps or (not run and not trace.retrieval_reported):
        return None
    wanted = [step for step in trace.steps if step.retrieves or step.fault == REPEATED]
    return Searches(
        run=len(run),
        top_k=tuple(step.top_k for step in run),
        seen=tuple(len(step.seen) for step in run) if trace.retrieval_reported else (),
        attempts=len(wanted),
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


@dataclass(frozen=True, slots=True)
class Track:
    """One answer.

    `right` is by whatever decides in the run. `score` is a judge's, 0 to 2, None where none gave one. `depth`
    is None where prefix questions were not asked in full, `searches` where the system doesn't tell how it
    searched, and `faults` where it doesn't list its steps; `retrieval_reported` is False where it keeps to
    itself what it retrieved. `miscited` tells that it cites a passage that was never shown, `unread` that a
    model gave it without any passage, `unfit` that a filter rejected a prefix question, so that the depth
    can't be known.
    """

    kind: str
    query_type: str
    hops: int
    cluster: str
    right: bool
    exact: bool
    f1: float
    score: int | None
    abstained: bool
    error: str
    depth: Depth | None
    searches: Searches | None
    faults: tuple[str, ...] | None
    retrieval_reported: bool = True
    miscited: bool = False
    unread: bool = False
    unfit: bool = False


def track_of(trace: Trace) -> Track:
    """What is kept of a trace."""
    failed = bool(trace.error)
    abstained = trace.abstained and not failed
    prefixes = {one.hops: one.correct for one in trace.prefixes}
    return Track(
        kind=trace.kind,
        query_type=trace.query_type,
        hops=trace.hops,
        cluster=trace.cluster,
        right=trace.correct,
        exact=trace.exact and not failed,
        f1=0.0 if failed else trace.f1,
        score=trace.score,
        abstained=abstained,
        error=trace.error,
        depth=depth_of(trace.hops, trace.correct, prefixes) if prefixes else None,
        searches=searches_of(trace),
        faults=tuple(step.fault for step in trace.steps if step.fault) if trace.steps_reported else None,
        retrieval_reported=trace.retrieval_reported,
        miscited=trace.unknown_citations > 0,
        unread=answered_unread(trace.passages_shown, abstained, trace.error),
        unfit=trace.unfit_prefixes > 0,
    )
