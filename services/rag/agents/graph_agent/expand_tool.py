"""The tool that goes a hop on: the facts of some entities, on either side, those like a text first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.embed.protocol import Embedder
from kg.llm.protocol import JsonValue, json_object
from kg.queries import query
from kg.store.graph import Graph, Row
from services.rag.agents.graph_agent.arguments import LIST, TEXT, list_of, malformed, text_of
from services.rag.agents.graph_agent.link_tool import NameLinker
from services.rag.agents.graph_agent.places import entity_ids
from services.rag.agents.graph_agent.seen import Fact, Node, SeenFacts
from services.rag.agents.protocol import Asking, Call, Observation
from services.rag.agents.repeats import same_search
from services.rag.evidence_budget import EvidenceBudget, Piece

EXPAND: Literal["expand"] = "expand"

MOST_FACTS = 12
"""So many facts of an entity are shown, however many it has."""

ROWS_A_STATEMENT = 200
"""Entities that are expanded in one statement."""


@dataclass(frozen=True, slots=True)
class ExpandTool:
    """Shows what is stated of entities and what is mirrored onto them; each fact shown is evidence."""

    graph: Graph
    corpus: str
    embedder: Embedder
    linker: NameLinker
    evidence: EvidenceBudget | None

    @property
    def name(self) -> str:
        """What agents call it."""
        return EXPAND

    @property
    def about(self) -> str:
        """What it does."""
        return (
            "Show the facts of the knowledge graph about some entities (ids or names), those first that fit "
            "what you look for; each fact leads to another entity and names the claim that states it."
        )

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return json_object(entities=LIST, about=TEXT)

    def sought(self, call: Call) -> str | None:
        """What a call looks for."""
        entities, about = list_of(call, "entities"), text_of(call, "about")
        return same_search(EXPAND, " / ".join((*sorted(entities), about))) if entities and about else None

    def run(self, askings: Sequence[Asking]) -> list[Observation]:
        """The facts of each call's entities, best first; a bounded number of entities in a round trip."""
        abouts = [text_of(asking.call, "about") for asking in askings]
        found = entity_ids(self.linker, [list_of(asking.call, "entities") for asking in askings])
        known = [about or "facts" for about in abouts]
        vectors = self.embedder.embed(known)
        rows = [
            {"row": at, "entity": entity, "vector": vectors[at]}
            for at, entities in enumerate(found)
            for entity in entities
            if abouts[at]
        ]
        facts: dict[int, list[Fact]] = {}
        statement = query("agents/expand_entities")
        for row in self.graph.read_rows(
            statement, rows, ROWS_A_STATEMENT, corpus=self.corpus, most=MOST_FACTS
        ):
            facts.setdefault(row["row"], []).extend(map(_fact, row["facts"]))
        return [
            self._observed(asking, about, best_first(facts.get(at, ())))
            if about and list_of(asking.call, "entities")
            else malformed(f"{EXPAND} needs entities and what to look for about them")
            for at, (asking, about) in enumerate(zip(askings, abouts, strict=True))
        ]

    def _observed(self, asking: Asking, about: str, facts: Sequence[Fact]) -> Observation:
        if self.evidence is not None:
            pieces = [Piece(fact.said, fact.said) for fact in facts]
            taken = self.evidence.admitted(asking.asked.id, pieces, last=False)
            facts = [fact for fact, fits in zip(facts, taken, strict=True) if fits]
        told = "\n".join(fact.told for fact in each_once(facts)) or "the graph states nothing about them"
        return SeenFacts(told, query=about, top_k=MOST_FACTS, facts=tuple(facts))


def best_first(facts: Sequence[Fact]) -> list[Fact]:
    """The facts by likeness; ties by what they say, so that the order is always the same."""
    return sorted(facts, key=lambda fact: (-fact.likeness, fact.said, fact.claim))


def each_once(facts: Sequence[Fact]) -> list[Fact]:
    """The facts as a reader needs them: one that several of the expanded entities share is shown from that
    which states it."""
    best: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda fact: fact.mirrored):
        best.setdefault(fact.id, fact)
    return [fact for fact in facts if best[fact.id] is fact]


def _fact(row: Row) -> Fact:
    return Fact(
        start=Node(**row["entity"]),
        predicate=row["predicate"],
        end=Node(**row["end"]),
        forward=row["forward"],
        claim=row["claim"],
        # Neo4j gives (1 + cosine) / 2.
        likeness=2 * row["score"] - 1,
        mirrored=row["mirrored"],
        id=row["fact"],
        also=tuple(dict.fromkeys(row["also"])),
    )
