"""Articles that names and extracted predicates lack: "the Ministry of Health", "owns a stake in"."""

import re
from functools import lru_cache

from services.questions.wording import verbs
from services.questions.wording.head_nouns import (
    FIRST_WORDS,
    NAME_HEADS,
    SORTS,
    TAKES_THE,
    TAKES_THE_BEFORE_OF,
)
from services.questions.wording.predicates import POSSESSIVES, PREPOSITIONS, ROLE_VERBS, Predicate

_DETERMINER_WORDS = """
the a an this that these those some any no each every all both several many few much more most less half one
two three four five six seven eight nine ten eleven twelve twenty hundreds thousands dozens millions
"""
_DETERMINERS = frozenset(_DETERMINER_WORDS.split()) | POSSESSIVES

_MASS_WORDS = """
access advice aid anger appeal attention authority backing baseball basketball blood care cash charge chess
compensation concern consent control cooperation cover credit cricket criticism damage data debt electricity
emphasis energy equipment evidence experience fault fire food football freedom fuel fun funding golf hockey
furniture gas gold goods ground harm help hope hospitality immunity information insurance interest investment
land leave legislation light luck machinery media medicine merchandise money music news nothing odds office
oil opposition ownership paper part passage patience peace permission place pollution positive power praise
pressure progress property protection publicity rain relief research respect responsibility rugby sand shelter
soccer softball software something space staff steel stock support surgery tennis testimony time traffic
training transport treatment trouble violence voice volleyball war waste water wealth wind wine wood work
"""
MASS = frozenset(_MASS_WORDS.split())
"""Nouns that stand without an article."""

_INSTRUMENTS = frozenset(
    {"guitar", "bass", "drums", "piano", "keyboards", "violin", "cello", "organ", "saxophone", "trumpet"}
)
"""What somebody plays without an article."""
_OWN = frozenset({"voices", "vocals", "talents", "adventures", "lives", "remains", "ruins"})
"""What is somebody's own and stands in the plural: "features the voices of"."""

_PHASES = frozenset({"start", "begin", "stop", "keep", "continue", "finish"})
"""Verbs behind which a gerund is a verb: "started working on"."""
_PLURAL_ONLY = frozenset({"people", "police", "cattle"})

IDIOMS = frozenset(
    {"charge", "care", "part", "place", "control", "advantage", "use", "note", "aim", "command"}
)
"""Nouns that make one verb with what stands before them: "took charge of"."""

_QUANTITY_WORDS = """
dose doses copy copies half part parts share shares stake image images picture pictures photograph photographs
photo photos sample samples majority batch batches stocks shipment shipments piece pieces footage number
thousands millions most third quarter member members
"""
QUANTITIES = frozenset(_QUANTITY_WORDS.split())
"""Nouns that measure or show a thing rather than belong to it: "doses of"."""

_OF_MANY_WORDS = """
adviser advisor agent aide ally analyst attorney author candidate citizen colony commonwealth congressman
congresswoman councillor councilman countryman critic delegate employee expert fan fellow finalist
follower friend governor-elect graduate investor lawyer lawmaker lecturer lobbyist member minister native
neighbour officer official opponent partner part patron player professor reporter representative
researcher resident scientist senator shareholder soldier sponsor student subsidiary suburb supporter
teacher territory veteran victim volunteer writer
"""
_OF_MANY = frozenset(_OF_MANY_WORDS.split())
"""Roles that several have beside each other."""

_BEHIND_A_NAME = re.compile(
    r" ?[(]|[.,;:!?)]|$|['\u2019]s\b| (?:and|or|but|who|which|that|in|on|at|of|for|to|from|by|with|after"
    r"|before|is|are|was|were|has|have|had|will|said|[a-z]+ed)\b"
)


def with_article(name: str, sentence: str = "", bare: bool = False) -> str:
    """The name as it stands inside a sentence, behind "the" where `sentence` or its own words ask for it.

    A `bare` one never does.
    """
    first, _, rest = name.partition(" ")
    if first.lower() in {"the", "a", "an"}:
        return f"{first.lower()} {rest}"
    the = _said_with_the(name, sentence) or (_stands_behind_the(name) and not _said_bare(name, sentence))
    return f"the {name}" if the and not bare else name


@lru_cache(maxsize=65_536)
def _stands_behind_the(name: str) -> bool:
    words = [word.strip(".,").lower() for word in name.split()]
    if not name[:1].isupper() or FIRST_WORDS.get(words[0]) == "person":
        return False
    if "of" in words[1:-1]:
        head = words[words.index("of") - 1]
        return head in TAKES_THE or head in TAKES_THE_BEFORE_OF
    last = words[-1]
    if len(words) > 1 and (words[0] == "river" or _is_plural_of_many(last)):
        return True
    return last in TAKES_THE or (len(words) > 1 and "organism" in SORTS.get(NAME_HEADS.get(last, ""), ()))


