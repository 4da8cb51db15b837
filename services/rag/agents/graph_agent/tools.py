"""The tools of the graph agent: names, facts, claims and equivalents in the graph, and a search beside.

Filters of a question hold for the search alone: a way through the graph may lead through any article.

The tool that goes a hop on: the facts of some entities, on either side, those like a text first.

The tool that jumps: the entities that mean the same as some others, exactly or within a context.

The tool that reads claims: the sentences behind facts, and with them the chunks that are the evidence.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue, json_object
from kg.progress import Silent
from kg.queries import query
from kg.stages.vectors import Searched, embed_for_search
from kg.store.graph import Graph, Row
from services.rag.agents.graph_agent.link_tool import (
    LIST,
    TEXT,
    LinkTool,
    NameLinker,
    entity_ids,
    list_of,
    malformed,
    text_of,
)
from services.rag.agents.graph_agent.seen import Claim, Fact, Named, Node, SeenClaims, SeenEntities, SeenFacts
from services.rag.agents.place import AgentPlace, SearchTool
from services.rag.agents.protocol import Call, Observation, PendingCall, Tool, same_search
from services.rag.evidence_budget import EvidenceBudget, Piece, evidence_of
from services.rag.protocol import Hit

EXPAND: Literal["expand"] = "expand"

MOST_FACTS = 12
"""So many facts of an entity are shown, however many it has."""

EXPANDED: tuple[Searched, ...] = ("facts",)
"""Of what the tool reads vectors."""

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

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """The facts of each call's entities, best first; a bounded number of entities in a round trip."""
        abouts = [text_of(asking.call, "about") for asking in askings]
        found = entity_ids(self.linker, [list_of(asking.call, "entities") for asking in askings])
        known = [about or "facts" for about in abouts]
        vectors = self.embedder.embed_queries(known)
        rows = [
            {"row": at, "entity": entity, "vector": vectors[at]}
            for at, entities in enumerate(found)
            for entity in entities
            if abouts[at]
        ]
        facts: dict[int, list[Fact]] = {}
        more: dict[int, list[str]] = {}
        embed_for_search(self.graph, self.corpus, EXPANDED, self.embedder, Silent())
        statement = query("entities/expand_entities")
        for row in self.graph.read_rows(
            statement, rows, ROWS_A_STATEMENT, corpus=self.corpus, most=MOST_FACTS + 1
        ):
            shown = [_fact(fact) for fact in row["facts"][:MOST_FACTS]]
            facts.setdefault(row["row"], []).extend(shown)
            if len(row["facts"]) > MOST_FACTS:
                more.setdefault(row["row"], []).append(shown[0].start.name)
        return [
            self._observed(asking, about, best_first(facts.get(at, ())), more.get(at, ()))
            if about and list_of(asking.call, "entities")
            else malformed(f"{EXPAND} needs entities and what to look for about them")
            for at, (asking, about) in enumerate(zip(askings, abouts, strict=True))
        ]

    def _observed(
        self, asking: PendingCall, about: str, facts: Sequence[Fact], more: Sequence[str]
    ) -> Observation:
        """What is shown of some facts; `more` are the names of entities that have others beside."""
        if self.evidence is not None:
            pieces = [Piece(fact.triple, fact.triple) for fact in facts]
            taken = self.evidence.admitted(asking.question.id, pieces, last=False)
            facts = [fact for fact, fits in zip(facts, taken, strict=True) if fits]
        seen = SeenFacts("", query=about, top_k=MOST_FACTS, facts=tuple(facts), more=tuple(more))
        return replace(seen, text=seen.lines_for({}))


