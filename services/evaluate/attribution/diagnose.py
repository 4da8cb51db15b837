"""From a trace to what is kept of it: why it failed, how it behaved, which hops it missed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kg.ids import run_id
from kg.store.graph import Graph
from services.evaluate.attribution.asked_hops import hop_words
from services.evaluate.attribution.behaviours import Behaviour, behaviours_of, unknown_behaviours
from services.evaluate.attribution.causes import Attribution, attribute, is_right
from services.evaluate.attribution.hop_states import hop_states, searches_for_hops
from services.evaluate.hop_aware.traces import Trace, read_traces


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is kept of an answer's trace.

    `found` tells for each hop of the chain that the graph has evidence for whether any of it was seen, empty
    where the system doesn't tell what it retrieved or hops don't go on from one another. `prefixes` tells of
    each prefix question that was asked whether it was answered right. `failure` is None for a right answer;
    then there are no behaviours either. `unknown` are those of which the trace says nothing.
    """

    answer: str
    question: str
    kind: str
    query_type: str
    hops: int
    cluster: str
    right: bool
    failure: Attribution | None
    behaviours: tuple[Behaviour, ...]
    found: tuple[bool, ...]
    prefixes: Mapping[int, bool]
    unknown: frozenset[Behaviour] = frozenset()


def diagnose(trace: Trace) -> Diagnosis:
    """The diagnosis of one answer."""
    states = hop_states(trace)
    failure = attribute(trace, states)
    words = hop_words(trace)
    shown = (
        behaviours_of(trace, words, states, searches_for_hops(trace, words)) if failure is not None else ()
    )
    chained = trace.told and any(state.goes_on for state in states)
    return Diagnosis(
        answer=trace.answer,
        question=trace.question,
        kind=trace.kind,
        query_type=trace.query_type,
        hops=trace.hops,
        cluster=trace.cluster,
        right=is_right(trace),
        failure=failure,
        behaviours=shown,
        found=tuple(state.seen is not None for state in states if state.provable) if chained else (),
        prefixes={one.hops: one.correct and not one.error for one in trace.prefixes},
        unknown=unknown_behaviours(trace),
    )


def read_diagnoses(graph: Graph, corpus: str, run: str) -> Iterator[Diagnosis]:
    """The diagnoses of a run's answers, given the run's name; a batch of traces at a time."""
    return map(diagnose, read_traces(graph, run_id(corpus, run)))
