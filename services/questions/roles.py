"""Offices and kinships: does the sentence say this one, of these two?

Most wrong facts about people are appositions that the parser gave to the wrong name ("the son of David and
his wife Elin" does not make Elin the son's wife), and offices of which it kept a part ("secretary" of
"Secretary of State", "nominee" of "vice presidential nominee").
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from kg.model import EntityType
from kg.text.lexicon import PARTIES, PROFESSIONS, countries, genders, is_country, sovereign
from kg.text.words import whole_places
from services.questions.draft import Fact
from services.questions.wording.doubts import ROLES, scene
from services.questions.wording.head_nouns import NAME_HEADS
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import PREPOSITIONS, Predicate, parse


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KIN = re.compile(
    r"\b(?:grand|great-grand|step|half-)?(?:son|daughter|father|mother|brother|sister|child|parent|nephew|niece|"
    r"uncle|aunt|cousin|wife|husband|widow|widower|spouse|fianc[eé]e?)(?:-\s?in-\s?law)?$"
)
"""A kinship at the end of a role."""
_OTHER_ROLES = _words(
    """attorney director secretary critic justice mate native nominee owner co-owner successor predecessor
    supporter nephew heir heiress count duke graduate alumnus alumna pupil disciple recipient deputy"""
)
"""Roles that the tables of wording don't have, but that read well in a sentence of their own."""
_BY_GROUPS = _words(
    """manufacturer maker member owner co-owner partner producer publisher rival sponsor subsidiary supplier
    operator parent successor predecessor"""
)
_MORE_PEOPLE = _words(
    """baritone cardinal celebrity contralto cornerback delegate duke earl forward fullback general halfback
    knight leader lineman noble national representative royal saint scholar shortstop star"""
)
_OF_PLACES = _words("capital city seat hometown birthplace home headquarters suburb")
_RANKS = _words(
    "vice deputy former sitting ex assistant associate acting interim co sub under junior onetime then"
)
_NO_PART_OF_A_ROLE = _words("based elected designated proposed reported alleged")
_WORKS = _words("album ep single song novel film book play opera symphony")
_IN_A_ROW = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth debut final last"
)
_KINDS_OF_WORKS = _words("studio solo live full-length feature feature-length short documentary")
_MARRIED = re.compile(r"wife|husband|spouse|widow")
_HIS_WIFE = re.compile(
    r"((?:[A-Z][\w.\u2019'-]+ )*[A-Z][\w.\u2019'-]+)(?: ?\([^)]*\))?,? and (?:his|her) (?:[\w-]+ )?"
    r"(?:wife|husband|spouse|widow|widower)\b"
)
_OTHER_NAME = r"\b(?:later|then|now|formerly|future|aka|a\.k\.a\.|previously) (?:known as |called )?"
_STOPS_A_RUN = _words(
    """of in at on for from with by to who that which whose as is was were are has had the a an his her"""
)
_TOKEN = re.compile(r"[\w\u2019'.-]*\w|[^\w\s]")
_SENT = frozenset({"ambassador", "envoy", "representative", "delegate"})
LONGEST_RUN = 8
"""Words between a country's adjective and the noun that it belongs to."""
MOST_BETWEEN = 6
"""Words between a kinship and a name behind it."""
_LETTERS = {"her": "f", "his": "m"}


def doubts_about_role(
    found: Predicate, names: tuple[str, str], subject_type: EntityType, statement: str
) -> Iterator[str]:
    """Why a statement does not say for sure that the first of two names has this role to the second."""
    subject, object_ = names
    told, words = f'"{found.text}"', found.complement.split()
    if found.text.endswith("affiliated with"):
        if "affiliat" not in statement and not is_party(object_) and not _is_of(subject, object_, statement):
            yield f"{told} is not what its sentence says"
        return
    if found.complement.lower() == "minister":
        yield f"{told} does not tell which"
    if words[-1].lower() in _SENT and found.preposition == "of" and not is_country(object_):
        yield f"{told} is rather sent there"
    if _NO_PART_OF_A_ROLE & set(words) or PREPOSITIONS & set(words):
        yield f"{told} tells more than a role"
    known = _is_other_role(words) or words[-1] in _OF_PLACES or not scene(found.text.lower())
    in_a_row = subject_type == "WORK" and found.preposition == "of" and _is_place_in_a_row(words)
    if found.is_role and not in_a_row and (not known or _is_compound(words, statement)):
        yield f"{told} tells no office, kinship or place"
    if found.is_role and subject_type != "PERSON" and words[-1] not in _BY_GROUPS and _is_of_people(words):
        yield f"{told} does not go with {subject}"
    if found.is_role and _is_of_a_branch(object_, statement):
        yield f"{told} is only of a branch of {object_}"
    if found.complement == "citizen" and not _is_citizen(object_, statement):
        yield f"{told} is not what its sentence says"
    if re.search(rf"{_OTHER_NAME}{re.escape(subject)}", statement):
        yield f'"{subject}" is another name of somebody in its sentence'
    if (
        "old" in words
        or leaves_out_a_rank(found.complement, statement)
        or _goes_on(found, object_, statement)
    ):
        yield f"{told} is only a part of what its sentence says"
    if KIN.search(found.complement) and not _is_said_of(subject, object_, words[-1], statement):
        yield f"{told} is said of others than {subject} and {object_}"


