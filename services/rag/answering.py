"""The passages behind retrieved chunks, as generators and rerankers see them.

A system answers questions of a corpus in batches; each batch is in the graph before the next begins.

Answers that a system tells as they come are there soon after.

The steps of an answer as the graph keeps them: their properties, and the chunks that each one saw.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from kg.embed.choose import Embedder
from kg.ids import node_id
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row, batches, vector_of
from services.answer_match import answer_match
from services.answers import ANSWER_MATCH, NULL, counted_kind, exact_match, is_abstention, is_right, token_f1
from services.rag.protocol import (
    Filters,
    Hit,
    Name,
    Passage,
    RagAnswer,
    RagQuestion,
    RagSystem,
    StatedFact,
    stream_answers,
)

CHUNKS_A_BATCH = 200
"""Chunks that are read in one statement."""

PassageReader = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Gives the passages of some chunks, by chunk."""


def passages_of(read: PassageReader, hits: Iterable[Sequence[Hit]]) -> list[tuple[Passage, ...]]:
    """The passages of each list of hits, in its order; a chunk that several lists have is read once."""
    lists = [list(one) for one in hits]
    found = read(sorted({hit.chunk for one in lists for hit in one}))
    return [tuple(found[hit.chunk] for hit in one) for one in lists]


def read_passages(graph: Graph, chunks: Sequence[str]) -> dict[str, Passage]:
    """The passages of some chunks, by chunk, with the names that stand in them and the facts they state."""
    return {
        row["id"]: Passage(
            chunk=row["id"],
            text=row["text"],
            title=row["title"],
            source=row["source"],
            names=tuple(_name(name) for name in row["names"]),
            published=row["published"],
            facts=tuple(_fact(fact) for fact in row["facts"]),
            next_chunk=row["next"],
        )
        for row in graph.read_in_batches(query("chunks/read_for_reader"), chunks, size=CHUNKS_A_BATCH)
    }


def _name(row: Row) -> Name:
    return Name(row["surface"], row["name"], row["type"], row["entity"])


def _fact(row: Row) -> StatedFact:
    return StatedFact(_name(row["subject"]), row["predicate"], _name(row["object"]), row["sentence"])


def step_rows(corpus: str, answer: str, answered: RagAnswer) -> list[Row]:
    """A row a step, for `cypher/answers/write_answers`; `answer` is the answer's id."""
    return [
        {
            "step": {
                "id": node_id(corpus, "step", answer, str(step.index)),
                "index": step.index,
                "action": step.action,
                "query": step.query,
                "observation": step.observation,
                "retrieves": step.retrieves,
                "top_k": step.top_k,
                "filters": filters_json(step.filters),
                "thought": step.thought,
                "arguments": step.arguments,
                "fault": step.fault,
                "input_tokens": step.usage.input_tokens,
                "output_tokens": step.usage.output_tokens,
                "seconds": None if step.seconds is None else round(step.seconds, 4),
            },
            "seen": _hit_rows(step.hits),
        }
        for step in answered.steps
    ]


def filters_json(filters: Filters) -> str:
    """The filters that are set, as JSON; empty where none is."""
    told = {name: value for name, value in asdict(filters).items() if value}
    return json.dumps(told, ensure_ascii=False) if told else ""


def describe_filters(stored: str) -> str:
    """Stored filters for a reader: "source: The Courier; since: 2024-03-01"; empty where none is set."""
    values = json.loads(stored) if stored else {}
    if not isinstance(values, Mapping):
        return stored
    return "; ".join(f"{_SINGULAR.get(name, name)}: {_join_values(value)}" for name, value in values.items())


_SINGULAR = {"sources": "source", "categories": "category", "authors": "author"}


def _join_values(value: object) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)


def _hit_rows(hits: tuple[Hit, ...]) -> list[Row]:
    """Each chunk at its first place: an agent's tool may bring one twice."""
    first: dict[str, Row] = {}
    for hit in hits:
        first.setdefault(hit.chunk, {"chunk": hit.chunk, "rank": len(first) + 1, "score": hit.score})
    return list(first.values())


QUESTIONS_A_BATCH = 64

