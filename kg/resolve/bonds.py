"""Evidence that names are one thing: what a bond is, and the bonds between spellings of one name.

A bond says that all its names may be one; whether they become one is decided in `kg.resolve.closure`,
where everything that hangs together is compared.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kg.model import LITERAL_TYPES
from kg.resolve.name_pool import PooledName
from kg.resolve.name_shape import gender_of_honorific, is_acronym, without_article
from kg.resolve.type_families import VAGUE_TYPES, family
from kg.resolve.word_lists import KNOWN_ABBREVIATIONS

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
        parts, reason = _told_apart(bucket)
        bonds += (bond(part, SAME_KEY_SCORE, f'same normal form "{key}"') for part in parts if len(part) > 1)
        if reason:
            names = tuple(entry.name for entry in bucket)
            splits.append(SplitGroup(names, tuple(tuple(e.name for e in part) for part in parts), reason))
    return bonds, splits


def same_letters_bonds(pool: Pool) -> list[Bond]:
    """A bond between keys that differ only in blanks ("Vell-Mouth", "Vellmouth"); digits stay apart."""
    by_letters: defaultdict[str, list[PooledName]] = defaultdict(list)
    for entry in pool.values():
        letters = squeezed(entry.key)
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


def squeezed(key: str) -> str:
    """A key without blanks, except between digits."""
    return _BLANK_OUTSIDE_NUMBERS.sub("", key)


def _buckets(entries: Iterable[PooledName]) -> list[tuple[str, list[PooledName]]]:
    """Entries by key; a date or a number shares no bucket with a name."""
    buckets: defaultdict[tuple[str, str], list[PooledName]] = defaultdict(list)
    for entry in entries:
        buckets[entry.key, entry.type if entry.type in LITERAL_TYPES else ""].append(entry)
    return [(key, bucket) for (key, _), bucket in buckets.items()]


def _told_apart(bucket: list[PooledName]) -> tuple[list[list[PooledName]], str]:
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
