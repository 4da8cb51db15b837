"""From an agent's name, as on the command line, to a system that answers."""

from collections.abc import Callable, Mapping

from services.rag.agents.goal_seeking.make import make_goal_seeking
from services.rag.agents.graph_agent.make import make_graph_agent
from services.rag.agents.loop import AgentSystem
from services.rag.agents.names import AgentName
from services.rag.agents.place import AgentPlace
from services.rag.agents.react_model import model_react
from services.rag.agents.react_rules import rules_react
from services.rag.protocol import RagSystem


def make_agent(name: AgentName, place: AgentPlace) -> RagSystem:
    """The system of an agent; by rules where the place has no model."""
    return _MAKERS[name](place)


def _react(place: AgentPlace) -> RagSystem:
    if place.model is None:
        return AgentSystem(rules_react(place))
    return AgentSystem(model_react(place, place.model))


def _goal_seeking(place: AgentPlace) -> RagSystem:
    return AgentSystem(make_goal_seeking(place))


_MAKERS: Mapping[AgentName, Callable[[AgentPlace], RagSystem]] = {
    "react": _react,
    "goal-seeking": _goal_seeking,
    "graph-agent": make_graph_agent,
}