def _is_of_a_branch(body: str, statement: str) -> bool:
    """Whether a statement always has a country or continent behind a body: "GM Europe", "GM in the UK"."""
    rests = [statement[end:] for _, end in whole_places(body, statement)]
    return bool(rests) and all(
        (found := _BRANCH.match(one)) is not None and _is_region(found[1]) for one in rests
    )


_BRANCH = re.compile(r"(?: in(?: the)?)? ((?:[A-Z]{2,}|[A-Z][a-z]+)(?: [A-Z][a-z]+)?)(?![\w'\u2019])")
_CONTINENTS = _words("Africa America Americas Asia Australasia Europe International Worldwide")


def _is_region(name: str) -> bool:
    first = name.split(maxsplit=1)[0]
    known = countries().keys() | sovereign()
    return name in known or first in known or first in _CONTINENTS


def _is_of(subject: str, body: str, statement: str) -> bool:
    """Whether a statement has somebody as one of a body: "Ely Bank's Ada Greer", "Ada Greer of Ely Bank"."""
    last = re.escape(subject.rsplit(maxsplit=1)[-1])
    owned = rf"(?<!\w){re.escape(body)}['\u2019]s? (?:[A-Z][\w.'\u2019-]* ){{0,2}}{last}(?!\w)"
    behind = rf"(?<!\w){last},? (?:of|from) (?:the )?{re.escape(body)}(?!\w|['\u2019]s?\b| [A-Z])"
    return _is_body(body) and re.search(f"{owned}|{behind}", statement) is not None


def _is_body(name: str) -> bool:
    """Whether a name shows an organisation: by a noun of bodies in it, or capitals alone ("MSNBC")."""
    bodies = ("organisation" in sorts_of(NAME_HEADS.get(word, word)) for word in name.lower().split())
    return name.isupper() or any(bodies)


def is_party(name: str) -> bool:
    """Whether a name is a party's."""
    return name.lower().endswith(("party", "democrats", "greens")) or name in PARTIES.values()


def _is_other_role(words: Sequence[str]) -> bool:
    """Whether a role is "running mate", "attorney general"."""
    heads = words[-2:] if words[-1].lower() in {"general", "mate"} else words[-1:]
    return any(head.lower() in _OTHER_ROLES for head in heads)


def _is_place_in_a_row(words: Sequence[str]) -> bool:
    """Whether a work is told by its place among its maker's: "fourth studio album", "debut novel"."""
    *before, kind = (word.lower() for word in words)
    return (
        kind in _WORKS
        and before[:1] != []
        and before[0] in _IN_A_ROW
        and _KINDS_OF_WORKS.issuperset(before[1:])
    )


def _is_compound(words: Sequence[str], statement: str) -> bool:
    """Whether a role that is no office only stands behind a name: "VFX specialist", "Tarn film director"."""
    head = words[-1].lower()
    maker = head == "director" and len(words) > 1
    office = head in ROLES or _is_other_role(words)
    if (office and not maker) or head == "citizen" or head in _OF_PLACES or KIN.search(head):
        return False
    return not re.search(
        rf"{re.escape(head)} (?:of|for|at|in|to)\b|['\u2019]s? [^,.;]*{re.escape(head)}", statement
    )


def _is_of_people(words: Sequence[str]) -> bool:
    head = words[-1].lower()
    return _is_other_role(words) or head in PROFESSIONS or sorts_of(head) == {"person"}


def leaves_out_a_rank(role: str, statement: str) -> bool:
    """Whether the sentence always has "vice" or "former" before an office that is told without it."""
    if not _RANKS.isdisjoint(role.lower().replace("-", " ").split()):
        return False
    first = role.split(maxsplit=1)[0]
    found = re.finditer(rf"\b{re.escape(first)}\b", statement, re.IGNORECASE)
    before = [statement[: one.start()].lower().replace("-", " ").split()[-1:] for one in found]
    return bool(before) and all(_RANKS & set(one) for one in before)


