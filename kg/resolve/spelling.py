"""Bonds between names that are spelt nearly alike: slips, transliterations, word order, plurals."""

from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import OSA

from kg.extract.name_tables import countries
from kg.model import LITERAL_TYPES
from kg.resolve.bonds import Bond, Pool, bond, squeezed
from kg.resolve.name_groups import NameGroups, by_key, name_groups
from kg.resolve.name_pool import PooledName
from kg.resolve.normal_form import normal_form
from kg.resolve.type_families import family
from kg.resolve.word_lists import FUNCTION_WORDS, OFFICE_NOUNS

NEAR_SPELLING_SCORE = 0.8
WORD_ORDER_SCORE = 0.85
PEOPLE_PLURAL_SCORE = 0.95
NEIGHBOURS = 6
"""How many following names a name is compared with, in each of the two orders."""
SHORTEST = 8
LETTERS_AN_EDIT = 8
"""One slip is allowed for so many letters."""
SHORTEST_WORD = 5
_INFLECTIONS = frozenset({"", "s", "a", "o", "e", "i", "n", "an", "ian", "ese", "y", "es", "d", "r"})
_NEVER_NEAR = LITERAL_TYPES | {"CONCEPT", "WORK"}


def spelling_bonds(pool: Pool, groups: Sequence[Sequence[str]]) -> list[Bond]:
    """The bonds between near spellings; `groups` are the names that are one already."""
    known = name_groups(pool, groups)
    return [*_people_plurals(pool), *_word_order(pool), *_near(known)]


def _people_plurals(pool: Pool) -> Iterator[Bond]:
    """ "Norwegian" and "Norwegians" are one people; "Norway" is its country, which is another thing."""
    demonyms = {normal_form(word): word for word in countries()}
    index = by_key((one for one in pool.values() if one.type in {"NORP", "MISC"}), lambda one: [one.key])
    for key in sorted(index.keys() & demonyms.keys()):
        plural = index.get(f"{key}s")
        if plural and index[key]:
            entries = (*index[key], *plural)
            yield bond(entries, PEOPLE_PLURAL_SCORE, f'singular and plural of "{demonyms[key]}"')


def _word_order(pool: Pool) -> Iterator[Bond]:
    """ "Ministry of Health" and "Health Ministry": an office's noun before or behind what it is for.

    Only for offices: Washington University is not the University of Washington.
    """
    offices = (one for one in pool.values() if one.type in {"ORG", "MISC"} and _office(one.key))
    for words, bucket in by_key(offices, lambda one: [_office(one.key)]).items():
        if len({one.key for one in bucket}) > 1:
            yield bond(bucket, WORD_ORDER_SCORE, f'the same words in another order: "{words}"')


def _office(key: str) -> str:
    """The sorted words of "ministry of health" and "health ministry"; "" for what is no such name."""
    words = key.split()
    content = [word for word in words if word not in FUNCTION_WORDS]
    framed = words[-1] in OFFICE_NOUNS or (words[0] in OFFICE_NOUNS and words[1:2] == ["of"])
    return " ".join(sorted(content)) if framed and len(content) > 1 else ""


def _near(groups: NameGroups) -> Iterator[Bond]:
    """Names within an edit or two, found among neighbours in the order of their letters, from either end.

    Comparing neighbours in sorted order instead of all pairs is the sorted-neighbourhood method (Hernández
    and Stolfo 1995). Two names that share an article are taken for two things that the article tells apart.
    """
    entries = [one for one in groups.pool.values() if _may_be_near(one)]
    seen: set[tuple[str, str]] = set()
    for backwards in (False, True):
        ordered = sorted((_sort_key(one, backwards), one.name) for one in entries)
        for place, (_, name) in enumerate(ordered):
            for _, other in ordered[place + 1 : place + 1 + NEIGHBOURS]:
                pair = (min(name, other), max(name, other))
                if pair in seen:
                    continue
                seen.add(pair)
                one, two = groups.pool[pair[0]], groups.pool[pair[1]]
                if groups.group_of(one) != groups.group_of(two) and _are_near(one, two):
                    yield bond((one, two), NEAR_SPELLING_SCORE, "spelt nearly alike")


def _may_be_near(entry: PooledName) -> bool:
    return entry.type not in _NEVER_NEAR and len(squeezed(entry.key)) >= SHORTEST


def _sort_key(entry: PooledName, backwards: bool) -> str:
    letters = squeezed(entry.key)
    return letters[::-1] if backwards else letters


def _are_near(one: PooledName, other: PooledName) -> bool:
    """Whether the names differ by slips only: few edits within words, nothing that tells them apart."""
    if family(one.type) != family(other.type) or one.articles & other.articles:
        return False
    mine, theirs = one.key.split(), other.key.split()
    if len(mine) != len(theirs) or one.marks != other.marks:
        return False
    allowed = min(2, min(len(squeezed(one.key)), len(squeezed(other.key))) // LETTERS_AN_EDIT)
    if OSA.distance(one.key, other.key, score_cutoff=allowed) > allowed:
        return False
    return all(_is_slip(a, b) for a, b in _differing(mine, theirs))


def _differing(mine: Iterable[str], theirs: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((a, b) for a, b in zip(mine, theirs, strict=True) if a != b)


def _shared_start(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _is_slip(one: str, other: str) -> bool:
    """Whether a word of some length was misspelt inside; another ending makes another word ("Daniela")."""
    if min(len(one), len(other)) < SHORTEST_WORD or any(letter.isdigit() for letter in one + other):
        return False
    shared = _shared_start(one, other)
    if shared == 0:
        return False
    endings = {one[shared:], other[shared:]}
    doubled = endings == {"", one[shared - 1]} and one[shared - 1] != "s"
    return doubled or not endings <= _INFLECTIONS
