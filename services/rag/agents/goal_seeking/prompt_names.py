"""The prompts of goal seeking by a model, besides the one that answers."""

PLANNING = "goal-plan"
EVALUATING = "goal-check"
EXTRACTING = "goal-extract"
NEXT_QUERY = "goal-next-query"
ASSESSING = "goal-assess"

GOAL_PROMPTS = (PLANNING, EXTRACTING, NEXT_QUERY, ASSESSING, EVALUATING)
"""In the order of a round; the answer itself is written by the prompt of every other system."""
