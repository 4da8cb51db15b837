"""Do the kinds of a fact's ends go with its predicate? No city is hired, no hospital serves at another.

What extraction takes for a place may be a body there, and what it takes for the one who acts may be where he
works; a predicate of which the kinds of its ends are known tells so by itself, whatever the sentence.
"""

import re

from kg.model import PLACE_TYPES, EntityType
from kg.text.lexicon import countries, genders, sovereign, states
from services.questions.roles import KIN
from services.questions.wording.predicates import Predicate, parse
from services.questions.wording.verbs import base


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OF_WORKS = _words(
    """adapt air animate broadcast compose direct distribute dub edit film narrate photograph premiere produce
    publish record release remake score screen script shoot star stream translate write"""
)
"""What is done to films, books and songs: in the passive it is said of nobody and of no place."""
_OF_NOBODY = _words("build construct demolish establish form found incorporate inaugurate")
"""What is done to things alone: in the passive it is said of nobody."""
_OF_PEOPLE = re.compile(
    r"(?:be|was|is) (?:born|buried|raised|educated|survived|married)\b|(?:died|married)\b"
)
_ONLY_PEOPLE_DO = frozenset(
    [
        "graduate from",
        "lecture at",
        "live in",
        "retire from",
        "serve at",
        "study at",
        "study under",
        "teach at",
    ]
)
_DONE_TO_PEOPLE = _words(
    """anoint appoint dismiss elect fire hire impeach marry nominate ordain oust re-elect recruit reelect sack
    wed"""
)
"""What is done to no place and no work, where nothing stands between the verb and whom it is done to."""
_OF_GROUPS = re.compile(
    r"\b(?:board|committee|council|club|company|party|team|band|ceo|chairman|chairwoman|coach|manager|captain|"
    r"members?|striker|goalkeeper|drummer|guitarist|bassist)\b"
)
_WORKS = frozenset({"WORK", "PRODUCT", "LAW"})
_NOBODY = PLACE_TYPES | {"WORK", "LAW", "EVENT"}
_NEVER_A_WORK = frozenset({"PERSON", "GPE", "LOC", "FAC", "NORP", "DATE"})


def may_have(subject_type: EntityType, predicate: str, object_type: EntityType) -> bool:
    """Whether a predicate goes with things of these types: no city is a citizen of anything."""
    return not misfits(parse(predicate), subject_type, object_type)


def may_lack(subject_type: EntityType, predicate: str, object_type: EntityType, subject: str = "") -> bool:
    """Whether a question may ask a thing of a type for what it lacks: only works are released.

    Nobody is asked where he died, as he may live, and no man whose daughter he is: `subject` is the name.
    """
    found = parse(predicate)
    of_work = (found.voice == "passive" or found.preposition == "by") and base(found.verb) in _OF_WORKS
    if subject_type == "PERSON" and (base(found.verb) in _AT_THE_END or not _is_of_gender(found, subject)):
        return False
    return may_have(subject_type, predicate, object_type) and (not of_work or subject_type in _WORKS)


_AT_THE_END = _words("assassinate bury cremate die drown execute kill murder succeed survive")
"""What is true of nobody who lives, or only of who has left."""
_OF_A_GENDER = {
    "f": re.compile(
        r"(?:daughter|mother|sister|wife|widow|aunt|niece|fianc[e\u00e9]e|girlfriend|woman|actress|queen|princess|duchess)"
        r"(?:-in-law)?$"
    ),
    "m": re.compile(
        r"(?:son|father|brother|husband|widower|uncle|nephew|fianc[e\u00e9]|boyfriend|\w[^o]man|king|prince|duke)"
        r"(?:-in-law)?$"
    ),
}
"""Nouns for women and for men, by the letters of given names."""


def _is_of_gender(found: Predicate, name: str) -> bool:
    """Whether a noun of one gender goes with a given name of it; of unknown names it does not."""
    wanted = next((mark for mark, noun in _OF_A_GENDER.items() if noun.search(found.complement)), "")
    return not (found.voice == "copula" and wanted) or genders().get(name.split(maxsplit=1)[0]) == wanted


def misfits(found: Predicate, subject_type: EntityType, object_type: EntityType, object_: str = "") -> bool:
    """Whether the types of the ends are not those that a predicate has, whatever the sentence."""
    ends = {subject_type, object_type}
    passive = found.voice == "passive" or found.preposition == "by"
    plays = found.lemma == "play" and found.preposition == "for"
    people_do = f"{found.lemma} {found.preposition}" in _ONLY_PEOPLE_DO and not found.complement
    return (
        (found.voice == "copula" and KIN.search(found.complement) is not None and ends != {"PERSON"})
        or (passive and base(found.verb) in _OF_WORKS and subject_type in _NEVER_A_WORK)
        or (found.lemma == "marry" and not ends <= {"PERSON", "DATE", "GPE"})
        or (_OF_PEOPLE.match(found.text) is not None and subject_type != "PERSON")
        or (bool(found.preposition) and _of_a_group(found) and object_type == "PERSON")
        or (plays and object_type in PLACE_TYPES and object_ not in sovereign())
        or (found.complement == "citizen" and subject_type != "PERSON")
        or (people_do and subject_type in _NOBODY | {"ORG"})
        or _is_done_to_nobody(found, subject_type, object_type)
        or _is_trade_in_people(found, subject_type, object_type)
        or (base(found.verb) == "join" and ends == {"PERSON"})
        or (found.voice == "passive" and base(found.verb) in _OF_NOBODY and subject_type == "PERSON")
    )


def _is_done_to_nobody(found: Predicate, subject_type: EntityType, object_type: EntityType) -> bool:
    """Whether what is elected, hired or fired is a place or a work."""
    if found.complement or base(found.verb) not in _DONE_TO_PEOPLE:
        return False
    if found.voice == "active" and not found.preposition:
        return object_type in _NOBODY
    return found.has_agent and subject_type in _NOBODY


def _is_trade_in_people(found: Predicate, subject_type: EntityType, object_type: EntityType) -> bool:
    """Whether somebody is bought: a firm that was taken for a person, or a player, who is hired."""
    if found.complement or base(found.verb) not in {"acquire", "buy", "purchase"}:
        return False
    bare = found.voice == "active" and not found.preposition
    return (bare and object_type == "PERSON") or (found.voice == "passive" and subject_type == "PERSON")


def _of_a_group(found: Predicate) -> bool:
    return _OF_GROUPS.search(found.complement.lower()) is not None


_OF_BODIES = _words(
    """agent analyst attorney boss captain ceo chair chairman chairwoman chairperson co-chairman coach
    co-owner correspondent director economist editor executive head judge manager owner shareholder striker
    goalkeeper vice-chairman vice-president"""
)
"""Offices of bodies and courts: a sentence that has a place for them means what is of that place."""
_OF_COUNTRIES = frozenset(["chief", "leader", "minister", "president", "ruler"])
"""Offices that a country or a state has; of a town they are told of a body there: "the Ely leader"."""


def is_of_a_body(predicate: str, place: str) -> bool:
    """Whether an office that is told of a place can only be of a body there: a party's leader in a town."""
    found = parse(predicate)
    words = found.complement.lower().split()
    if not found.is_role or not words:
        return False
    if words[-1] in _OF_BODIES:
        return words != ["attorney", "general"]
    country = place in sovereign() or place in states() or place in countries().values()
    alone = len(words) == 1 or words[0] in {"former", "then"}
    return alone and words[-1] in _OF_COUNTRIES and not country
