"""Evidence that names are one thing: what a bond is, and the bonds between spellings of one name.

A bond says that all its names may be one; whether they become one is decided in `kg.resolve.closure`,
where everything that hangs together is compared.

Names that are one already, seen from the articles: who stands beside whom.

Bonds between names that are spelt nearly alike: slips, transliterations, word order, plurals.

What a person decided about names, which no rule and no model may overrule.

A correction holds names, not ids of entities, so it survives another extraction, other rules and new
articles. A merge says that two names are one thing; a split says that they are not, which wins where both
were said, and holds for contextual links too.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from rapidfuzz.distance import OSA

from kg.model import LITERAL_TYPES
from kg.resolve.name_pool import VAGUE_TYPES, PooledName, family
from kg.resolve.normal_form import (
    FUNCTION_WORDS,
    KNOWN_ABBREVIATIONS,
    OFFICE_NOUNS,
    gender_of_honorific,
    is_acronym,
    normal_form,
    without_article,
)
from kg.text.lexicon import countries, is_country

SAME_KEY_SCORE = 1.0
SAME_LETTERS_SCORE = 0.95
SHORTEST_SQUEEZED = 6
BY_HAND = "by hand"
"""The evidence of a bond that a person made; it wins over every rule."""
_BLANK_OUTSIDE_NUMBERS = re.compile(r"(?<!\d) | (?!\d)")

Pool = Mapping[str, PooledName]


@dataclass(frozen=True, slots=True)
class Bond:
    """Names that may be one thing, with a score in [0, 1] and the reason in words."""

    names: tuple[str, ...]
    score: float
    evidence: str


@dataclass(frozen=True, slots=True)
class SplitGroup:
    """Names that look like one thing but were kept apart, the parts they fell into, and why."""

    names: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    reason: str


def same_key_bonds(pool: Pool) -> tuple[list[Bond], list[SplitGroup]]:
    """A bond for all names of one key, except where case or an honorific tells them apart."""
    bonds: list[Bond] = []
    splits: list[SplitGroup] = []
    for key, bucket in _buckets(pool.values()):
        parts, reason = _split_bucket(bucket)
        bonds += (bond(part, SAME_KEY_SCORE, f'same normal form "{key}"') for part in parts if len(part) > 1)
        if reason:
            names = tuple(entry.name for entry in bucket)
            splits.append(SplitGroup(names, tuple(tuple(e.name for e in part) for part in parts), reason))
    return bonds, splits


def same_letters_bonds(pool: Pool) -> list[Bond]:
    """A bond between keys that differ only in blanks ("Vell-Mouth", "Vellmouth"); digits stay apart."""
    by_letters: defaultdict[str, list[PooledName]] = defaultdict(list)
    for entry in pool.values():
        letters = squeeze(entry.key)
        if len(letters) >= SHORTEST_SQUEEZED and entry.type not in LITERAL_TYPES:
            by_letters[letters].append(entry)
    return [
        bond(bucket, SAME_LETTERS_SCORE, f'same letters "{letters}"')
        for letters, bucket in by_letters.items()
        if len({entry.key for entry in bucket}) > 1
    ]


def bond(entries: Iterable[PooledName], score: float, evidence: str) -> Bond:
    """A bond over entries, its names in order."""
    return Bond(tuple(sorted(entry.name for entry in entries)), score, evidence)


def squeeze(key: str) -> str:
    """A key without blanks, except between digits."""
    return _BLANK_OUTSIDE_NUMBERS.sub("", key)


def _buckets(entries: Iterable[PooledName]) -> list[tuple[str, list[PooledName]]]:
    """Entries by key; a date or a number shares no bucket with a name."""
    buckets: defaultdict[tuple[str, str], list[PooledName]] = defaultdict(list)
    for entry in entries:
        buckets[entry.key, entry.type if entry.type in LITERAL_TYPES else ""].append(entry)
    return [(key, bucket) for (key, _), bucket in buckets.items()]


def _split_bucket(bucket: list[PooledName]) -> tuple[list[list[PooledName]], str]:
    """The parts of a bucket that may be one thing, and the reason if there are several."""
    one_word = " " not in bucket[0].key
    if not one_word or len(bucket) == 1:
        return [bucket], ""
    if {"m", "f"} <= {gender_of_honorific(entry.name) for entry in bucket}:
        return [[entry] for entry in bucket], "one surname with honorifics of a man and a woman"
    if len(bucket[0].key) == 2 and (apart := _dotted_apart(bucket)):
        return apart, "an acronym of two letters with dots and without, in different articles"
    lower = [entry for entry in bucket if _is_lower(entry) and entry.type in VAGUE_TYPES]
    named = [entry for entry in bucket if entry not in lower]
    led = [entry for entry in named if _could_be_a_common_word(entry)]
    plain = [entry for entry in named if entry not in led]
    if not any(is_acronym(without_article(entry.name)) for entry in plain):
        plain, led = named, []
        if not any(family(entry.type) for entry in named):
            return [bucket], ""
    parts = [part for part in (plain, led, lower) if part]
    return parts, "a name and a word or an acronym are spelt alike" if len(parts) > 1 else ""


def _dotted_apart(bucket: list[PooledName]) -> list[list[PooledName]]:
    """The entries with dots ("D.C.") and those without ("DC"), unless an article has both; else none.

    So few letters stand for many things; only what everybody knows ("US") is one however it is written.
    """
    dotted = [entry for entry in bucket if "." in entry.name]
    plain = [entry for entry in bucket if "." not in entry.name]
    if not dotted or not plain or bucket[0].key.upper() in KNOWN_ABBREVIATIONS:
        return []
    articles = [frozenset().union(*(entry.articles for entry in part)) for part in (dotted, plain)]
    return [] if articles[0] & articles[1] else [dotted, plain]


def _is_lower(entry: PooledName) -> bool:
    return without_article(entry.name)[:1].islower()


def _could_be_a_common_word(entry: PooledName) -> bool:
    """Whether the name is in lower case or like "The Who": not the acronym "WHO"."""
    bare = without_article(entry.name)
    return _is_lower(entry) or (bare != entry.name and not is_acronym(bare))


MOST_CANDIDATES = 64
"""A short name with more possible long ones than this names nothing."""


@dataclass(frozen=True, slots=True)
class NameGroups:
    """Groups of names over a pool, by number, with the articles that each stands in."""

    pool: Pool
    number: dict[str, int]
    articles: tuple[frozenset[str], ...]

    def group_of(self, entry: PooledName) -> int:
        """The number of a name's group."""
        return self.number[entry.name]


