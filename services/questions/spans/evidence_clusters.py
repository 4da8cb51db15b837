"""Which evidence cluster a chunk lies in, by article, claims, communities, place, time or domain.

    articles     the article, by its id
    claims       the component of the mixture over claims that is most probable over the chunk's own: the
                 one with the largest sum of their probabilities, by its id
    communities  the community of entities that its claims and names fall into most often, by its number:
                 "community 0" is the largest; `services.questions.spans.evidence_clusters`
    place        the region that its article names most often; `services.questions.spans.evidence_clusters`
    time         the month in which its article was published: "2031-01"
    domain       the category of its article

A chunk of which nothing is told gets the label of `services.questions.spans.facets.UNKNOWN`, such as
"no date".

The region that an article is about: the place that it names most, lifted to what that lies in.

A place lies where most facts say that it lies. A region must divide the corpus: what more than half of the
articles name, themselves or by a place within it, as the country of a national paper, is too broad. So a
place counts for the broadest place around it that is not, and a broad place only where an article names no
other. Of places that are named equally often the first by name is taken.

An extractor takes a person or a product for a place now and then. What some texts take for something else
is a place only where facts treat it as one: it lies somewhere, or somebody lives or something stands there.

Communities of entities that facts join: by Leiden where the server has it, else by Louvain.

Both maximise modularity over the same edges, as often as there are facts between two entities. Leiden
(Traag, Waltman and van Eck 2019) runs inside a server with graph data science; without, the older method
runs here. They need not agree, so what rests on communities is kept with what was made of it.

Communities of a graph by the Louvain method (Blondel et al. 2008), with equal results from run to run.

Each node in turn goes to the neighbouring community where modularity (Newman and Girvan 2004) grows most;
then communities become nodes, until nothing moves. Nodes come in the order of a seeded draw, and of equal
gains the community with the lowest number wins.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kg.queries import query
from kg.store.graph import Graph, Row
from services.entity_projection import entity_projection, has_gds
from services.questions.spans.facets import UNKNOWN, ClusterFacet

Labels = NDArray[np.intp]

LEAST_GAIN = 1e-12
"""A gain of modularity, times the whole weight, below which it is rounding."""
MOST_SWEEPS = 100


def louvain(weights: csr_array, generator: np.random.Generator) -> Labels:
    """The community of each of n nodes, 0 for the largest; of equal size the one with the first node.

    `weights` are those of undirected edges, symmetric, shape (n, n); a node without an edge stays alone.
    """
    labels = np.arange(weights.shape[0], dtype=np.intp)
    level = weights.astype(np.float64)
    while True:
        moved = _sweep(level, generator)
        found, merged = np.unique(moved, return_inverse=True)
        if len(found) == level.shape[0]:
            return _by_size(labels)
        labels = merged[labels]
        level = _joined(level, merged, len(found))


def _sweep(weights: csr_array, generator: np.random.Generator) -> Labels:
    """Move nodes between communities until none gains: the community of each."""
    size = weights.shape[0]
    degrees: list[float] = np.asarray(weights.sum(axis=1), np.float64).ravel().tolist()
    starts, ends, values = weights.indptr.tolist(), weights.indices.tolist(), weights.data.tolist()
    whole = sum(degrees)
    community = list(range(size))
    inside = list(degrees)
    order = generator.permutation(size).tolist()
    for _ in range(MOST_SWEEPS if whole else 0):
        changed = False
        for node in order:
            here, degree = community[node], degrees[node]
            inside[here] -= degree
            joins = {here: 0.0}
            for at in range(starts[node], starts[node + 1]):
                if ends[at] != node:
                    other = community[ends[at]]
                    joins[other] = joins.get(other, 0.0) + values[at]
            best, most = here, joins[here] - degree * inside[here] / whole
            for other in sorted(joins):
                gain = joins[other] - degree * inside[other] / whole
                if gain > most + LEAST_GAIN * whole:
                    best, most = other, gain
            inside[best] += degree
            community[node] = best
            changed = changed or best != here
        if not changed:
            break
    return np.array(community, np.intp)


def _joined(weights: csr_array, labels: Labels, size: int) -> csr_array:
    """The graph of communities: weights between them added up, those within them as loops."""
    edges = weights.tocoo()
    ends = (labels[edges.row], labels[edges.col])
    return coo_array((edges.data, ends), shape=(size, size)).tocsr()


def _by_size(labels: Labels) -> Labels:
    _, first, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    places = np.empty(len(sizes), np.intp)
    places[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    numbered: Labels = places[codes]
    return numbered


SEED = 0
GAMMA = 1.0
FEWEST_MEMBERS = 2
"""An entity without a fact is a community of its own, which tells nothing."""


def read_communities(graph: Graph, corpus: str) -> dict[str, int]:
    """The community of each entity that a fact joins to another, 0 for the largest."""
    if has_gds(graph):
        with entity_projection(graph, corpus, mirrored=False, use="evidence clusters") as name:
            rows = graph.rows(query("gds/read_communities"), name=name, seed=SEED, gamma=GAMMA)
        return number_communities({row["entity"]: row["community"] for row in rows})
    return communities_of_edges(graph.stream(query("entities/read_joined"), corpus=corpus))


def communities_of_edges(rows: Iterable[Row]) -> dict[str, int]:
    """The same by Louvain, from the rows of `entities/read_joined`; their order has no influence."""
    weights: Counter[tuple[str, str]] = Counter()
    for row in rows:
        weights[row["one"], row["other"]] += row["facts"]
    entities = sorted({entity for edge in weights for entity in edge})
    place = {entity: at for at, entity in enumerate(entities)}
    edges = sorted(weights.items())
    tails = np.array([place[one] for (one, _), _ in edges], np.intp)
    heads = np.array([place[other] for (_, other), _ in edges], np.intp)
    facts = np.array([number for _, number in edges], np.float64)
    size = len(entities)
    one_way = coo_array((facts, (tails, heads)), shape=(size, size)).tocsr()
    labels = louvain(csr_array(one_way + one_way.T), np.random.default_rng(SEED)) if size else np.array([])
    return number_communities(dict(zip(entities, labels.tolist(), strict=True)))


def number_communities(found: Mapping[str, int]) -> dict[str, int]:
    """Communities of two and more entities, numbered by size; of equal size the one with the first id."""
    members: dict[int, list[str]] = defaultdict(list)
    for entity, community in found.items():
        members[community].append(entity)
    told = [sorted(group) for group in members.values() if len(group) >= FEWEST_MEMBERS]
    told.sort(key=lambda group: (-len(group), group[0]))
    return {entity: number for number, group in enumerate(told) for entity in group}


BROAD = 0.5
"""The share of articles beyond which a place is too broad for a region."""

BUILDING = "FAC"
"""The type of places that are named for where they stand, and are no region themselves."""

_LIES_IN = re.compile(
    r"(?:is |was |are |were )?(?:located|situated|set|found) (?:in|on|within|inside)"
    r"|(?:is |was )?(?:a |an |the )?(?:\w+ )?(?:part|district|suburb|quarter|borough|capital|province|region|"
    r"county|state|city|town|village|municipality) (?:of|in)"
    r"|(?:lies|lie|lay|stands|stood|sits|is|was) (?:in|within|inside)"
)

_STANDS_THERE = re.compile(
    r"(?:is |was |are |were )?(?:located|situated|based|headquartered|set|held|born|buried|found) "
    r"(?:in|on|at|near)"
    r"|(?:lies|lie|lay|stands|stood|sits|sat|lives|live|lived|rises|rose|is|was|are|were) (?:in|on|at|near)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place with where facts say that it lies: how many say so of each other place, by id."""

    id: str
    name: str
    type: str
    within: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Named:
    """An article names a place so many times."""

    article: str
    place: str
    times: int


