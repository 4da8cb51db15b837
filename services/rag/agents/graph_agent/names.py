"""What the graph agent is called, and how long it may walk."""

from typing import Literal

GRAPH_AGENT: Literal["graph-agent"] = "graph-agent"

MOST_CALLS = 20
"""So many calls for a question, where a run doesn't say otherwise; a hop takes two of them."""
