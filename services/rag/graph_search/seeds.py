"""Where a walk starts: what the question names, what it is like, and later what the first hits name.

How like a question each chunk is: by words and vectors, and by asking again with what was found first.

BM25 over the chunks of a snapshot, in memory: every chunk scored for a question at once.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from kg.embed.choose import Vectors
from services.rag.graph_search.entity_graph import EntityGraph, Mass, Seeds
from services.rag.graph_search.link import FUNCTION_WORDS, QuestionEntity, names_in, words_of
from services.rag.graph_search.snapshot import Indexes, Mask, Snapshot, best_places


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """What `prepare_graph` and `search_graph` go by; all of them lie on plateaus, see the decision."""

    title_weight: float = 2.0
    """Weight of the edge from what a title means to its article's chunks; a mention weighs at most 1."""
    vector_share: float = 0.7
    """What the cosine counts beside the words, both scaled to [0, 1]."""
    first_hits: int = 1
    """Chunks with whose best claim the question is asked again, one embedding each; more gain nothing."""
    second_share: float = 0.9
    """What a chunk of the second round counts beside one that is as good in the first."""
    chunk_share: float = 0.1
    """Mass of the seeds that are chunks, beside 1 for those that are nodes."""
    chunk_power: float = 4.0
    chunks_seeded: int = 100
    """Chunks that are seeds: so many of the likest, by their likeness to this power."""
    specific: float = 0.1
    """Names whose 1 / frequency adds up to less have less mass, in proportion: "Church" says little."""
    anchor_specific: float = 0.3
    """As `specific`, for the names of one anchor."""
    damping: float = 0.5
    rest: float = 3e-7
    """Mass that a walk leaves where it is, beside 1 for all of it, a unit of an edge's weight."""
    candidates: int = 60
    """Best chunks of the first walk that are scored."""
    candidates_after: int = 20
    """Best chunks of the second walk that are scored besides."""


DEFAULT = GraphSettings()


K1 = 1.2
B = 0.75
"""The usual constants (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.2)."""

_STOP = """
be been being to into not no do does did has have had having will would can could than then so such also about
over under up out s
"""
STOP_WORDS = FUNCTION_WORDS | frozenset(_STOP.split())

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordIndex:
    """What each term adds to the score of each chunk, shape (chunks, terms), and the column of each term."""

    terms: dict[str, int]
    scores: csc_matrix


def word_index(texts: Iterable[str]) -> WordIndex:
    """The index of texts."""
    terms: dict[str, int] = {}
    rows, columns, counts, lengths = array("i"), array("i"), array("i"), array("i")
    for row, text in enumerate(texts):
        found = Counter(terms_of(text))
        lengths.append(found.total())
        for term, count in found.items():
            rows.append(row)
            columns.append(terms.setdefault(term, len(terms)))
            counts.append(count)
    size, length = len(lengths), np.array(lengths, dtype=np.float64)
    frequency = np.bincount(columns, minlength=len(terms)) if columns else np.zeros(0)
    rarity = np.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
    times, row_of, term_of = (
        np.array(counts, np.float64),
        np.array(rows, np.int32),
        np.array(columns, np.int32),
    )
    mean = float(length.mean()) if size and length.any() else 1.0
    values = rarity[term_of] * times / (times + K1 * (1 - B + B * length[row_of] / mean))
    return WordIndex(
        terms, csc_matrix((values.astype(np.float32), (row_of, term_of)), shape=(size, len(terms)))
    )


def word_scores(index: WordIndex, text: str) -> Scores:
    """The BM25 score of every chunk, shape (chunks,)."""
    scores: Scores = np.zeros(index.scores.shape[0])
    matrix = index.scores
    for term in sorted(set(terms_of(text)) & index.terms.keys()):
        column = index.terms[term]
        start, end = matrix.indptr[column : column + 2]
        scores[matrix.indices[start:end]] += matrix.data[start:end]
    return scores


def terms_of(text: str) -> Sequence[str]:
    """The terms of a text: plain words without stop words, plurals cut to the singular."""
    return [_singular(word.plain) for word in words_of(text) if word.plain not in STOP_WORDS]


