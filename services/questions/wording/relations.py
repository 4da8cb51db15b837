"""Which predicates are relations that a reader would describe somebody by, and which only tell a scene.

"The person who appointed Ann Bell" describes; "the person that Ann Bell explained to" does not. A verb with a
preposition is a relation only if a list has it: open extraction is wrong about these most often, and in news
most of them tell of one moment.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from services.questions.wording import verbs
from services.questions.wording.head_nouns import MORE_PEOPLE, PERSON_ENDINGS
from services.questions.wording.paraphrases import event_of, nominal_of, paraphrase_of
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
adviser agent ally ambassador attorney aunt birthplace bishop capital captain ceo child children citizen
client co-founder colony commander commonwealth congressman counsel countryman daughter-in-law delegate
drummer fiance fiancee follower grandchild granddaughter grandfather grandmother grandson guitarist heir
home hometown junta lawmaker lieutenant mastermind memoir mouthpiece nephew niece parent partner patron
predecessor premier rapper representative resident rival settlement shareholder spokesperson sponsor
spouse subsidiary suburb successor territory twin uncle victim vocalist widow widower
"""
_ROLES = MORE_PEOPLE | frozenset(_ROLE_WORDS.split())
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


def _is_role(found: Predicate) -> bool:
    """ "Is former prime minister of": an office, a kinship or what else a list has."""
    words = found.complement.split()
    if not found.is_role:
        return _key(found) in _RELATIONS
    head = words[-1]
    if head in _DESCRIBE_NOBODY:
        return False
    known = head in _ROLES or (head.endswith(PERSON_ENDINGS) and verbs.is_noun(head))
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
