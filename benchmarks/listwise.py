"""Weights of a linear score, fitted so that gold stands above the rest of a question's candidates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """A question's candidates: features, shape (candidates, features), which are gold, and what it counts."""

    features: Values
    gold: NDArray[np.bool_]
    weight: float


def fit_weights(choices: Sequence[Choice], penalty: float) -> Values:
    """Weights that maximise the likelihood of choosing each gold candidate among those that are not gold.

    Listwise softmax (Cao et al., Learning to Rank: From Pairwise Approach to Listwise Approach, 2007), the
    mean over a question's gold, with a penalty on the squares of the weights of standardised features.
    """
    useful = [one for one in choices if one.gold.any() and not one.gold.all()]
    spread = np.concatenate([one.features for one in useful]).std(axis=0) + 1e-9
    total = sum(one.weight for one in useful)

    def loss(weights: Values) -> tuple[float, Values]:
        value, slope = penalty * float(weights @ weights), 2 * penalty * weights
        for one in useful:
            scaled = one.features / spread
            scores = scaled @ weights
            raised = np.exp(scores - scores.max())
            others = float(raised[~one.gold].sum())
            chances = raised[one.gold] / (raised[one.gold] + others)
            share = one.weight / total / len(chances)
            value -= share * float(np.log(np.maximum(chances, 1e-300)).sum())
            pulled = ((1 - chances) @ scaled[one.gold]).ravel()
            pushed = float((1 - chances).sum()) * (raised[~one.gold] / others) @ scaled[~one.gold]
            slope = slope - share * (pulled - pushed)
        return value, slope

    found = minimize(loss, np.zeros(len(spread)), jac=True, method="L-BFGS-B")
    weights: Values = found.x / spread
    return weights
