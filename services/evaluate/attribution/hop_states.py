"""What a system did about each hop of the gold chain, step by step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.evaluate.attribution.asked_hops import Asks, HopWords, asked_by, hop_words
from services.evaluate.attribution.relation_words import relation_words, share_one
from services.evaluate.attribution.words_in_text import Words, holds, longest_first, stands_whole, words_in
from services.evaluate.hop_aware.searches import REPEATED
from services.evaluate.hop_aware.traces import Trace, TraceStep

_BEFOREHAND = frozenset({"plan", "decompose"})
"""Steps that say what is meant to be done, not what was found."""

EXTRACTING = "extract_evidence"
LISTING = "expand"
QUOTING = frozenset(
    {EXTRACTING, LISTING, "identify_entities", "combine_contexts", "find_entities", "read_claims",
     "same_as"}
)  # fmt: skip
"""Tools of our agents whose observation is what was read: sentences, facts, names near by. What was taken
from it shows in what the agent says or looks for next."""


@dataclass(frozen=True, slots=True)
class HopState:
    """What became of a hop; all numbers are those of steps.

    `seen` is the first step that saw evidence for it, None where none did; `provable` is False where the
    graph has no evidence for the hop at all. `asked` are the searches for it, `elsewhere` those for its
    relation but of something else, `aside` those that name its start and ask for another relation. `misread`
    are the steps that answered a question for this hop with something else than its answer. `stated` tells
    that its answer turned up in what the system said or looked for after its first search, `extracted` that
    it stands in the sentences that the system took for evidence. `tellable` is False where it can't be known
    whether a query asks for the hop.
    """

    number: int
    goes_on: bool
    provable: bool
    tellable: bool
    seen: int | None
    asked: tuple[int, ...] = ()
    elsewhere: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    misread: tuple[int, ...] = ()
    stated: bool = False
    extracted: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """A search that was made, or was wanted and not run because it repeats one, with what it asks for."""

    step: TraceStep
    asks: Asks


def searches_for_hops(trace: Trace, hops: Sequence[HopWords]) -> tuple[Search, ...]:
    """The searches of a trace, those too that were not run again."""
    return tuple(
        Search(step, asked_by(step.query, trace.asked, hops))
        for step in trace.steps
        if step.retrieves or step.fault == REPEATED
    )


def hop_states(trace: Trace) -> tuple[HopState, ...]:
    """The state of each hop of a trace's gold chain, in the order of the chain."""
    words = hop_words(trace)
    searches = searches_for_hops(trace, words)
    # A system from outside may tell what it retrieved, and not what it looked for.
    told = trace.steps_told and (
        any(search.step.query for search in searches) or (bool(trace.steps) and not searches)
    )
    said = tuple(_said(trace, searches))
    extracted = tuple(step.observation for step in trace.steps if step.action == EXTRACTING)
    question = words_in(trace.asked)
    readings = _readings(trace, words)
    return tuple(
        HopState(
            number=hop.number,
            goes_on=hop.goes_on,
            provable=bool(gold.chunks),
            tellable=told and hop.tellable,
            seen=_first_sight(trace, hop, gold.chunks),
            asked=tuple(one.step.index for one in searches if hop.number in one.asks.hops),
            elsewhere=tuple(one.step.index for one in searches if hop.number in one.asks.elsewhere),
            aside=tuple(one.step.index for one in searches if hop.number in one.asks.aside),
            misread=tuple(
                step.index
                for step, asks in readings
                if asks.hops == {hop.number} and not _names_one(step.observation, hop.ends)
            ),
            stated=any(_names_one(text, _told_ends(hop, question)) for text in said),
            extracted=any(_names_one(text, _told_ends(hop, question)) for text in extracted),
        )
        for hop, gold in zip(words, trace.chain, strict=True)
    )


def _first_sight(trace: Trace, hop: HopWords, chunks: Sequence[str]) -> int | None:
    """The first step that saw evidence for a hop: a chunk that states it, or the fact itself in a list."""
    wanted = frozenset(chunks)
    return next(
        (
            step.index
            for step in trace.steps
            if not wanted.isdisjoint(step.seen) or (step.action == LISTING and _lists(step.observation, hop))
        ),
        None,
    )


def _lists(facts: str, hop: HopWords) -> bool:
    """Whether a line of a list of facts goes from the hop's start to its answer, by its relation."""
    names = longest_first((*hop.anchors, *hop.ends))
    return any(
        _names_one(line, hop.anchors)
        and _names_one(line, hop.ends)
        and (not hop.relation or share_one(relation_words(line, names), hop.relation))
        for line in facts.splitlines()
    )


def _said(trace: Trace, searches: Sequence[Search]) -> Iterator[str]:
    """What a system said after its first search: in later queries, thoughts, readings, and the answer.

    What a search brought, or a tool quotes, is not said by the system, and a query that holds the whole
    question may hold what was found with it.
    """
    yield trace.given
    first = searches[0].step.index if searches else None
    whole = {search.step.index for search in searches if search.asks.whole}
    for step in trace.steps:
        if first is None or step.index < first or step.action in _BEFOREHAND:
            continue
        if step.index > first:
            yield step.thought
            if step.retrieves and step.index not in whole:
                yield step.query
        if not step.retrieves and not step.fault and step.action not in QUOTING:
            yield step.observation


def _readings(trace: Trace, hops: Sequence[HopWords]) -> list[tuple[TraceStep, Asks]]:
    """The steps that answered a part of the question, with what that part asks for."""
    return [
        (step, asked_by(step.query, trace.asked, hops))
        for step in trace.steps
        if step.action == "answer" and step.query and step.query != trace.asked
    ]


def _told_ends(hop: HopWords, question: Words) -> tuple[Words, ...]:
    """The hop's answers, without those that the question names itself."""
    return tuple(end for end in hop.ends if not holds(question, end))


def _names_one(text: str, names: Sequence[Words]) -> bool:
    return any(stands_whole(text, name) for name in names)
