"""A chain question: the start is named, every middle entity is only described, the last is asked for.

"Where does the organism that the Northern Fever Institute sequenced breed?"

What the sentences of a question's facts call an entity: "the satellite Kittiwake", "town of Rell".

Wording of questions that are not chains: single facts, comparisons, orders of events.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from kg.resolve.normal_form import normal_form
from kg.text.words import whole_places
from services.questions.draft import Fact, Stop
from services.questions.wording.articles import complement_of, role_of, with_article
from services.questions.wording.asking import ask
from services.questions.wording.clauses import Known, describe, is_transitive, joined
from services.questions.wording.head_nouns import NAME_HEADS, SORTS
from services.questions.wording.nouns import is_organisation, is_person, noun_of, question_word, sorts_of
from services.questions.wording.predicates import Predicate, inverted, is_plural, parse
from services.questions.wording.verbs import inverted_clause, plural_noun

_NOUN = r"((?:[a-z][a-z-]+ ){0,2}[a-z][a-z-]+)"
_DETERMINER = r"\b(?:[Tt]he|[Aa]n?)"
_INTRODUCED = rf"(?:{_DETERMINER}|\b(?:by|of|from|with|for|in|on|at))(?: [A-Z\d][\w.'-]*){{0,3}}"
"""What stands before a noun that stands before a name: "the Australian", "by American"."""
_NOUN_BEFORE = re.compile(rf"{_INTRODUCED} {_NOUN} [\"\u201c]?\Z")
_BEHIND = rf", {_DETERMINER} {_NOUN}(?=,| (?:in|of|that|which|on|near)\b)"
_NOUN_BEHIND = re.compile(_BEHIND)
_OF_A_NAME = frozenset(
    ["city", "town", "village", "state", "province", "county", "district", "island", "region", "port"]
)
"""Nouns of which "the city of Rell" says that Rell is one; the coast of Rell is another thing."""


def with_text_nouns(stops: Sequence[Stop], facts: Sequence[Fact]) -> tuple[Stop, ...]:
    """The stops of a chain, each with the nouns first that the sentences of its own facts give it.

    People keep to "person": an office or a kinship that a sentence happens to mention is rather a hint.
    """
    settled_stops = []
    for at, stop in enumerate(stops):
        beside = facts[max(0, at - 1) : at + 1]
        found = _with_nouns(stop, [fact.sentence for fact in beside])
        dated = any(one.type == "DATE" for one in stops[max(0, at - 1) : at + 2])
        kinds = [_kind_of_work(stop, fact, dated=dated) for fact in beside if stop.type in _WORKS]
        if kind := next(filter(None, kinds), ""):
            found = replace(found, nouns=(kind, *found.nouns))
        if dated:
            found = replace(found, nouns=tuple(re.sub(r"^\d{4} ", "", noun) for noun in found.nouns))
        settled_stops.append(found)
    return tuple(settled_stops)


_WORKS = frozenset({"WORK", "PRODUCT", "MISC"})
KINDS_OF_WORKS = (
    "film|movie|album|song|single|novel|book|play|opera|musical|documentary|series|poem|painting|video game|"
    "game"
)
_IS_A_WORK = re.compile(
    r"(?: ?\([^)]*\))?(?:,[^,]*,)? ?(?:is|was) (?:an?|the) (?:(\d{4}) )?"
    rf"(?:[\w\u2019'/-]+ ){{0,6}}?({KINDS_OF_WORKS})\b"
)


def dated_kind(name: str, statement: str) -> tuple[str, str]:
    """The year and the kind of a work, where a statement says "NAME is a 1948 American film"; else empty."""
    for _, end in whole_places(name, statement):
        if found := _IS_A_WORK.match(statement, end + statement.startswith('"', end)):
            return found[1] or "", found[2]
    return "", ""


def _kind_of_work(stop: Stop, fact: Fact, *, dated: bool) -> str:
    """ "1948 film"; without the year where a date beside it may be what is asked for."""
    for name in stop.names:
        year, kind = dated_kind(name, fact.statement or fact.sentence)
        if kind:
            return kind if dated or not year else f"{year} {kind}"
    return ""


def _with_nouns(stop: Stop, sentences: Sequence[str]) -> Stop:
    said = [noun for sentence in sentences for name in stop.names for noun in _called(name, sentence)]
    fuller = [next((one for one in stop.nouns if one.endswith(f" {noun}")), noun) for noun in said]
    return replace(stop, nouns=tuple(dict.fromkeys((*fuller, *stop.nouns)))) if said else stop


@lru_cache(maxsize=65_536)
def _called(name: str, sentence: str) -> tuple[str, ...]:
    return tuple(_read_nouns(name, sentence))


def _read_nouns(name: str, sentence: str) -> Iterator[str]:
    """Nouns right before the name, before "of" and the name, or right behind it between commas."""
    if not name[:1].isupper() or name not in sentence:
        return
    whole = re.escape(name)
    alone = r"(?!['\u2019\w-]| [A-Z])"
    # An expression with the name in it is compiled only where what else it wants is there.
    if any(_NOUN_BEFORE.search(sentence, 0, at) for at in _starts(name, sentence)):
        for noun in re.findall(rf"{_INTRODUCED} {_NOUN} [\"\u201c]?{whole}{alone}", sentence):
            yield from _descriptive(noun)
    if f" of {name}" in sentence:
        for noun in re.findall(rf"{_DETERMINER} {_NOUN} of {whole}{alone}", sentence):
            yield from (one for one in _descriptive(noun) if one in _OF_A_NAME)
    if f"{name}, " in sentence and _NOUN_BEHIND.search(sentence):
        behind = rf"(?<!\w){whole}{_BEHIND}"
        for noun in re.findall(behind, sentence):
            yield from _descriptive(noun)


def _starts(name: str, sentence: str) -> Iterator[int]:
    at = sentence.find(name)
    while at >= 0:
        yield at
        at = sentence.find(name, at + 1)


def _descriptive(noun: str) -> Iterator[str]:
    """The noun's last word, where a list has it and it is of no person."""
    head = noun.rsplit(maxsplit=1)[-1]
    if (head in SORTS or head in NAME_HEADS.values()) and not sorts_of(head) & {"person", "literal"}:
        yield head


