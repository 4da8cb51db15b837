"""How good a set of evidence is, without knowing the gold: clusters, links between hops, likeness, repeats.

Each part lies in [0, 1], so that the weights say what it counts:

- clusters: of the evidence clusters in the pool, how much is covered; each weighs as its best chunk's
  relevance, and as many of the weightiest as top-k has chunks are all that can be had.
- hops: how much is covered of what links the hops of a question. An entity that the question names is covered
  by a chunk that names it; one between hops by chunks of two articles that name it. What it weighs falls by
  half with each hop from what the question names, and with how often the corpus names it.
- similarity: the relevance of the chosen, beside that of what top-k chooses.
- redundancy, which counts against a set: the mean cosine of two of its chunks.

The relevance of a chunk is the pool's score scaled to [0, 1] and squared, for else two short texts that say
little are worth more than a long one that says much.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.rag.selection.packing import shares
from services.rag.selection.protocol import Places, Pool, Scores
from services.rag.selection.settings import Weights

Sets = NDArray[np.bool_]
"""Sets of evidence, shape (sets, places of the pool)."""

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fitness:
    """The parts of the fitness of a pool, ready for many sets at once."""

    weights: Weights
    relevance: _Floats
    most_relevance: float
    in_cluster: _Floats
    cluster_worth: _Floats
    most_clusters: float
    in_article: _Floats
    article_names: _Floats
    link_worth: _Floats
    needed: _Floats
    cosines: _Floats

    def of(self, sets: Sets) -> Scores:
        """The fitness of each set, shape (sets,)."""
        chosen = sets.astype(np.float32)
        sizes = chosen.sum(axis=1)
        clusters = ((chosen @ self.in_cluster) > 0) @ self.cluster_worth / self.most_clusters
        articles = ((chosen @ self.in_article) > 0).astype(np.float32)
        hops = ((articles @ self.article_names) >= self.needed) @ self.link_worth
        similarity = chosen @ self.relevance / self.most_relevance
        pairs = np.maximum(sizes * (sizes - 1), 1)
        redundancy = ((chosen @ self.cosines) * chosen).sum(axis=1) / pairs
        weights = self.weights
        total: Scores = (
            weights.clusters * np.minimum(clusters, 1)
            + weights.hops * hops
            + weights.similarity * similarity
            - weights.redundancy * redundancy
        ).astype(np.float64)
        return total


def fitness_of(pool: Pool, weights: Weights, plain: Places, most_links: int) -> Fitness:
    """The fitness over a pool; `plain` is what top-k chooses of it, and at most so many links count."""
    relevance = (shares(pool.scores) ** weights.power).astype(np.float32)
    clusters = _membership(pool.clusters)
    worth = (clusters * relevance[:, None]).max(axis=0)
    articles = _membership(pool.articles)
    links, link_worth, needed = _links(pool, relevance, most_links)
    names = ((articles.T @ links) > 0).astype(np.float32)
    # What stands in one article only links nothing, unless the question names it.
    possible = names.sum(axis=0) >= needed
    total = float(link_worth[possible].sum())
    cosines = np.clip(pool.vectors @ pool.vectors.T, 0, 1).astype(np.float32)
    np.fill_diagonal(cosines, 0)
    return Fitness(
        weights=weights,
        relevance=relevance,
        most_relevance=max(float(relevance[plain].sum()), 1e-6),
        in_cluster=clusters,
        cluster_worth=worth,
        most_clusters=max(float(np.sort(worth)[::-1][: len(plain)].sum()), 1e-6),
        in_article=articles,
        article_names=names[:, possible],
        link_worth=link_worth[possible] / max(total, 1e-6),
        needed=needed[possible],
        cosines=cosines,
    )


def _membership(numbers: Places) -> _Floats:
    held = np.zeros((len(numbers), int(numbers.max(initial=-1)) + 1), dtype=np.float32)
    held[np.arange(len(numbers)), numbers] = 1
    return held


def _links(pool: Pool, relevance: _Floats, most: int) -> tuple[_Floats, _Floats, _Floats]:
    """The weightiest entities: which chunks name each, shape (n, links), their weights, and by how many
    articles each must be named to be covered."""
    names: _Floats = pool.entities.toarray().astype(np.float32)
    distance = _hops_away(names > 0, pool.named, relevance)
    near = (names * relevance[:, None]).max(axis=0) if len(names) else np.zeros(names.shape[1], np.float32)
    rarity = np.sqrt(pool.rarity).astype(np.float32)
    worth = np.where(distance < np.inf, 0.5**distance, 0).astype(np.float32) * rarity * near
    best = np.sort(np.argsort(-worth, kind="stable")[:most])
    needed = np.where(pool.named[best], 1, 2).astype(np.float32)
    return (names[:, best] > 0).astype(np.float32), worth[best], needed


def _hops_away(names: NDArray[np.bool_], named: NDArray[np.bool_], relevance: _Floats) -> Scores:
    """How many chunks lie between an entity and one that the question names, inf where none leads there.

    Of a question that names nothing in the pool, the most relevant chunk is where the chain begins.
    """
    distance = np.full(names.shape[1], np.inf)
    known = named.copy()
    if not known.any() and len(relevance):
        known = names[int(relevance.argmax())].copy()
    hop = 0
    while known.any():
        distance[known] = hop
        front = names[:, known].any(axis=1)
        known = names[front].any(axis=0) & np.isinf(distance)
        hop += 1
    return distance
