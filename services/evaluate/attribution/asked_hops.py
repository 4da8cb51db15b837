"""Which hops of a gold chain a query asks for, told by names and by the words of the hops' relations.

A query asks for a hop of a chain if it names the entity from which the hop goes on, and has a word of the
hop's relation or nothing besides names. From a hop that it asks for, a query goes on to the next one as far
as it has further words of those relations: "who founded the firm that owns the Rovers" asks for two hops
though it names the start of one. A query that holds the whole question asks for every hop. How words are
compared tells `relation_words`.

A hop that stands by itself (a comparison, a bridge) may be asked for from either of its ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from services.evaluate.attribution.relation_words import Forms, left_over, relation_words, share_one
from services.evaluate.attribution.words_in_text import (
    Words,
    holds,
    longest_first,
    words_in,
)
from services.evaluate.hop_aware.traces import GoldHop, Trace

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
