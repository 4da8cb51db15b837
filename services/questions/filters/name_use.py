"""How a corpus uses names: who else goes by one, and whether it writes one small, as a common noun.

Whether a name stands in a text: as whole words, by normal form, in any of its spellings.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from kg.model import PLACE_TYPES, EntityType
from kg.queries import query
from kg.resolve.hubs import EntityUse, HubPolicy, name_reason
from kg.resolve.name_pool import compatible
from kg.resolve.normal_form import (
    COMMON_WORDS,
    FUNCTION_WORDS,
    KNOWN_ABBREVIATIONS,
    OFFICE_WORDS,
    TITLES,
    normal_form,
)
from kg.store.graph import Graph
from kg.text import inflection
from kg.text.lexicon import countries
from services.questions.draft import Stop


def any_named(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names stands in the text as whole words, in any spelling of the same form."""
    return first_named(text, names) is not None


def first_named(text: str, names: Iterable[str]) -> str | None:
    """The first of the names that stands in the text, None where none does.

    A name made of words that a dictionary has ("the Club", "Regatta") counts where it is written with its
    capitals: "a club that" is a description, and names nobody.
    """
    words = normal_form(text).split()
    return next((name for name in names if _stands_in(name, text, words)), None)


def _stands_in(name: str, text: str, words: Sequence[str]) -> bool:
    if not any(_within(words, form) for form in _forms(name)):
        return False
    return not of_dictionary_words(name) or (not name.islower() and _written_out(name, text))


def of_dictionary_words(name: str) -> bool:
    """Whether a dictionary of English has every word of a name, so that written small it may be no name."""
    words = re.findall(r"[^\W_]+", name)
    return bool(words) and all(map(_in_dictionary, words))


@lru_cache(maxsize=65_536)
def _in_dictionary(word: str) -> bool:
    return word.isalpha() and (word.lower() in COMMON_WORDS or bool(inflection.known_lemmas(word.lower())))


def _written_out(name: str, text: str) -> bool:
    """Whether the words of the name stand in the text with the same capitals, its article aside."""
    words = [word for word in name.split() if word.casefold() not in {"the", "a", "an"}]
    return f" {' '.join(words)} " in f" {_spaced(text)} "


def _spaced(text: str) -> str:
    return " ".join("".join(one if one.isalnum() else " " for one in text).split())


def _forms(name: str) -> tuple[list[str], list[str]]:
    """The form of a name at the end of a text, and before words, where "High St" begins a saint."""
    return normal_form(name).split(), normal_form(f"{name} x").split()[:-1]


def _within(words: Sequence[str], name: Sequence[str]) -> bool:
    return bool(name) and any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))


CHUNKS_READ = 300
"""Chunks that are looked at for one name."""
NAMES_A_BATCH = 200
SMALL_FROM = 0.1
"""Share of a word's chunks that write it small, from which on it is a common noun there; a name that is a
noun too ("Apple" among many firms and one pie) stays below."""

_WITH_FIGURES = re.compile(r"\b(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]+")
"""A word of capitals and figures is a name, whatever sort its reader took it for: "H5N1", "COVID-19"."""
_NAME_PARTICLES = frozenset({"of", "du", "de", "des", "del", "della", "di", "da", "von", "van", "der", "la"})


@dataclass(frozen=True, slots=True)
class Ending:
    """An entity whose name ends in another one's only word."""

    id: str
    name: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class Namesakes:
    """Who goes by names, by normal form: the ids of entities, and those whose names end in one word."""

    same: Mapping[str, frozenset[str]]
    ending: Mapping[str, tuple[Ending, ...]]


def read_same_names(graph: Graph, corpus: str, names: Iterable[str]) -> dict[str, frozenset[str]]:
    """The ids of the entities that go by names, by the names' normal form."""
    keys = sorted({normal_form(name) for name in names})
    found: dict[str, set[str]] = {key: set() for key in keys}
    for row in graph.read_in_batches(query("entities/find_named"), keys, corpus=corpus):
        found[row["key"]].add(row["id"])
    return {key: frozenset(ids) for key, ids in found.items()}


