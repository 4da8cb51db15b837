"""A run's matrix under the difficulty that another embedder or chunking gives (GRADE, A.7 and A.8)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.matrix import Judged, difficulty_matrix
from services.report.content import Rebinned

Placed = Mapping[str, tuple[float, int]]
"""Difficulty and bin by question."""


def read_ratings(graph: Graph, corpus: str) -> Mapping[tuple[str, str, str], Placed]:
    """The ratings of a corpus, by embedder, chunking and how bins were cut."""
    found: dict[tuple[str, str, str], dict[str, tuple[float, int]]] = {}
    for row in graph.rows(query("reports/read_ratings"), corpus=corpus):
        placed = found.setdefault((row["embedder"], row["chunking"], row["bins"]), {})
        placed[row["question"]] = (row["difficulty"], row["bin"])
    return found


def rebin(judged: Sequence[Judged], ratings: Mapping[tuple[str, str, str], Placed]) -> tuple[Rebinned, ...]:
    """The same verdicts under each rating; questions that a rating leaves out are left out of its matrix."""
    return tuple(
        Rebinned(
            embedder,
            chunking,
            bins,
            difficulty_matrix(
                [
                    replace(row, difficulty=placed[row.question_id][0], bin=placed[row.question_id][1])
                    for row in judged
                    if row.question_id in placed
                ]
            ),
        )
        for (embedder, chunking, bins), placed in ratings.items()
    )
