"""What a system did about each hop of the gold chain, step by step.

Which hops of a gold chain a query asks for, told by names and by the words of the hops' relations.

A query asks for a hop of a chain if it names the entity from which the hop goes on, and has a word of the
hop's relation or nothing besides names. From a hop that it asks for, a query goes on to the next one as far
as it has further words of those relations: "who founded the firm that owns the Rovers" asks for two hops
though it names the start of one. A query that holds the whole question asks for every hop. How words are
compared tells `relation_words`.

A hop that stands by itself (a comparison, a bridge) may be asked for from either of its ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.evaluate.attribution.words_in_text import (
    Forms,
    Words,
    holds,
    left_over,
    longest_first,
    relation_words,
    share_one,
    stands_whole,
    words_in,
)
from services.evaluate.hop_aware.traces import GoldHop, Trace, TraceStep
from services.evaluate.hop_aware.tracks import REPEATED

CHAINED = frozenset({"chain", "sequential", "parallel", "null"})
"""Kinds of questions whose hops go on from one another, unless a hop says that it compares."""


@dataclass(frozen=True, slots=True)
class HopWords:
    """What a query must say to ask for a hop: one of `anchors`, and one of `relation` unless that is empty.

    `ends` are the names that answer it. `goes_on` tells that it starts where the hop before ended.
    """

    number: int
    anchors: tuple[Words, ...]
    ends: tuple[Words, ...]
    relation: tuple[Forms, ...]
    goes_on: bool

    @property
    def tellable(self) -> bool:
        """Whether anything is known by which a query could be seen to ask for the hop."""
        return bool(self.anchors)


@dataclass(frozen=True, slots=True)
class Asks:
    """What a query asks for, as numbers of hops.

    `hops` are asked for in full. `elsewhere` are hops whose relation it asks for, but of something that is
    not the hop's start. `aside` are hops whose start it names while it asks for another relation. `whole`
    tells that it holds the whole question.
    """

    hops: frozenset[int] = frozenset()
    elsewhere: frozenset[int] = frozenset()
    aside: frozenset[int] = frozenset()
    whole: bool = False


def hop_words(trace: Trace) -> tuple[HopWords, ...]:
    """The words of each hop of a trace's gold chain."""
    chained = trace.kind in CHAINED
    names = longest_first(words_in(name) for hop in trace.chain for name in (*hop.starts, *hop.ends))
    return tuple(
        _words_of(hop, names, chained and not hop.compares, number > 0)
        for number, hop in enumerate(trace.chain)
    )


def asked_by(query: str, question: str, hops: Sequence[HopWords]) -> Asks:
    """What a query asks for; `question` is the whole question."""
    said = words_in(query)
    if holds(said, words_in(question)):
        return Asks(frozenset(hop.number for hop in hops), whole=True)
    telling = relation_words(query, longest_first(name for hop in hops for name in (*hop.anchors, *hop.ends)))
    named = {hop.number for hop in hops if any(holds(said, name) for name in hop.anchors)}
    related = {hop.number for hop in hops if share_one(telling, hop.relation)}
    asked: set[int] = set()
    left = telling
    for hop in hops:
        fits = hop.number in related or not hop.relation or not telling
        # A word that told of the hop before tells nothing of the one that goes on from there.
        goes_on = hop.goes_on and hop.number - 1 in asked and share_one(left, hop.relation)
        if (hop.number in named and fits) or goes_on:
            asked.add(hop.number)
            left = left_over(left, hop.relation)
    return Asks(
        hops=frozenset(asked),
        elsewhere=frozenset() if asked else frozenset(related - named),
        aside=frozenset(named - asked),
    )


def _words_of(hop: GoldHop, names: Sequence[Words], chained: bool, later: bool) -> HopWords:
    starts, ends = longest_first(map(words_in, hop.starts)), longest_first(map(words_in, hop.ends))
    told = (hop.predicate, hop.question) if hop.predicate or hop.question else hop.sentences
    return HopWords(
        number=hop.number,
        anchors=starts if chained else longest_first([*starts, *ends]),
        ends=ends,
        relation=tuple(dict.fromkeys(word for text in told for word in relation_words(text, names))),
        goes_on=chained and later,
    )


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
    graph has no evidence for the hop at all. `queries` are the searches for it, `elsewhere` those for its
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
    queries: tuple[int, ...] = ()
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
        Search(step, asked_by(step.query, trace.question_text, hops))
        for step in trace.steps
        if step.retrieves or step.fault == REPEATED
    )


def hop_states(trace: Trace) -> tuple[HopState, ...]:
    """The state of each hop of a trace's gold chain, in the order of the chain."""
    words = hop_words(trace)
    searches = searches_for_hops(trace, words)
    # A system from outside may tell what it retrieved, and not what it looked for.
    told = trace.steps_reported and (
        any(search.step.query for search in searches) or (bool(trace.steps) and not searches)
    )
    said = tuple(_own_words(trace, searches))
    extracted = tuple(step.observation for step in trace.steps if step.action == EXTRACTING)
    question = words_in(trace.question_text)
    readings = _readings(trace, words)
    return tuple(
        HopState(
            number=hop.number,
            goes_on=hop.goes_on,
            provable=bool(gold.chunks),
            tellable=told and hop.tellable,
            seen=_first_sight(trace, hop, gold.chunks),
            queries=tuple(one.step.index for one in searches if hop.number in one.asks.hops),
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


def _own_words(trace: Trace, searches: Sequence[Search]) -> Iterator[str]:
    """What a system said after its first search: in later queries, thoughts, readings, and the answer.

    What a search brought, or a tool quotes, is not said by the system, and a query that holds the whole
    question may hold what was found with it.
    """
    yield trace.answer_text
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
        (step, asked_by(step.query, trace.question_text, hops))
        for step in trace.steps
        if step.action == "answer" and step.query and step.query != trace.question_text
    ]


def _told_ends(hop: HopWords, question: Words) -> tuple[Words, ...]:
    """The hop's answers, without those that the question names itself."""
    return tuple(end for end in hop.ends if not holds(question, end))


def _names_one(text: str, names: Sequence[Words]) -> bool:
    return any(stands_whole(text, name) for name in names)