GENERATOR = "templates-12"


def chain_question(stops: Sequence[Stop], facts: Sequence[Fact], start: str = "") -> str:
    """The question that leads from the first stop along all facts; `stops` has one more than `facts`.

    With `start` the first stop is described by this noun phrase in place of its name.
    """
    stops = settled(stops, facts)
    known = _walked(stops, facts, start)
    last, wanted = facts[-1], stops[-1]
    leads, before = _around(facts, len(facts))
    found = predicate_of(last, stops[-1] if last.reversed else stops[-2])
    noun = noun_of(wanted, leads, before)
    text = ask(known, found, question_word(wanted, leads, before), noun, last.reversed)
    return f"{text[:1].upper()}{text[1:]}?"


def described(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    """The end of a chain as a noun phrase: "the mayor who governs the place where X is located"."""
    stops = settled(stops, facts)
    return _step(stops, facts, len(facts), _walked(stops, facts)).text if facts else _start(stops, facts).text


def settled(stops: Sequence[Stop], facts: Sequence[Fact]) -> tuple[Stop, ...]:
    """The stops with all that is known of what they are."""
    return with_text_nouns(stops, facts)


def nouns_on_the_way(stops: Sequence[Stop], facts: Sequence[Fact]) -> list[str]:
    """What a question calls the things that its facts lead to, the last one too, of `settled` stops."""
    return [_noun_at(stops, facts, at) for at in range(1, min(len(facts) + 1, len(stops)))]


def _walked(stops: Sequence[Stop], facts: Sequence[Fact], start: str = "") -> Known:
    """The last but one stop, described."""
    nested = len(facts) > 2 or _would_stutter(facts) or _verb_comes_last(stops[-1], facts[-1])
    known = replace(_start(stops, facts), nested=nested)
    if start:
        known = replace(known, text=start, heavy=True)
    for at in range(1, len(facts)):
        known = _step(stops, facts, at, known)
    return known


def _verb_comes_last(wanted: Stop, last: Fact) -> bool:
    """Whether the question ends in a verb: "did the country that Ann left vote" has one too many there."""
    found = parse(last.predicate)
    return (
        found.voice == "active" and not last.reversed and (wanted.type == "DATE" or not is_transitive(found))
    )


def _would_stutter(facts: Sequence[Fact]) -> bool:
    """Whether the same verb would stand twice in a row: "the drug that the agency approved approved"."""
    return len({parse(fact.predicate).lemma for fact in facts}) < len(facts)


def _start(stops: Sequence[Stop], facts: Sequence[Fact]) -> Known:
    sentence = facts[0].sentence if facts else ""
    plural = bool(facts) and not facts[0].reversed and is_plural(parse(facts[0].predicate))
    before = tuple(fact.predicate for fact in facts[:1] if not fact.reversed)
    noun = noun_of(stops[0], (), before)
    # People have no article, and a title has its own: "Glass Houses" is no pair of houses.
    bare = stops[0].type == "WORK" or "person" in sorts_of(noun)
    return Known(with_article(stops[0].name, sentence, bare), plural=plural, noun=noun)


def _step(stops: Sequence[Stop], facts: Sequence[Fact], at: int, known: Known) -> Known:
    """Stop `at`, described by the fact that leads to it from `known`."""
    fact = facts[at - 1]
    noun = _noun_at(stops, facts, at)
    found = predicate_of(fact, stops[at] if fact.reversed else stops[at - 1])
    return Known(describe(known, found, noun, fact.reversed), heavy=True, noun=noun)


def _noun_at(stops: Sequence[Stop], facts: Sequence[Fact], at: int) -> str:
    leads, before = _around(facts, at)
    hidden = {normal_form(name) for stop in stops[1:] for name in stop.names} if at < len(facts) else set()
    return noun_of(stops[at], leads, before, hidden)


def _around(facts: Sequence[Fact], at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The predicates whose object stop `at` is, and those whose subject it is."""
    leads: list[str] = []
    before: list[str] = []
    for fact, its_object in ((facts[at - 1], True), *((fact, False) for fact in facts[at : at + 1])):
        (leads if its_object != fact.reversed else before).append(fact.predicate)
    return tuple(leads), tuple(before)


def in_full(fact: Fact) -> str:
    """A fact's predicate with the word that extraction drops of "tested positive for"."""
    if fact.predicate == "tested for" and "tested positive for" in fact.sentence:
        return "tested positive for"
    return fact.predicate


def predicate_of(fact: Fact, subject: Stop) -> Predicate:
    """The parts of a fact's predicate, with a pronoun for its own subject ("published its report on")."""
    text = in_full(fact)
    if "'s " in text or "\u2019s " in text:
        pronoun = "their" if is_person(subject, (), (text,)) else "its"
        for name in (fact.subject, *subject.names):
            text = re.sub(rf"(?<!\w){re.escape(name)}['\u2019]s (?=\w)", f"{pronoun} ", text)
    return parse(text)


__all__ = [
    "described",
    "event_clause",
    "order_question",
    "relation_question",
    "same_object_question",
]

_OF_TIME = frozenset({"on", "in", "at", "during"})
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}


def relation_question(subject: str, fact_predicate: str, wanted: Stop) -> str:
    """A single fact asked for its object: "Who governs Port Averell?"."""
    found = _own(subject, fact_predicate)
    known = Known(with_article(subject), plural=is_plural(found))
    word = question_word(wanted, (fact_predicate,))
    return _question(ask(known, found, word, noun_of(wanted, (fact_predicate,))))


def same_object_question(first: str, second: str, predicate: str, noun: str) -> str:
    """Whether two entities share an object: "Are A and B headquartered in the same place?"."""
    found = parse(predicate)
    before, behind = inverted(found, plural=True)
    both = f"{with_article(first)} and {with_article(second)}"
    complement = plural_noun(found.complement) if found.is_role else complement_of(found)
    same = joined(complement, found.preposition, f"the same {noun}")
    return _question(joined(_PLURAL.get(before, before), both, behind, same))


def order_question(first_event: str, second_event: str) -> str:
    """Which of two events, given as clauses, came first: "Did A win the cup before or after B resigned?"."""
    return _question(f"{inverted_clause(first_event)} before or after {second_event}")


def event_clause(subject: str, predicate: str, object: str) -> str:  # noqa: A002
    """A fact as a clause; without an object, the date's preposition goes too: "the Mariners won the cup"."""
    found = _own(subject, predicate)
    group = " ".join((*found.auxiliaries, found.verb))
    preposition = found.preposition if object or found.preposition not in _OF_TIME else ""
    return joined(with_article(subject), group, _complement(found), preposition, with_article(object))


def _complement(found: Predicate) -> str:
    return role_of(found) if found.is_role and found.voice == "copula" else complement_of(found)


def _own(subject: str, predicate: str) -> Predicate:
    """The parts of the predicate, with a pronoun for its own subject ("published its report on")."""
    pronoun = "its" if is_organisation(subject) else "their"
    return parse(re.sub(rf"(?<!\w){re.escape(subject)}['\u2019]s (?=\w)", f"{pronoun} ", predicate))


def _question(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}?"
