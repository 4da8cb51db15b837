"""Names that sound as if they were of the corpus, and that nobody and nothing in it bears.

Names of persons and firms from which a null question starts, and of news sources that one names.
"""

from collections.abc import Mapping, Sequence

from kg.queries import query
from kg.resolve.normal_form import (
    COMMON_WORDS,
    GENERIC_WORDS,
    LANDMARKS,
    ORGANISATION_TAILS,
    PART_WORDS,
    TRADES,
)
from kg.store.graph import Graph
from services.questions.kinds.askable import phrase
from services.questions.kinds.known_facts import read_sources
from services.questions.kinds.spread import chance

NEWS_NAMES = (
    "Chronicle", "Courier", "Dispatch", "Examiner", "Gazette", "Herald", "Ledger", "Observer", "Recorder",
    "Tribune",
)  # fmt: skip
"""What newspapers are called."""
MOST_SOURCES = 12
MOST_NAMES = 2_000
_OF_FIRMS = GENERIC_WORDS | ORGANISATION_TAILS | TRADES
_OF_THINGS = COMMON_WORDS | LANDMARKS | ORGANISATION_TAILS | PART_WORDS | TRADES
_TRIES = 4
_NAMES_A_BATCH = 200


def invented_names(graph: Graph, corpus: str, wanted: Mapping[str, str], seed: int) -> dict[str, str]:
    """For each id with its type, PERSON or ORG, a name of two words that stands nowhere in the corpus.

    It is the first word of one name and the last of another, as "Ana Tolland" from Ana Brel and Mira
    Tolland; an id for which every try is somebody's name gets none.
    """
    pools = _read_pools(graph, corpus, seed)
    tries = {
        f"{name} {number}": made
        for name, kind in wanted.items()
        for number in range(_TRIES)
        if (made := _mixed(pools.get(kind, ()), chance(seed, name, str(number))))
    }
    taken = _in_use(graph, corpus, tries)
    found: dict[str, str] = {}
    given: set[str] = set()
    for number in range(_TRIES):
        for name in wanted:
            made = tries.get(f"{name} {number}", "")
            if made and name not in found and made not in taken and made not in given:
                found[name] = made
                given.add(made)
    return found


def _read_pools(graph: Graph, corpus: str, seed: int) -> dict[str, list[str]]:
    """Names of two words by type, without those whose words make the type doubtful."""
    pools: dict[str, list[str]] = {}
    types: dict[str, set[str]] = {}
    for row in graph.stream(query("entities/list_entities"), corpus=corpus):
        if not row["named"]:
            continue
        words = row["name"].split()
        for word in words:
            types.setdefault(word, set()).add(row["type"])
        if len(words) == 2 and all(word[:1].isupper() and word.isalpha() for word in words):
            pool = pools.setdefault(row["type"], [])
            pool.append(row["name"])
            if len(pool) > 2 * MOST_NAMES:
                pools[row["type"]] = sorted(pool, key=lambda name: chance(seed, name))[:MOST_NAMES]
    fitting = {"PERSON": _is_person, "ORG": _is_firm}
    return {
        kind: sorted(
            (name for name in pools.get(kind, ()) if fits(name, types)), key=lambda name: chance(seed, name)
        )[:MOST_NAMES]
        for kind, fits in fitting.items()
    }


def _is_person(name: str, types: Mapping[str, set[str]]) -> bool:
    """Whether both words are in names of persons only: "Sable Harbour" taken for one is not."""
    words = name.split()
    return all(types[word] == {"PERSON"} and word.casefold() not in _OF_THINGS for word in words)


def _is_firm(name: str, types: Mapping[str, set[str]]) -> bool:
    """Whether it ends in what a firm or an office is: "Halden Shipping"."""
    first, last = name.split()
    return last.casefold() in _OF_FIRMS and "PERSON" not in types[first]


def _mixed(pool: Sequence[str], draw: str) -> str:
    if len(pool) < 2:
        return ""
    one, other = pool[int(draw[:6], 16) % len(pool)], pool[int(draw[6:12], 16) % len(pool)]
    first, last = one.split()[0], other.split()[-1]
    return f"{first} {last}" if one != other and first != last else ""


def _in_use(graph: Graph, corpus: str, tries: Mapping[str, str]) -> set[str]:
    rows = ({"id": name, "phrase": phrase(name)} for name in sorted(set(tries.values())))
    return {
        row["id"]
        for row in graph.read_rows(query("entities/find_names"), rows, _NAMES_A_BATCH, corpus=corpus)
    }


def fictional_sources(graph: Graph, corpus: str, seed: int) -> list[str]:
    """Names of news sources that stand nowhere in the corpus, such as "Pelham Gazette" (MultiHop-RAG, 3.1).

    None where its articles name fewer than two: their questions have no reason to name one.
    """
    known = read_sources(graph, corpus)
    if len(known) < 2:
        return []
    surnames = sorted({name.split()[-1] for name in _read_pools(graph, corpus, seed)["PERSON"]})
    made = [f"{surname} {news}" for surname in surnames for news in NEWS_NAMES]
    made = sorted(made, key=lambda name: chance(seed, "source", name))[: _TRIES * MOST_SOURCES]
    used = _in_use(graph, corpus, {name: name for name in made})
    free = (name for name in made if name not in used and not any(name.casefold() in one for one in known))
    return list(free)[:MOST_SOURCES]
