"""Tells what an object of another library is, and makes a system of one's own of it.

An object is recognised by the names of its classes and of the modules that they come from: nothing is
imported, so that a library that isn't there is never missed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from kg.errors import SettingsError
from kg.own_system import OwnSystem
from services.systems.adapters.haystack import HaystackPipeline, haystack_pipeline, pipeline_answers
from services.systems.adapters.langchain import (
    LangChainRetriever,
    LangChainRunnable,
    langchain_chain,
    langchain_retriever,
)
from services.systems.adapters.llama_index import (
    LlamaIndexQueryEngine,
    LlamaIndexRetriever,
    llama_index_query_engine,
    llama_index_retriever,
)
from services.systems.adapters.neo4j_graphrag import (
    GraphragPipeline,
    GraphragRetriever,
    graphrag_pipeline,
    graphrag_retriever,
)
from services.systems.adapters.retrieval_only import Answerer, Retrieve, retrieval_system


@dataclass(frozen=True, slots=True)
class _Kind:
    """A class of a library, by the package and the name, and what to make of its objects."""

    package: str
    name: str
    system: Callable[[object, Answerer | None], OwnSystem] | None = None
    retrieve: Callable[[object], Retrieve] | None = None


_KINDS = (
    _Kind(
        "neo4j_graphrag",
        "GraphRAG",
        system=lambda found, _: graphrag_pipeline(cast(GraphragPipeline, found)),
    ),
    _Kind(
        "neo4j_graphrag",
        "Retriever",
        retrieve=lambda found: graphrag_retriever(cast(GraphragRetriever, found)),
    ),
    _Kind(
        "langchain_core",
        "BaseRetriever",
        retrieve=lambda found: langchain_retriever(cast(LangChainRetriever, found)),
    ),
    _Kind(
        "langchain_core",
        "Runnable",
        system=lambda found, _: langchain_chain(cast(LangChainRunnable, found)),
    ),
    _Kind(
        "llama_index",
        "BaseQueryEngine",
        system=lambda found, _: llama_index_query_engine(cast(LlamaIndexQueryEngine, found)),
    ),
    _Kind(
        "llama_index",
        "BaseRetriever",
        retrieve=lambda found: llama_index_retriever(cast(LlamaIndexRetriever, found)),
    ),
    _Kind(
        "haystack",
        "PipelineBase",
        system=lambda found, answer: haystack_pipeline(cast(HaystackPipeline, found), answer),
    ),
)
"""In this order: a retriever of LangChain is a Runnable as well."""

_TAKEN = (
    "a function, neo4j-graphrag's GraphRAG or Retriever, LangChain's Runnable or BaseRetriever, LlamaIndex's "
    "BaseQueryEngine or BaseRetriever, or Haystack's Pipeline"
)


def adapt(found: object, answer: Answerer | None = None) -> OwnSystem:
    """A system made of an object: one of another library that is known, or a function, which stays as it is.

    `answer` answers from what an object finds that only retrieves.

    Raises:
        SettingsError: it is nothing that can be asked, or it only retrieves and there is no `answer`.
    """
    kind = next((kind for kind in _KINDS if _is(found, kind)), None)
    if kind is None and callable(found) and not isinstance(found, type):
        return cast(OwnSystem, found)
    if kind is None:
        raise SettingsError(f"{_named(found)} can't be asked.", f"Name {_TAKEN}.")
    if kind.system is not None:
        return kind.system(found, answer)
    if answer is None or kind.retrieve is None:
        raise SettingsError(
            f"{_named(found)} only retrieves.",
            "Wrap it in a function that answers as well, or say who answers from what it finds.",
        )
    return retrieval_system(kind.retrieve(found), answer)


def only_retrieves(found: object) -> bool:
    """Whether an object is known to find texts and answer nothing, so that `adapt` wants an `answer`."""
    kind = next((kind for kind in _KINDS if _is(found, kind)), None)
    if kind is not None and kind.package == "haystack":
        return not pipeline_answers(cast(HaystackPipeline, found))
    return kind is not None and kind.system is None


def _is(found: object, kind: _Kind) -> bool:
    return any(
        one.__name__ == kind.name and one.__module__.partition(".")[0] == kind.package
        for one in type(found).__mro__
    )


def _named(found: object) -> str:
    one = found if isinstance(found, type) else type(found)
    what = "the class" if isinstance(found, type) else "an object of the class"
    return f"{what} {one.__module__}.{one.__qualname__}"
