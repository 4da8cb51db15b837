"""All that a corpus says about one name, whatever types and articles it came with."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kg.model import LITERAL_TYPES, EntityName, EntityType
from kg.resolve.date_key import date_key
from kg.resolve.normal_form import normal_form
from kg.resolve.qualifiers import Marks, marks
from kg.resolve.type_families import voted_type


@dataclass(frozen=True, slots=True)
class PooledName:
    """A name with its key; `votes` are (type, mentions), `surfaces` what articles resolved to it.

    `marks` are its numbers and opposites; a literal has none.
    """

    name: str
    key: str
    type: EntityType
    count: int
    votes: tuple[tuple[EntityType, int], ...]
    articles: frozenset[str]
    surfaces: frozenset[str]
    marks: Marks


def pool_names(names: Iterable[EntityName]) -> dict[str, PooledName]:
    """One entry a name, in the order of the names; rows of one name under several types are added up."""
    rows: defaultdict[str, list[EntityName]] = defaultdict(list)
    for row in names:
        rows[row.name].append(row)
    return {name: _pooled(name, rows[name]) for name in sorted(rows)}


def _pooled(name: str, rows: list[EntityName]) -> PooledName:
    votes: Counter[EntityType] = Counter()
    for row in rows:
        votes[row.type] += row.count
    kind = voted_type(votes)
    literal = kind in LITERAL_TYPES
    key = _literal_key(name, kind) if literal else normal_form(name)
    return PooledName(
        name=name,
        key=key,
        type=kind,
        count=votes.total(),
        votes=tuple(sorted(votes.items())),
        articles=frozenset().union(*(row.articles for row in rows)),
        surfaces=frozenset().union(*(row.surfaces for row in rows)),
        marks={} if literal else marks(name, key),
    )


def _literal_key(name: str, kind: EntityType) -> str:
    return date_key(name) if kind == "DATE" else " ".join(name.casefold().split())
