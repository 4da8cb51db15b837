"""Names that are one already, seen from the articles: who stands beside whom."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kg.resolve.bonds import Pool
from kg.resolve.name_pool import PooledName

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
