"""Where an agent works: what its tools read, who reads for it, and how much of everything it may have."""

from collections.abc import Callable
from dataclasses import dataclass

from kg.embed.protocol import Embedder
from kg.llm.protocol import Model, Usage
from kg.store.graph import Graph
from services.rag.passages import PassageReader
from services.rag.protocol import Generator, Retriever


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """What agents are made of. With `model` None they go by rules, and `generator` reads by rules too.

    `retriever` finds as many chunks as an agent may ask for at most, see `services.rag.agents.search_tool`;
    `top` is how many are looked at where the agent doesn't say. `most_iterations` None leaves the agent's own
    limit. Where the text of the graph that is read for a question is limited, `generator` keeps to it by
    itself, and an agent that shows text elsewhere must ask `services.rag.evidence_budget` for each piece.
    """

    graph: Graph
    corpus: str
    embedder: Embedder
    retriever: Retriever
    read: PassageReader
    generator: Generator
    model: Model | None
    cost_of: Callable[[Usage], float | None]
    top: int = 10
    most_iterations: int | None = None
