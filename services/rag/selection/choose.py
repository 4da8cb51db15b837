"""From a selector's name, as in a protocol, to the selector."""

from collections.abc import Mapping
from dataclasses import dataclass

from kg.errors import SettingsError
from services.rag.selection.genetic import genetic
from services.rag.selection.graph import by_graph
from services.rag.selection.mmr import mmr
from services.rag.selection.protocol import Selector
from services.rag.selection.top_k import top_k


@dataclass(frozen=True, slots=True)
class NamedSelector:
    """A selector with the version of what it does, on which runs depend.

    `walks` tells that it goes by the graph retriever's scores, and `clusters` by the evidence clusters.
    """

    select: Selector
    version: str
    walks: bool = False
    clusters: bool = False


SELECTORS: Mapping[str, NamedSelector] = {
    "top-k": NamedSelector(top_k, "top-k-1"),
    "mmr": NamedSelector(mmr, "mmr-1"),
    "genetic": NamedSelector(genetic, "genetic-1", clusters=True),
    "graph": NamedSelector(by_graph, "graph-1", walks=True),
}
"""All selectors by their names."""


def choose_selector(name: str) -> NamedSelector:
    """The selector of this name.

    Raises:
        SettingsError: there is none.
    """
    if name not in SELECTORS:
        raise SettingsError(f"{name!r} is not a selector.", f"Use one of: {', '.join(SELECTORS)}.")
    return SELECTORS[name]
