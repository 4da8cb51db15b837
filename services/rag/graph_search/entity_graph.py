"""The graph that the default retriever walks on: entities and titles on one side, chunks on the other.

A chunk is joined to what it names, to every known name that stands in its text, however the extraction read
it, and to what its title means, by a stronger edge. Dates, numbers and concepts are no nodes: they join what
has nothing to do with each other.

The graph of what contains what, names on one side and chunks on the other, and a walk over it.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from services.rag.graph_search.link import (
    NameIndex,
    Names,
    compact,
    name_index,
    names_among,
    plain_name,
    without_article,
    words_of,
)
from services.rag.graph_search.snapshot import Entities, Indexes, Snapshot

UNNAMED = frozenset({"DATE", "NUMBER", "CONCEPT"})
"""Types of entities that are no nodes: they join what has nothing to do with each other."""

Mass = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Containment:
    """The graph: edge weights, shape (nodes, chunks), and the same seen from the chunks, (chunks, nodes).

    A node gives each edge its weight's share of `of_nodes`, the weight of all edges that the node has, and a
    chunk likewise of `of_chunks`; both are 1 where there is no edge. The first nodes are the entities of the
    snapshot. Where nodes are joined to nodes as well, those edges weigh `among`, symmetric, shape (nodes,
    nodes), and count in `of_nodes`.
    """

    weights: csr_matrix
    transposed: csr_matrix
    of_nodes: Mass
    of_chunks: Mass
    among: csr_matrix | None = None


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk starts again: masses of nodes and chunks that add up to 1."""

    entities: Mass
    chunks: Mass


@dataclass(frozen=True, slots=True)
class WalkResult:
    """The mass of each node and each chunk at the end of a walk, and what it walked on."""

    graph: Containment
    seeds: Seeds
    entities: Mass
    chunks: Mass
    damping: float


def from_weights(weights: csr_matrix, among: csr_matrix | None = None) -> Containment:
    """A graph from its edge weights, shape (nodes, chunks), and those `among` nodes, shape (nodes, nodes)."""
    contained = weights.T.tocsr()
    of_nodes, of_chunks = _totals(weights), _totals(contained)
    if among is not None:
        of_nodes += _totals(among)
    of_nodes[of_nodes == 0], of_chunks[of_chunks == 0] = 1, 1
    return Containment(weights, contained, of_nodes, of_chunks, among)


def _totals(weights: csr_matrix) -> Mass:
    totals: Mass = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
    return totals


NO_NODE = -1

_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")
_PART = re.compile(r"[,:]")

