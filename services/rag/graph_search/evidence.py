"""What speaks for a candidate chunk: one number a feature, alone or beside the chunks found before it.

The chunks found before are anchors: a later hop's chunk holds what the anchor lacks, and something that only
the anchor names leads to it. Each feature of a pair is weighted by the anchor's strength, and the strongest
anchor counts.

The order of candidate chunks: a weighted sum of what speaks for each, twice.

The first sum orders the candidates by themselves, and the best become anchors. The second sees each candidate
beside them. The weights maximise the likelihood that a gold chunk is chosen among a question's candidates
(listwise softmax; Cao et al., Learning to Rank: From Pairwise Approach to Listwise Approach, 2007) on three
development sets of equal weight, and are rounded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from services.rag.graph_search.snapshot import Floats, Indexes

Values = NDArray[np.float64]

ALONE = ("walk", "title", "relation")
"""The columns of `alone`."""

BESIDE = (
    "walk",
    "title",
    "question",
    "words",
    "second walk",
    "new words",
    "relation after",
    "question after",
    "shared",
    "page",
)
"""The columns of `beside`."""

FLOOR = 1e-6
"""The least share of a walk's mass, so that its logarithm exists."""

ANCHOR_SHARE = 0.5
"""How much an anchor's vector counts beside the question's, when one question is asked of both."""


@dataclass(frozen=True, slots=True)
class Library:
    """What is known of all chunks of a corpus.

    `vectors` are unit vectors, shape (chunks, dimensions). `names` tells which nodes a chunk names, shape
    (chunks, nodes), `pages` the node that a chunk's title means or -1, `frequency` in how many chunks a node
    stands. `words` is nonzero where a chunk holds a word, shape (chunks, words).
    """

    vectors: Floats
    names: csr_matrix
    pages: Indexes
    frequency: Values
    words: csc_matrix


@dataclass(frozen=True, slots=True)
class Sought:
    """A question, by what can be looked for in a chunk.

    `vector` is its unit vector, `relation` that of the question without the names in it; `nodes` and `words`
    are what it names and its words, as columns of the library.
    """

    vector: Floats
    relation: Floats
    nodes: Indexes
    words: Indexes


@dataclass(frozen=True, slots=True)
class Candidates:
    """Chunks that may be wanted, each with what the search found for it, in arrays of one length.

    `walk` and `second` are its shares of the largest mass that a chunk has at the end of the first walk and
    of the one from the anchors.
    """

    chunks: Indexes
    walk: Values
    second: Values


@dataclass(frozen=True, slots=True)
class Anchors:
    """The chunks held for found, with strengths in (0, 1]."""

    chunks: Indexes
    strengths: Values


def alone(library: Library, sought: Sought, candidates: Candidates) -> Values:
    """The features of each candidate by itself, shape (candidates, len(ALONE))."""
    return np.stack(
        (
            _logarithm(candidates.walk),
            _question_names_title(library, sought, candidates),
            _cosines(library, sought.relation, candidates),
        ),
        axis=1,
    )


def beside(library: Library, sought: Sought, candidates: Candidates, anchors: Anchors) -> Values:
    """The features of each candidate beside the anchors, shape (candidates, len(BESIDE))."""
    new, held = _words(library, sought, candidates, anchors)
    pairs = (
        new,
        _after(library, sought.relation, candidates, anchors),
        _after(library, sought.vector, candidates, anchors),
        _shared_rarity(library, sought, candidates, anchors),
        _anchor_names_title(library, sought, candidates, anchors),
    )
    return np.stack(
        (
            _logarithm(candidates.walk),
            _question_names_title(library, sought, candidates),
            _cosines(library, sought.vector, candidates),
            held,
            _logarithm(candidates.second),
            *(_strongest(pair, candidates, anchors) for pair in pairs),
        ),
        axis=1,
    )


def _logarithm(shares: Values) -> Values:
    return np.log(np.maximum(shares, 0.0) + FLOOR)


def _question_names_title(library: Library, sought: Sought, candidates: Candidates) -> Values:
    """1 where the title of a candidate is named in the question."""
    return np.isin(library.pages[candidates.chunks], sought.nodes).astype(np.float64)


def _cosines(library: Library, asked: Floats, candidates: Candidates) -> Values:
    cosines: Values = (library.vectors[candidates.chunks] @ asked).astype(np.float64)
    return cosines


def _strongest(pairs: Values, candidates: Candidates, anchors: Anchors) -> Values:
    """From values of pairs, shape (candidates, anchors), the largest that another chunk gives each."""
    if not len(anchors.chunks):
        return np.zeros(len(candidates.chunks))
    same = candidates.chunks[:, None] == anchors.chunks[None, :]
    weighted = np.where(same, 0.0, pairs) * anchors.strengths[None, :]
    strongest: Values = np.maximum(weighted.max(axis=1), 0.0)
    return strongest


def _words(
    library: Library, sought: Sought, candidates: Candidates, anchors: Anchors
) -> tuple[Values, Values]:
    """Shares of the question's words, by rarity: what a candidate has and an anchor lacks; what it has."""
    columns = library.words[:, sought.words]
    frequency = np.diff(columns.indptr)
    rarity = np.log(1 + (columns.shape[0] - frequency + 0.5) / (frequency + 0.5))
    share = rarity / rarity.sum() if len(rarity) else rarity
    rows = columns.tocsr()
    has = (rows[candidates.chunks].toarray() > 0).astype(np.float64)
    lacks = 1.0 - (rows[anchors.chunks].toarray() > 0)
    return has @ (lacks * share[None, :]).T, has @ share


def _after(library: Library, asked: Floats, candidates: Candidates, anchors: Anchors) -> Values:
    """Cosines with a question and an anchor together, shape (candidates, anchors)."""
    there, here = library.vectors[anchors.chunks], library.vectors[candidates.chunks]
    both = asked[None, :] + ANCHOR_SHARE * there
    lengths = np.maximum(np.linalg.norm(both, axis=1), FLOOR)
    cosines: Values = (here @ (both / lengths[:, None]).T).astype(np.float64)
    return cosines


def _anchor_names_title(library: Library, sought: Sought, candidates: Candidates, anchors: Anchors) -> Values:
    """1 where an anchor names what the title of a candidate means, and the question does not."""
    pages = library.pages[candidates.chunks]
    names = library.names[anchors.chunks]
    named = [names.indices[start:end] for start, end in pairwise(names.indptr)]
    return np.array(
        [
            np.isin(pages, there) & ~np.isin(pages, sought.nodes) & (pages != page)
            for there, page in zip(named, library.pages[anchors.chunks], strict=True)
        ],
        dtype=np.float64,
    ).T.reshape(len(pages), len(named))


def _shared_rarity(library: Library, sought: Sought, candidates: Candidates, anchors: Anchors) -> Values:
    """How rare what a candidate and an anchor both name is, but the question does not: at most 1."""
    names = library.names[anchors.chunks].tocoo()
    kept = ~np.isin(names.col, sought.nodes)
    rarity = 1 / np.sqrt(library.frequency[names.col[kept]])
    weights = csr_matrix((rarity, (names.row[kept], names.col[kept])), shape=names.shape)
    here = library.names[candidates.chunks]
    here = csr_matrix((np.ones(len(here.data)), here.indices, here.indptr), shape=here.shape)
    shared: Values = np.minimum((here @ weights.T).toarray(), 1.0)
    return shared


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
