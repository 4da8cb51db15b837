"""From the settings of a run to the system that answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from kg.embed.protocol import Embedder
from kg.llm.budget import Budget
from kg.llm.open import open_model, role_budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import Model, Usage
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.agents.choose import make_agent
from services.rag.agents.names import AGENTS
from services.rag.agents.place import AgentPlace
from services.rag.agents.search_tool import MOST_TOP
from services.rag.decomposition import Decomposition
from services.rag.evidence_budget import within_evidence
from services.rag.graph_search.cache import SnapshotCache
from services.rag.model_generator import ANSWERING, ModelGenerator
from services.rag.multi_step import MultiStep
from services.rag.passages import read_passages
from services.rag.protocol import Generator, RagSystem
from services.rag.reader import READER
from services.rag.rerank import DEFAULT, make_reranker
from services.rag.retrieval.choose import open_retriever
from services.rag.rules_generator import RulesGenerator
from services.rag.run_options import GeneratorOption, RunOptions, SystemName
from services.rag.single_step import SingleStep
from services.rag.telemetry import observed


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers; `model` is None for the rules. `cost_of` tells what tokens cost, None without a price."""

    generator: Generator
    model: Model | None
    cost_of: Callable[[Usage], float | None]


@contextmanager
def open_answerer(
    option: GeneratorOption, settings: Settings, budget: Budget | None = None
) -> Iterator[Answerer]:
    """Who answers: the rules, or the model of the role "answer"; nothing is sent before it is asked.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    if option == "rules":
        yield Answerer(RulesGenerator(), None, lambda _: None)
        return
    budget = role_budget("answer", settings) if budget is None else budget
    with open_model("answer", settings, budget) as model:
        yield Answerer(ModelGenerator(model, budget.money_of), model, budget.money_of)


@contextmanager
def open_generator(
    option: GeneratorOption, settings: Settings, budget: Budget | None = None
) -> Iterator[Generator]:
    """The generator of `open_answerer`.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    with open_answerer(option, settings, budget) as answerer:
        yield answerer.generator


def reader_of(option: GeneratorOption, settings: Settings) -> tuple[str, tuple[str, ...]]:
    """What a run records of who answers: the version of the rules or the model, and its prompts.

    Raises:
        SettingsError: no model is set for the role.
    """
    if option == "rules":
        return READER, ()
    return role_endpoint("answer", settings).model, (load_prompt(ANSWERING).id,)


@contextmanager
def open_system(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    embedder: Embedder,
    budget: Budget | None = None,
    snapshots: SnapshotCache | None = None,
) -> Iterator[RagSystem]:
    """The system that a run's options ask for, ours or one from outside; `snapshots` as in `open_retriever`.

    Where the settings name a collector, what it does becomes spans: see `services.rag.telemetry`.

    Raises:
        SettingsError: no model is set for the role, or the reranker is none, or can't be loaded.
    """
    ours = options.outside is None and options.generator == "model"
    model = role_endpoint("answer", settings).model if ours else ""
    with (
        _opened(graph, corpus, options, settings, embedder, budget, snapshots) as system,
        observed(system, settings, corpus, model) as watched,
    ):
        yield watched


@contextmanager
def _opened(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    embedder: Embedder,
    budget: Budget | None,
    snapshots: SnapshotCache | None,
) -> Iterator[RagSystem]:
    if options.outside is not None:
        with options.outside.open(graph, corpus) as system:
            yield system
        return
    with open_answerer(options.generator, settings, budget) as answerer:
        tokens, generator = options.evidence_tokens, answerer.generator
        limit = found_at_most(options.system, options.top)
        place = AgentPlace(
            graph=graph,
            corpus=corpus,
            embedder=embedder,
            retriever=open_retriever(options.retriever, graph, corpus, embedder, limit, snapshots),
            read=partial(read_passages, graph),
            generator=generator if tokens is None else within_evidence(generator, tokens),
            model=answerer.model,
            cost_of=answerer.cost_of,
            top=options.top,
            most_iterations=options.most_iterations,
        )
        yield make_system(options.system, place, settings, options.reranker or DEFAULT)


def found_at_most(system: SystemName, top: int) -> int:
    """How many chunks one search of a system finds at most: an agent may ask for more than `top`."""
    return max(top, MOST_TOP) if system in AGENTS else top


def make_system(
    system: SystemName, place: AgentPlace, settings: Settings, reranker: str = DEFAULT
) -> RagSystem:
    """A system that answers from what its retriever finds, or an agent, at this place.

    Raises:
        SettingsError: the reranker is none, or can't be loaded.
    """
    retriever, read, generator, embedder = place.retriever, place.read, place.generator, place.embedder
    match system:
        case "single-step":
            return SingleStep(retriever, read, generator, top=place.top)
        case "multi-step":
            return MultiStep(retriever, read, generator, embedder, top=place.top)
        case "decomposition":
            chosen = make_reranker(reranker, settings)
            return Decomposition(retriever, read, generator, embedder, chosen, place.top)
        case agent:
            return make_agent(agent, place)