def best_first(facts: Sequence[Fact]) -> list[Fact]:
    """The facts by likeness; ties by what they say, so that the order is always the same."""
    return sorted(facts, key=lambda fact: (-fact.likeness, fact.triple, fact.claim))


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

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """The equivalents of each call's entities, in one round trip."""
        found = entity_ids(self.linker, [list_of(asking.call, "entities") for asking in askings])
        ids = sorted({entity for entities in found for entity in entities})
        rows = self.graph.read_in_batches(
            query("links/read_equivalents"), ids, corpus=self.corpus, most=MOST_EQUIVALENTS
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
    told = "\n".join(f"{one.node.line}: {evidence[entity]}" for entity, one in nodes.items())
    query_text = ", ".join(list_of(call, "entities"))
    return SeenEntities(
        told or "no other entity means the same", query=query_text, named=tuple(nodes.values())
    )


READ_CLAIMS: Literal["read_claims"] = "read_claims"

_ID = re.compile(r"claim-[0-9a-f]{16,24}")


_TOLD = ("id", "text", "sentence", "title", "source", "published")


@dataclass(frozen=True, slots=True)
class ReadTool:
    """Reads claims; the chunks that hold them are what the step saw."""

    graph: Graph
    corpus: str
    evidence: EvidenceBudget | None

    @property
    def name(self) -> str:
        """What agents call it."""
        return READ_CLAIMS

    @property
    def about(self) -> str:
        """What it does."""
        return "Read the claims behind facts, by their ids, with the articles that state them."

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return json_object(claims=LIST, about=TEXT)

    def sought(self, call: Call) -> str | None:
        """What a call looks for."""
        claims = list_of(call, "claims")
        return same_search(READ_CLAIMS, " / ".join(sorted(claims))) if claims else None

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """The claims of each call, in its order, in one round trip."""
        wanted = [_ids(asking.call) for asking in askings]
        rows = self.graph.read_in_batches(
            query("claims/read_claims"), sorted({one for ids in wanted for one in ids})
        )
        known = {
            row["id"]: Claim(**{name: row[name] for name in _TOLD}, chunks=tuple(row["chunks"]))
            for row in rows
            if row["corpus"] == self.corpus
        }
        return [
            self._observed(asking, [known[one] for one in ids if one in known], len(ids))
            if ids
            else malformed(f"{READ_CLAIMS} needs ids of claims, such as those behind facts")
            for asking, ids in zip(askings, wanted, strict=True)
        ]

    def _observed(self, asking: PendingCall, claims: Sequence[Claim], wanted: int) -> Observation:
        if self.evidence is not None:
            pieces = [Piece(claim.id, claim.text) for claim in claims]
            taken = self.evidence.admitted(asking.question.id, pieces, last=False)
            claims = [claim for claim, fits in zip(claims, taken, strict=True) if fits]
        told = "\n".join(f"[{claim.id}] {claim.line}" for claim in claims)
        # In the order in which the claims were wanted; the score says no more than that.
        best: dict[str, Hit] = {}
        for place, claim in enumerate(claims, start=1):
            for chunk in claim.chunks:
                best.setdefault(chunk, Hit(chunk, 1 / place))
        return SeenClaims(
            told or "the graph has no such claims, or there is no room for more",
            tuple(best.values()),
            retrieves=True,
            query=text_of(asking.call, "about"),
            top_k=wanted,
            claims=tuple(claims),
        )


def _ids(call: Call) -> tuple[str, ...]:
    """The ids of claims that a call has, wherever they stand in its texts."""
    return tuple(dict.fromkeys(found for text in list_of(call, "claims") for found in _ID.findall(text)))


def graph_tools(place: AgentPlace) -> Mapping[str, Tool]:
    """The tools by name; what they show is paid for from the budget of the place's generator."""
    linker = NameLinker(place.graph, place.corpus)
    evidence = evidence_of(place.generator)
    tools: tuple[Tool, ...] = (
        LinkTool(linker),
        ExpandTool(place.graph, place.corpus, place.embedder, linker, evidence),
        ReadTool(place.graph, place.corpus, evidence),
        JumpTool(place.graph, place.corpus, linker),
        SearchTool(place.retriever, place.embedder, place.top),
    )
    return {tool.name: tool for tool in tools}
