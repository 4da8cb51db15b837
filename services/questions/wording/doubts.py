"""Why the rules can't word a chain so that it reads well; what they can't is better rejected than stiff.

Which predicates are relations that a reader would describe somebody by, and which only tell a scene.

"The person who appointed Ann Bell" describes; "the person that Ann Bell explained to" does not. A verb with a
preposition is a relation only if a list has it: open extraction is wrong about these most often, and in news
most of them tell of one moment.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from kg.model import LITERAL_TYPES
from services.questions.draft import Fact, Stop
from services.questions.wording import verbs
from services.questions.wording.chain import in_full, nouns_on_the_way, settled
from services.questions.wording.head_nouns import MORE_PEOPLE, PERSON_ENDINGS
from services.questions.wording.nouns import (
    ACTING,
    ANYTHING,
    UNKNOWN,
    has_personal_name,
    is_organisation,
    looks_personal,
    noun_of,
    sorts_of,
)
from services.questions.wording.paraphrases import event_of, is_placing, lemma_key, nominal_of, paraphrase_of
from services.questions.wording.predicates import PREPOSITIONS, Predicate, parse
from services.questions.wording.selection import has_frame

_SCENES = """
add address admit advocate allow announce answer appear ask assemble begin bring call cause change claim
come comment concern consider contact continue describe detail discuss do dress ensure expect explain
express face feel find follow gain get give go have hear include indicate interrupt invite keep know let
like list look make mean mention miss move need note offer pay pin plan post predecease prevent provide
put quote raise reach receive remain remember replace report request say see seem set share show speak
stand start state stay stop suggest take tell term thank think try turn update upgrade urge use view
want warn watch withdraw work
"""
_SAYS_LITTLE = frozenset(_SCENES.split())
"""Verbs that tell a scene or say too little to describe by, unless a list has them with more words."""

_WITH_PREPOSITION = """
act in; appear in; arrive in; be adopted in; be affiliate with; be align with; be arrest in; be
assassinate in; be attend by; be award to; be bury in; be capture from; be capture in; be convict in; be
deport to; be detain in; be educate in; be elect to; be evacuate from; be evacuate to; be exhibit at; be
exile to; be extradite to; be feature in; be from; be hold at; be home to; be hospitalise in; be
hospitalize at; be hospitalize in; be implant at; be imprison in; be in; be induct into; be inspire by;
be invite to; be jail in; be kill in; be lead by; be name after; be near; be nominate for; be nominate
to; be operate on at; be part of; be perform at; be perform in; be raise in; be recapture from; be
release in; be sign in; be stage in; be succeed by; be survive by; be treat at; be treat in; be try in;
belong to; collaborate with; collide with; compete against; compete at; compete in; crash in; crash
into; crash near; debut in; defect to; depart from; die in; emigrate to; escape from; fight in; flee
from; flee to; fly from; fly to; graduate from; grow up in; have delegate to; land in; live in; live
near; merge with; migrate to; perform at; perform in; perform with; play for; preside over; record with;
resign from; retire from; return to; rule over; run for; run in; sail from; sail to; secede from; serve
at; serve in; serve on; serve under; sing with; specialise in; specialize in; star in; study under; tour
with; train at; train under; travel from; travel to; vote against; vote for; vote to approve; vote to
ban; vote to join; vote to leave; vote to legalise; vote to legalize; withdraw from; work with
"""
_RELATIONS = frozenset(" ".join(one.split()) for one in _WITH_PREPOSITION.replace("\n", " ").split(";"))

_CUT = frozenset({"test for"})
"""What extraction leaves of "tested positive for"."""

_ROLE_WORDS = """
adviser agent ally ambassador analyst attorney aunt bassist birthplace bishop capital captain ceo child
children citizen client co-chairman co-founder colony commander commonwealth congressman correspondent
counsel countryman daughter-in-law delegate drummer executive fiance fiancee follower frontman grandchild
granddaughter grandfather grandmother grandson guitarist heir home hometown junta lawmaker lieutenant
mastermind memoir mouthpiece nephew niece parent partner patron predecessor premier rapper representative
resident rival settlement shareholder spokesperson sponsor spouse subsidiary suburb successor territory
twin uncle vice-chairman vice-president victim vocalist widow widower
"""
ROLES = MORE_PEOPLE | frozenset(_ROLE_WORDS.split())
"""Offices, kinships and the like that somebody is described by."""
_DESCRIBE_NOBODY = frozenset(
    ["countryman", "continuation", "opponent", "friend", "fan", "number", "order", "power"]
)
"""Nouns with an ending of people that describe nobody."""
_NO_MODIFIERS = frozenset(
    {"own", "other", "new", "same", "such", "elaborate", "outspoken", "set", "specialized"}
)


@lru_cache(maxsize=16_384)
def scene(predicate: str, dated: bool = False) -> str:
    """Why a predicate is no relation to describe by, or, `dated`, no event to date; empty if it is one."""
    found = parse(predicate)
    if found.voice == "copula":
        return "" if _is_role(found) else f'"{predicate}" tells no office, kinship or place'
    if _key(found) in _CUT:
        return f'"{predicate}" breaks off'
    reason = _no_event(found) if dated else ""
    if reason or dated or _is_listed(found):
        return reason
    if found.complement or (found.preposition and not found.has_agent):
        return f'"{predicate}" is no relation that somebody would be described by'
    return f'"{predicate}" says too little to describe by' if found.lemma in _SAYS_LITTLE else ""


def _is_listed(found: Predicate) -> bool:
    """Whether any table knows the predicate with all its words."""
    if has_frame(found) or event_of(found) or nominal_of(found) or paraphrase_of(found, ""):
        return True
    return _key(found) in _RELATIONS


_GENERALS = (["attorney", "general"], ["director", "general"], ["secretary", "general"])


def _is_role(found: Predicate) -> bool:
    """ "Is former prime minister of": an office, a kinship or what else a list has."""
    words = found.complement.split()
    if not found.is_role:
        return _key(found) in _RELATIONS
    head = words[-1]
    if head in _DESCRIBE_NOBODY:
        return False
    known = (
        head in ROLES or words[-2:] in _GENERALS or (head.endswith(PERSON_ENDINGS) and verbs.is_noun(head))
    )
    return known and len(words) <= 3 and not _NO_MODIFIERS & set(words) and not _from_a_name(words)


def _from_a_name(words: Sequence[str]) -> bool:
    return any(word[:1].isupper() for word in words)


def _no_event(found: Predicate) -> str:
    """Why "did X ... ?" is no event whose date could be asked for."""
    words = found.complement.split()
    if found.lemma in _SAYS_LITTLE - _DATED:
        return f'"{found.text}" tells no event of its own'
    if words and (verbs.is_gerund(words[-1]) or not _may_begin(found, words[0].lower())):
        return f'"{found.text}" breaks off'
    if found.voice == "active" and not words and verbs.known_lemmas(found.verb) and found.lemma in _BARE:
        return f'"{found.text}" does not tell what'
    return ""


def _may_begin(found: Predicate, word: str) -> bool:
    """Whether the word can stand behind the verb: "was elected to Congress", but not "stood by figures"."""
    if word not in PREPOSITIONS or word in {"as", "up", "out"}:
        return True
    return (
        bool(nominal_of(replace(found, complement="", preposition=word)))
        or _key(replace(found, complement="", preposition=word)) in _RELATIONS
    )


_DATED = frozenset({"take", "announce", "receive", "make", "stand", "leave"})
_BARE = frozenset({"begin", "start", "continue", "end", "issue", "hold", "make", "publish", "announce"})
"""Verbs that are no event without an object."""


def _key(found: Predicate) -> str:
    first = f"be {found.lemma}" if found.voice == "passive" else found.lemma
    return " ".join(part for part in (first, found.complement, found.preposition) if part)


MOST_WORDS_BEFORE_VERB = 13
"""So many words may stand between "did" and its verb."""

_VAGUE = frozenset({UNKNOWN, ANYTHING})
_NEVER_ORGANISATIONS = frozenset({"PERSON", "GPE", "LOC", "WORK", "EVENT", "PRODUCT", "LAW"})
_NEVER_PEOPLE = frozenset({"WORK", "PRODUCT", "EVENT", "LAW", "MISC"})
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


def stepwise_doubt(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    """Why a chain over these facts can't be worded well even with a sentence for each, empty if it can."""
    settled_stops = settled(stops, facts)
    broken = next((fact.predicate for fact in facts if _key(parse(in_full(fact))) in _CUT), "")
    if broken:
        return f'"{broken}" breaks off'
    return (
        _of_offices(settled_stops, facts)
        or _of_nouns(settled_stops, facts)
        or _of_events(settled_stops, facts)
    )


