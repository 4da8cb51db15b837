"""The four primitives that look for chunks: everywhere, in sources, in a category, between two days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg.embed.protocol import Embedder
from kg.llm.protocol import JsonValue
from services.rag.agents.goal_seeking.insights import filters_in_words, items
from services.rag.agents.goal_seeking.primitives import PRIMITIVES
from services.rag.agents.goal_seeking.results import Documents, Observed
from services.rag.agents.protocol import Asking, Call, Observation
from services.rag.agents.repeats import same_search
from services.rag.agents.search_tool import MOST_TOP
from services.rag.metadata import MetadataIndex
from services.rag.metadata_names import NameIndex, name_mentions
from services.rag.protocol import Filters, Retriever
from services.rag.retrieval.metadata import within


@dataclass(frozen=True, slots=True)
class RetrievingTool:
    """One of the four; which filters it has is told by its arguments.

    `retriever` is asked once for all calls. The filters that a question came with always hold.
    """

    name: str
    retriever: Retriever
    embedder: Embedder
    metadata: MetadataIndex

    @property
    def about(self) -> str:
        """What it does."""
        return PRIMITIVES[self.name].about

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return PRIMITIVES[self.name].parameters

    def sought(self, call: Call) -> str | None:
        """Query and filters: by whichever of the four it is looked for, it is the same search."""
        return search_key(str(call.arguments["query"]), self._filters(call.arguments))

    def run(self, askings: Sequence[Asking]) -> list[Observation]:
        """The chunks of each call, by one search for all."""
        queries = [str(one.call.arguments["query"]) for one in askings]
        filters = [within(one.asked.filters, self._filters(one.call.arguments)) for one in askings]
        found = self.retriever.retrieve(
            [
                replace(one.asked, text=text, vector=vector, filters=looked_in)
                for one, text, vector, looked_in in zip(
                    askings, queries, self.embedder.embed(queries), filters, strict=True
                )
            ]
        )
        wanted = [_wanted(one.call.arguments.get("k")) for one in askings]
        return [
            Observed(
                text=_told(len(hits[:k]), looked_in),
                hits=tuple(hits[:k]),
                retrieves=True,
                query=text,
                top_k=k,
                filters=looked_in,
                result=Documents(tuple(hit.chunk for hit in hits[:k])),
            )
            for text, looked_in, hits, k in zip(queries, filters, found, wanted, strict=True)
        ]

    def _filters(self, arguments: Mapping[str, JsonValue]) -> Filters:
        """The filters of a call, with the corpus' own spelling of sources and categories."""
        sources = (_known(str(one), self.metadata.sources) for one in items(arguments.get("sources")))
        category = str(arguments.get("category") or "")
        return Filters(
            sources=tuple(dict.fromkeys(name for names in sources for name in names)),
            categories=_known(category, self.metadata.categories) if category else (),
            since=str(arguments.get("since") or ""),
            until=str(arguments.get("until") or ""),
        )


def search_key(query: str, filters: Filters) -> str:
    """What makes two searches the same."""
    return same_search("retrieve", query, filters)


def _known(name: str, index: NameIndex) -> tuple[str, ...]:
    """What the corpus calls it; where it has nothing of that name, the name itself, which finds nothing."""
    found = name_mentions(name, index)
    return found[0].values if found else (name,)


def _wanted(k: JsonValue) -> int:
    return min(max(k, 1), MOST_TOP) if isinstance(k, int) else MOST_TOP


def _told(count: int, filters: Filters) -> str:
    where = filters_in_words(filters)
    chunks = "1 chunk" if count == 1 else f"{count} chunks"
    return f"{chunks} within {where}" if where else chunks
