"""The names of the agents, as on the command line, and the versions of what they do."""

from collections.abc import Mapping
from typing import Literal, get_args

AgentName = Literal["react", "goal-seeking", "graph-agent"]
AGENTS: tuple[AgentName, ...] = get_args(AgentName)

BY_RULES: Mapping[AgentName, str] = {
    "react": "react-rules-1",
    "goal-seeking": "goal-seeking-rules-1",
    "graph-agent": "graph-agent-rules-1",
}
"""What decides without a model. Another version makes finished runs be made anew: raise it with every change
of what an agent decides, of its tools, or of its limits."""

BY_MODEL: Mapping[AgentName, str] = {
    "react": "react-model-1",
    "goal-seeking": "goal-seeking-model-1",
    "graph-agent": "graph-agent-model-1",
}
"""The same for what is around a model: its tools and limits, and how its turns are read. Its prompts have
versions of their own."""