def says_where(predicate: str) -> bool:
    """Whether a predicate between two places says that the first lies in the second."""
    return _LIES_IN.fullmatch(" ".join(predicate.lower().split())) is not None


def says_stands_there(predicate: str) -> bool:
    """Whether a predicate says that its subject is at its object, which so is a place."""
    words = " ".join(predicate.lower().split())
    return says_where(words) or _STANDS_THERE.fullmatch(words) is not None


def regions_of_articles(places: Iterable[Place], named: Iterable[Named]) -> dict[str, str]:
    """The name of the region of each article that names a place which can be one."""
    by_id = {place.id: place for place in places}
    around = {id_: _ancestors(by_id, id_) for id_ in by_id}
    times: dict[str, Counter[str]] = defaultdict(Counter)
    for one in named:
        if one.place in by_id:
            times[one.article][one.place] += one.times
    broad = _broad(times, around)
    lifted = {id_: _lift(by_id, id_, around[id_], broad) for id_ in by_id}
    regions = {}
    for article, counted in times.items():
        votes: Counter[tuple[bool, str]] = Counter()
        for place, number in counted.items():
            region = lifted[place]
            if region is not None:
                votes[region in broad, by_id[region].name] += number
        if votes:
            regions[article] = min(votes, key=lambda vote: (vote[0], -votes[vote], vote[1]))[1]
    return regions


