"""The graph agent by a model: a plan of hops first, then one call of a tool a turn, until it answers.

It is driven as ReAct is, with other tools and prompts. When the calls are used up, the answer is read from
the chunks that were seen, with the prompt that all other systems use.
"""

from dataclasses import dataclass

from kg.llm.protocol import ModelRequest
from services.rag.agents.graph_agent.conversation import WalkConversation
from services.rag.agents.graph_agent.names import GRAPH_AGENT
from services.rag.agents.graph_agent.prompt_names import ACTING, PLANNING
from services.rag.agents.react_conversation import Conversation
from services.rag.agents.react_model import ModelReact, plan_request, turn_request
from services.rag.protocol import Asked


@dataclass(frozen=True, slots=True)
class ModelWalker(ModelReact):
    """Walks the graph by a model."""

    name: str = GRAPH_AGENT

    def begin(self, asked: Asked) -> Conversation:
        """Nothing was said yet."""
        return WalkConversation(asked, self.most_steps)

    def _request(self, mind: Conversation) -> ModelRequest:
        if not mind.planned:
            return plan_request(mind, PLANNING)
        return turn_request(mind, ACTING, self.tools)
