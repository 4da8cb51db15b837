"""A few questions of each type for a demonstration, and what a run made of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Literal, get_args

from kg.errors import NothingToDoError, SettingsError
from kg.ids import content_hash, run_id
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.statistics.intervals import Interval, wilson

QueryType = Literal["inference", "comparison", "temporal", "null"]
"""The types of questions of MultiHop-RAG, section 3.1."""
QUERY_TYPES: tuple[QueryType, ...] = get_args(QueryType)
ALL = "all"


@dataclass(frozen=True, slots=True)
class Shown:
    """A question of a demonstration with its answer; `cost` is None where nothing has a price."""

    id: str
    answer_id: str
    query_type: str
    question: str
    gold: str
    text: str
    correct: bool
    error: str
    seconds: float
    tokens: int
    cost: float | None
    steps: int


@dataclass(frozen=True, slots=True)
class TypeRow:
    """How many of a type were right, with a Wilson interval."""

    query_type: str
    right: int
    questions: int
    interval: Interval | None


def parse_type(text: str) -> tuple[QueryType, ...]:
    """The types that a user names; "all" stands for each.

    Raises:
        SettingsError: there is no such type.
    """
    chosen = tuple(name for name in QUERY_TYPES if text in (name, ALL))
    if not chosen:
        raise SettingsError(
            f"{text!r} is not a type of question.", f"Use one of: {', '.join((*QUERY_TYPES, ALL))}."
        )
    return chosen


def draw_questions(
    graph: Graph, corpus: str, types: Sequence[QueryType], number: int, seed: int = 0
) -> list[str]:
    """The ids of so many kept questions of each type, drawn by seed; fewer where there are not so many.

    Raises:
        NothingToDoError: there is none of these types.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for row in graph.rows(query("ask/list_questions"), corpus=corpus):
        groups[row["query_type"]].append(row["id"])
    drawn = [
        question
        for name in types
        for question in sorted(groups[name], key=lambda one: content_hash([str(seed), one]))[:number]
    ]
    if not drawn:
        raise NothingToDoError(
            f"corpus {corpus!r} has no kept question of the type {' or '.join(types)}.",
            f"See what there is: kg questions funnel --corpus {quote(corpus)}",
        )
    return drawn


def read_shown(graph: Graph, corpus: str, run: str, questions: Sequence[str]) -> list[Shown]:
    """What a run, by its name, gave for these questions, by type."""
    rows = graph.rows(query("ask/read_answers"), run=run_id(corpus, run), ids=list(questions))
    return [Shown(**row) for row in rows]


def rates_by_type(shown: Sequence[Shown]) -> list[TypeRow]:
    """The share of right answers of each type that was asked, and of all at the end."""
    names = [name for name in QUERY_TYPES if any(one.query_type == name for one in shown)]
    groups = [(name, [one for one in shown if one.query_type == name]) for name in names]
    return [
        TypeRow(name, right := sum(one.correct for one in group), len(group), wilson(right, len(group)))
        for name, group in (*groups, (ALL, list(shown)))
    ]
