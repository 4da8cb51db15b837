"""Models that play an agent with a known behaviour, turn by turn, over a chain that they are given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from services.evaluate.hop_traces import Trace
from tests.scripted_bodies import Answer, Said
from tests.scripted_endpoint import Asked

STRAY = ("two hats in the wind", "pears in the garden", "pigeons on a ledge", "owls in a barn")
"""Searches that have nothing to do with any chain of the small world."""

ELSEWHERE = "Norholm Health Board"
"""An entity on no chain that these tests ask about."""

NOTHING = "A brass plate"
"""A wrong answer that names nothing of any chain."""

Turn = str | Said
Script = Callable[[Trace], Sequence[Turn]]
"""What an agent does in each turn on a question: a query, or what it says. The last is said ever after."""


def hop_query(trace: Trace, hop: int, start: str = "") -> str:
    """A query for a hop, from 1, of its start or of something else."""
    gold = trace.chain[hop - 1]
    return f"{start or gold.starts[0]} {gold.predicate}"


def found(trace: Trace, hop: int) -> str:
    """The answer of a hop."""
    return trace.chain[hop - 1].ends[0]


def _searches(trace: Trace) -> list[Turn]:
    return [hop_query(trace, hop) for hop in range(1, len(trace.chain) + 1)]


def perfect(trace: Trace) -> Sequence[Turn]:
    return [*_searches(trace), answer(trace.gold)]


def stops_early(trace: Trace) -> Sequence[Turn]:
    return [hop_query(trace, 1), answer(found(trace, 1))]


def wanders(trace: Trace) -> Sequence[Turn]:
    return [hop_query(trace, 1), *STRAY, answer(f"{found(trace, 1)} Street")]


def takes_a_wrong_hop(trace: Trace) -> Sequence[Turn]:
    first = Said(f"It is {found(trace, 1)}.", calls=(search(hop_query(trace, 2, ELSEWHERE)),))
    return [hop_query(trace, 1), first, answer("Orla Venning")]


def ignores_evidence(trace: Trace) -> Sequence[Turn]:
    return [*_searches(trace), answer(NOTHING)]


def parrots(trace: Trace) -> Sequence[Turn]:
    return [*_searches(trace), answer(trace.question_text)]


def loops(trace: Trace) -> Sequence[Turn]:
    return [hop_query(trace, 1)]


def talks(trace: Trace) -> Sequence[Turn]:
    return [*_searches(trace), answer(f"It must have been {trace.gold}, or perhaps somebody else.")]


def never_searches(trace: Trace) -> Sequence[Turn]:
    return [answer(NOTHING)]


SCRIPTS: Mapping[str, Script] = {
    script.__name__.replace("_", " "): script
    for script in (
        perfect, stops_early, wanders, takes_a_wrong_hop, ignores_evidence, parrots, loops, talks,
        never_searches,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Player:
    """Answers an endpoint's requests as a ReAct agent that keeps to a script; traces are by question."""

    script: Script
    traces: Mapping[str, Trace]

    def __call__(self, request: Asked) -> Answer:
        trace = next(trace for asked, trace in self.traces.items() if asked in request.question)
        if "tools" not in request.body:
            # The plan, or the reading of what was found where the searches are used up.
            return "Insufficient information" if "passages" in request.question.lower() else "1. Look."
        turns = self.script(trace)
        made = sum(role == "tool" for role, _ in request.messages)
        turn = turns[min(made, len(turns) - 1)]
        return turn if isinstance(turn, Said) else Said(None, calls=(search(turn),))


def search(query: str) -> tuple[str, dict[str, object]]:
    """A call of the search tool, for the one best passage."""
    return "search", {"query": query, "top_k": 1}


def answer(text: str) -> Said:
    """The call that ends a question."""
    return Said(None, calls=(("answer", {"answer": text}),))
