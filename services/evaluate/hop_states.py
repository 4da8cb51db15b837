"""Names as words of a text: found where they stand side by side, whatever case and punctuation.

Whether a wrong answer has the right content, and only its form is not what was asked for.

The words of a text that can tell a relation, each with the forms by which it is recognised.

What a system did about each hop of the gold chain, step by step.

Which hops of a gold chain a query asks for, told by names and by the words of the hops' relations.

A query asks for a hop of a chain if it names the entity from which the hop goes on, and has a word of the
hop's relation or nothing besides names. From a hop that it asks for, a query goes on to the next one as far
as it has further words of those relations: "who founded the firm that owns the Rovers" asks for two hops
though it names the start of one. A query that holds the whole question asks for every hop. How words are
compared tells `relation_words`.

A hop that stands by itself (a comparison, a bridge) may be asked for from either of its ends.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from services.answers import normalise_answer
from services.evaluate.hop_traces import REPEATED, GoldHop, Trace, TraceStep
from services.questions.kinds.event_order import dates_agree
from services.questions.wording.nouns import sorts_of
from services.rag.question_words import lemma

Words: TypeAlias = tuple[str, ...]

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")


def words_in(text: str) -> Words:
    """The words of a text in small letters, without punctuation and without a possessive's "s"."""
    return tuple(_WORD.findall(_POSSESSIVE.sub("", text.casefold())))


def place_of(part: Sequence[str], text: Sequence[str]) -> int | None:
    """Where the words of `part` first stand in the text, side by side; None where they don't."""
    size = len(part)
    if not size:
        return None
    sought = tuple(part)
    return next((at for at in range(len(text) - size + 1) if tuple(text[at : at + size]) == sought), None)


def holds(text: Sequence[str], part: Sequence[str]) -> bool:
    """Whether the words of `part` stand in the text, side by side."""
    return place_of(part, text) is not None


def stands_whole(text: str, name: Sequence[str]) -> bool:
    """Whether a name stands in a text, and not only inside of a longer one.

    It is inside of a longer one where a word written as a name follows ("Greymoor" in "Greymoor
    Observatory"), or where such a word and "of" stand before it ("Dunmarrow" in "University of Dunmarrow").
    """
    plain = _POSSESSIVE.sub("", text)
    found = list(_WORD.finditer(plain))
    small = [word[0].casefold() for word in found]
    sought, size = list(name), len(name)
    return size > 0 and any(
        not _is_inside(plain, found, at, at + size)
        for at in range(len(found) - size + 1)
        if small[at : at + size] == sought
    )


def _is_inside(text: str, words: Sequence[re.Match[str]], start: int, end: int) -> bool:
    follows = (
        end < len(words)
        and words[end][0][0].isupper()
        and text[words[end - 1].end() : words[end].start()].isspace()
    )
    of = start > 1 and words[start - 1][0] == "of" and words[start - 2][0][0].isupper()
    return follows or of


def without_names(text: str, names: Iterable[Words]) -> str:
    """The words of a text that belong to none of these names; longer names should come first."""
    left = f" {' '.join(words_in(text))} "
    for name in names:
        left = left.replace(f" {' '.join(name)} ", " | ")
    return left


def longest_first(names: Iterable[Words]) -> tuple[Words, ...]:
    """Each name once, those of most words first."""
    return tuple(sorted({name for name in names if name}, key=lambda name: (-len(name), name)))


OTHER_DATE = "a date in another form"
LONGER = "the answer stands in a longer text"
SHORTER = "only the end of the name is given"

# After normalisation, which takes the apostrophe out of "isn't".
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|cannot|\w+nt)\b")
_WORDS_BEFORE = 3
_OPPOSITES = (("yes", "no"), ("before", "after"), ("earlier", "later"), ("true", "false"))


