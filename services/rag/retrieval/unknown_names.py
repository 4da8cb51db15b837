"""Which names of a filter the articles of a corpus don't have, and which of theirs come near."""

from dataclasses import dataclass
from difflib import get_close_matches

from kg.queries import query
from kg.shelves import Field, folded
from kg.store.graph import Graph
from services.rag.protocol import Filters

MOST_OFFERED = 5


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that no article has in a field, and names that some have: the nearest, or the first ones."""

    field: Field
    name: str
    offered: tuple[str, ...]


def unknown_names(graph: Graph, corpus: str, filters: Filters) -> tuple[Unknown, ...]:
    """The names of the filters that no article of the corpus has, whatever their case.

    An empty name stands for articles that have none, and is never unknown.
    """
    wanted: tuple[tuple[Field, tuple[str, ...]], ...] = (
        ("source", filters.sources),
        ("category", filters.categories),
        ("author", filters.authors),
    )
    if not any(names for _, names in wanted):
        return ()
    shelves = graph.rows(query("retrieve/list_shelves"), corpus=corpus)
    unknown = []
    for field, names in wanted:
        known = {folded(row[field]): row[field] for row in sorted(shelves, key=lambda row: str(row[field]))}
        known.pop("", None)
        for name in names:
            if folded(name) and folded(name) not in known:
                near = get_close_matches(folded(name), known, MOST_OFFERED) or list(known)[:MOST_OFFERED]
                unknown.append(Unknown(field, name, tuple(known[one] for one in near)))
    return tuple(unknown)
