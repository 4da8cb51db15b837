"""Bonds between a name and its beginning or end: "Halden", "the Foundation" for what articles spell out."""

from collections.abc import Iterator, Sequence

from kg.extract.name_tables import countries
from kg.resolve.bonds import Bond, Pool, bond
from kg.resolve.name_groups import NameGroups, by_key, name_groups, only_partner
from kg.resolve.name_pool import PooledName
from kg.resolve.name_shape import is_acronym, without_article
from kg.resolve.normal_form import normal_form
from kg.resolve.people import person_words
from kg.resolve.type_families import PLACE_TYPES, compatible
from kg.resolve.word_lists import (
    FUNCTION_WORDS,
    GENERIC_WORDS,
    LANDMARKS,
    PART_WORDS,
    PLACE_OPENINGS,
    TRADES,
)
from kg.text.head_noun import PREPOSITIONS

SHORT_NAME_SCORE = 0.8
SHORTEST = 3
_SHORTENED = frozenset({"ORG", "FAC", "EVENT", "PRODUCT", "LAW", "MISC"})


def short_name_bonds(pool: Pool, groups: Sequence[Sequence[str]]) -> list[Bond]:
    """The bonds between short names and the only longer name that their articles have.

    A name of common words ("the Foundation") is bonded only if all its articles name the same thing in full.
    A word of its own ("Nordlight") may stand alone in some, if the corpus has one longer name only.
    """
    known = name_groups(pool, groups)
    named = [one for one in pool.values() if one.type not in {"CONCEPT", "DATE", "NUMBER"}]
    return list(_bonds(known, named, by_key(named, _ends), _taken_words(named), _common_words(pool)))


def _bonds(
    groups: NameGroups,
    named: Sequence[PooledName],
    longer: dict[str, list[PooledName]],
    taken: frozenset[str],
    common: frozenset[str],
) -> Iterator[Bond]:
    for short in named:
        if not _may_be_short(short) or short.key not in longer:
            continue
        others = [one for one in longer[short.key] if groups.group_of(one) != groups.group_of(short)]
        own = not set(short.key.split()) <= common and short.key not in taken
        found = only_partner(groups, [short], _plausible(groups, short, others, taken), everywhere=not own)
        if found:
            evidence = f'only "{found.name}" is longer, and articles have both'
            yield bond((short, found), SHORT_NAME_SCORE, evidence)


def _plausible(
    groups: NameGroups, short: PooledName, longer: Sequence[PooledName], taken: frozenset[str]
) -> list[PooledName]:
    """The names that `short` may be short for; none of a group that has it as a mere part of another name.

    "UH Mānoa" is no longer "Mānoa", because it is also called "University of Hawaii at Mānoa".
    """
    fits = {one.name: compatible(short.type, one.type) and _shortens(short, one, taken) for one in longer}
    spoilt = {groups.group_of(one) for one in longer if not fits[one.name]}
    return [one for one in longer if fits[one.name] and groups.group_of(one) not in spoilt]


def _ends(entry: PooledName) -> Iterator[str]:
    """All beginnings and ends of a name's key that are whole words."""
    words = entry.key.split()
    for cut in range(1, len(words)):
        yield " ".join(words[:cut])
        yield " ".join(words[cut:])


def _taken_words(named: Sequence[PooledName]) -> frozenset[str]:
    """Keys that name a person, a place or a people, or are somebody's surname."""
    keys = {one.key for one in named if one.type in PLACE_TYPES | {"PERSON", "NORP"}}
    keys |= {person_words(one.key)[-1] for one in named if one.type == "PERSON"}
    return frozenset(keys | {normal_form(word) for table in countries().items() for word in table})


def _common_words(pool: Pool) -> frozenset[str]:
    """Words that many things share, and all that the corpus writes small in phrases which are no names."""
    phrases = (one.name for one in pool.values() if one.type == "CONCEPT")
    return GENERIC_WORDS | {word for phrase in phrases for word in phrase.split() if word.islower()}


def _may_be_short(entry: PooledName) -> bool:
    bare = without_article(entry.name)
    return (
        len(entry.key) >= SHORTEST and bare[:1].isupper() and not is_acronym(bare) and entry.type != "PERSON"
    )


def _shortens(short: PooledName, long: PooledName, taken: frozenset[str]) -> bool:
    """Whether what `long` has beyond `short` makes it the same thing's full name."""
    if short.marks != long.marks:
        return False
    words, few = long.key.split(), short.key.split()
    at_end = words[-len(few) :] == few
    dropped = words[: -len(few)] if at_end else words[len(few) :]
    if long.type in PLACE_TYPES - {"FAC"}:
        return at_end and tuple(dropped) in PLACE_OPENINGS
    if long.type not in _SHORTENED or short.key in taken:
        return False
    if at_end:
        return dropped[-1] not in FUNCTION_WORDS | PREPOSITIONS and not set(few) <= PART_WORDS
    if set(few) <= GENERIC_WORDS:
        return dropped[0] == "of"
    return TRADES.issuperset(dropped) if long.type == "ORG" else LANDMARKS.issuperset(dropped)
