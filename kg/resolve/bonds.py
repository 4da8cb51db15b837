"""Evidence that names are one thing, found by buckets: same key, same letters, declared acronym.

A bond says that all its names may be one; whether they become one is decided in `kg.resolve.exact`,
after the types of everything that hangs together were compared.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.model import LITERAL_TYPES
from kg.resolve.name_pool import PooledName
from kg.resolve.name_shape import abbreviates, gender_of_honorific, is_acronym, without_article
from kg.resolve.type_families import VAGUE_TYPES, family
from kg.resolve.word_lists import KNOWN_ABBREVIATIONS

SAME_KEY_SCORE = 1.0
SAME_LETTERS_SCORE = 0.95
DECLARED_ACRONYM_SCORE = 0.9
KNOWN_ABBREVIATION_SCORE = 0.9
SHORTEST_SQUEEZED = 6
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
        bonds += (_bond(part, SAME_KEY_SCORE, f'same normal form "{key}"') for part in parts if len(part) > 1)
        if reason:
            names = tuple(entry.name for entry in bucket)
            splits.append(SplitGroup(names, tuple(tuple(e.name for e in part) for part in parts), reason))
    return bonds, splits


def same_letters_bonds(pool: Pool) -> list[Bond]:
    """A bond between keys that differ only in blanks ("Vell-Mouth", "Vellmouth"); digits stay apart."""
    squeezed: defaultdict[str, list[PooledName]] = defaultdict(list)
    for entry in pool.values():
        letters = _BLANK_OUTSIDE_NUMBERS.sub("", entry.key)
        if len(letters) >= SHORTEST_SQUEEZED and entry.type not in LITERAL_TYPES:
            squeezed[letters].append(entry)
    return [
        _bond(bucket, SAME_LETTERS_SCORE, f'same letters "{letters}"')
        for letters, bucket in squeezed.items()
        if len({entry.key for entry in bucket}) > 1
    ]


def acronym_bonds(pool: Pool, groups: Sequence[Sequence[str]]) -> tuple[list[Bond], list[SplitGroup]]:
    """A bond between an acronym that is a name by itself and the only group that declares it.

    `groups` are the names that are one already, so that "the Harrow Agency" and "Harrow Agency" count as
    one long name. An acronym that several groups declare is reported instead; one that none declares may be
    among the few that everybody knows.
    """
    declared = _declared_acronyms(pool, groups)
    known = _known_abbreviations(pool)
    standalone: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in pool.items():
        if is_acronym(name) and entry.type not in LITERAL_TYPES:
            standalone[_letters(name)].append(name)
    bonds, splits = [], []
    for acronym, names in standalone.items():
        long_names = declared.get(acronym, ())
        if len(long_names) > 1:
            parts = (tuple(names), *((name,) for name in long_names))
            reason = f'the acronym "{acronym}" stands for {len(long_names)} names'
            splits.append(SplitGroup((*names, *long_names), parts, reason))
        elif long_names:
            evidence = f'"{acronym}" is declared as short for "{long_names[0]}" in an article'
            bonds.append(Bond((*names, *long_names), DECLARED_ACRONYM_SCORE, evidence))
        elif acronym in known:
            evidence = f'"{acronym}" is well known as short for "{known[acronym][0]}"'
            bonds.append(Bond((*names, *known[acronym]), KNOWN_ABBREVIATION_SCORE, evidence))
    return bonds, splits


def _declared_acronyms(pool: Pool, groups: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """For each acronym that articles resolved to longer names: one name of each group that has it."""
    declared: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for number, group in enumerate(groups):
        for name in (name for name in group if pool[name].type not in LITERAL_TYPES):
            for surface in pool[name].surfaces:
                if surface != name and is_acronym(surface) and abbreviates(surface, name):
                    declared[_letters(surface)].setdefault(number, name)
    return {acronym: sorted(names.values()) for acronym, names in declared.items()}


def _known_abbreviations(pool: Pool) -> dict[str, list[str]]:
    """For each well-known acronym: the names of the corpus that spell it out."""
    spelt_out: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in pool.items():
        spelt_out[entry.key].append(name)
    return {short: spelt_out[key] for short, key in KNOWN_ABBREVIATIONS.items() if key in spelt_out}


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


def _is_lower(entry: PooledName) -> bool:
    return without_article(entry.name)[:1].islower()


def _could_be_a_common_word(entry: PooledName) -> bool:
    """Whether the name is in lower case or like "The Who": not the acronym "WHO"."""
    bare = without_article(entry.name)
    return _is_lower(entry) or (bare != entry.name and not is_acronym(bare))


def _letters(acronym: str) -> str:
    return acronym.replace(".", "").upper()


def _bond(entries: Iterable[PooledName], score: float, evidence: str) -> Bond:
    return Bond(tuple(sorted(entry.name for entry in entries)), score, evidence)
