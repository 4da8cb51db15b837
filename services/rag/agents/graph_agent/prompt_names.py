"""The prompts of the graph agent by a model, besides the one that answers."""

PLANNING = "walk-plan"
ACTING = "walk-step"

WALK_PROMPTS = (PLANNING, ACTING)
