"""Seventh stage: every path becomes a question with its evidence, its difficulty and its quartile bin."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kg.embed.protocol import Embedder
from kg.ids import node_id
from kg.ledger import Counts
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row, batches, vector_of
from services.questions.checks import Draft, first_failure
from services.questions.difficulty import difficulty, quartile_bins
from services.questions.templates import GENERATOR, Step, chain_question

PATHS_A_BATCH = 200

Vector = NDArray[np.float32]


@dataclass(slots=True)
class _Made:
    """A question on its way into the graph."""

    row: Row
    vector: Vector


def make_questions(graph: Graph, corpus: str, embedder: Embedder, progress: Progress) -> Counts:
    """Turn the paths of a corpus into questions; rejected ones stay, with the check that they failed."""
    paths = [row["id"] for row in graph.rows(query("paths/list_paths"), corpus=corpus)]
    progress.step("questions", len(paths))
    made: list[_Made] = []
    for ids in batches(paths, PATHS_A_BATCH):
        made += _questions_of(graph, corpus, graph.rows(query("paths/read_paths"), ids=ids), embedder)
        progress.advance(len(ids))
    _cut_bins(made)
    graph.write_rows(
        query("questions/write_questions"),
        ({**item.row, "vector": item.vector} for item in made),
        size=500,
        corpus=corpus,
    )
    return _counts(graph, corpus)


def _questions_of(graph: Graph, corpus: str, paths: Sequence[Row], embedder: Embedder) -> list[_Made]:
    rows = [_question_row(corpus, path) for path in paths]
    vectors = embedder.embed([row["question"]["text"] for row in rows])
    support = _support(graph, [path["id"] for path in paths])
    chunks = sorted({chunk for hops in support.values() for found in hops.values() for chunk in found})
    chunk_vectors = {
        row["id"]: vector_of(row["vector"])
        for row in graph.read_in_batches(query("chunks/read_vectors"), chunks)
    }
    return [
        _Made(_with_evidence(row, vector, support[row["path"]], chunk_vectors), vector)
        for row, vector in zip(rows, vectors, strict=True)
    ]


def _question_row(corpus: str, path: Row) -> Row:
    stops, hops = path["entities"], path["edges"]
    steps = [Step(hop["predicate"], stop["type"]) for hop, stop in zip(hops, stops[1:], strict=True)]
    text = chain_question(stops[0]["name"], steps)
    names = [(stop["name"], *(stop["aliases"] or ())) for stop in stops]
    failed = first_failure(
        Draft(
            text=text,
            predicates=tuple(hop["predicate"] for hop in hops),
            start_names=names[0],
            middle_names=tuple(name for middle in names[1:-1] for name in middle),
            answer_names=names[-1],
        )
    )
    question = {
        "id": node_id(corpus, "question", path["id"], text),
        "text": text,
        "answer": stops[-1]["name"],
        "accepted": list(dict.fromkeys((*names[-1], hops[-1]["object"]))),
        "answer_type": stops[-1]["type"],
        "kind": "chain",
        "hops": path["hops"],
        "status": "kept" if failed is None else "rejected",
        "rejected_by": failed,
        "generator": GENERATOR,
    }
    return {
        "question": question,
        "path": path["id"],
        "asks_about": stops[0]["id"],
        "answered_by": stops[-1]["id"],
    }


def _support(graph: Graph, paths: Sequence[str]) -> dict[str, dict[int, list[str]]]:
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in graph.rows(query("paths/read_support"), ids=list(paths)):
        found[row["path"]][row["hop"]].append(row["chunk"])
    return found


def _with_evidence(
    row: Row, vector: Vector, support: dict[int, list[str]], chunk_vectors: dict[str, Vector]
) -> Row:
    similar = {
        hop: {chunk: round(float(vector @ chunk_vectors[chunk]), 6) for chunk in chunks}
        for hop, chunks in sorted(support.items())
    }
    by_hop = [list(chunks.values()) for chunks in similar.values()]
    row["question"] |= {
        "difficulty_min": round(difficulty(by_hop, "min"), 6),
        "difficulty_mean": round(difficulty(by_hop, "mean"), 6),
        "difficulty_power": round(difficulty(by_hop, "power"), 6),
    }
    row["support"] = [
        {"hop": hop, "chunk": chunk, "similarity": similarity}
        for hop, chunks in similar.items()
        for chunk, similarity in sorted(chunks.items())
    ]
    return row


def _cut_bins(made: Iterable[_Made]) -> None:
    """Quartiles of the kept questions, within their depth."""
    kept = [item.row["question"] for item in made if item.row["question"]["status"] == "kept"]
    bins = quartile_bins([q["difficulty_min"] for q in kept], [q["hops"] for q in kept])
    for question, found in zip(kept, bins, strict=True):
        question["bin"] = found


def _counts(graph: Graph, corpus: str) -> Counts:
    counts: Counts = {"drawn": 0, "kept": 0}
    for row in graph.rows(query("questions/count_questions"), corpus=corpus):
        counts["drawn"] = int(counts["drawn"]) + row["questions"]
        if row["status"] == "kept":
            counts["kept"] = int(counts["kept"]) + row["questions"]
            counts[f"kept_{row['hops']}_hops"] = row["questions"]
    return counts