def _singular(word: str) -> str:
    """Harman's S-stemmer (How Effective is Suffixing?, 1991), which never touches short words."""
    if len(word) <= 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("es") and word[-3] in "sxzh":
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Scores of all chunks for one question: cosines, words (BM25), and both together in [0, 1].

    Chunks that the filters shut out have none.
    """

    cosines: Scores
    words: Scores
    combination: Scores


def likeness(
    snapshot: Snapshot, words: WordIndex, text: str, vector: Vectors, allowed: Mask, settings: GraphSettings
) -> Likeness:
    """The first round: cosine and BM25, each scaled to [0, 1] over the corpus."""
    cosines = (snapshot.chunks.vectors @ vector).astype(np.float64)
    found = word_scores(words, text)
    return Likeness(cosines, found, _combine_scores(cosines, found, settings.vector_share) * allowed)


def follow_ups(
    snapshot: Snapshot,
    claims_of: csr_matrix,
    first: Likeness,
    text: str,
    vector: Vectors,
    settings: GraphSettings,
) -> list[tuple[int, str]]:
    """What to ask next: the first hits, each with the question and the hit's claim nearest to it.

    `claims_of` tells the claims of each chunk, shape (chunks, claims).
    """
    best = best_places(first.combination, settings.first_hits)
    return [
        (int(chunk), f"{text} {_nearest_claim(snapshot, claims_of, int(chunk), vector)}")
        for chunk in best
        if first.combination[chunk] > 0
    ]


def second_round(
    snapshot: Snapshot,
    words: WordIndex,
    first: Likeness,
    asked: Sequence[tuple[int, str]],
    vectors: Vectors,
    allowed: Mask,
    settings: GraphSettings,
) -> Scores:
    """Every chunk's best of the first round and of each follow-up, which counts as much as its hit did."""
    scores = first.combination
    if not asked:
        return scores
    cosines = (snapshot.chunks.vectors @ vectors.T).astype(np.float64)
    for column, (chunk, text) in enumerate(asked):
        again = _combine_scores(cosines[:, column], word_scores(words, text), settings.vector_share) * allowed
        again[chunk] = 0
        scores = np.maximum(scores, settings.second_share * first.combination[chunk] * scale_scores(again))
    return scores


def scale_scores(scores: Scores) -> Scores:
    """Scores with the least at 0 and the greatest at 1; all 0 where they are equal."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _combine_scores(cosines: Scores, words: Scores, vector_share: float) -> Scores:
    return vector_share * scale_scores(cosines) + (1 - vector_share) * scale_scores(words)


def _nearest_claim(snapshot: Snapshot, claims_of: csr_matrix, chunk: int, vector: Vectors) -> str:
    start, end = claims_of.indptr[chunk : chunk + 2]
    claims = claims_of.indices[start:end]
    if not len(claims):
        return snapshot.chunks.texts[chunk]
    nearest = claims[int(np.argmax(snapshot.claims.vectors[claims] @ vector))]
    return f"{snapshot.chunks.titles[chunk]}: {snapshot.claims.texts[nearest]}"


def question_names(graph: EntityGraph, question: str) -> list[QuestionEntity]:
    """The nodes that a question names, the rarest first.

    The weight is 1 / the number of chunks where the node stands, shared where the words may mean several.
    """
    best: dict[int, QuestionEntity] = {}
    for found in names_in(graph.names, question):
        for node in filter(graph.stands, found.nodes):
            named = QuestionEntity(found.words, node, 1 / (float(graph.frequency[node]) * len(found.nodes)))
            if node not in best or best[node].weight < named.weight:
                best[node] = named
    return sorted(best.values(), key=lambda named: (-named.weight, named.entity))


def question_seeds(
    graph: EntityGraph, named: Iterable[QuestionEntity], likeness: Scores, settings: GraphSettings
) -> Seeds:
    """Seeds of the first walk, masses adding up to 1."""
    return _seeds(graph, {one.entity: one.weight for one in named}, likeness, settings)


def anchor_seeds(
    graph: EntityGraph,
    named: Iterable[QuestionEntity],
    anchors: Indexes,
    strengths: NDArray[np.float64],
    likeness: Scores,
    settings: GraphSettings,
) -> Seeds:
    """Seeds of the second walk: what the anchors, chunks found so far, name and the question does not.

    Each anchor gives mass by its strength to its nodes, by how rare they are.
    """
    asked = {one.entity for one in named}
    nodes = dict[int, float]()
    for anchor, strength in zip(anchors, strengths / max(float(strengths.sum()), 1e-9), strict=True):
        contained = graph.containment.transposed
        start, end = contained.indptr[anchor : anchor + 2]
        held = [node for node in contained.indices[start:end].tolist() if node not in asked]
        rarity = 1 / graph.frequency[held]
        given = strength * rarity / max(float(rarity.sum()), settings.anchor_specific)
        for node, mass in zip(held, given.tolist(), strict=True):
            nodes[node] = nodes.get(node, 0.0) + mass
    return _seeds(graph, nodes, likeness, settings)


def _seeds(
    graph: EntityGraph, nodes: Mapping[int, float], likeness: Scores, settings: GraphSettings
) -> Seeds:
    """Masses of nodes and of the likest chunks, adding up to 1, where there are any."""
    masses = np.array(list(nodes.values()), np.float64)
    total = float(masses.sum())
    if total > 0:
        masses = masses / total * min(1.0, total / settings.specific)
    chunks = settings.chunk_share * _near(likeness, settings)
    whole = float(masses.sum() + chunks.sum()) or 1.0
    entities = np.zeros(len(graph.frequency))
    entities[list(nodes)] = masses / whole
    return Seeds(entities, chunks / whole)


def _near(likeness: Scores, settings: GraphSettings) -> Mass:
    """Masses of the likest chunks, adding up to 1 where any is like the question."""
    near = scale_scores(likeness) ** settings.chunk_power
    if len(near) > settings.chunks_seeded:
        near[near < np.partition(near, -settings.chunks_seeded)[-settings.chunks_seeded]] = 0
    total = float(near.sum())
    masses: Mass = near / total if total > 0 else near
    return masses
