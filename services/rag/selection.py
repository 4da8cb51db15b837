"""What a selector of evidence is given and gives: a question's pool as arrays, and places in it.

From a selector's name, as in a protocol, to the selector.

The graph retriever's ranking of the pool; what it did not come by follows in the order of the pool.

A genetic selector: sets of evidence as bit strings over the pool, bred for coverage under the budget.

The idea is that of a subset chosen as a whole, which no greedy rule finds: one text is worth more beside
another that leads to it. A set that is over the budget is repaired, by leaving out from the least relevant;
one that leaves room is filled from the most relevant. The first sets are those of top-k and MMR beside drawn
ones, so what is chosen is never less fit than these two. What counts is in `genetic_fitness`.

Parents are chosen by tournament, genes by uniform crossover (Eiben and Smith, Introduction to Evolutionary
Computing, 2015, sections 4.2.2 and 5.2.3). Equal questions over equal pools have equal evidence: the
generator of random numbers is the question's own.

The best of the pool by their scores, as many as the budget pays for: what a plain RAG system shows.

Maximal marginal relevance: each next text is relevant and says something else than those before it.

Greedy, by lambda * relevance - (1 - lambda) * greatest cosine to a text that was chosen (Carbonell and
Goldstein, The Use of MMR, 1998, section 2), among the texts for which there is still room. The relevance is
the pool's score scaled to [0, 1].

How good a set of evidence is, without knowing the gold: clusters, links between hops, likeness, repeats.

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

The numbers of the genetic selector: docs/decisions/0049-evidence-selectors.

Filling a budget of tokens from an order: whole texts, the first that fits into what is left.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.embed.choose import Vectors
from kg.errors import SettingsError

Scores = NDArray[np.float64]
Places = NDArray[np.int64]
"""Places in a pool, from 0."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The n candidates of a question, best first; the gold evidence is nowhere in it.

    `scores` tell how well each fits what is looked for, the greater the better; `vectors` are of unit length,
    shape (n, dimensions); `tokens` are those of its text. `articles` and `clusters` number the article and
    the evidence cluster of each, from 0. `entities` tells which of e entities each names, shape (n, e), ones;
    `rarity` is 1 / the number of chunks of the corpus that name an entity, and `question_entities` whether
    the question names it, shape (e,). `walk_scores` is the graph retriever's score, -inf for a chunk that it
    did not come by.
    """

    chunks: tuple[str, ...]
    scores: Scores
    vectors: Vectors
    tokens: Places
    articles: Places
    clusters: Places
    entities: csr_matrix
    rarity: Scores
    question_entities: NDArray[np.bool_]
    walk_scores: Scores


@dataclass(frozen=True, slots=True)
class SelectionBudget:
    """How much evidence is looked for: at most so many tokens.

    `seed` is the question's own, so that nothing depends on which other questions are asked beside it.
    """

    budget_tokens: int
    seed: int = 0


class Selector(Protocol):
    """A pure function that chooses evidence."""

    def __call__(self, pool: Pool, wanted: SelectionBudget) -> Places:
        """Places in the pool, each once, in the order in which they are shown; together within the budget."""
        ...


def pack_budget(order: Iterable[int], tokens: Places, budget_tokens: int) -> Places:
    """The places of an order that fit, in it; one for which there is no room is passed over.

    That is how `services.rag.context` pays for a last reading, so all that is packed is shown.
    """
    taken, left = [], budget_tokens
    for place in order:
        if tokens[place] <= left:
            taken.append(int(place))
            left -= int(tokens[place])
    return np.array(taken, dtype=np.int64)


def best_first(scores: Scores) -> Places:
    """All places by their scores, the greatest first; among equals the order of the pool."""
    return np.argsort(-scores, kind="stable").astype(np.int64)


def shares(scores: Scores) -> Scores:
    """Scores moved and scaled to [0, 1], so that those of any retriever can stand beside a cosine.

    Where all are equal, each is 1.
    """
    if not len(scores):
        return scores
    least, most = float(scores.min()), float(scores.max())
    scaled: Scores = (scores - least) / (most - least) if most > least else np.ones(len(scores))
    return scaled


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the fitness counts, see `genetic_fitness`; `power` is that of the relevance."""

    clusters: float = 0.15
    hops: float = 0.35
    similarity: float = 0.45
    redundancy: float = 0.1
    power: float = 2.0


@dataclass(frozen=True, slots=True)
class GeneticSettings:
    """How sets of evidence are bred.

    `population` sets live at a time, over so many `generations`. The fittest `elite` live on as they are.
    A parent is the fittest of a `tournament` of so many drawn sets. Each gene is changed with the chance
    `flips` / places of the pool.
    """

    weights: Weights = Weights()
    population: int = 40
    generations: int = 20
    tournament: int = 3
    elite: int = 2
    flips: float = 2.0
    most_links: int = 256


DEFAULT = GeneticSettings()


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
    distance = _hops_away(names > 0, pool.question_entities, relevance)
    near = (names * relevance[:, None]).max(axis=0) if len(names) else np.zeros(names.shape[1], np.float32)
    rarity = np.sqrt(pool.rarity).astype(np.float32)
    worth = np.where(distance < np.inf, 0.5**distance, 0).astype(np.float32) * rarity * near
    best = np.sort(np.argsort(-worth, kind="stable")[:most])
    needed = np.where(pool.question_entities[best], 1, 2).astype(np.float32)
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


LAMBDA = 0.7


