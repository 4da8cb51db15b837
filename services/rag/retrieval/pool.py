"""A retriever that finds nothing but what stands in the pool of a question, chosen by a selector.

Every system of ours searches by it, also more than once for a question: a search in the question's own words
goes by the scores of the pool, any other by the likeness of its words to each chunk of the pool.

From the chunks of a pool to what selectors see of them, by the snapshot of the corpus.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from kg.errors import CorpusError, command
from kg.ids import bare_id, content_hash
from kg.text.tokens import count_tokens
from services.rag.graph_search.cache import Embed
from services.rag.graph_search.search import GraphIndex, search_graph
from services.rag.graph_search.seeds import question_names
from services.rag.graph_search.snapshot import Snapshot, allowed_chunks
from services.rag.protocol import Hit, RagQuestion
from services.rag.selection import NamedSelector, Places, Pool, Scores, SelectionBudget

RankedChunks = Sequence[tuple[str, float]]
"""Ids of chunks with a retriever's scores, best first."""


@dataclass(frozen=True, slots=True)
class PoolIndex:
    """What is known of all chunks that stand in a pool.

    `rows` are their rows in the snapshot, by id; `tokens` and `clusters` hold, for each row of the snapshot,
    the tokens of its text and the number of its cluster, and mean nothing for a chunk of no pool.
    """

    snapshot: Snapshot
    graph: GraphIndex
    rows: Mapping[str, int]
    tokens: Places
    articles: Places
    clusters: Places


def pool_index(
    snapshot: Snapshot, graph: GraphIndex, chunks: Iterable[str], clusters: Mapping[str, str]
) -> PoolIndex:
    """The index of these chunks; one that has no cluster is a cluster of its own.

    Raises:
        CorpusError: a chunk is not in the corpus.
    """
    row_of = {chunk: row for row, chunk in enumerate(snapshot.chunks.ids)}
    wanted = sorted(set(chunks))
    gone = [chunk for chunk in wanted if chunk not in row_of]
    if gone:
        raise CorpusError(
            f"corpus {snapshot.corpus!r} lacks {len(gone):,} of the chunks in the pools, such as {gone[0]}.",
            f"Freeze the pools of what is there now: {command('standard init --corpus', snapshot.corpus)}",
        )
    rows = {chunk: row_of[chunk] for chunk in wanted}
    tokens = np.zeros(len(snapshot.chunks.ids), dtype=np.int64)
    for row in rows.values():
        tokens[row] = count_tokens(snapshot.chunks.texts[row])
    own = [clusters.get(chunk) or f"\0{chunk}" for chunk in snapshot.chunks.ids]
    return PoolIndex(
        snapshot, graph, rows, tokens, _number_labels(snapshot.chunks.articles), _number_labels(own)
    )


def pool_of(
    index: PoolIndex, question: RagQuestion, ranked: RankedChunks, walked: Mapping[str, float] | None
) -> Pool:
    """The pool of a question as selectors see it, by its vector, without what its filters leave out.

    `ranked` holds the pool with the scores by which it is chosen from, and `walked` the graph retriever's
    scores of any chunks.
    """
    allowed = allowed_chunks(index.snapshot.chunks, question.filters)
    ranked = [(chunk, score) for chunk, score in ranked if allowed[index.rows[chunk]]]
    chunks = tuple(chunk for chunk, _ in ranked)
    rows = np.array([index.rows[chunk] for chunk in chunks], dtype=np.int64)
    walks = walked or {}
    held = index.graph.graph.containment.transposed[rows]
    nodes, columns = np.unique(held.indices, return_inverse=True)
    asked_for = [one.entity for one in question_names(index.graph.graph, question.text)]
    return Pool(
        chunks=chunks,
        scores=np.array([score for _, score in ranked], dtype=np.float64),
        vectors=index.snapshot.chunks.vectors[rows],
        tokens=index.tokens[rows],
        articles=_renumber(index.articles[rows]),
        clusters=_renumber(index.clusters[rows]),
        entities=csr_matrix(
            (np.ones(len(columns), np.float32), columns, held.indptr), shape=(len(rows), len(nodes))
        ),
        rarity=1 / index.graph.graph.frequency[nodes],
        question_entities=np.isin(nodes, asked_for),
        walk_scores=np.array([walks.get(chunk, -np.inf) for chunk in chunks], dtype=np.float64),
    )


def likeness(index: PoolIndex, chunks: Sequence[str], question: RagQuestion) -> RankedChunks:
    """The chunks by the cosine of their vectors to the question's, best first; among equals as they came."""
    rows = np.array([index.rows[chunk] for chunk in chunks], dtype=np.int64)
    cosines: Scores = (index.snapshot.chunks.vectors[rows] @ question.vector).astype(np.float64)
    return [(chunks[at], float(cosines[at])) for at in np.argsort(-cosines, kind="stable")]


def _number_labels(labels: Sequence[str]) -> Places:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def _renumber(numbers: Places) -> Places:
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


WALKED = 500
"""So many chunks of the corpus the graph retriever ranks, of which those of the pool are taken."""


@dataclass(frozen=True, slots=True)
class PoolRetriever:
    """Chooses evidence from `pools`, by the question's id; of one that has none nothing is found.

    `own_words` holds the texts of the questions that their pools were made for. Each search chooses anew
    under the whole budget; `seed` is mixed with the question's id and words.
    """

    index: PoolIndex
    pools: Mapping[str, RankedChunks]
    own_words: Mapping[str, str]
    selector: NamedSelector
    budget_tokens: int
    seed: int
    embed: Embed

    @property
    def name(self) -> str:
        """The selector's version."""
        return self.selector.version

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question the chosen chunks; the score is 1 / rank, its part "pool" what was chosen by."""
        walked = self._walk_graph(questions) if self.selector.walks else [None] * len(questions)
        return [self._choose(question, walk) for question, walk in zip(questions, walked, strict=True)]

    def _choose(self, question: RagQuestion, walked: Mapping[str, float] | None) -> list[Hit]:
        ranked = self.pools.get(question.id, ())
        if question.text != self.own_words.get(question.id):
            ranked = likeness(self.index, [chunk for chunk, _ in ranked], question)
        pool = pool_of(self.index, question, ranked, walked)
        # Ids of questions have nothing to do with each other, nor have their seeds.
        seed = int(content_hash((str(self.seed), bare_id(question.id), question.text)), 16)
        chosen = self.selector.select(pool, SelectionBudget(self.budget_tokens, seed))
        return [
            Hit(pool.chunks[place], 1 / rank, (("pool", float(pool.scores[place])),))
            for rank, place in enumerate(chosen, start=1)
        ]

    def _walk_graph(self, questions: Sequence[RagQuestion]) -> list[dict[str, float]]:
        found = search_graph(self.index.snapshot, self.index.graph, questions, self.embed, WALKED)
        return [{hit.chunk: hit.score for hit in hits} for hits in found]