_Names = defaultdict[str, set[int]]


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Nodes are first the entities of the snapshot, in their order, then the titles that are no entity.

    `names` finds nodes in texts. `titles` are the names of the nodes beyond the entities. `pages` holds the
    node that each chunk's title means, shape (chunks,), or -1. `frequency` tells in how many chunks a node
    stands, at least 1.
    """

    names: Names
    entities: int
    titles: tuple[str, ...]
    pages: Indexes
    frequency: NDArray[np.float64]
    containment: Containment

    def stands(self, node: int) -> bool:
        """Whether any chunk holds a node."""
        edges = self.containment.weights.indptr
        return bool(edges[node] < edges[node + 1])


def entity_graph(snapshot: Snapshot, title_weight: float) -> EntityGraph:
    """The graph of a snapshot; an edge from a title to its chunks weighs `title_weight`, others at most 1."""
    kept = np.array([kind not in UNNAMED for kind in snapshot.entities.types], dtype=np.bool_)
    names = _spellings(snapshot.entities, kept)
    own = _own_names(snapshot.entities, kept)
    meant, titled, titles = _titles(snapshot.chunks.titles, names, own, len(kept))
    index = name_index(_disambiguate(names, own, titled))
    # "King Edward III of England" is a name of its own, and yet joins the article "Edward III".
    within = name_index({name: index.nodes[name] for name in titled if " " in name})
    pages = np.array([meant.get(title, NO_NODE) for title in snapshot.chunks.titles], dtype=np.int32)
    weights = _weights(snapshot, kept, (index, within), pages, len(kept) + len(titles), title_weight)
    return EntityGraph(
        names=compact(index),
        entities=len(kept),
        titles=tuple(titles),
        pages=pages,
        frequency=np.maximum(np.diff(weights.indptr), 1).astype(np.float64),
        containment=from_weights(weights),
    )


def _spellings(entities: Entities, kept: NDArray[np.bool_]) -> _Names:
    names: _Names = defaultdict(set)
    for spelling, found in entities.spellings.pairs():
        name = without_article(plain_name(spelling))
        if len(name) > 1:
            names[name].update(entity for entity in found if kept[entity])
    return _Names(set, {name: found for name, found in names.items() if found})


def _own_names(entities: Entities, kept: NDArray[np.bool_]) -> dict[str, int]:
    """The first entity of each canonical name."""
    own: dict[str, int] = {}
    for entity, name in enumerate(entities.names):
        if kept[entity]:
            own.setdefault(without_article(plain_name(name)), entity)
    return own


def _titles(
    titles: tuple[str, ...], names: _Names, own: dict[str, int], entities: int
) -> tuple[dict[str, int], dict[str, set[int]], list[str]]:
    """The node that each title means, the nodes by the titles' names, and the titles that are no entity.

    "Brother (song)" is found as "Brother" too; where two titles are called so, none of them is the entity of
    that name for sure, and each has a node of its own. `names` gains the titles' names, and "Athens" of
    "Athens, Georgia" where nothing else is called so.
    """
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for title in sorted(set(titles)):
        if plain_name(title):
            alike[_title_name(title)].append(title)
    meant: dict[str, int] = {}
    new: list[str] = []
    for name, group in alike.items():
        known = name if name in own or name in names else without_article(name)
        entity = own.get(known, min(names.get(known) or {NO_NODE}))
        for title in group:
            meant[title] = entity if entity >= 0 and len(group) == 1 else entities + len(new)
            if meant[title] >= entities:
                new.append(title)
    by_name: defaultdict[str, set[int]] = defaultdict(set)
    for title, node in meant.items():
        for form in (_title_name(title), plain_name(title)):
            by_name[form].add(node)
    for name, nodes in by_name.items():
        for form in {name, without_article(name)} - {""}:
            names[form] |= nodes
    for part, node in _parts(meant):
        if part not in names:
            names[part].add(node)
    return meant, by_name, new


def _parts(meant: dict[str, int]) -> Iterator[tuple[str, int]]:
    """What stands before the first comma or colon of titles, with the title's node."""
    for title, node in meant.items():
        bare = _QUALIFIER.sub("", title)
        part = plain_name(_PART.split(bare, maxsplit=1)[0])
        if part and _PART.search(bare):
            yield part, node


def _title_name(title: str) -> str:
    return plain_name(_QUALIFIER.sub("", title)) or plain_name(title)


def _disambiguate(names: _Names, own: dict[str, int], titled: dict[str, set[int]]) -> dict[str, set[int]]:
    """Of several that share a name, those with an article of that name, or else of that canonical name."""
    return {name: titled.get(name) or _own(found, own.get(name, NO_NODE)) for name, found in names.items()}


def _own(found: set[int], own: int) -> set[int]:
    return {own} if own in found else found


def _weights(
    snapshot: Snapshot,
    kept: NDArray[np.bool_],
    indexes: Sequence[NameIndex],
    pages: Indexes,
    nodes: int,
    title_weight: float,
) -> csr_matrix:
    """Edge weights, shape (nodes, chunks)."""
    shape = (nodes, len(pages))
    naming = snapshot.naming.tocoo()
    named = kept[naming.col]
    found, held_by, shares = array("i"), array("i"), array("d")
    for node, chunk, share in _standing(snapshot.chunks.texts, indexes):
        found.append(node)
        held_by.append(chunk)
        shares.append(share)
    rows = np.concatenate((naming.col[named], np.array(found, np.int32)))
    columns = np.concatenate((naming.row[named], np.array(held_by, np.int32)))
    values = np.concatenate((np.ones(int(named.sum())), np.array(shares, np.float64)))
    mentions = coo_matrix((values, (rows, columns)), shape=shape).tocsr().minimum(1.0)
    titled = np.flatnonzero(pages >= 0)
    own = coo_matrix((np.full(len(titled), title_weight), (pages[titled], titled)), shape=shape)
    weights: csr_matrix = mentions.tocsr().maximum(own.tocsr()).tocsr()
    weights.sort_indices()
    return weights


def _standing(texts: Sequence[str], indexes: Sequence[NameIndex]) -> Iterator[tuple[int, int, float]]:
    """Node, chunk and weight of each name that stands in a text; several that share a name share it."""
    for chunk, text in enumerate(texts):
        words = words_of(text)
        for index in indexes:
            for found in names_among(index, text, words):
                for node in found.nodes:
                    yield node, chunk, 1.0 / len(found.nodes)
