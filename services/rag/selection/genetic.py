"""A genetic selector: sets of evidence as bit strings over the pool, bred for coverage under the budget.

The idea is that of a subset chosen as a whole, which no greedy rule finds: one text is worth more beside
another that leads to it. A set that is over the budget is repaired, by leaving out from the least relevant;
one that leaves room is filled from the most relevant. The first sets are those of top-k and MMR beside drawn
ones, so what is chosen is never less fit than these two. What counts is in `genetic_fitness`.

Parents are chosen by tournament, genes by uniform crossover (Eiben and Smith, Introduction to Evolutionary
Computing, 2015, sections 4.2.2 and 5.2.3). Equal questions over equal pools have equal evidence: the
generator of random numbers is the question's own.
"""

import numpy as np

from services.rag.selection.genetic_fitness import Sets, fitness_of
from services.rag.selection.mmr import mmr
from services.rag.selection.packing import best_first, packed, shares
from services.rag.selection.protocol import Places, Pool, Scores, Wanted
from services.rag.selection.settings import DEFAULT, GeneticSettings
from services.rag.selection.top_k import top_k

FILLS = 3
"""So many texts more are tried for the room that a repaired set leaves."""


def genetic(pool: Pool, wanted: Wanted, settings: GeneticSettings = DEFAULT) -> Places:
    """See `services.rag.selection.protocol.Selector`; the chosen stand by their scores, best first."""
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
        born = _repaired(born, pool.tokens, relevance, wanted.budget_tokens, draw)
        sets = np.concatenate((sets[elite], born))
        fit = np.concatenate((fit[elite], fitness.of(born)))
    best = sets[int(fit.argmax())]
    order = best_first(pool.scores)
    return packed(order[best[order]], pool.tokens, wanted.budget_tokens)


def _first(
    pool: Pool,
    wanted: Wanted,
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
    sets = _repaired(sets, pool.tokens, relevance, wanted.budget_tokens, draw)
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


def _repaired(
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
