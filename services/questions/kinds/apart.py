"""Whether two entities are surely two: a missing link, a shared word or a stated relation leaves it open."""

from collections.abc import Iterable, Iterator

from kg.queries import query
from kg.resolve.name_shape import abbreviates, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.word_lists import COMMON_WORDS, FUNCTION_WORDS, ORGANISATION_TAILS, TRADES
from kg.store.graph import Graph

PAIRS_A_BATCH = 1_000
_SHORTEST_STEM = 4
_SHARED = COMMON_WORDS | ORGANISATION_TAILS | TRADES


def names_apart(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether no name of one thing looks like a name of the other.

    "Tavisk" and "Isle of Tavisk" share a word, "Poly" begins "Polytechnic", "KFFC" may be letters of the
    other: each may be one thing that resolution did not join, so that "different" can't be said.
    """
    others = list(other)
    return not any(_alike(a, b) for a in one for b in others)


def related_pairs(graph: Graph, pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    """The pairs of ids that are equivalent in some context, or of which a claim relates one to the other."""
    rows = [{"one": one, "other": other} for one, other in sorted({*pairs})]
    found = graph.read_rows(query("kinds/list_related"), rows, PAIRS_A_BATCH)
    return {frozenset((row["one"], row["other"])) for row in found}


def _alike(one: str, other: str) -> bool:
    first, second = _content(one), _content(other)
    if first - _SHARED and second - _SHARED:
        # "Ostby University" and "Verrin University" share what many share, and are told apart by the rest.
        first, second = first - _SHARED, second - _SHARED
    if first & second or any(_begins(a, b) for a in first for b in second):
        return True
    return (is_acronym(one) and abbreviates(one, other)) or (is_acronym(other) and abbreviates(other, one))


def _content(name: str) -> set[str]:
    return {word for word in normal_form(name).split() if word not in FUNCTION_WORDS}


def _begins(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_STEM and long.startswith(short)


def pairwise_shuffled(items: Iterable[str], bound: int) -> Iterator[tuple[str, str]]:
    """Up to `bound` pairs, neighbours first, then those two apart: few pairs share an item."""
    line = list(items)
    made = 0
    for step in range(1, len(line)):
        for at in range(len(line) - step):
            if made == bound:
                return
            yield line[at], line[at + step]
            made += 1