def _ancestors(places: Mapping[str, Place], id_: str) -> list[str]:
    """What a place lies in, from the nearest on; facts that go round in a circle end it."""
    found: list[str] = []
    here = id_
    while within := {one: n for one, n in places[here].within.items() if one in places}:
        here = min(within, key=lambda one: (-within[one], places[one].name, one))
        if here == id_ or here in found:
            break
        found.append(here)
    return found


def _broad(times: Mapping[str, Mapping[str, int]], around: Mapping[str, list[str]]) -> set[str]:
    reached: Counter[str] = Counter()
    for counted in times.values():
        reached.update({one for place in counted for one in (place, *around[place])})
    return {place for place, articles in reached.items() if articles > BROAD * len(times)}


def _lift(places: Mapping[str, Place], id_: str, around: list[str], broad: set[str]) -> str | None:
    """The broadest region around a place that is not too broad; None for a building that stands nowhere."""
    chain = [one for one in (id_, *around) if places[one].type != BUILDING]
    narrow = [one for one in chain if one not in broad]
    return narrow[-1] if narrow else chain[0] if chain else None


ReadLabels = Callable[[Sequence[str]], Mapping[str, str]]
"""The labels of those of some chunks that have one, by id."""


def read_chunk_clusters(graph: Graph, corpus: str, by: ClusterFacet, chunks: Sequence[str]) -> dict[str, str]:
    """The label of the cluster of each of some chunks of a corpus, by id."""
    return open_chunk_clusters(graph, corpus, by)(chunks)


def open_chunk_clusters(
    graph: Graph, corpus: str, by: ClusterFacet
) -> Callable[[Sequence[str]], dict[str, str]]:
    """What gives the labels of chunks as `read_chunk_clusters` does, for a corpus as it is now.

    What is worked out over the whole corpus, its communities or its regions, is worked out once.
    """
    read = _READERS[by](graph, corpus)

    def labels(chunks: Sequence[str]) -> dict[str, str]:
        known = read(list(dict.fromkeys(chunks)))
        return {chunk: known.get(chunk) or UNKNOWN[by] for chunk in chunks}

    return labels


def _by_article(column: str) -> Callable[[Graph, str], ReadLabels]:
    def open_reader(graph: Graph, _: str) -> ReadLabels:
        def read(chunks: Sequence[str]) -> dict[str, str]:
            rows = graph.read_in_batches(query("chunks/read_chunks"), chunks)
            return {row["id"]: row[column] for row in rows}

        return read

    return open_reader


def _by_claims(graph: Graph, _: str) -> ReadLabels:
    def read(chunks: Sequence[str]) -> dict[str, str]:
        rows = graph.read_in_batches(query("claims/read_clusters"), chunks)
        return {row["chunk"]: row["cluster"] for row in rows}

    return read


def _by_communities(graph: Graph, corpus: str) -> ReadLabels:
    communities = read_communities(graph, corpus)

    def read(chunks: Sequence[str]) -> dict[str, str]:
        found = {}
        for row in graph.read_in_batches(query("chunks/read_entities"), chunks):
            votes: Counter[int] = Counter()
            for entity in row["entities"]:
                if entity["id"] in communities:
                    votes[communities[entity["id"]]] += entity["times"]
            if votes:
                largest = min(votes, key=lambda number: (-votes[number], number))
                found[row["chunk"]] = f"community {largest}"
        return found

    return read


def _by_place(graph: Graph, corpus: str) -> ReadLabels:
    places = [
        Place(
            row["id"],
            row["name"],
            row["type"],
            Counter(fact["object"] for fact in row["facts"] if says_where(fact["predicate"])),
        )
        for row in graph.stream(query("entities/read_places"), corpus=corpus)
        if _is_place(row)
    ]
    named = (
        Named(row["article"], row["place"], row["times"])
        for row in graph.stream(query("entities/read_named_places"), corpus=corpus)
    )
    regions = regions_of_articles(places, named)

    def read(chunks: Sequence[str]) -> dict[str, str]:
        rows = graph.read_in_batches(query("chunks/read_chunks"), chunks)
        return {row["id"]: regions[row["article"]] for row in rows if row["article"] in regions}

    return read


def _is_place(row: Row) -> bool:
    """Whether a row of `entities/read_places` is beyond doubt, or facts treat it as a place."""
    where = any(says_where(fact["predicate"]) for fact in row["facts"])
    return where or not row["doubted"] or any(map(says_stands_there, row["said_of"]))


_READERS: Mapping[ClusterFacet, Callable[[Graph, str], ReadLabels]] = MappingProxyType(
    {
        "articles": _by_article("article"),
        "claims": _by_claims,
        "communities": _by_communities,
        "place": _by_place,
        "time": _by_article("month"),
        "domain": _by_article("category"),
    }
)
