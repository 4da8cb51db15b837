"""Soft clusters of claims: principal components, then Gaussian mixtures whose size BIC chooses.

GRADE (section 3.1) clusters all claims softly and looks for equivalent entities within a cluster. Here a
corpus of many claims is first divided softly into cells of a few thousand, again where a cell is still too
large, and each cell gets a mixture of its own. So clusters don't grow with the corpus, each fit sees a
bounded sample, and work is linear in the claims. What belongs to two cells belongs to clusters of both: a
claim's probability in a cluster is the product of those on the way there.

One thread does the arithmetic: sums over several threads come out differently from run to run.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

FEWEST_CLAIMS = 4
FEWEST_CLAIMS_PER_CLUSTER = 15
MOST_CLUSTERS = 64
"""In a cell; a corpus has as many cells as it needs."""
MOST_COMPONENTS = 15
SAMPLE_SIZE = 4_000
LARGEST_CELL = 8_000
"""Claims that one mixture is made for; more are divided first."""
MOST_CELLS = 64
"""That a division makes at once."""
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_RISES = 3
"""So many sizes in a row may be worse than the best before the search for a size ends."""
_BLOCK = 8_192
_DECIMALS = 4
_DISTINCT_DECIMALS = 6
# A share of the components' mean variance: keeps a cluster of near-equal claims from growing a spike.
_REGULARISATION = 1e-3
_LEAST_VARIANCE = 1e-9

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Membership:
    """A claim (its row) belongs to a cluster with a probability, rounded to 4 decimals."""

    claim: int
    cluster: int
    probability: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """Memberships by claim then cluster, the clusters' weights, and how they were made.

    `bic` has (size, BIC) of the mixtures that were tried, where there is one cell only; `components` are the
    most principal components that a cell has.
    """

    memberships: tuple[Membership, ...]
    weights: tuple[float, ...]
    bic: tuple[tuple[int, float], ...]
    components: int
    seed: int
    cells: int = 1

    @property
    def size(self) -> int:
        """The number of clusters."""
        return len(self.weights)


@dataclass(frozen=True, slots=True)
class _Mixture:
    """A mixture over principal components: mean (d,), components (k, d)."""

    mean: Vectors
    components: Vectors
    mixture: GaussianMixture
    bic: tuple[tuple[int, float], ...]

    def probabilities(self, vectors: Vectors) -> Floats:
        """The probability of each cluster, (n, size), for one block of vectors."""
        points = (vectors - self.mean) @ self.components.T
        found: Floats = self.mixture.predict_proba(points.astype(np.float64))
        return found


@dataclass(frozen=True, slots=True)
class _Cell:
    """Claims to be clustered together: their rows, how much each belongs here, and the cell's weight."""

    rows: Rows
    share: Floats
    weight: float


@dataclass(frozen=True, slots=True)
class _CellClusters:
    """The clusters of a cell: memberships as (claim, cluster within the cell, probability), and the rest."""

    claims: Rows
    clusters: Rows
    probability: Floats
    weights: Floats
    components: int
    bic: tuple[tuple[int, float], ...]


def cluster_claims(
    vectors: Vectors,
    *,
    seed: int,
    threshold: float = 0.1,
    most_clusters: int = MOST_CLUSTERS,
    sample_size: int = SAMPLE_SIZE,
    largest_cell: int = LARGEST_CELL,
) -> Clusters:
    """Cluster the rows of `vectors` (n, d) and return every membership of at least `threshold`.

    A claim's most probable cluster always counts. `most_clusters` holds for each cell of at most
    `largest_cell` claims, or a few more where a cell can't be divided. The same input and seed give the same
    result on the same machine, whatever its number of cores.

    Raises:
        ValueError: `vectors` is not a finite matrix, or `threshold` is outside (0, 1].
    """
    if vectors.ndim != 2 or not _is_finite(vectors):
        raise ValueError(f"Vectors must be a finite (n, d) matrix, not of shape {vectors.shape}.")
    if not 0 < threshold <= 1:
        raise ValueError(f"A threshold must be in (0, 1], not {threshold}.")
    if not len(vectors):
        return Clusters((), (), (), 0, seed, 0)
    generator = np.random.default_rng(seed)
    whole = _Cell(np.arange(len(vectors)), np.ones(len(vectors)), 1.0)
    with threadpool_limits(limits=1):
        cells = list(_divide(vectors, whole, threshold, sample_size, largest_cell, generator))
        found = [_cluster(vectors, cell, threshold, most_clusters, sample_size, generator) for cell in cells]
    return Clusters(
        memberships=tuple(_memberships(found, len(vectors), threshold)),
        weights=tuple(round(float(weight), _DECIMALS) for one in found for weight in one.weights),
        bic=found[0].bic if len(found) == 1 else (),
        components=max(one.components for one in found),
        seed=seed,
        cells=len(found),
    )


def _is_finite(vectors: Vectors) -> bool:
    blocks = range(0, len(vectors), _BLOCK)
    return all(bool(np.isfinite(vectors[start : start + _BLOCK]).all()) for start in blocks)


