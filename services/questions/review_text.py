"""A new text for a question by hand: what it must not give away, and what follows from it."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kg.queries import query
from kg.store.graph import Graph, Row, vector_of
from services.questions.difficulty import difficulty_properties
from services.questions.draft import Draft, Stop
from services.questions.filters.hiding import ANSWER_HIDDEN, MIDDLE_HIDDEN

Embed: TypeAlias = Callable[[list[str]], NDArray[np.float32]]
"""From texts to unit vectors, one a row, by the embedder of the corpus."""

CHECKS = (ANSWER_HIDDEN, MIDDLE_HIDDEN)


def speaks_against(shown: Row, text: str) -> str:
    """Why this can't be the text of a question, empty where nothing speaks against it.

    `shown` is a row of `reviews/read_questions`. The names of entities on the way are known for chains only.
    """
    if not text.strip():
        return "it is empty"
    asked = shown["question"]
    stops = tuple(
        Stop(one["id"], one["name"], one["type"], tuple(one["aliases"] or ())) for one in shown["stops"]
    )
    draft = Draft(
        kind=asked["kind"],
        text=text,
        answer=asked["answer"],
        accepted=tuple(asked["accepted"] or ()),
        answer_type=asked["answer_type"],
        generator="by hand",
        stops=stops,
        facts=(),
        answered_by=shown["answered_by"] or "",
        hidden=tuple(name for stop in stops[1:-1] for name in stop.names),
    )
    found = ((check.name, check.check([draft])[0]) for check in CHECKS)
    return next((f"{name}: {verdict.reason}" for name, verdict in found if not verdict.passed), "")


def write_texts(graph: Graph, texts: Mapping[str, str], embed: Embed) -> None:
    """Give questions, by id, another text, with its vector, similarities and difficulties.

    Bins stay: they are frozen with the dataset. So do path, evidence and answers of runs to the old text.
    """
    ids = list(texts)
    vectors = dict(zip(ids, embed([texts[one] for one in ids]), strict=True))
    support: dict[str, list[Row]] = defaultdict(list)
    for row in graph.read_in_batches(query("reviews/read_support"), ids):
        cosine = round(float(vectors[row["question"]] @ vector_of(row["vector"])), 6)
        support[row["question"]].append({"hop": row["hop"], "chunk": row["chunk"], "similarity": cosine})
    rows = (
        {
            "id": one,
            "properties": {"text": texts[one], **difficulty_properties(support[one])},
            "vector": vectors[one],
            "support": support[one],
        }
        for one in ids
    )
    graph.write_rows(query("reviews/write_texts"), rows, size=500)