def read_namesakes(graph: Graph, corpus: str, names: Collection[str]) -> Namesakes:
    """Who goes by these names, or by a longer one that ends in one of them if it is a single word."""
    keys = sorted({form for form in map(normal_form, names) if " " not in form})
    rows = graph.rows(query("entities/list_name_endings"), corpus=corpus, keys=keys) if keys else ()
    ending = {
        row["key"]: tuple(Ending(one["id"], one["name"], one["type"]) for one in row["entities"])
        for row in rows
    }
    return Namesakes(read_same_names(graph, corpus, names), ending)


def read_small_names(graph: Graph, corpus: str, names: Iterable[str]) -> frozenset[str]:
    """Those of the names that the corpus also writes in small letters, all words being in a dictionary.

    "Comet" is one where articles write of "the comet"; a name with a word of its own never is.
    """
    rows = [_spelling_row(name) for name in sorted(set(names)) if of_dictionary_words(name)]
    found = graph.read_rows(
        query("chunks/count_spellings"), rows, NAMES_A_BATCH, corpus=corpus, limit=CHUNKS_READ
    )
    return frozenset(row["name"] for row in found if row["small"] >= max(1, SMALL_FROM * row["chunks"]))


def no_name(stop: Stop, small: frozenset[str], *, concepts: bool = False) -> str:
    """Why what an entity is called is no name of its own ("a common noun"), empty if it is one.

    With `concepts` any noun phrase will do for a name ("ketamine"), but for what many things are called.
    """
    name = stop.name
    use = EntityUse(stop.id, name, stop.type, neighbours=0, articles=0)
    if stop.type == "CONCEPT" and not _WITH_FIGURES.search(name):
        return name_reason(use, HubPolicy(), concepts=True) if concepts else "a common noun"
    if not any(one.isupper() or one.isdigit() for one in name) and name.lower() != name.upper():
        return "a common noun"
    if name.split()[0] in _NAME_PARTICLES:
        return "the last part of a name"
    if _words(name) <= TITLES | OFFICE_WORDS | FUNCTION_WORDS:
        return "a title or a common noun"
    if name in small:
        return "a word that the articles also write small, as a common noun"
    return name_reason(use, HubPolicy())


def is_common(stop: Stop) -> bool:
    """Whether a name is made of words that every country or town has one of ("Ministry of Health").

    A name that says of which country ("United States Department of Justice") is none of these.
    """
    form = f" {normal_form(stop.name)} "
    of_a_country = any(f" {country} " in form for country in _unions())
    return stop.type != "PERSON" and not of_a_country and _words(stop.name) <= COMMON_WORDS


def ambiguity(stop: Stop, name: str, known: Namesakes) -> str:
    """Why a name may mean several entities, empty if it means one."""
    form = normal_form(name)
    others = known.same.get(form, frozenset()) - {stop.id}
    if others:
        return f"{len(others) + 1} entities go by it"
    if stop.type in PLACE_TYPES:
        return ""
    family = [
        one
        for one in known.ending.get(form, ())
        if one.id != stop.id and one.type not in PLACE_TYPES and compatible(one.type, stop.type)
    ]
    least = 1 if stop.type == "PERSON" else 2
    if len(family) >= least:
        return f"it may be short for {family[0].name}"
    return ""


@cache
def _unions() -> frozenset[str]:
    """Countries and unions of countries, by normal form."""
    table = countries()
    return frozenset(map(normal_form, {*table, *table.values()})) | {*KNOWN_ABBREVIATIONS.values()}


def _words(name: str) -> set[str]:
    return {word.casefold().strip(".") for word in name.split()}


def _spelling_row(name: str) -> dict[str, str]:
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", name)]
    spelt = r"[^\p{L}]+".join(words)
    return {
        "name": name,
        "words": f'"{" ".join(words)}"',
        "pattern": rf"(?s).*(?<!\p{{L}}){spelt}(?!\p{{L}}).*",
    }
