"""The goal-seeking agent at a place: by a model where the place has one, else by rules."""

from services.rag.agents.goal_seeking.agent import MOST_ITERATIONS, GoalSeeking
from services.rag.agents.goal_seeking.planning import Evaluator, Planner
from services.rag.agents.goal_seeking.planning_model import ModelEvaluator, ModelPlanner
from services.rag.agents.goal_seeking.planning_rules import RulesEvaluator, RulesPlanner
from services.rag.agents.goal_seeking.primitives import RETRIEVING
from services.rag.agents.goal_seeking.reading import EvidenceReader
from services.rag.agents.goal_seeking.reading_model import ModelReader
from services.rag.agents.goal_seeking.reading_rules import RulesReader
from services.rag.agents.goal_seeking.reading_tools import reading_tools
from services.rag.agents.goal_seeking.retrieving import RetrievingTool
from services.rag.agents.place import AgentPlace
from services.rag.agents.protocol import Tool
from services.rag.metadata import MetadataIndex
from services.rag.retrieval.metadata import read_metadata


def make_goal_seeking(place: AgentPlace) -> GoalSeeking:
    """The agent, with the sources, categories and days that the corpus of the place has."""
    return goal_seeking(place, read_metadata(place.graph, place.corpus))


def goal_seeking(place: AgentPlace, metadata: MetadataIndex) -> GoalSeeking:
    """The agent over a corpus with these sources, categories and days."""
    planner: Planner
    evaluator: Evaluator
    reader: EvidenceReader
    if place.model is None:
        planner, evaluator, reader = RulesPlanner(metadata), RulesEvaluator(), RulesReader(metadata)
    else:
        planner = ModelPlanner(place.model, place.cost_of, metadata)
        evaluator = ModelEvaluator(place.model, place.cost_of)
        reader = ModelReader(place.model, place.cost_of, place.generator)
    tools: dict[str, Tool] = {
        name: RetrievingTool(name, place.retriever, place.embedder, metadata) for name in RETRIEVING
    }
    tools |= reading_tools(reader, evaluator, place.generator, place.read)
    return GoalSeeking(planner, tools, place.top, place.most_iterations or MOST_ITERATIONS)
