"""From the settings of a run to the system that answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from kg.embed.protocol import Embedder
from kg.llm.budget import Budget
from kg.llm.open import open_model, role_budget
from kg.llm.prompts import load_prompt
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.decomposition import Decomposition
from services.rag.model_generator import ANSWERING, ModelGenerator
from services.rag.multi_step import MultiStep
from services.rag.passages import read_passages
from services.rag.protocol import Generator, RagSystem, Retriever
from services.rag.reader import READER
from services.rag.rerank import DEFAULT, make_reranker
from services.rag.retrieval.choose import open_retriever
from services.rag.rules_generator import RulesGenerator
from services.rag.run_options import GeneratorOption, RunOptions, SystemName
from services.rag.single_step import SingleStep


@contextmanager
def open_generator(
    option: GeneratorOption, settings: Settings, budget: Budget | None = None
) -> Iterator[Generator]:
    """Who answers: the rules, or the model of the role "answer"; nothing is sent before it is asked.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    if option == "rules":
        yield RulesGenerator()
        return
    budget = role_budget("answer", settings) if budget is None else budget
    with open_model("answer", settings, budget) as model:
        yield ModelGenerator(model, budget.money_of)


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
) -> Iterator[RagSystem]:
    """The system that a run's options ask for, ours or one from outside.

    Raises:
        SettingsError: no model is set for the role, or the reranker is none, or can't be loaded.
    """
    if options.outside is not None:
        with options.outside.open(graph, corpus) as system:
            yield system
        return
    with open_generator(options.generator, settings, budget) as generator:
        yield make_system(
            options.system,
            open_retriever(options.retriever, graph, corpus, embedder, options.top),
            graph,
            generator,
            embedder,
            settings,
            options.top,
            options.reranker or DEFAULT,
        )


def make_system(
    system: SystemName,
    retriever: Retriever,
    graph: Graph,
    generator: Generator,
    embedder: Embedder,
    settings: Settings,
    top: int = 10,
    reranker: str = DEFAULT,
) -> RagSystem:
    """A system that answers from the chunks that `retriever` finds in the graph.

    Raises:
        SettingsError: the reranker is none, or can't be loaded.
    """
    read = partial(read_passages, graph)
    match system:
        case "single-step":
            return SingleStep(retriever, read, generator)
        case "multi-step":
            return MultiStep(retriever, read, generator, embedder)
        case "decomposition":
            return Decomposition(retriever, read, generator, embedder, make_reranker(reranker, settings), top)
