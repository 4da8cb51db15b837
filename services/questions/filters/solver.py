"""A solver tries to answer a question from given chunks and nothing else.

A solver made of rules: it follows a question's facts over what the given chunks state.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from kg.queries import query
from kg.store.graph import Graph
from services.questions.draft import Draft, Fact
from services.questions.filters.rivals import read_triple_ends
from services.questions.predicate_key import predicate_key

NOT_CHECKED = "not checked: "
"""How the reason begins where a model gave no verdict, so that such a question can be tried again."""


@dataclass(frozen=True, slots=True)
class SolveTask:
    """A question, and the ids of the chunks that the solver may read."""

    draft: Draft
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Solved:
    """What a solver made of a task.

    `answer` is empty where it abstains; `right` tells whether it is the question's answer. `failure` says why
    nothing is known of it, as "time-out: ...".
    """

    answer: str = ""
    right: bool = False
    failure: str = ""


class Solver(Protocol):
    """Answers questions from chunks, or abstains."""

    @property
    def name(self) -> str:
        """What made the answers: rules, or the model's name."""
        ...

    def solve(self, tasks: Sequence[SolveTask]) -> list[Solved]:
        """One outcome a task, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...


_Statement = tuple[str, str, str]
"""Subject's id, predicate's key, object's id."""


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a chunk states, and the id of its article."""

    article: str
    facts: frozenset[_Statement]


@dataclass(frozen=True, slots=True)
class RuleSolver:
    """Follows the predicates that a question was made of, not its words, over the facts read out of chunks.

    A chain is walked from its start; the solver has the answer when the walk arrives there (that it arrives
    nowhere else is the filter "only answer"). Of other kinds it has the answer when every fact that the
    question rests on is stated, in whatever tense, and by the fact's own article where the question names its
    sources; what follows from them ("yes", "before") is not worked out again. Of a null question it finds
    nothing, since no fact that it could follow leads to an answer.

    A chunk is read once: a solver lives as long as a job, under whose lease no fact changes. Questions are on
    the same chunks hundreds of times.
    """

    graph: Graph
    name: str = "rules"
    _stated: dict[str, "_Stated"] = field(default_factory=dict, compare=False)

    def solve(self, tasks: Sequence[SolveTask]) -> list[Solved]:
        """One outcome a task, in order."""
        stated = self._read({chunk for task in tasks for chunk in task.chunks})
        others = [
            fact.triple for task in tasks for fact in task.draft.facts if task.draft.kind not in _BY_WALK
        ]
        ends = read_triple_ends(self.graph, others)
        return [
            _solved(task.draft, [stated[chunk] for chunk in task.chunks if chunk in stated], ends)
            for task in tasks
        ]

    def _read(self, chunks: Set[str]) -> Mapping[str, "_Stated"]:
        if len(self._stated.keys() | chunks) > _MOST_CHUNKS:
            self._stated.clear()
        self._stated.update(_read_stated(self.graph, chunks - self._stated.keys()))
        return self._stated


_MOST_CHUNKS = 4_096
"""Chunks whose facts stay in memory, some 5 kB each."""

_BY_WALK = frozenset({"chain", "null"})


def _read_stated(graph: Graph, chunks: Collection[str]) -> dict[str, _Stated]:
    rows = graph.read_in_batches(query("facts/read_stated"), sorted(chunks))
    return {
        row["id"]: _Stated(
            row["article"],
            frozenset((subject, predicate_key(said), end) for subject, said, end in row["facts"]),
        )
        for row in rows
    }


def _solved(draft: Draft, stated: Sequence[_Stated], ends: Mapping[str, tuple[str, str]]) -> Solved:
    match draft.kind:
        case "null":
            found = False
        case "chain":
            found = draft.stops[-1].id in _arrived(draft, {fact for one in stated for fact in one.facts})
        case _:
            found = all(_is_stated(draft, fact, stated, ends) for fact in draft.facts)
    return Solved(draft.answer, right=True) if found else Solved()


def _is_stated(
    draft: Draft, fact: Fact, stated: Sequence[_Stated], ends: Mapping[str, tuple[str, str]]
) -> bool:
    if fact.triple not in ends:
        return False
    subject, end = ends[fact.triple]
    wanted = subject, predicate_key(fact.predicate), end
    return any(wanted in one.facts for one in stated if not draft.sources or one.article == fact.article)


def _arrived(draft: Draft, known: Collection[_Statement]) -> frozenset[str]:
    """Where the walk along the chain's predicates ends."""
    at = frozenset({draft.stops[0].id})
    for fact in draft.facts:
        key = predicate_key(fact.predicate)
        turned = ((end, said, start) if fact.reversed else (start, said, end) for start, said, end in known)
        at = frozenset(end for start, said, end in turned if said == key and start in at)
    return at
