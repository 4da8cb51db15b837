"""The steps of an answer as the graph keeps them: their properties, and the chunks that each one saw."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from kg.ids import node_id
from kg.store.graph import Row
from services.rag.protocol import Answered, Filters, Hit


def step_rows(corpus: str, answer: str, answered: Answered) -> list[Row]:
    """A row a step, for `cypher/runs/write_answers`; `answer` is the answer's id."""
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
            "seen": _seen(step.hits),
        }
        for step in answered.steps
    ]


def filters_json(filters: Filters) -> str:
    """The filters that are set, as JSON; empty where none is."""
    told = {name: value for name, value in asdict(filters).items() if value}
    return json.dumps(told, ensure_ascii=False) if told else ""


def filters_told(stored: str) -> str:
    """Stored filters for a reader: "source: The Courier; since: 2024-03-01"; empty where none is set."""
    values = json.loads(stored) if stored else {}
    if not isinstance(values, Mapping):
        return stored
    return "; ".join(f"{_SINGULAR.get(name, name)}: {_listed(value)}" for name, value in values.items())


_SINGULAR = {"sources": "source", "categories": "category", "authors": "author"}


def _listed(value: object) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)


def _seen(hits: tuple[Hit, ...]) -> list[Row]:
    """Each chunk at its first place: an agent's tool may bring one twice."""
    first: dict[str, Row] = {}
    for hit in hits:
        first.setdefault(hit.chunk, {"chunk": hit.chunk, "rank": len(first) + 1, "score": hit.score})
    return list(first.values())
