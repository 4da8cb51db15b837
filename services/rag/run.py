"""Eighth stage: a system answers every kept question; answers, chunks and ranks go into the graph."""

from dataclasses import dataclass
from time import monotonic

from kg.ids import node_id
from kg.ledger import Counts
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row, batches, vector_of
from services.evaluate.answers import exact_match, is_abstention, token_f1
from services.rag.protocol import Asked, Hit, Retriever
from services.rag.reader import READER, read_answer
from services.rag.vector import read_passages

QUESTIONS_A_BATCH = 64


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What makes a run repeatable; all of it is recorded on the Run node."""

    name: str
    retriever: str
    embedder: str
    limit: int
    reader: str = READER
    system: str = "single-step"


def run_id(corpus: str, name: str) -> str:
    """The id of a run by its name."""
    return node_id(corpus, "run", name)


def answer_questions(
    graph: Graph, corpus: str, settings: RunSettings, retriever: Retriever, progress: Progress
) -> Counts:
    """Answer every kept question that this run has not answered yet."""
    run = run_id(corpus, settings.name)
    recorded = {name: getattr(settings, name) for name in RunSettings.__slots__}
    graph.rows(query("runs/write_run"), id=run, corpus=corpus, settings=recorded)
    pending = [row["id"] for row in graph.rows(query("runs/list_unanswered"), corpus=corpus, run=run)]
    progress.step(f"run {settings.name}", len(pending))
    for ids in batches(pending, QUESTIONS_A_BATCH):
        questions = graph.rows(query("runs/read_questions"), ids=ids)
        rows = _answer_batch(graph, corpus, run, retriever, questions)
        graph.rows(query("runs/write_answers"), corpus=corpus, run=run, rows=rows)
        progress.advance(len(ids))
    graph.rows(query("runs/finish_run"), id=run)
    return dict(graph.rows(query("runs/count_answers"), run=run)[0])


def clear_run(graph: Graph, corpus: str, name: str) -> None:
    """Delete what an earlier run of this name answered."""
    graph.rows(query("runs/delete_run"), id=run_id(corpus, name))


def _answer_batch(
    graph: Graph, corpus: str, run: str, retriever: Retriever, questions: list[Row]
) -> list[Row]:
    started = monotonic()
    hits = retriever.retrieve([Asked(q["id"], q["text"], vector_of(q["vector"])) for q in questions])
    passages = read_passages(graph, sorted({hit.chunk for found in hits for hit in found}))
    rows = []
    for question, found in zip(questions, hits, strict=True):
        reading = read_answer(question["text"], [passages[hit.chunk] for hit in found])
        rows.append(_answer_row(corpus, run, question, found, reading.answer))
    seconds = round((monotonic() - started) / max(len(rows), 1), 4)
    for row in rows:
        row["answer"]["seconds"] = seconds
    return rows


def _answer_row(corpus: str, run: str, question: Row, hits: list[Hit], text: str) -> Row:
    exact = exact_match(text, question["answer"], question["accepted"])
    return {
        "question": question["id"],
        "answer": {
            "id": node_id(corpus, "answer", run, question["id"]),
            "text": text,
            "correct": exact,
            "exact_match": exact,
            "f1": round(token_f1(text, question["answer"], question["accepted"]), 4),
            "abstained": is_abstention(text),
        },
        "retrieved": [
            {"chunk": hit.chunk, "rank": rank, "score": hit.score} for rank, hit in enumerate(hits, start=1)
        ],
    }