def _of_events(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    """Why the date of a last fact can't be asked for."""
    last = facts[-1]
    dated = not last.reversed and len(stops) > len(facts) and stops[-1].type in LITERAL_TYPES
    return _no_event(parse(in_full(last))) if dated else ""


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


def _made_a_person(stop: Stop, noun: str) -> str:
    """Why the facts of a film or a party make it a person, which it is not by type and name."""
    made = stop.type in _NEVER_PEOPLE and sorts_of(noun) == {"person"} and not has_personal_name(stop)
    return f'"{stop.name}" is no person, and its facts make it one' if made else ""


def _of_nouns(stops: Sequence[Stop], facts: Sequence[Fact]) -> str:
    before = noun_of(stops[0])
    for at, noun in enumerate(nouns_on_the_way(stops, facts), start=1):
        stop, last = stops[at], at == len(facts)
        if noun in _VAGUE and (not last or (stop.type == "PERSON" and has_personal_name(stop))):
            return f'nothing tells what "{stop.name}" is'
        if noun in _VAGUE and not _may_be_asked_with_what(facts[-1]):
            return f'nothing tells what "{stop.name}" is, and "what" does not fit'
        if reason := _contradicted(stop, noun) or _made_a_person(stop, noun):
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
        f"he {name}" in fact.sentence
        and re.search(rf"\b[Tt]he {re.escape(name)}(?![\w'\u2019-]| [A-Z])", fact.sentence)
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
