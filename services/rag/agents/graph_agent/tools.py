"""The tools of the graph agent: names, facts, claims and equivalents in the graph, and a search beside.

Filters of a question hold for the search alone: a way through the graph may lead through any article.
"""

from collections.abc import Mapping

from services.rag.agents.graph_agent.expand_tool import ExpandTool
from services.rag.agents.graph_agent.jump_tool import JumpTool
from services.rag.agents.graph_agent.link_tool import LinkTool, NameLinker
from services.rag.agents.graph_agent.read_tool import ReadTool
from services.rag.agents.place import AgentPlace
from services.rag.agents.protocol import Tool
from services.rag.agents.search_tool import SearchTool
from services.rag.evidence_budget import evidence_of


def graph_tools(place: AgentPlace) -> Mapping[str, Tool]:
    """The tools by name; what they show is paid for from the budget of the place's generator."""
    linker = NameLinker(place.graph, place.corpus)
    evidence = evidence_of(place.generator)
    tools: tuple[Tool, ...] = (
        LinkTool(linker),
        ExpandTool(place.graph, place.corpus, place.embedder, linker, evidence),
        ReadTool(place.graph, place.corpus, evidence),
        JumpTool(place.graph, place.corpus, linker),
        SearchTool(place.retriever, place.embedder, place.top),
    )
    return {tool.name: tool for tool in tools}