def _divide(
    vectors: Vectors,
    cell: _Cell,
    threshold: float,
    sample_size: int,
    largest: int,
    generator: np.random.Generator,
) -> Iterator[_Cell]:
    """The cell itself, or the cells that it falls into, none larger than `largest` if that can be had."""
    if len(cell.rows) <= largest:
        yield cell
        return
    size = min(MOST_CELLS, -(-2 * len(cell.rows) // largest))
    sample = _sample(vectors, cell.rows, sample_size, generator)
    mixture = _fit_mixture(sample, _distinct(sample), (size,), generator)
    if mixture is None:
        yield cell
        return
    parts = _assign(vectors, cell, mixture, threshold)
    weights = mixture.mixture.weights_
    for number in range(size):
        inside = parts.clusters == number
        rows = parts.claims[inside]
        part = _Cell(rows, parts.probability[inside], cell.weight * float(weights[number]))
        # Where a division leaves nearly all in one cell, dividing it again would never end.
        if len(rows) > 0.9 * len(cell.rows):
            yield part
        elif len(rows):
            yield from _divide(vectors, part, threshold, sample_size, largest, generator)


def _cluster(
    vectors: Vectors,
    cell: _Cell,
    threshold: float,
    most_clusters: int,
    sample_size: int,
    generator: np.random.Generator,
) -> _CellClusters:
    """The clusters of a cell, as many as BIC wants; one where it holds too few different claims."""
    sample = _sample(vectors, cell.rows, sample_size, generator)
    distinct = _distinct(sample)
    largest = max(1, min(most_clusters, distinct // FEWEST_CLAIMS_PER_CLUSTER))
    mixture = _fit_mixture(sample, distinct, tuple(size for size in SIZES if size <= largest), generator)
    if mixture is None:
        nowhere = np.zeros(len(cell.rows), dtype=np.int64)
        return _CellClusters(cell.rows, nowhere, cell.share, np.array([cell.weight]), 0, ())
    found = _assign(vectors, cell, mixture, threshold)
    return _CellClusters(
        found.claims,
        found.clusters,
        found.probability,
        np.asarray(mixture.mixture.weights_) * cell.weight,
        len(mixture.components),
        mixture.bic,
    )


def _sample(vectors: Vectors, rows: Rows, size: int, generator: np.random.Generator) -> Floats:
    """The vectors of at most `size` of the rows, in the order of the rows."""
    if len(rows) > size:
        rows = np.sort(generator.choice(rows, size=size, replace=False))
    return vectors[rows].astype(np.float64)


def _distinct(sample: Floats) -> int:
    """How many of the claims differ."""
    return len(np.unique(sample.round(_DISTINCT_DECIMALS), axis=0))


def _fit_mixture(
    sample: Floats, distinct: int, sizes: tuple[int, ...], generator: np.random.Generator
) -> _Mixture | None:
    """The mixture with the lowest BIC of these sizes, or None where too few claims are `distinct`."""
    if distinct < max(FEWEST_CLAIMS, *sizes):
        return None
    components = min(MOST_COMPONENTS, sample.shape[1], max(2, distinct // 10))
    reduction = PCA(n_components=components, svd_solver="covariance_eigh")
    points = reduction.fit_transform(sample)
    best: GaussianMixture | None = None
    bic: list[tuple[int, float]] = []
    for size in sizes:
        mixture = _mixture(points, size, generator)
        bic.append((size, round(float(mixture.bic(points)), 2)))
        lowest = min(range(len(bic)), key=lambda index: bic[index][1])
        if lowest == len(bic) - 1:
            best = mixture
        elif len(bic) - 1 - lowest >= _RISES:
            break
    if best is None:
        return None
    return _Mixture(
        reduction.mean_.astype(np.float32), reduction.components_.astype(np.float32), best, tuple(bic)
    )


def _mixture(points: Floats, size: int, generator: np.random.Generator) -> GaussianMixture:
    """A fitted mixture with diagonal covariances: 2d + 1 parameters a cluster, which few claims can carry."""
    mixture = GaussianMixture(
        n_components=size,
        covariance_type="diag",
        reg_covar=max(float(points.var(axis=0).mean()) * _REGULARISATION, _LEAST_VARIANCE),
        max_iter=200,
        random_state=int(generator.integers(2**31)),
    )
    with warnings.catch_warnings():
        # BIC compares what was reached; a size that has not converged can still lose or win fairly.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mixture.fit(points)


def _assign(vectors: Vectors, cell: _Cell, mixture: _Mixture, threshold: float) -> _CellClusters:
    """What each claim of a cell belongs to, by at least `threshold` there or the most; in blocks."""
    claims, clusters, probability = [], [], []
    for start in range(0, len(cell.rows), _BLOCK):
        rows = cell.rows[start : start + _BLOCK]
        here = mixture.probabilities(vectors[rows])
        counted = here.round(_DECIMALS) >= threshold
        counted[np.arange(len(here)), here.argmax(axis=1)] = True
        place, cluster = np.nonzero(counted)
        claims.append(rows[place])
        clusters.append(cluster.astype(np.int64))
        probability.append(here[place, cluster] * cell.share[start : start + _BLOCK][place])
    return _CellClusters(
        np.concatenate(claims), np.concatenate(clusters), np.concatenate(probability), np.empty(0), 0, ()
    )


def _memberships(found: list[_CellClusters], n: int, threshold: float) -> Iterator[Membership]:
    """Memberships of all cells by claim then cluster: of at least `threshold`, or a claim's highest."""
    starts = np.cumsum([0, *(len(one.weights) for one in found)])
    claims = np.concatenate([one.claims for one in found])
    clusters = np.concatenate([one.clusters + start for one, start in zip(found, starts, strict=False)])
    probability = np.concatenate([one.probability for one in found]).round(_DECIMALS)
    highest = np.zeros(n)
    np.maximum.at(highest, claims, probability)
    order = np.lexsort((clusters, claims))
    taken = np.zeros(n, dtype=bool)
    for place in order[(probability >= np.minimum(threshold, highest[claims]))[order]].tolist():
        claim, share = int(claims[place]), float(probability[place])
        if share < threshold and taken[claim]:
            continue  # of several equal highest ones below the threshold, the first counts
        taken[claim] = True
        yield Membership(claim, int(clusters[place]), share)
