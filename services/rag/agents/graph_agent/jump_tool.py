"""The tool that jumps: the entities that mean the same as some others, exactly or within a context."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.llm.protocol import JsonValue, json_object
from kg.queries import query
from kg.store.graph import Graph, Row
from services.rag.agents.graph_agent.arguments import LIST, list_of, malformed
from services.rag.agents.graph_agent.link_tool import NameLinker
from services.rag.agents.graph_agent.places import entity_ids
from services.rag.agents.graph_agent.seen import Named, Node, SeenEntities
from services.rag.agents.protocol import Asking, Call, Observation
from services.rag.agents.repeats import same_search

SAME_AS: Literal["same_as"] = "same_as"

MOST_EQUIVALENTS = 5
"""So many equivalents of an entity are shown."""


@dataclass(frozen=True, slots=True)
class JumpTool:
    """Shows the entities that mean the same as others."""

    graph: Graph
    corpus: str
    linker: NameLinker

    @property
    def name(self) -> str:
        """What agents call it."""
        return SAME_AS

    @property
    def about(self) -> str:
        """What it does."""
        return "Show the entities that mean the same as some entities (ids or names) under another name."

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return json_object(entities=LIST)

    def sought(self, call: Call) -> str | None:
        """What a call looks for."""
        entities = list_of(call, "entities")
        return same_search(SAME_AS, " / ".join(sorted(entities))) if entities else None

    def run(self, askings: Sequence[Asking]) -> list[Observation]:
        """The equivalents of each call's entities, in one round trip."""
        found = entity_ids(self.linker, [list_of(asking.call, "entities") for asking in askings])
        ids = sorted({entity for entities in found for entity in entities})
        rows = self.graph.read_in_batches(
            query("agents/read_equivalents"), ids, corpus=self.corpus, most=MOST_EQUIVALENTS
        )
        others = {row["id"]: row["others"] for row in rows}
        return [
            _observed(asking.call, [one for entity in entities for one in others.get(entity, ())])
            if list_of(asking.call, "entities")
            else malformed(f"{SAME_AS} needs entities")
            for asking, entities in zip(askings, found, strict=True)
        ]


def _observed(call: Call, rows: Sequence[Row]) -> Observation:
    evidence: dict[str, str] = {}
    nodes: dict[str, Named] = {}
    for row in rows:
        evidence.setdefault(row["id"], row["evidence"])
        nodes.setdefault(row["id"], Named(row["name"], Node(row["id"], row["name"], row["type"])))
    told = "\n".join(f"{one.node.told}: {evidence[entity]}" for entity, one in nodes.items())
    query_text = ", ".join(list_of(call, "entities"))
    return SeenEntities(
        told or "no other entity means the same", query=query_text, named=tuple(nodes.values())
    )