def wrong_form(trace: Trace) -> str:
    """What is wrong with the form of an answer whose content is right; empty where that can't be said.

    Content is right where an accepted answer stands in it whole ("it was Greta Lindqvist, in 1903"), where it
    is the end of an accepted name ("Lindqvist") and more than a common noun ("Clinic"), and where both are
    the same date. It is not right where the answer denies it, where "yes" stands beside "no", and where the
    question itself names what is accepted, as one of its choices, and the answer neither begins nor ends with
    it; nor where what is accepted is only the beginning of a name ("Greymoor" in "Greymoor Observatory").
    """
    given = _normal(trace.answer_text)
    if not given or trace.abstained:
        return ""
    forms = (trace.gold, *trace.accepted)
    if any(dates_agree(trace.answer_text, form) for form in forms):
        return OTHER_DATE
    for name in filter(None, map(_normal, forms)):
        if len(name) < len(given) and holds(given, name):
            if not _is_contradicted(trace, given, name) and not _begins_longer(trace.answer_text, name):
                return LONGER
            continue
        if len(given) < len(name) and name[-len(given) :] == given and _is_name(trace.answer_text):
            return SHORTER
    return ""


def _is_contradicted(trace: Trace, given: Words, name: Words) -> bool:
    """Whether something else in the answer takes the right content back."""
    for pair in _OPPOSITES:
        if len(name) == 1 and name[0] in pair:
            return given[0] != name[0] or all(word in given for word in pair)
    if holds(_normal(trace.question_text), name):
        return name not in (given[: len(name)], given[-len(name) :])
    at = place_of(name, given) or 0
    return _DENIED.search(" ".join(given[max(0, at - _WORDS_BEFORE) : at])) is not None


def _begins_longer(text: str, name: Words) -> bool:
    """Whether a name stands in a text, and each time only as the beginning of a longer one."""
    written = words_in(text)
    return holds(written, name) and not stands_whole(text, name) and written[-len(name) :] != name


def _is_name(text: str) -> bool:
    """Whether a text is written as a name, and has words beyond those for a sort of place or organisation."""
    written = [word.strip(".,").lower() for word in text.split() if word[:1].isupper()]
    # Many family names end as words for people do.
    return any(sorts_of(word) <= {"person"} for word in written)


def _normal(text: str) -> Words:
    return tuple(normalise_answer(text).split())


Forms: TypeAlias = frozenset[str]
"""The beginnings of a word and of its lemma."""

_STEM = 5
"""Forms are compared by so many letters, so that "approval" is "approved", and "discovery" "discovered"."""

_SILENT_WORDS = """
a an the of in on at to for by with from into and or not that which who whom whose what when where why how
many much is are was were be been being has have had having do does did done it its he she they his her
their this these those there here than as if then also each any some all other same more most please find
tell give show about me you i we
"""
_SILENT = frozenset(_SILENT_WORDS.split())


def relation_words(text: str, names: Iterable[Words]) -> tuple[Forms, ...]:
    """The words that tell something, as often as they stand there, without those of these names.

    Unlike the content words of `services.rag.question_words`, "work" is among them, and "found" is both what
    a founder does and what a finder did.
    """
    said = without_names(text, names).replace("|", " ").split()
    return tuple(forms(word) for word in said if word not in _SILENT)


def forms(word: str) -> Forms:
    """The forms of a word in small letters; words that say one relation from its two ends share one."""
    return frozenset({word[:_STEM], lemma(word)[:_STEM]})


def left_over(said: Sequence[Forms], relation: Sequence[Forms]) -> tuple[Forms, ...]:
    """The words of a text without one for each word of this relation."""
    left = list(said)
    for word in relation:
        used = next((one for one in left if one & word), None)
        if used is not None:
            left.remove(used)
    return tuple(left)


def share_one(said: Iterable[Forms], relation: Iterable[Forms]) -> bool:
    """Whether a word of a text is of this relation."""
    wanted = {form for word in relation for form in word}
    return any(one & wanted for one in said)


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


def match_query(query: str, question: str, hops: Sequence[HopWords]) -> Asks:
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
        Search(step, match_query(step.query, trace.question_text, hops))
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
            stated=any(_names_one(text, _ends_to_find(hop, question)) for text in said),
            extracted=any(_names_one(text, _ends_to_find(hop, question)) for text in extracted),
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
        (step, match_query(step.query, trace.question_text, hops))
        for step in trace.steps
        if step.action == "answer" and step.query and step.query != trace.question_text
    ]


def _ends_to_find(hop: HopWords, question: Words) -> tuple[Words, ...]:
    """The hop's answers, without those that the question names itself."""
    return tuple(end for end in hop.ends if not holds(question, end))


def _names_one(text: str, names: Sequence[Words]) -> bool:
    return any(stands_whole(text, name) for name in names)
