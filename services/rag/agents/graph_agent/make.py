"""From a place to the graph agent at work there."""

from services.rag.agents.graph_agent.by_model import ModelWalker
from services.rag.agents.graph_agent.by_rules import RulesWalker
from services.rag.agents.graph_agent.names import MOST_CALLS
from services.rag.agents.graph_agent.tools import graph_tools
from services.rag.agents.loop import AgentSystem
from services.rag.agents.place import AgentPlace
from services.rag.protocol import RagSystem


def make_graph_agent(place: AgentPlace) -> RagSystem:
    """The graph agent: by the place's model, or by rules where it has none."""
    tools = graph_tools(place)
    most = MOST_CALLS if place.most_iterations is None else place.most_iterations
    if place.model is None:
        return AgentSystem(RulesWalker(place, tools, most))
    return AgentSystem(ModelWalker(place, place.model, tools, most))
