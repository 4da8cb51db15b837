"""neo4j-graphrag's GraphRAG over a corpus of ours, as what a run takes."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, get_args

from kg.embed.choose import Embedder
from kg.errors import SettingsError
from kg.ids import content_hash
from kg.llm.budget import Budget
from kg.llm.roles import open_model, role_budget, role_endpoint
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.benchmarks.contenders import INSTALL
from services.external.calls import Patience
from services.external.outside_system import BATCH_FOR_EACH, external_system
from services.rag.protocol import ExternalSystem, RagSystem
from services.rag.reader import READER, RulesGenerator
from services.rag.run_options import GeneratorOption

if TYPE_CHECKING:
    from services.external.adapters.graphrag_over_graph import Speaker

GraphragRetrieverName = Literal["vector", "vector-cypher", "hybrid"]
GRAPHRAG_RETRIEVERS: tuple[GraphragRetrieverName, ...] = get_args(GraphragRetrieverName)

PACKAGE = "neo4j-graphrag"

RULES_CONCURRENCY = 4
LONGEST_SECONDS = 3_600.0
"""Time-outs and retries of a model are those of its endpoint's settings, so no question is cut off here."""


def parse_graphrag_retriever(text: str) -> GraphragRetrieverName:
    """The retriever of this name.

    Raises:
        SettingsError: there is none.
    """
    for name in GRAPHRAG_RETRIEVERS:
        if text == name:
            return name
    raise SettingsError(
        f"{text!r} is not a retriever of {PACKAGE}.", f"Use one of: {', '.join(GRAPHRAG_RETRIEVERS)}."
    )


def external_graphrag(
    retriever: GraphragRetrieverName,
    generator: GeneratorOption,
    settings: Settings,
    embedder: Embedder,
    top: int = 10,
    budget: Budget | None = None,
    stops: bool = True,
) -> ExternalSystem:
    """A GraphRAG with one of the library's retrievers, and our rules or the model of the role "answer".

    `stops` as in `services.external.calls.Patience`.

    Raises:
        SettingsError: the library is not installed, or no model is set for the role.
    """
    if find_spec("neo4j_graphrag") is None:
        raise SettingsError(f"{PACKAGE} is not installed.", f"Install it: {INSTALL}")
    endpoint = role_endpoint("answer", settings) if generator == "model" else None
    model = "" if endpoint is None else endpoint.model
    library = f"{PACKAGE} {version(PACKAGE)}"
    name = "-".join(part for part in ("graphrag", retriever, model) if part)
    system = f"{library}, {retriever} retriever, top {top}"
    source = content_hash((library, retriever, str(top), model or READER, embedder.name))
    at_once = RULES_CONCURRENCY if endpoint is None else settings.hopgrade_model_concurrency
    patience = Patience(at_once, LONGEST_SECONDS, retries=0, stops=stops)

    @contextmanager
    def open_system(graph: Graph, corpus: str) -> Iterator[RagSystem]:
        from services.external.adapters.graphrag_over_graph import graphrag_system  # noqa: PLC0415

        with (
            writing_to(graph, f"copies of chunks for {PACKAGE}"),
            _speaker(generator, settings, budget, graph) as speaker,
        ):
            own = partial(graphrag_system, graph, corpus, embedder, retriever, speaker, top)
            asked = external_system(name, system, source, own, patience, retrieval_reported=True)
            with asked.open(graph, corpus) as answering:
                yield answering

    return ExternalSystem(
        name,
        system,
        source,
        open_system,
        BATCH_FOR_EACH * patience.concurrency,
        generator=model or f"{READER} in {PACKAGE}",
        prompts=(f"{PACKAGE}@{version(PACKAGE)}",) if model else (),
    )


@contextmanager
def _speaker(
    generator: GeneratorOption, settings: Settings, budget: Budget | None, graph: Graph
) -> Iterator["Speaker"]:
    # Imported here because the library is an optional extra.
    from services.external.adapters.graphrag_over_graph import model_speaker, rules_speaker  # noqa: PLC0415

    if generator == "rules":
        yield rules_speaker(graph, RulesGenerator())
        return
    spent = role_budget("answer", settings) if budget is None else budget
    with open_model("answer", settings, spent) as model:
        yield model_speaker(model, spent.money_of)
