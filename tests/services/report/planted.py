"""Small corpora with questions, evidence and answers written by statement, so that every number is known.

Article i holds chunk i, which states claim i: entity i leads to entity i + 1. A chain question of h hops that
starts at entity s rests on the claims s to s + h - 1, each stated by one chunk.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.corpus import CorpusSettings, open_corpus, remember
from kg.ids import node_id, run_id
from kg.queries import query
from kg.store.graph import Graph
from tests.graph_reading import change

ENTITIES = 9

WORLD = """
UNWIND range(0, $entities - 1) AS i
CREATE (:Entity {id: $corpus + '-e' + i, corpus: $corpus, name: 'Entity ' + i, type: 'PERSON'})
WITH i
CREATE (a:Article {id: $corpus + '-a' + i, corpus: $corpus, title: 'Article ' + i})
CREATE (c:Chunk {id: $corpus + '-c' + i, corpus: $corpus, article: a.id, text: 'Chunk ' + i, position: 0})
CREATE (k:Claim {id: $corpus + '-k' + i, corpus: $corpus, article: a.id, text: 'Claim ' + i})
CREATE (a)-[:HAS_CHUNK {position: 0}]->(c), (c)-[:HAS_CLAIM]->(k)
"""

PATHS = """
UNWIND $rows AS row
CREATE (p:Path {id: row.id, corpus: $corpus, hops: row.hops, uses_exact: row.exact,
                uses_context: row.context})
WITH p, row
CALL (p, row) {
  UNWIND range(0, row.hops) AS i
  MATCH (e:Entity {id: $corpus + '-e' + (row.start + i)})
  CREATE (p)-[:VISITS {index: i}]->(e)
}
CALL (p, row) {
  UNWIND range(1, row.hops) AS i
  MATCH (k:Claim {id: $corpus + '-k' + (row.start + i - 1)})
  CREATE (p)-[:HOP {index: i}]->(k)
}
"""


@dataclass(frozen=True, slots=True)
class Planted:
    """A question: `name` is its own, `start` the entity that it begins with."""

    name: str
    hops: int = 2
    start: int = 0
    bin: int | None = 1
    difficulty: float = 0.5
    kind: str = "chain"
    query_type: str = "inference"
    status: str = "kept"
    exact: bool = False
    context: bool = False
    mean: float | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a run answered: whether right, with which chunks, or with what error."""

    question: str
    right: bool = False
    chunks: tuple[int, ...] = ()
    abstained: bool = False
    error: str = ""
    judged_by: str = "exact match"
    cited: tuple[int, ...] = ()


def plant(graph: Graph, corpus: str, questions: Sequence[Planted], dataset: str = "v-1") -> None:
    """Write the corpus and its questions."""
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin/planted", 384, "128-256/50", "rules"))
    recorded = {"dataset": dataset, "bins": "depth"}
    remember(graph, corpus, recorded)
    change(graph, WORLD, corpus=corpus, entities=ENTITIES)
    chains = [one for one in questions if one.kind == "chain"]
    rows = [
        {
            "id": f"{corpus}-p-{q.name}",
            "hops": q.hops,
            "start": q.start,
            "exact": q.exact,
            "context": q.context,
        }
        for q in chains
    ]
    change(graph, PATHS, corpus=corpus, rows=rows)
    graph.rows(
        query("questions/write_questions"), corpus=corpus, rows=[_question(corpus, q) for q in questions]
    )


def answer(graph: Graph, corpus: str, run: str, given: Sequence[Given], **settings: object) -> None:
    """Write a run with its answers; `settings` are properties of the Run node."""
    kept = {
        "name": run, "system": "single-step", "retriever": "vector-10", "reranker": "",
        "generator": "planted", "embedder": "builtin", "top": 10, "seed": 0,
        "judge": "exact match", "dataset": "v-1", "prompts": [],
    }  # fmt: skip
    graph.rows(query("runs/write_run"), id=run_id(corpus, run), corpus=corpus, settings=kept | settings)
    graph.rows(
        query("answers/write_answers"),
        corpus=corpus,
        run=run_id(corpus, run),
        rows=[_answer(corpus, run, one) for one in given],
    )
    graph.rows(query("runs/finish_run"), id=run_id(corpus, run))


def question_id(corpus: str, name: str) -> str:
    """The id of a planted question."""
    return f"{corpus}-q-{name}"


def _question(corpus: str, one: Planted) -> dict[str, object]:
    # A null question's last fact is the one that stands nowhere.
    facts = one.hops - (one.kind == "null")
    places = [one.start + hop for hop in range(facts)]
    chain = one.kind == "chain"
    return {
        "question": {
            "id": question_id(corpus, one.name), "text": f"{one.name}?", "answer": "yes", "accepted": ["yes"],
            "kind": one.kind, "query_type": one.query_type, "hops": one.hops, "status": one.status,
            "generator": "planted-1", "bin": one.bin if chain else None,
            "difficulty_min": one.difficulty if chain else None,
            "difficulty_mean": (one.mean or one.difficulty) if chain else None,
            "difficulty_power": one.difficulty if chain else None,
        },
        "vector": None,
        "path": f"{corpus}-p-{one.name}",
        "asks_about": [f"{corpus}-e{one.start}"],
        "answered_by": f"{corpus}-e{one.start + one.hops}",
        "claims": [{"id": f"{corpus}-k{place}", "index": hop} for hop, place in enumerate(places, start=1)],
        "support": [
            {"chunk": f"{corpus}-c{place}", "hop": hop, "similarity": 0.5}
            for hop, place in enumerate(places, start=1)
        ],
        "prefixes": [],
    }  # fmt: skip


def _answer(corpus: str, run: str, given: Given) -> dict[str, object]:
    text = "" if given.error else "Insufficient information" if given.abstained else "yes"
    return {
        "question": question_id(corpus, given.question),
        "answer": {
            "id": node_id(corpus, "answer", run, given.question), "text": text, "correct": given.right,
            "exact_match": given.right, "f1": float(given.right), "abstained": given.abstained,
            "judged_by": given.judged_by, "error": given.error, "seconds": 0.25, "input_tokens": 10,
            "output_tokens": 2, "cached_input_tokens": 3, "reasoning_tokens": 1, "cost": None, "prompts": [],
            "cited": [f"{corpus}-c{place}" for place in given.cited],
        },
        "retrieved": [
            {"chunk": f"{corpus}-c{place}", "rank": rank, "score": 0.5, "step": 1}
            for rank, place in enumerate(given.chunks, start=1)
        ],
        "steps": [],
    }  # fmt: skip
