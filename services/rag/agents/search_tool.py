"""The tool with which agents look for chunks: words to look for, and how many chunks to look at."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue
from services.rag.agents.protocol import Asking, Call, Observation, same_search
from services.rag.protocol import Asked, Retriever

SEARCH: Literal["search"] = "search"

MOST_TOP = 20
"""The most chunks of one search; a retriever that is made for agents finds as many."""

LONGEST_QUERY = 1_000
"""Characters of a query that are looked for."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a call asks for, after its arguments were read."""

    query: str
    top_k: int


@dataclass(frozen=True, slots=True)
class SearchTool:
    """Finds the chunks nearest to a query; `top` is how many where a call doesn't say."""

    retriever: Retriever
    embedder: Embedder
    top: int = 10

    @property
    def name(self) -> str:
        """What agents call it."""
        return SEARCH

    @property
    def about(self) -> str:
        """What it does."""
        return "Search the passages of a collection of news articles; gives those that fit a query best."

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, in a few words or a question."},
                "top_k": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_TOP,
                    "description": f"How many passages to get. Default: {self.top}.",
                },
            },
            "required": ["query"],
        }

    def sought(self, call: Call) -> str | None:
        """What a call looks for; another `top_k` makes no other search of it."""
        search = read_search(call, self.top)
        return None if isinstance(search, str) else same_search(SEARCH, search.query)

    def run(self, askings: Sequence[Asking]) -> list[Observation]:
        """What the calls find, in one retrieval; a call that can't be read says why."""
        searches = [read_search(asking.call, self.top) for asking in askings]
        fit = [
            (asking.asked, search)
            for asking, search in zip(askings, searches, strict=True)
            if isinstance(search, Search)
        ]
        vectors = self.embedder.embed([search.query for _, search in fit]) if fit else ()
        looked_for = [
            Asked(asked.id, search.query, vector, asked.filters)
            for (asked, search), vector in zip(fit, vectors, strict=True)
        ]
        found = iter(self.retriever.retrieve(looked_for) if looked_for else ())
        observations = []
        for asking, search in zip(askings, searches, strict=True):
            if isinstance(search, str):
                observations.append(Observation(search, fault="malformed call"))
                continue
            hits = tuple(next(found)[: search.top_k])
            observations.append(
                Observation(
                    f"{len(hits)} chunks",
                    hits,
                    retrieves=True,
                    query=search.query,
                    top_k=search.top_k,
                    filters=asking.asked.filters,
                )
            )
        return observations


def read_search(call: Call, top: int) -> Search | str:
    """What a call asks for, or what is wrong with it.

    A number in quotes is taken as a number, and one outside of 1 to `MOST_TOP` as the nearest inside.
    """
    query = call.arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        return "the search needs a query: a text that is not empty"
    wanted = call.arguments.get("top_k", top)
    if isinstance(wanted, str) and wanted.strip().isdecimal():
        wanted = int(wanted)
    if wanted is None:
        wanted = top
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not math.isfinite(wanted):
        return f"top_k must be a whole number from 1 to {MOST_TOP}"
    return Search(" ".join(query.split())[:LONGEST_QUERY], int(min(max(wanted, 1), MOST_TOP)))
