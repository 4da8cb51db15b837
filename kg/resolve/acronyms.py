"""Bonds between an acronym and the name it stands for: declared, well known, or the only fit."""

from collections import defaultdict
from collections.abc import Sequence

from kg.model import LITERAL_TYPES
from kg.resolve.bonds import Bond, Pool, SplitGroup
from kg.resolve.name_shape import abbreviates, initials, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.type_families import VAGUE_TYPES, compatible
from kg.resolve.word_lists import KNOWN_ABBREVIATIONS

DECLARED_ACRONYM_SCORE = 0.9
KNOWN_ABBREVIATION_SCORE = 0.9
UNDECLARED_ACRONYM_SCORE = 0.8
SPELT_OUT_SCORE = 0.95
SHORTEST_UNDECLARED = 3
_NO_LONG_NAME = VAGUE_TYPES | LITERAL_TYPES | {"PERSON", "GPE", "NORP"}

Groups = Sequence[Sequence[str]]


def acronym_bonds(pool: Pool, groups: Groups) -> tuple[list[Bond], list[SplitGroup]]:
    """A bond between an acronym that is a name by itself and the only group that it can stand for.

    `groups` are the names that are one already, so that "the Harrow Agency" and "Harrow Agency" count as
    one long name. An acronym that several groups declare is reported instead. One that none declares may be
    among the few that everybody knows; else it needs exactly one name of the whole corpus with its initials,
    of an agreeing type, that stands in an article with it.
    """
    declared = _declared_acronyms(pool, groups)
    known = _known_abbreviations(pool)
    by_initials = _long_names_by_initials(pool, groups)
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
        elif long_name := _only_fit(pool, names, by_initials.get(acronym, ())):
            evidence = f'only "{long_name}" has the initials "{acronym}", and articles have both'
            bonds.append(Bond((*names, long_name), UNDECLARED_ACRONYM_SCORE, evidence))
    return bonds, splits


def spelt_out_bonds(pool: Pool) -> list[Bond]:
    """Bonds between names that differ in a well-known acronym: "US Senate", "United States Senate"."""
    by_key: defaultdict[str, list[str]] = defaultdict(list)
    spelt_out: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in pool.items():
        if " " in entry.key and entry.type not in LITERAL_TYPES:
            by_key[entry.key].append(name)
            if (key := _spelt_out(name)) != entry.key:
                spelt_out[key].append(name)
    return [
        Bond((*sorted(names), *by_key[key]), SPELT_OUT_SCORE, f'the same with "{key}" spelt out')
        for key, names in spelt_out.items()
        if by_key.get(key)
    ]


def _spelt_out(name: str) -> str:
    """The normal form of a name with its well-known acronyms in full."""
    words = (KNOWN_ABBREVIATIONS.get(_letters(w), w) if is_acronym(w) else w for w in name.split())
    return normal_form(" ".join(words))


def _declared_acronyms(pool: Pool, groups: Groups) -> dict[str, list[str]]:
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


def _long_names_by_initials(pool: Pool, groups: Groups) -> dict[str, list[Sequence[str]]]:
    """The groups of long names by their initials."""
    found: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
    for group in groups:
        letters = {
            letters
            for name in group
            if pool[name].type not in _NO_LONG_NAME and " " in pool[name].key
            for letters in initials(name)
            if len(letters) >= SHORTEST_UNDECLARED
        }
        for one in letters:
            found[one].append(group)
    return found


def _only_fit(pool: Pool, acronym_names: Sequence[str], groups: Sequence[Sequence[str]]) -> str:
    """A name of the only group of fitting type that shares an article with the acronym, or ""."""
    if len(groups) != 1:
        return ""
    articles = frozenset().union(*(pool[name].articles for name in acronym_names))
    fitting = sorted(
        name
        for name in groups[0]
        if pool[name].articles & articles
        and all(compatible(pool[name].type, pool[short].type) for short in acronym_names)
    )
    return fitting[0] if fitting else ""


def _letters(acronym: str) -> str:
    return acronym.replace(".", "").upper()
