"""Goal seeking: plans of primitives, in rounds, until the goal is reached; who plans sees insights only."""