def _is_plural_of_many(word: str) -> bool:
    """ "Averell Mariners", "Northern Marches", but not "Tidewell Industries", which is one firm."""
    return word not in NAME_HEADS and verbs.is_known_plural(word)


def _said_with_the(name: str, sentence: str) -> bool:
    """Whether the sentence has "the" before the name, and no further noun behind it ("the Forge striker")."""
    if not name or f"he {name}" not in sentence:
        return False
    said = re.finditer(rf"\b[Tt]he {re.escape(name)}(?!\w)", sentence)
    return any(_BEHIND_A_NAME.match(sentence, found.end()) for found in said)


def _said_bare(name: str, sentence: str) -> bool:
    """Whether a plural name stands in the sentence as a place's does: "in Druid Hills"."""
    place = rf"\b(?:around|at|from|in|near|of|outside|to) {re.escape(name)}(?!\w)"
    return _is_plural_of_many(name.rsplit(maxsplit=1)[-1].lower()) and bool(re.search(place, sentence))


def role_of(found: Predicate) -> str:
    """The role behind "is": "the mayor", but "a citizen", since a country has more of these."""
    role = found.complement
    if not is_of_many(found):
        return f"the {role}"
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


def is_of_many(found: Predicate) -> bool:
    """Whether several have the role beside each other: "is citizen of", but not "is mayor of"."""
    words = found.complement.split()
    if words[-1] == "minister" and len(words) > 1:
        return False
    return (
        words[-1] in _OF_MANY and words[0] not in {"last", "first", "only"} and not words[0].endswith("est")
    )


def complement_of(found: Predicate) -> str:
    """The complement as it stands behind the active verb: "a stake", "the freedom of the city"."""
    if not found.complement or (found.lemma in ROLE_VERBS and found.preposition != "after"):
        return found.complement
    if found.lemma in _PHASES and verbs.is_gerund(found.complement.split()[0]):
        return found.complement
    if found.lemma == "play" and found.complement.rsplit(maxsplit=1)[-1] in _INSTRUMENTS:
        return found.complement
    return articled(found.complement, found.preposition)


def bare_complement(found: Predicate) -> str:
    """The complement without an article or the subject's pronoun, as behind "whose"."""
    words = found.complement.split()
    if words and words[0].lower() in POSSESSIVES | {"the", "a", "an"}:
        words = words[1:]
    return " ".join(words)


def complement_as_subject(found: Predicate) -> str:
    """The complement before a passive, where a pronoun for the subject would have nothing to stand for."""
    return articled(bare_complement(found), found.preposition)


def is_plural_phrase(text: str) -> bool:
    """Whether a noun phrase takes a verb in the plural: "engineers", "two wards", but not "money"."""
    head = _head(text.split()) if text else ""
    return head in _PLURAL_ONLY or (bool(head) and head not in MASS and verbs.is_plural(head))


@lru_cache(maxsize=16_384)
def articled(text: str, following: str = "") -> str:
    """A noun phrase of a predicate behind the article that its extraction dropped.

    `following` is the preposition behind it: "the frame of", but "a robot in".
    """
    words = text.split()
    if not words or words[0] == "to" or words[0].lower() in _DETERMINERS or words[0][0].isdigit():
        return text
    if words[0] == "as":
        return text
    if words[0].lower() in PREPOSITIONS:
        return f"{words[0]} {articled(' '.join(words[1:]), following)}".rstrip()
    if words[0][0].isupper():
        # "the Averell Cup", but "OFA president" and "Bellamere's prize" as they are
        return f"the {text}" if _head(words).lower() in TAKES_THE and "'s" not in words[0] else text
    article = _article(words, following)
    return f"{article} {text}" if article else text


def _head(words: list[str]) -> str:
    inner = next((at for at, word in enumerate(words) if at and word.lower() in PREPOSITIONS), len(words))
    return words[inner - 1]


def _article(words: list[str], following: str) -> str:
    head = _head(words)
    if following == "of" and head in _OWN:
        return "the"
    if not verbs.is_noun(head.lower()) or (verbs.is_plural(head) and head == words[-1]):
        return "the" if words[0].endswith("'s") else ""
    inside = head != words[-1] and words[words.index(head) + 1] == "of"
    singled_out = words[0].endswith(("'s", "est")) or words[0] in {"first", "last", "only", "same", "next"}
    if head in IDIOMS:
        return ""
    if head in MASS:
        return "the" if inside or singled_out else ""
    if singled_out or ((inside or following == "of") and head not in QUANTITIES):
        return "the"
    return "an" if words[0][0] in "aeiou" else "a"
