"""The default retriever: a walk over the graph, the best of it weighed, and a second walk from there.

A question's names and the chunks like it seed a personalised PageRank. Its best chunks are scored by what
speaks for each alone; the best of those are anchors, whose other names seed a second walk; what both walks
found is scored anew, beside the anchors. No model but the embedder takes part: a question costs one batch of
two short texts.

Personalised PageRank on the graph of entities and chunks, as far as its rankings need.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.embed.choose import Vectors
from services.rag.graph_search.cache import Embed
from services.rag.graph_search.entity_graph import (
    Containment,
    EntityGraph,
    Mass,
    Seeds,
    WalkResult,
    entity_graph,
)
from services.rag.graph_search.evidence import (
    Anchors,
    Candidates,
    Library,
    Sought,
    anchors_of,
    first_scores,
    score_parts,
)
from services.rag.graph_search.link import QuestionEntity, names_in, without_names
from services.rag.graph_search.seeds import (
    DEFAULT,
    GraphSettings,
    Likeness,
    Scores,
    WordIndex,
    anchor_seeds,
    follow_ups,
    likeness,
    question_names,
    question_seeds,
    second_round,
    terms_of,
    word_index,
)
from services.rag.graph_search.snapshot import Indexes, Mask, Snapshot, allowed_chunks, best_places
from services.rag.protocol import Hit, RagQuestion

Places = NDArray[np.integer]


def walk(graph: Containment, seeds: Seeds, settings: GraphSettings) -> WalkResult:
    """The masses to which a walk comes that goes on with the probability `damping` or starts again.

    Of each node and chunk at most `settings.rest` times the weight of its edges is missing, nothing is too
    much, and chunks have exactly what the nodes give them. Mass at a node without edges is lost; elsewhere it
    is kept, but for what is missing. Local push of Andersen, Chung and Lang, Local Graph Partitioning using
    PageRank Vectors, 2006.
    """
    damping, restart = settings.damping, 1 - settings.damping
    masses, totals = (seeds.entities, seeds.chunks), (graph.of_nodes, graph.of_chunks)
    edges = graph.weights, graph.transposed
    waiting: list[Places] = [np.flatnonzero(own) for own in masses]
    # What has not moved on yet, of nodes and of chunks, and what has, of which `restart` came to rest there.
    # Few of the nodes have any: room that nothing is written to costs nothing.
    left, moved = ([np.zeros(len(own)) for own in masses] for _ in range(2))
    for side, own in enumerate(masses):
        left[side][waiting[side]] = own[waiting[side]]
        waiting[side] = _moving(waiting[side], left[side], totals[side], settings.rest)
    side = 0
    while len(waiting[0]) or len(waiting[1]):
        other, at = 1 - side, waiting[side]
        given = left[side][at]
        moved[side][at] += given
        left[side][at] = 0
        reached = _send(edges[side], edges[other], at, damping * given / totals[side][at], left[other])
        waiting[side] = at[:0]
        if reached is None:
            waiting[other] = np.flatnonzero(left[other] > settings.rest * totals[other])
        else:
            reached = _moving(reached, left[other], totals[other], settings.rest)
            waiting[other] = np.unique(np.concatenate((waiting[other], reached)))
        side = other
    moved[0] *= restart
    return WalkResult(graph, seeds, moved[0], restart * (moved[1] + left[1]), damping)


def _moving(places: Places, left: Mass, totals: Mass, rest: float) -> Places:
    """Those that have more than may rest."""
    return places[left[places] > rest * totals[places]]


DENSE = 4
"""Where more than one in so many edges carries mass, a product with the whole matrix takes less time."""


def _send(edges: csr_matrix, back: csr_matrix, at: Places, given: Mass, into: Mass) -> Places | None:
    """Add what some rows of a matrix give their edges, by weight, to the other side; `back` is its transpose.

    Returns where it came to, with repetitions, or None where that may be anywhere.
    """
    counts = edges.indptr[at + 1] - edges.indptr[at]
    carrying = int(counts.sum())
    if carrying * DENSE > edges.nnz:
        everywhere = np.zeros(edges.shape[0])
        everywhere[at] = given
        into += back @ everywhere
        return None
    part = edges[at]
    if carrying * DENSE > len(into):
        into += part.T @ given
        return None
    reached: Places = part.indices.astype(np.intp)
    np.add.at(into, reached, np.repeat(given, counts) * part.data)
    return reached


QUESTIONS_AT_ONCE = 16
"""Questions whose texts are embedded in one batch, and whose scores of all chunks are held at one time."""

DECIMALS = 6
"""Decimals of a hit's score; scores that agree in them are equal, and the chunk's id decides."""


@dataclass(frozen=True, slots=True)
class GraphIndex:
    """What the search needs of a snapshot; `claims` tells the claims of each chunk."""

    graph: EntityGraph
    words: WordIndex
    claims: csr_matrix
    library: Library
    settings: GraphSettings


@dataclass(frozen=True, slots=True)
class FirstRound:
    """A question after its first round: what it names and is like, and what has to be embedded next.

    `relation` is the question without the names in it.
    """

    question: RagQuestion
    candidates: Mask
    entities: tuple[QuestionEntity, ...]
    first: Likeness
    follow_ups: list[tuple[int, str]]
    relation: str

    @property
    def texts(self) -> list[str]:
        """The texts to embed."""
        return [text for _, text in self.follow_ups] + [self.relation]


@dataclass(frozen=True, slots=True)
class FirstWalk:
    """A question after its first walk: the chunks that are to be scored, and what they are scored by.

    `likeness` is that of every chunk in both rounds.
    """

    first_round: FirstRound
    likeness: Scores
    walk: WalkResult
    sought: Sought
    candidates: Candidates


@dataclass(frozen=True, slots=True)
class SecondWalk:
    """A question after the second walk, which began at the anchors."""

    first_walk: FirstWalk
    anchors: Anchors
    walk: WalkResult
    candidates: Candidates


def prepare_graph(snapshot: Snapshot, settings: GraphSettings = DEFAULT) -> GraphIndex:
    """The index of a snapshot; takes time in proportion to its text."""
    chunks = snapshot.chunks
    graph = entity_graph(snapshot, settings.title_weight)
    words = word_index(f"{title}\n{text}" for title, text in zip(chunks.titles, chunks.texts, strict=True))
    library = Library(
        chunks.vectors, graph.containment.transposed, graph.pages, graph.frequency, words.scores
    )
    return GraphIndex(graph, words, snapshot.claims.chunks.T.tocsr(), library, settings)


def search_graph(
    snapshot: Snapshot, index: GraphIndex, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> list[list[Hit]]:
    """For each question its hits, best first; the score orders the chunks of one question and means no more.

    Its parts are what each kind of evidence adds, by the names of `evidence.BESIDE`.
    """
    hits = list[list[Hit]]()
    for begun in begin(snapshot, index, questions, embed, limit):
        scores = first_scores(index.library, begun.sought, begun.candidates)
        followed = follow(index, begun, anchors_of(begun.candidates, scores))
        parts = score_parts(index.library, begun.sought, followed.candidates, followed.anchors)
        hits.append(_hits(snapshot, followed.candidates, parts, limit))
    return hits


def begin(
    snapshot: Snapshot, index: GraphIndex, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> Iterator[FirstWalk]:
    """Each question as far as the first walk; at least `limit` candidates where so many have mass."""
    for start in range(0, len(questions), QUESTIONS_AT_ONCE):
        opened = [_open(snapshot, index, one) for one in questions[start : start + QUESTIONS_AT_ONCE]]
        vectors, at = embed([text for one in opened for text in one.texts]), 0
        for one in opened:
            yield _begin(snapshot, index, one, vectors[at : at + len(one.texts)], limit)
            at += len(one.texts)


def follow(index: GraphIndex, begun: FirstWalk, anchors: Anchors) -> SecondWalk:
    """A second walk, from what the anchors name and the question does not."""
    settings, opened = index.settings, begun.first_round
    seeds = anchor_seeds(
        index.graph, opened.entities, anchors.chunks, anchors.strengths, begun.likeness, settings
    )
    walked = walk(index.graph.containment, seeds, settings)
    more = _best(walked.chunks, opened.candidates, settings.candidates_after)
    chunks = np.union1d(begun.candidates.chunks, more).astype(np.int32)
    candidates = Candidates(chunks, _shares(begun.walk.chunks, chunks), _shares(walked.chunks, chunks))
    return SecondWalk(begun, anchors, walked, candidates)


def _open(snapshot: Snapshot, index: GraphIndex, question: RagQuestion) -> FirstRound:
    allowed = allowed_chunks(snapshot.chunks, question.filters)
    first = likeness(snapshot, index.words, question.text, question.vector, allowed, index.settings)
    return FirstRound(
        question=question,
        candidates=allowed,
        entities=tuple(question_names(index.graph, question.text)),
        first=first,
        follow_ups=follow_ups(snapshot, index.claims, first, question.text, question.vector, index.settings),
        relation=without_names(question.text, names_in(index.graph.names, question.text)),
    )


def _begin(
    snapshot: Snapshot, index: GraphIndex, opened: FirstRound, vectors: Vectors, limit: int
) -> FirstWalk:
    settings, graph, question = index.settings, index.graph, opened.question
    like = second_round(
        snapshot, index.words, opened.first, opened.follow_ups, vectors[:-1], opened.candidates, settings
    )
    walked = walk(graph.containment, question_seeds(graph, opened.entities, like, settings), settings)
    near = _best(walked.chunks, opened.candidates, max(settings.candidates, limit))
    return FirstWalk(
        first_round=opened,
        likeness=like,
        walk=walked,
        sought=Sought(
            question.vector, vectors[-1], _nodes(opened.entities), _terms(index.words, question.text)
        ),
        candidates=Candidates(near, _shares(walked.chunks, near), np.zeros(len(near))),
    )


def _hits(snapshot: Snapshot, candidates: Candidates, parts: Mapping[str, Scores], limit: int) -> list[Hit]:
    scores = np.round(np.sum(list(parts.values()), axis=0), DECIMALS)
    # Candidates stand in the order of the chunks' ids, and a stable sort keeps it among equals.
    return [
        Hit(
            snapshot.chunks.ids[candidates.chunks[at]],
            float(scores[at]),
            tuple((name, round(float(values[at]), DECIMALS)) for name, values in parts.items()),
        )
        for at in np.argsort(-scores, kind="stable")[:limit]
    ]


def _best(masses: Scores, allowed: Mask, count: int) -> Indexes:
    """The allowed chunks with the greatest masses, in the order of their ids; none without mass."""
    held = np.flatnonzero(allowed & (masses > 0))
    best = held[best_places(masses[held], count)]
    chunks: Indexes = np.sort(best).astype(np.int32)
    return chunks


def _shares(masses: Scores, chunks: Indexes) -> Scores:
    greatest = float(masses.max()) if len(masses) else 0.0
    shares: Scores = masses[chunks] / greatest if greatest > 0 else np.zeros(len(chunks))
    return shares


def _nodes(named: Sequence[QuestionEntity]) -> Indexes:
    return np.array(sorted(one.entity for one in named), dtype=np.int32)


def _terms(words: WordIndex, text: str) -> Indexes:
    known = sorted(words.terms[term] for term in set(terms_of(text)) & words.terms.keys())
    return np.array(known, dtype=np.int32)
