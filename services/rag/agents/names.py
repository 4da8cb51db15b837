"""The names of the agents, as on the command line."""

from typing import Literal, get_args

AgentName = Literal["react", "goal-seeking", "graph-agent"]
AGENTS: tuple[AgentName, ...] = get_args(AgentName)
