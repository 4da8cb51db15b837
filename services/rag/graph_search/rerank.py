"""The order of candidate chunks: a weighted sum of what speaks for each, twice.

The first sum orders the candidates by themselves, and the best become anchors. The second sees each candidate
beside them. The weights maximise the likelihood that a gold chunk is chosen among a question's candidates
(listwise softmax; Cao et al., Learning to Rank: From Pairwise Approach to Listwise Approach, 2007) on three
development sets of equal weight, and are rounded.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from services.rag.graph_search.evidence import (
    ALONE,
    BESIDE,
    Anchors,
    Candidates,
    Library,
    Sought,
    Values,
    alone,
    beside,
)

ANCHORS = 5
"""Chunks held for found after the first sum."""

TEMPERATURE = 2.0
"""How slowly an anchor's strength falls with its distance from the best score."""

FIRST: Mapping[str, float] = MappingProxyType({"walk": 1.25, "title": 1.9, "relation": 8.5})

SECOND: Mapping[str, float] = MappingProxyType(
    {
        "walk": 0.35,
        "title": 2.8,
        "question": 7.0,
        "words": -3.0,
        "second walk": 0.7,
        "new words": 6.0,
        "relation after": 6.0,
        "question after": -9.0,
        "shared": 1.6,
        "page": 3.2,
    }
)


def first_scores(library: Library, sought: Sought, candidates: Candidates) -> Values:
    """The score of each candidate by itself; larger is better, zero means nothing."""
    return alone(library, sought, candidates) @ _in_order(FIRST, ALONE)


def anchors_of(candidates: Candidates, scores: Values) -> Anchors:
    """The best candidates, equal ones by their place, with the strengths that their scores give them."""
    best = np.argsort(-scores, kind="stable")[:ANCHORS]
    behind = scores[best] - scores[best[:1]]
    return Anchors(candidates.chunks[best], np.exp(behind / TEMPERATURE))


def score_parts(
    library: Library, sought: Sought, candidates: Candidates, anchors: Anchors
) -> dict[str, Values]:
    """What each feature adds to the score of each candidate beside the anchors, by the feature's name.

    The parts add up to the score; larger is better, zero means nothing.
    """
    values = beside(library, sought, candidates, anchors) * _in_order(SECOND, BESIDE)
    return {name: values[:, column] for column, name in enumerate(BESIDE)}


def _in_order(weights: Mapping[str, float], columns: tuple[str, ...]) -> Values:
    return np.array([weights[name] for name in columns])
