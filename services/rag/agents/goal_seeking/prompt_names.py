"""The prompts of goal seeking by a model, besides the one that answers."""

from collections.abc import Mapping

PLANNING = "goal-plan"
EVALUATING = "goal-check"
EXTRACTING = "goal-extract"
NEXT_QUERY = "goal-next-query"
ASSESSING = "goal-assess"

USUAL_TOKENS: Mapping[str, int] = {
    PLANNING: 260, EXTRACTING: 120, NEXT_QUERY: 15, ASSESSING: 25, EVALUATING: 30,
}  # fmt: skip
"""Tokens that an ordinary reply to each takes, thinking aside; for estimates."""

GOAL_PROMPTS = (PLANNING, EXTRACTING, NEXT_QUERY, ASSESSING, EVALUATING)
"""In the order of a round; the answer itself is written by the prompt of every other system."""
