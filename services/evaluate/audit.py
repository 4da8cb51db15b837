"""A sample of merges and links for a human reader, with the evidence for each (GRADE, appendix A.6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from kg.queries import query
from kg.store.graph import Graph, Row

T = TypeVar("T")

SENTENCES = 2
"""Sentences shown for each name."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Merged entities and pairs linked by context that were drawn, of how many, and all groups kept apart.

    The rows are those of `links/read_merged`, `links/read_pairs` and `links/list_split_groups`.
    """

    seed: int
    merged: Sequence[Row]
    merged_total: int
    links: Sequence[Row]
    links_total: int
    kept_apart: Sequence[Row]


def draw_audit(graph: Graph, corpus: str, groups: int, seed: int) -> Audit:
    """Draw so many merged entities and so many linked pairs, each kind uniformly; all where fewer are.

    A pair counts once, in however many clusters it is linked.
    """
    generator = np.random.default_rng(seed)
    merged = [row["id"] for row in graph.rows(query("links/list_merged"), corpus=corpus)]
    links = graph.rows(query("links/list_pairs"), corpus=corpus)
    return Audit(
        seed=seed,
        merged=list(
            graph.read_in_batches(
                query("links/read_merged"), _drawn(merged, groups, generator), sentences=SENTENCES
            )
        ),
        merged_total=len(merged),
        links=graph.rows(
            query("links/read_pairs"), rows=_drawn(links, groups, generator), sentences=SENTENCES
        ),
        links_total=len(links),
        kept_apart=graph.rows(query("links/list_split_groups"), corpus=corpus),
    )


def read_named_statements(
    graph: Graph, entity: str, name: str, clusters: Sequence[str], limit: int
) -> list[Row]:
    """Some statements that mention the entity with this id by a name, or by any where the name is empty;
    those of some clusters where any are given. Keys: statement, sentence, article (its title)."""
    return graph.rows(query("claims/read_naming"), id=entity, name=name, clusters=list(clusters), limit=limit)


def _drawn(items: Sequence[T], size: int, generator: np.random.Generator) -> list[T]:
    return [items[place] for place in generator.permutation(len(items))[:size].tolist()]
