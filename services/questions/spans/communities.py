"""Communities of entities that facts join: by Leiden where the server has it, else by Louvain.

Both maximise modularity over the same edges, as often as there are facts between two entities. Leiden
(Traag, Waltman and van Eck 2019) runs inside a server with graph data science; without, the older method
runs here. They need not agree, so what rests on communities is kept with what was made of it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from scipy.sparse import coo_array, csr_array

from kg.queries import query
from kg.store.graph import Graph, Row
from services.entity_projection import entity_projection, has_gds
from services.questions.spans.louvain import louvain

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
    return communities_of_edges(graph.stream(query("spans/read_edges"), corpus=corpus))


def communities_of_edges(rows: Iterable[Row]) -> dict[str, int]:
    """The same by Louvain, from the rows of `spans/read_edges`; their order has no influence."""
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