UNALIGNED_KEPT = 20
"""So many texts that are in no chunk are kept with an answer; all are counted."""

KEPT_CHARACTERS = 300
"""So much of each of them."""


def answer_pending(
    graph: Graph,
    corpus: str,
    run: str,
    system: RagSystem,
    embedder: Embedder,
    pending: Sequence[str],
    progress: Progress,
    questions_a_batch: int | None = None,
) -> None:
    """Let a system answer these questions and write what it gave; `run` is the run's id.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: a model or a reranker can't go on. The
            batches before are in the graph, and a model's replies in its cache; all that a
            `StreamingSystem` answered is in the graph, then and at Ctrl-C.
    """
    for ids in batches(pending, questions_a_batch or QUESTIONS_A_BATCH):
        questions = {row["id"]: row for row in graph.rows(query("questions/read_queries"), ids=ids)}

        def write(answers: Sequence[RagAnswer], questions: Mapping[str, Row] = questions) -> None:
            rows = [answer_row(corpus, run, questions[answer.question], answer) for answer in answers]
            graph.rows(query("answers/write_answers"), corpus=corpus, run=run, rows=rows)
            progress.advance(len(rows))

        stream_answers(system, rag_questions(list(questions.values()), embedder), write)


def rag_questions(questions: Sequence[Row], embedder: Embedder) -> list[RagQuestion]:
    """The questions with their stored vectors; one that has none is embedded."""
    bare = [question for question in questions if question["vector"] is None]
    made = dict(
        zip(
            (question["id"] for question in bare),
            embedder.embed_queries([question["text"] for question in bare]) if bare else (),
            strict=True,
        )
    )
    return [
        RagQuestion(
            question["id"],
            question["text"],
            made[question["id"]] if question["id"] in made else vector_of(question["vector"]),
        )
        for question in questions
    ]


def answer_row(corpus: str, run: str, question: Row, answered: RagAnswer) -> Row:
    """What `cypher/answers/write_answers` takes of an answer; `run` is the run's id, `question` a row of
    `questions/read_queries`."""
    answer = node_id(corpus, "answer", run, question["id"])
    text, failed = answered.text, bool(answered.error)
    abstained = not failed and is_abstention(text)
    null = counted_kind(question["kind"], question["query_type"]) == NULL
    exact, matches = (
        is_right(not null and fits, null=null, abstained=abstained, failed=failed)
        for fits in (
            exact_match(text, question["answer"], question["accepted"]),
            not abstained
            and answer_match(
                text, question["answer"], question["accepted"], question["text"], question["chain"]
            ),
        )
    )
    f1 = 0.0 if failed else token_f1(text, question["answer"], question["accepted"])
    return {
        "question": question["id"],
        "answer": {
            "id": answer,
            "text": text,
            "correct": matches,
            "answer_match": matches,
            "exact_match": exact,
            "f1": round(f1, 4),
            "abstained": abstained,
            "judged_by": ANSWER_MATCH,
            "error": answered.error,
            "seconds": round(answered.seconds, 4),
            "input_tokens": answered.usage.input_tokens,
            "output_tokens": answered.usage.output_tokens,
            "cached_input_tokens": answered.usage.cached_input_tokens,
            "reasoning_tokens": answered.usage.reasoning_tokens,
            "cost": answered.cost,
            "prompts": list(answered.prompts),
            "cited": list(answered.cited),
            "unknown_citations": answered.unknown_citations,
            "passages_shown": answered.passages_shown,
            "confidence": None if failed else answered.confidence,
            # Null, and so not there, for a system that retrieves from our chunks.
            "unaligned": len(answered.unaligned) or None,
            "unaligned_texts": [text[:KEPT_CHARACTERS] for text in answered.unaligned[:UNALIGNED_KEPT]]
            or None,
            "retrieval_told": None if answered.retrieval_reported else False,
            "steps_told": None if answered.steps_reported else False,
        },
        "retrieved": [
            {"chunk": one.chunk, "rank": one.rank, "score": one.score, "step": one.step}
            for one in answered.retrieved
        ],
        "steps": step_rows(corpus, answer, answered),
    }
