"""Pools are drawn once and then frozen: the first chunks that a named retriever finds for each question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.embed.choose import Embedder
from kg.errors import NothingToDoError
from kg.ids import content_hash
from kg.ledger import STAGES, read_ledger
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, batches
from services.comparison.journal import KEY_DIGITS, Journal
from services.comparison.pool import SCORE_DIGITS
from services.comparison.records import Candidates, Question
from services.questions.dataset import dataset_version
from services.rag.answering import QUESTIONS_A_BATCH, asked_of
from services.rag.retrieval.choose import open_retriever


@dataclass(frozen=True, slots=True)
class PoolRecall:
    """How much of the gold evidence lies in the pools: no system can show what does not.

    `hops` are those that have gold evidence, over all questions, and `found` those of them with a supporting
    chunk in the pool of their question; `questions` have gold evidence, and `whole` of them for every hop.
    """

    hops: int
    found: int
    questions: int
    whole: int


def draw_pools(
    graph: Graph,
    corpus: str,
    retriever: str,
    size: int,
    questions: Sequence[str],
    embedder: Embedder,
    progress: Progress,
    journal: Journal[Candidates],
) -> dict[str, Candidates]:
    """The pool of each question by its id, best first, with scores as they are kept.

    Each is in `journal` as soon as it is drawn; what is there from the same graph is not drawn again.

    Raises:
        SettingsError: there is no such retriever.
        NothingToDoError: it finds nothing for a question, or the graph is not built.
    """
    searching = open_retriever(retriever, graph, corpus, embedder, size)
    source = _source(graph, corpus, searching.name)
    keys = {question: content_hash((source, question), KEY_DIGITS) for question in questions}
    pending = [question for question in questions if keys[question] not in journal]
    progress.step("pools", len(pending))
    for ids in batches(pending, QUESTIONS_A_BATCH):
        asked = asked_of(graph.rows(query("questions/read_queries"), ids=ids), embedder)
        for one, hits in zip(asked, searching.retrieve(asked), strict=True):
            if not hits:
                raise NothingToDoError(
                    f"the retriever {retriever!r} finds nothing for question {one.id}.",
                    "Freeze the pools by another one, such as --pool-by vector.",
                )
            chunks = tuple((hit.chunk, round(float(hit.score), SCORE_DIGITS)) for hit in hits[:size])
            journal.add(keys[one.id], Candidates(one.id, chunks))
        progress.advance(len(ids))
    return {question: journal[key] for question, key in keys.items()}


def _source(graph: Graph, corpus: str, retriever: str) -> str:
    """A hash of what pools depend on: the graph and the questions as they are, and the retriever."""
    made = (f"{line['name']} {line['key']}" for line in read_ledger(graph, corpus) if line["name"] in STAGES)
    return content_hash((corpus, dataset_version(graph, corpus), retriever, *sorted(made)))


def pool_recall(questions: Iterable[Question], pools: Mapping[str, Candidates]) -> PoolRecall:
    """How much of the gold evidence of some questions lies in their pools."""
    found: list[list[bool]] = []
    for question in questions:
        inside = {chunk for chunk, _ in pools[question.id].chunks}
        hops = sorted({piece.hop for piece in question.gold})
        found.append(
            [any(piece.hop == hop and piece.chunk in inside for piece in question.gold) for hop in hops]
        )
    return PoolRecall(
        hops=sum(map(len, found)),
        found=sum(map(sum, found)),
        questions=sum(map(bool, found)),
        whole=sum(bool(hops) and all(hops) for hops in found),
    )


def missing_chunks(graph: Graph, corpus: str, chunks: Sequence[str]) -> list[str]:
    """Those of some chunks that are in the corpus no more, in order."""
    rows = graph.read_in_batches(query("comparisons/list_missing_chunks"), sorted(chunks), corpus=corpus)
    return [str(row["id"]) for row in rows]
