"""What hop-aware analysis keeps of a trace: a few numbers an answer, so that runs of any size fit."""

from dataclasses import dataclass

from services.evaluate.answers import answered_unread
from services.evaluate.hop_aware.depth import Depth, depth_of
from services.evaluate.hop_aware.searches import Searches, searches_of
from services.evaluate.hop_aware.traces import Trace

NULL = "null"


@dataclass(frozen=True, slots=True)
class Track:
    """One answer.

    `right` is by whatever decides what is right in the run; a null question is answered right by an
    abstention. `score` is a judge's, 0 to 2, None where none gave one. `depth` is None where prefix questions
    were not asked in full, `searches` where the system doesn't tell how it searched, and `faults` where it
    doesn't list its steps; `told` is False where it keeps to itself what it retrieved. `miscited` tells that
    it cites a passage that was never shown, `unread` that a model gave it without any passage, `unfit` that a
    filter rejected a prefix question, so that the depth can't be known.
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
    told: bool = True
    miscited: bool = False
    unread: bool = False
    unfit: bool = False


def track_of(trace: Trace) -> Track:
    """What is kept of a trace."""
    failed = bool(trace.error)
    abstained = trace.abstained and not failed
    right = not failed and (trace.correct or (trace.kind == NULL and abstained))
    # A prefix that failed is not right, as an answer that failed isn't.
    prefixes = {one.hops: one.correct and not one.error for one in trace.prefixes}
    return Track(
        kind=trace.kind,
        query_type=trace.query_type,
        hops=trace.hops,
        cluster=trace.cluster,
        right=right,
        exact=trace.exact and not failed,
        f1=0.0 if failed else trace.f1,
        score=trace.score,
        abstained=abstained,
        error=trace.error,
        depth=depth_of(trace.hops, right, prefixes) if prefixes else None,
        searches=searches_of(trace),
        faults=tuple(step.fault for step in trace.steps if step.fault) if trace.steps_told else None,
        told=trace.told,
        miscited=trace.unknown_citations > 0,
        unread=answered_unread(trace.passages_shown, abstained, trace.error),
        unfit=trace.unfit_prefixes > 0,
    )
