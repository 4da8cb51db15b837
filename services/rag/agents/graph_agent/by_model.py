"""The graph agent by a model: a plan of hops first, then one call of a tool a turn, until it answers.

It is driven as ReAct is, with other tools and prompts. When the calls are used up, the answer is read from
the chunks that were seen, with the prompt that all other systems use.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kg.llm.prompts import load_prompt
from kg.llm.protocol import ModelRequest, ToolSpec
from services.rag.agents.graph_agent.conversation import WalkConversation
from services.rag.agents.graph_agent.names import GRAPH_AGENT
from services.rag.agents.graph_agent.prompt_names import ACTING, PLANNING
from services.rag.agents.protocol import Tool
from services.rag.agents.react_conversation import Conversation
from services.rag.agents.react_model import ANSWER_TOOL, ModelReact
from services.rag.model_generator import ANSWER_TOKENS
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
            return ModelRequest(mind.opening, load_prompt(PLANNING).id, max_output_tokens=ANSWER_TOKENS)
        return ModelRequest(
            tuple(mind.messages),
            load_prompt(ACTING).id,
            max_output_tokens=ANSWER_TOKENS,
            tools=(*_specs(self.tools), ANSWER_TOOL),
        )


def _specs(tools: Mapping[str, Tool]) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(tool.name, tool.about, tool.parameters) for tool in tools.values())