def name_groups(pool: Pool, groups: Sequence[Sequence[str]]) -> NameGroups:
    """The groups, ready to be asked."""
    number = {name: index for index, group in enumerate(groups) for name in group}
    articles = tuple(frozenset().union(*(pool[name].articles for name in group)) for group in groups)
    return NameGroups(pool, number, articles)


def only_partner(
    groups: NameGroups, short: Iterable[PooledName], candidates: Sequence[PooledName], *, everywhere: bool
) -> PooledName | None:
    """The candidate that a short name stands for, if its articles leave one group only.

    The articles of `short` must name exactly one group of the candidates among them. With `everywhere` each
    of them must name it; else an article may have the short name alone, as long as the corpus has no other
    candidate.
    """
    numbers = {groups.group_of(one) for one in candidates}
    if not numbers or len(numbers) > MOST_CANDIDATES:
        return None
    articles = frozenset().union(*(entry.articles for entry in short))
    beside = {number for number in numbers if groups.articles[number] & articles}
    if len(beside) != 1:
        return None
    (found,) = beside
    alone = articles - groups.articles[found]
    if alone and (everywhere or len(numbers) > 1):
        return None
    return min((one for one in candidates if groups.group_of(one) == found), key=_best_first)


def by_key(
    entries: Iterable[PooledName], keys: Callable[[PooledName], Iterable[str]]
) -> dict[str, list[PooledName]]:
    """Entries under each of their keys, in order."""
    index: dict[str, list[PooledName]] = {}
    for entry in entries:
        for key in dict.fromkeys(keys(entry)):
            index.setdefault(key, []).append(entry)
    return index


def _best_first(entry: PooledName) -> tuple[int, str]:
    return -entry.count, entry.name


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
    return entry.type not in _NEVER_NEAR and len(squeeze(entry.key)) >= SHORTEST


def _sort_key(entry: PooledName, backwards: bool) -> str:
    letters = squeeze(entry.key)
    return letters[::-1] if backwards else letters


def _are_near(one: PooledName, other: PooledName) -> bool:
    """Whether the names differ by slips only: few edits within words, nothing that tells them apart."""
    if family(one.type) != family(other.type) or one.articles & other.articles:
        return False
    if is_country(one.name) or is_country(other.name):
        return False  # Columbia is no slip for Colombia
    mine, theirs = one.key.split(), other.key.split()
    if len(mine) != len(theirs) or one.marks != other.marks:
        return False
    allowed = min(2, min(len(squeeze(one.key)), len(squeeze(other.key))) // LETTERS_AN_EDIT)
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


CorrectionKind = Literal["merge", "split"]

APPLIED = "applied"
BY_HAND_SCORE = 1.0


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word on two names: who said it, when and why."""

    id: str
    kind: CorrectionKind
    name: str
    other: str
    reason: str
    by: str
    created_at: datetime


class Corrections:
    """The corrections of a corpus, as far as they touch the names that it has."""

    def __init__(self, made: Iterable[Correction], names: Collection[str]) -> None:
        present = _Present(names)
        self._pairs = [
            (one, tuple(sorted(present.find(name) for name in (one.name, one.other)))) for one in made
        ]

    @property
    def bonds(self) -> list[Bond]:
        """A bond for each merge by hand."""
        return [Bond(pair, BY_HAND_SCORE, BY_HAND) for pair in self._pairs_of("merge")]

    @property
    def apart(self) -> frozenset[tuple[str, str]]:
        """The pairs of names, smaller first, that were split by hand."""
        return frozenset(self._pairs_of("split"))

    def effects(self, entity_of: Mapping[str, str]) -> dict[str, str]:
        """What became of each correction, by its id, once every name has its entity."""
        return {one.id: _effect(one, pair, entity_of) for one, pair in self._pairs}

    def _pairs_of(self, kind: CorrectionKind) -> list[tuple[str, str]]:
        return [(pair[0], pair[1]) for one, pair in self._pairs if one.kind == kind and _is_whole(pair)]


class _Present:
    """The names of a corpus, found as they were written or else, where that is clear, by normal form."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._by_form: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            self._by_form[normal_form(name)].append(name)

    def find(self, name: str) -> str:
        """The name; empty where the corpus has none or several like it."""
        alike = [name] if name in self._names else self._by_form.get(normal_form(name), [])
        return alike[0] if len(alike) == 1 else ""


def _is_whole(pair: tuple[str, ...]) -> bool:
    return all(pair) and len(set(pair)) == 2


def _effect(correction: Correction, pair: tuple[str, ...], entity_of: Mapping[str, str]) -> str:
    if not _is_whole(pair):
        return "without effect: the corpus no longer has both names"
    as_wanted = (len({entity_of[name] for name in pair}) == 1) == (correction.kind == "merge")
    return APPLIED if as_wanted else "not done: names that it would join were split by hand"
