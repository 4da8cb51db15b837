"""What ReAct by rules and ReAct by a model have in common (AgenticRAGTracer, section 4.1 and appendix C)."""

from collections.abc import Sequence
from typing import Literal

from services.rag.agents.place import AgentPlace

REACT: Literal["react"] = "react"

PLANNING = "react-plan"
ACTING = "react-step"
"""The names of the prompts."""

USUAL_PLAN, USUAL_TURN = 65, 35
"""Tokens that an ordinary plan and an ordinary turn take, thinking aside; for estimates. The graph agent's 11
plans and 49 turns of docs/evaluation/model.md took 59 and 31 on average."""

MOST_STEPS = 10
"""So many searches for a question, where a run doesn't say otherwise."""


def steps_of(place: AgentPlace) -> int:
    """How many searches an agent may make at this place."""
    return MOST_STEPS if place.most_iterations is None else place.most_iterations


def numbered(parts: Sequence[str]) -> str:
    """A plan as lines: "1. Who ...?"."""
    return "\n".join(f"{number}. {part}" for number, part in enumerate(parts, start=1))