def _goes_on(found: Predicate, object_: str, statement: str) -> bool:
    """Whether the office goes on in its sentence to something else: "United States Secretary of State"."""
    if not found.is_role:
        return False
    head, first = found.complement.rsplit(maxsplit=1)[-1], object_.split(maxsplit=1)[0]
    rests = [
        statement[one.end() :] for one in re.finditer(rf"\b{re.escape(head)}\b", statement, re.IGNORECASE)
    ]
    further = [re.match(r" (of|for|in|to|at) (?:the )?([\w.\u2019'-]+)", one) for one in rests]
    return bool(rests) and all(
        one is not None
        and one[2] != first
        and ((one[1] == "of" and found.preposition == "for") or first not in " ".join(rest.split()[:8]))
        for one, rest in zip(further, rests, strict=True)
    )


def _is_said_of(subject: str, object_: str, head: str, statement: str) -> bool:
    """Whether a kinship may be between these two, by "his" and "her" and by how far the names stand off."""
    owner = _HIS_WIFE.search(statement)
    if owner is not None and _MARRIED.search(head) and not _is_name_of(owner[1], object_):
        return False
    said = re.search(rf"\b(her|his) (?:[\w-]+ ){{0,3}}{re.escape(head)}\b", statement)
    gender = genders().get(object_.split(maxsplit=1)[0])
    if said is not None and gender is not None and _LETTERS[said[1]] != gender:
        return False  # a man's son is no "her son"
    return _stands_near(subject, object_, head, statement)


def _is_name_of(written: str, name: str) -> bool:
    """Whether a name may be written so: as it is, with a title before it, or by the given or last name."""
    shorter, longer = sorted((written.split(), name.split()), key=len)
    return longer[-len(shorter) :] == shorter or (len(shorter) == 1 and longer[0] == shorter[0])


def _stands_near(subject: str, object_: str, head: str, statement: str) -> bool:
    """Whether one of the kinship words stands between the names, or close before the subject."""
    tokens = [token.lower() for token in _TOKEN.findall(statement)]
    at_subject, at_object, heads = (
        [at for at, token in enumerate(tokens) if token == word]
        for word in (*_telling(subject, object_), head.lower())
    )
    if not (at_subject and at_object and heads):
        return True
    for at in heads:
        behind = min((one - at for one in at_subject if one > at), default=len(tokens))
        beyond = min((one - at for one in at_object if one > at), default=len(tokens))
        if any(one < at for one in at_subject) and beyond < len(tokens):
            return True  # "Ana Brel is the daughter of Otto"
        owned = any(one < at for one in at_object) or tokens[at - 1] in _LETTERS
        if owned and behind <= MOST_BETWEEN:
            return True  # "Otto and his daughter Ana"
        if behind <= 2 * MOST_BETWEEN and beyond <= 2 * MOST_BETWEEN:
            return True  # "The daughter of Otto, Ana"
    return False


def _telling(subject: str, object_: str) -> tuple[str, str]:
    """The words by which two names are found: their last ones, or the first where they share the last."""
    one, other = (_TOKEN.findall(name.lower()) or [name] for name in (subject, object_))
    return (one[0], other[0]) if one[-1] == other[-1] else (one[-1], other[-1])


@cache
def _nations() -> re.Pattern[str]:
    """What stands for a country before a noun: "Chinese", "U.S.", "South Sudanese"."""
    known = "|".join(map(re.escape, sorted(countries(), key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{known})(?!\w)")


def said_of_a_kind(country: str, statement: str, sorts: frozenset[str]) -> bool:
    """Whether an adjective of the country goes on to a noun of such a sort: "Chinese film director"."""
    for one in _nations().finditer(statement):
        if countries()[one[0]] != country:
            continue
        run = []
        for word in statement[one.end() :].split()[:LONGEST_RUN]:
            if word.strip(",").lower() in _STOPS_A_RUN:
                break
            run.append(word.strip(",.;").lower())
        people = "person" in sorts and not (PROFESSIONS | _MORE_PEOPLE).isdisjoint(run)
        if people or any(sorts & sorts_of(word) for word in run):
            return True
    return False


def is_no_affiliation(fact: Fact) -> bool:
    """Whether a fact has somebody affiliated with what its statement shows as no body: "Bo Ek of Tigard".

    A party, a name with a noun of bodies in it and capitals alone ("MSNBC") are organisations.
    """
    statement = fact.statement or fact.sentence
    if not fact.predicate.endswith("affiliated with") or "affiliat" in statement or is_party(fact.object):
        return False
    return not _is_body(fact.object)


def is_no_citizenship(fact: Fact, subject_type: EntityType) -> bool:
    """Whether a fact calls something a citizen that its statement calls no person: "a Liberian tanker".

    A subject of type MISC may be anything.
    """
    statement = fact.statement or fact.sentence
    if parse(fact.predicate).complement != "citizen":
        return False
    return subject_type not in {"PERSON", "MISC"} or not _is_citizen(fact.object, statement)


def _is_citizen(country: str, statement: str) -> bool:
    return "citizen" in statement or said_of_a_kind(country, statement, frozenset({"person"}))