def mmr(pool: Pool, wanted: SelectionBudget) -> Places:
    """See `services.rag.selection.Selector`."""
    relevance = LAMBDA * shares(pool.scores)
    nearest = np.zeros(len(pool.chunks))
    open_to = np.ones(len(pool.chunks), dtype=np.bool_)
    taken, left = list[int](), wanted.budget_tokens
    while (fits := open_to & (pool.tokens <= left)).any():
        worth = np.where(fits, relevance - (1 - LAMBDA) * nearest, -np.inf)
        best = int(worth.argmax())
        taken.append(best)
        open_to[best] = False
        left -= int(pool.tokens[best])
        likeness = (pool.vectors @ pool.vectors[best]).astype(np.float64)
        nearest = np.maximum(nearest, likeness) if len(taken) > 1 else likeness
    return np.array(taken, dtype=np.int64)


def top_k(pool: Pool, wanted: SelectionBudget) -> Places:
    """See `services.rag.selection.Selector`."""
    return pack_budget(best_first(pool.scores), pool.tokens, wanted.budget_tokens)


FILLS = 3
"""So many texts more are tried for the room that a repaired set leaves."""


def genetic(pool: Pool, wanted: SelectionBudget, settings: GeneticSettings = DEFAULT) -> Places:
    """See `services.rag.selection.Selector`; the chosen stand by their scores, best first."""
    plain = top_k(pool, wanted)
    if len(plain) == len(pool.chunks) or not len(plain):
        return plain
    draw = np.random.default_rng(wanted.seed)
    fitness = fitness_of(pool, settings.weights, plain, settings.most_links)
    relevance = shares(pool.scores)
    sets = _first(pool, wanted, (plain, mmr(pool, wanted)), relevance, settings, draw)
    fit = fitness.of(sets)
    for _ in range(settings.generations):
        order = np.argsort(-fit, kind="stable")
        elite = order[: settings.elite]
        born = _children(sets, fit, settings, draw)
        born = _repair(born, pool.tokens, relevance, wanted.budget_tokens, draw)
        sets = np.concatenate((sets[elite], born))
        fit = np.concatenate((fit[elite], fitness.of(born)))
    best = sets[int(fit.argmax())]
    order = best_first(pool.scores)
    return pack_budget(order[best[order]], pool.tokens, wanted.budget_tokens)


def _first(
    pool: Pool,
    wanted: SelectionBudget,
    known: tuple[Places, ...],
    relevance: Scores,
    settings: GeneticSettings,
    draw: np.random.Generator,
) -> Sets:
    """The first sets: those that are known, and for the rest about as many texts as the budget pays for."""
    size = len(pool.chunks)
    sets = np.zeros((settings.population, size), dtype=np.bool_)
    share = min(1.0, wanted.budget_tokens / max(float(pool.tokens.sum()), 1.0))
    # Twice the share of the budget times a relevance of half on average.
    sets[len(known) :] = draw.random((settings.population - len(known), size)) < 2 * share * relevance
    sets = _repair(sets, pool.tokens, relevance, wanted.budget_tokens, draw)
    for row, places in enumerate(known):
        sets[row] = False
        sets[row, places] = True
    return sets


def _children(sets: Sets, fit: Scores, settings: GeneticSettings, draw: np.random.Generator) -> Sets:
    count, size = settings.population - settings.elite, sets.shape[1]
    rivals = draw.integers(len(sets), size=(2, count, settings.tournament))
    winners = np.take_along_axis(rivals, fit[rivals].argmax(axis=2)[..., None], axis=2)[..., 0]
    one, other = sets[winners[0]], sets[winners[1]]
    born: Sets = np.where(draw.random((count, size)) < 0.5, one, other)
    born ^= draw.random((count, size)) < settings.flips / size
    return born


def _repair(
    sets: Sets, tokens: Places, relevance: Scores, budget_tokens: int, draw: np.random.Generator
) -> Sets:
    """The sets within the budget: the chosen first, then for what room is left others, by relevance.

    The relevance has some noise, so that equal sets are not always repaired alike.
    """
    worth = relevance + draw.normal(0, 0.1, sets.shape)
    order = np.argsort(np.where(sets, -worth - 10, -worth), axis=1, kind="stable")
    costs = tokens[order]
    taken = np.cumsum(costs, axis=1) <= budget_tokens
    rows = np.arange(len(sets))
    for _ in range(FILLS):
        left = budget_tokens - (costs * taken).sum(axis=1)
        fits = ~taken & (costs <= left[:, None])
        first = fits.argmax(axis=1)
        taken[rows, first] |= fits[rows, first]
    repaired = np.zeros_like(sets)
    np.put_along_axis(repaired, order, taken, axis=1)
    return repaired


def by_graph(pool: Pool, wanted: SelectionBudget) -> Places:
    """See `services.rag.selection.Selector`."""
    return pack_budget(np.lexsort((-pool.scores, -pool.walk_scores)), pool.tokens, wanted.budget_tokens)


@dataclass(frozen=True, slots=True)
class NamedSelector:
    """A selector with the version of what it does, on which runs depend.

    `walks` tells that it goes by the graph retriever's scores, and `clusters` by the evidence clusters.
    """

    select: Selector
    version: str
    walks: bool = False
    clusters: bool = False


SELECTORS: Mapping[str, NamedSelector] = {
    "top-k": NamedSelector(top_k, "top-k-1"),
    "mmr": NamedSelector(mmr, "mmr-1"),
    "genetic": NamedSelector(genetic, "genetic-1", clusters=True),
    "graph": NamedSelector(by_graph, "graph-1", walks=True),
}
"""All selectors by their names."""


def choose_selector(name: str) -> NamedSelector:
    """The selector of this name.

    Raises:
        SettingsError: there is none.
    """
    if name not in SELECTORS:
        raise SettingsError(f"{name!r} is not a selector.", f"Use one of: {', '.join(SELECTORS)}.")
    return SELECTORS[name]
