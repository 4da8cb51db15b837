"""Soft clusters of claims: principal components, then a Gaussian mixture whose size BIC chooses.

GRADE (section 3.1) clusters all claims softly and looks for equivalent entities within a cluster. The mixture
here is fitted on a seeded sample and applied in blocks, so that work stays linear in the number of claims.
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
MOST_COMPONENTS = 15
SAMPLE_SIZE = 4_000
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_BLOCK = 8_192
_DECIMALS = 4
_DISTINCT_DECIMALS = 6
# A share of the components' mean variance: keeps a cluster of near-equal claims from growing a spike.
_REGULARISATION = 1e-3
_LEAST_VARIANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Membership:
    """A claim (its row) belongs to a cluster with a probability, rounded to 4 decimals."""

    claim: int
    cluster: int
    probability: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """A mixture over claims: memberships by claim then cluster, the clusters' weights, how it was chosen."""

    memberships: tuple[Membership, ...]
    weights: tuple[float, ...]
    bic: tuple[tuple[int, float], ...]
    components: int
    seed: int

    @property
    def size(self) -> int:
        """The number of clusters."""
        return len(self.weights)


@dataclass(frozen=True, slots=True)
class _Fit:
    reduction: PCA
    mixture: GaussianMixture
    bic: tuple[tuple[int, float], ...]


def cluster_claims(
    vectors: NDArray[np.float32],
    *,
    seed: int,
    threshold: float = 0.1,
    most_clusters: int = MOST_CLUSTERS,
    sample_size: int = SAMPLE_SIZE,
) -> Clusters:
    """Cluster the rows of `vectors` (n, d) and return every membership of at least `threshold`.

    A claim's most probable cluster always counts. The same input and seed give the same result on the same
    machine, whatever its number of cores.

    Raises:
        ValueError: `vectors` is not a finite matrix, or `threshold` is outside (0, 1].
    """
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise ValueError(f"Vectors must be a finite (n, d) matrix, not of shape {vectors.shape}.")
    if not 0 < threshold <= 1:
        raise ValueError(f"A threshold must be in (0, 1], not {threshold}.")
    generator = np.random.default_rng(seed)
    with threadpool_limits(limits=1):
        sample = vectors[_sample_rows(len(vectors), sample_size, generator)].astype(np.float64)
        fit = _fit(sample, most_clusters, generator)
        if fit is None:
            return _one_cluster(len(vectors), seed)
        memberships: list[Membership] = []
        for start in range(0, len(vectors), _BLOCK):
            block = fit.reduction.transform(vectors[start : start + _BLOCK].astype(np.float64))
            memberships += _memberships(fit.mixture.predict_proba(block), start, threshold)
    return Clusters(
        memberships=tuple(memberships),
        weights=tuple(round(float(weight), _DECIMALS) for weight in fit.mixture.weights_),
        bic=fit.bic,
        components=fit.reduction.n_components_,
        seed=seed,
    )


def _fit(sample: NDArray[np.float64], most_clusters: int, generator: np.random.Generator) -> _Fit | None:
    """The mixture with the lowest BIC, or None where the sample holds too few different claims."""
    distinct = len(np.unique(sample.round(_DISTINCT_DECIMALS), axis=0))
    if distinct < FEWEST_CLAIMS:
        return None
    reduction = PCA(n_components=_component_count(distinct, sample.shape[1]), svd_solver="full")
    points = reduction.fit_transform(sample)
    largest = max(1, min(most_clusters, distinct // FEWEST_CLAIMS_PER_CLUSTER))
    mixtures = [_mixture(points, size, generator) for size in SIZES if size <= largest]
    bic = tuple((mixture.n_components, round(float(mixture.bic(points)), 2)) for mixture in mixtures)
    lowest = min(range(len(bic)), key=lambda index: bic[index][1])
    return _Fit(reduction, mixtures[lowest], bic)


def _sample_rows(n: int, size: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Row numbers of the sample, ascending."""
    if n <= size:
        return np.arange(n)
    return np.sort(generator.choice(n, size=size, replace=False))


def _component_count(distinct: int, dimensions: int) -> int:
    """How many principal components `distinct` points can carry: a tenth, within [2, 15]."""
    return min(MOST_COMPONENTS, dimensions, max(2, distinct // 10))


def _mixture(points: NDArray[np.float64], size: int, generator: np.random.Generator) -> GaussianMixture:
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


def _memberships(
    probabilities: NDArray[np.float64], first_claim: int, threshold: float
) -> Iterator[Membership]:
    """Memberships of a block of claims, of at least `threshold` or a claim's highest."""
    rounded = probabilities.round(_DECIMALS)
    counted = rounded >= threshold
    counted[np.arange(len(rounded)), rounded.argmax(axis=1)] = True
    for row, cluster in np.argwhere(counted).tolist():
        yield Membership(first_claim + row, cluster, float(rounded[row, cluster]))


def _one_cluster(n: int, seed: int) -> Clusters:
    """All claims in one cluster, or no cluster for no claims."""
    memberships = tuple(Membership(claim, 0, 1.0) for claim in range(n))
    return Clusters(memberships, (1.0,) if n else (), (), 0, seed)
