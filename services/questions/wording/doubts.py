"""Why the rules can't word a chain so that it reads well; what they can't is better rejected than stiff."""

import re
from collections.abc import Sequence
from itertools import pairwise

from kg.model import LITERAL_TYPES
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import in_full, nouns_on_the_way, settled
from services.questions.wording.nouns import (
    ANYTHING,
    UNKNOWN,
    has_personal_name,
    is_organisation,
    looks_personal,
    noun_of,
    sorts_of,
)
from services.questions.wording.paraphrases import is_placing, lemma_key
from services.questions.wording.place_names import ACTING
from services.questions.wording.predicates import Predicate, parse
from services.questions.wording.relations import scene

MOST_WORDS_BEFORE_VERB = 13
"""So many words may stand between "did" and its verb."""

_VAGUE = frozenset({UNKNOWN, ANYTHING})
_NEVER_ORGANISATIONS = frozenset({"PERSON", "GPE", "LOC", "WORK", "EVENT", "PRODUCT", "LAW"})
_NEVER_PLACES = frozenset({"PERSON", "WORK", "EVENT", "PRODUCT", "LAW", "NORP"})
_OF_ORGANISATIONS = frozenset(
    ["boss", "ceo", "chair", "chairman", "chairwoman", "chief", "deputy", "director", "head", "manager"]
)
_SYMMETRIC = frozenset({"be twin with", "be ally with", "border", "be marry to", "marry", "partner with"})
_REGIONS = ACTING | {"region", "county", "district"}
_AHEAD_OF_WHAT = frozenset({"for", "from", "on"})
_INVERTED = re.compile(
    r"^(?:[\w']+ ){1,5}?(?:did|does|do|has|had|have|was|were|is|are|will|can) (?=the [a-z])", re.IGNORECASE
)


def doubt(stops: Sequence[Stop], facts: Sequence[Fact], text: str = "") -> str:
    """Why a chain over these facts can't be worded well, empty if it can.

    `stops` may have one more than `facts`, as a chain, or as many, where the last fact is still to come.
    """
    settled_stops = settled(stops, facts)
    return (
        _of_predicates(settled_stops, facts)
        or _of_repeats(facts)
        or _of_offices(settled_stops, facts)
        or _of_nouns(settled_stops, facts)
        or _of_length(text, facts)
    )


def _of_predicates(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    for at, fact in enumerate(facts):
        dated = not fact.reversed and at + 1 < len(stops) and stops[at + 1].type in LITERAL_TYPES
        if reason := scene(in_full(fact), dated):
            return reason
    return ""


def _of_repeats(facts: Sequence[Fact]) -> str:
    """ "The town twinned with the town twinned with ..." leads on, but nobody would say so."""
    keys = [lemma_key(parse(fact.predicate)) for fact in facts]
    again = next((one for one, other in pairwise(keys) if one == other and one in _SYMMETRIC), "")
    return f'"{again}" follows on itself' if again else ""


def _of_offices(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    """Extraction leaves "chief" of "chief of staff", and takes the office for one of a person."""
    for at, fact in enumerate(facts):
        found = parse(fact.predicate)
        if not found.is_role:
            continue
        if _goes_on(found.complement, fact.sentence):
            return f'"{fact.predicate}" is only a part of the office that its sentence tells'
        owner = stops[at] if fact.reversed else stops[at + 1] if at + 1 < len(stops) else None
        if owner is not None and owner.type == "PERSON" and found.complement.split()[-1] in _OF_ORGANISATIONS:
            return f'"{fact.predicate}" is an office, but {owner.name} is a person'
    return ""


def _goes_on(role: str, sentence: str) -> bool:
    """Whether a sentence has more of an office: "chief of staff", but not "chief of the agency"."""
    more = r"(?:of|for) (?!(?:the|an?|his|her|its|their)\b)[a-z]"
    return bool(re.search(rf"\b(?i:{re.escape(role)}) {more}", sentence))


def _of_nouns(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    before = noun_of(stops[0])
    for at, noun in enumerate(nouns_on_the_way(stops, facts), start=1):
        stop, last = stops[at], at == len(facts)
        if noun in _VAGUE and (not last or (stop.type == "PERSON" and has_personal_name(stop))):
            return f'nothing tells what "{stop.name}" is'
        if noun in _VAGUE and not _may_be_asked_with_what(facts[-1]):
            return f'nothing tells what "{stop.name}" is, and "what" does not fit'
        if reason := _contradicted(stop, noun):
            return reason
        if reason := _misplaced(parse(facts[at - 1].predicate), before, noun):
            return reason
        before = noun
        if noun in {"place", "area"} and _stands_with_the(stop, facts[at - 1 : at + 1]):
            return f'"the {stop.name}" is no town, and nothing tells what it is'
    return ""


def _may_be_asked_with_what(fact: Fact) -> bool:
    """ "What was recalled by", "from what was harm reported by"; but not "what does it supply steel of"."""
    found = parse(fact.predicate)
    if fact.reversed or found.has_agent:
        return found.has_agent and not fact.reversed
    return not found.preposition if not found.complement else found.preposition in _AHEAD_OF_WHAT


def _contradicted(stop: Stop, noun: str) -> str:
    """Where the predicates want a person and the entity is none: the extraction took one for the other."""
    wrong = (
        (noun == "person" and (is_organisation(stop.name) or not looks_personal(stop)))
        or (noun == "organisation" and stop.type in _NEVER_ORGANISATIONS and not is_organisation(stop.name))
        or (noun == "place" and stop.type in _NEVER_PLACES)
    )
    return f'its facts make "{stop.name}" a {noun}, and nothing else does' if wrong else ""


def _misplaced(found: Predicate, before: str, noun: str) -> str:
    """Where a place stands that can't: a state in a town, a member of a country."""
    key = lemma_key(found)
    if is_placing(found) and before in _REGIONS and noun not in _REGIONS | {"area"}:
        return f"a {before} does not lie in a {noun}"
    if key == "be affiliate with" and "place" in sorts_of(noun) and "organisation" not in sorts_of(noun):
        return f"nobody is affiliated with a {noun}"
    return ""


def _stands_with_the(stop: Stop, facts: Sequence[Fact]) -> bool:
    return any(
        re.search(rf"\b[Tt]he {re.escape(name)}(?![\w'\u2019-]| [A-Z])", fact.sentence)
        for fact in facts
        for name in stop.names
    )


def _parsed(fact: Fact) -> Predicate:
    return parse(fact.predicate)


def _of_length(text: str, facts: Sequence[Fact]) -> str:
    """ "When did the person who ... declare": how long the reader waits for the verb."""
    opened = _INVERTED.match(text)
    if opened is None or not facts:
        return ""
    words = text[opened.end() :].rstrip("?").split()
    found = parse(facts[-1].predicate)
    verbs_ = {found.verb, found.lemma}
    at = next((at for at in range(len(words) - 1, 0, -1) if words[at] in verbs_), 0)
    if at > MOST_WORDS_BEFORE_VERB:
        return f"{at} words stand before its verb"
    ahead = words[at - 1]
    active = {found.verb for found in map(_parsed, facts[:-1]) if found.voice == "active"}
    if at and (ahead == "to" or ahead in active):
        return f'"{ahead} {words[at]}" is read as one'
    return ""
