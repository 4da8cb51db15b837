"""The tools of the graph agent: names, facts, claims and equivalents in the graph, and a search beside.

They find the entities that a text names, go a hop on from some of them, jump to those that mean the same, and
read the claims behind facts. Agents may call entities by id or by name. Filters of a question hold for the
search alone: a way through the graph may lead through any article.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue, json_object
from kg.model import Entity
from kg.progress import Silent
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.stages.vectors import Searched, embed_for_search
from kg.store.graph import Graph, Row
from services.rag.agents.graph_agent.seen import (
    Claim,
    EntityMention,
    Fact,
    SeenClaims,
    SeenEntities,
    SeenFacts,
    entity_line,
)
from services.rag.agents.protocol import (
    AgentContext,
    Call,
    Observation,
    PendingCall,
    SearchTool,
    Tool,
    same_search,
)
from services.rag.context import EvidenceBudget, Piece, evidence_of
from services.rag.graph_search.link import LONGEST, name_index, names_in, plain_name, words_of
from services.rag.protocol import Hit

MOST_LISTED = 8
"""So many entities or claims of a call are taken; a call with more is cut, best first."""

LONGEST_TEXT = 1_000
"""Characters of a text that are looked at."""

TEXT: JsonValue = {"type": "string"}
LIST: JsonValue = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_LISTED}


def text_of(call: Call, name: Literal["text", "about"]) -> str:
    """A text among the arguments, with single blanks; empty where there is none."""
    value = call.arguments.get(name)
    return " ".join(value.split())[:LONGEST_TEXT] if isinstance(value, str) else ""


def list_of(call: Call, name: Literal["entities", "claims"]) -> tuple[str, ...]:
    """A list of texts among the arguments, each once; a text by itself is a list of one."""
    value = call.arguments.get(name)
    listed: Sequence[JsonValue] = (value,) if isinstance(value, str) else ()
    if not isinstance(value, str) and isinstance(value, Sequence):
        listed = value
    texts = (" ".join(one.split()).strip("[]") for one in listed if isinstance(one, str))
    return tuple(dict.fromkeys(text[:LONGEST_TEXT] for text in texts if text))[:MOST_LISTED]


def report_malformed_call(reason: str) -> Observation:
    """What an agent is told whose arguments can't be read."""
    return Observation(reason, fault="malformed call")


FIND_ENTITIES: Literal["find_entities"] = "find_entities"

MOST_NAMESAKES = 3
"""So many entities are taken where one name may mean several."""


@dataclass(frozen=True, slots=True)
class NameLinker:
    """Looks names up in the graph by their normal forms; the time depends on the text, not on the corpus."""

    graph: Graph
    corpus: str

    def link(self, texts: Sequence[str]) -> list[tuple[EntityMention, ...]]:
        """The entities that each text names, in the order of their names there; of names within names only
        the longest counts. All texts are looked up together."""
        keys = sorted({key for text in texts for key in _keys(text)})
        nodes: dict[str, Entity] = {}
        spelled: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.graph.read_in_batches(query("entities/find_named"), keys, corpus=self.corpus):
            if row["id"] in nodes:
                continue
            nodes[row["id"]] = Entity(row["id"], row["name"], row["type"])
            for name in dict.fromkeys((row["name"], *row["names"])):
                spelled[plain_name(name)].append(row["id"])
        ids = sorted(nodes)
        place = {id_: at for at, id_ in enumerate(ids)}
        index = name_index({name: [place[id_] for id_ in found] for name, found in spelled.items() if name})
        return [
            tuple(
                {
                    at: EntityMention(found.words, nodes[ids[at]])
                    for found in names_in(index, text)
                    for at in found.nodes[:MOST_NAMESAKES]
                }.values()
            )
            for text in texts
        ]


@dataclass(frozen=True, slots=True)
class LinkTool:
    """Finds the entities that a text names."""

    linker: NameLinker

    @property
    def name(self) -> str:
        """What agents call it."""
        return FIND_ENTITIES

    @property
    def about(self) -> str:
        """What it does."""
        return "Find the entities of the knowledge graph that a text names, with their ids."

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return json_object(text=TEXT)

    def sought(self, call: Call) -> str | None:
        """What a call looks for."""
        text = text_of(call, "text")
        return same_search(FIND_ENTITIES, text) if text else None

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """The entities of each text, in one round trip."""
        texts = [text_of(asking.call, "text") for asking in askings]
        return [
            _report_mentions(text, named)
            if text
            else report_malformed_call(f"{FIND_ENTITIES} needs a text that names something")
            for text, named in zip(texts, self.linker.link(texts), strict=True)
        ]


def _report_mentions(text: str, named: tuple[EntityMention, ...]) -> Observation:
    told = "\n".join(f"{one.words}: {entity_line(one.node)}" for one in named)
    return SeenEntities(told or "the graph knows none of the names", query=text, mentions=named)


def _keys(text: str) -> Iterator[str]:
    """The normal forms of all stretches of a text that can be names."""
    words, quiet = words_of(text), text == text.lower()
    for first in range(len(words)):
        for last in range(first, min(first + LONGEST, len(words))):
            if quiet or last > first or words[first].is_name:
                yield normal_form(text[words[first].start : words[last].end])


_ENTITY_ID = re.compile(r"entity-[0-9a-f]{16,24}")


def entity_ids(linker: NameLinker, calls: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The ids of the entities that each call means, each once; what the graph doesn't know is left out.

    An id may stand anywhere in a text, as in "Ann Brel (PERSON) [entity-0123456789abcdef]".
    """
    names = sorted({text for texts in calls for text in texts if not _ENTITY_ID.search(text)})
    meant = dict(zip(names, linker.link(names), strict=True)) if names else {}
    return [
        tuple(
            dict.fromkeys(
                entity
                for text in texts
                for entity in (
                    _ENTITY_ID.findall(text)
                    if text not in meant
                    else (one.node.id for one in meant[text][:1])
                )
            )
        )
        for texts in calls
    ]


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
            self._report_facts(asking, about, best_first(facts.get(at, ())), more.get(at, ()))
            if about and list_of(asking.call, "entities")
            else report_malformed_call(f"{EXPAND} needs entities and what to look for about them")
            for at, (asking, about) in enumerate(zip(askings, abouts, strict=True))
        ]

    def _report_facts(
        self, asking: PendingCall, about: str, facts: Sequence[Fact], more: Sequence[str]
    ) -> Observation:
        """What is shown of some facts; `more` are the names of entities that have others beside."""
        if self.evidence is not None:
            pieces = [Piece(fact.triple, fact.triple) for fact in facts]
            taken = self.evidence.admit(asking.question.id, pieces, last=False)
            facts = [fact for fact, fits in zip(facts, taken, strict=True) if fits]
        seen = SeenFacts("", query=about, top_k=MOST_FACTS, facts=tuple(facts), more=tuple(more))
        return replace(seen, text=seen.lines_for({}))


def best_first(facts: Sequence[Fact]) -> list[Fact]:
    """The facts by likeness; ties by what they say, so that the order is always the same."""
    return sorted(facts, key=lambda fact: (-fact.likeness, fact.triple, fact.claim))


def _fact(row: Row) -> Fact:
    return Fact(
        start=Entity(**row["entity"]),
        predicate=row["predicate"],
        end=Entity(**row["end"]),
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
            _report_neighbours(asking.call, [one for entity in entities for one in others.get(entity, ())])
            if list_of(asking.call, "entities")
            else report_malformed_call(f"{SAME_AS} needs entities")
            for asking, entities in zip(askings, found, strict=True)
        ]


def _report_neighbours(call: Call, rows: Sequence[Row]) -> Observation:
    evidence: dict[str, str] = {}
    nodes: dict[str, EntityMention] = {}
    for row in rows:
        evidence.setdefault(row["id"], row["evidence"])
        nodes.setdefault(row["id"], EntityMention(row["name"], Entity(row["id"], row["name"], row["type"])))
    told = "\n".join(f"{entity_line(one.node)}: {evidence[entity]}" for entity, one in nodes.items())
    query_text = ", ".join(list_of(call, "entities"))
    return SeenEntities(
        told or "no other entity means the same", query=query_text, mentions=tuple(nodes.values())
    )


READ_CLAIMS: Literal["read_claims"] = "read_claims"

_CLAIM_ID = re.compile(r"claim-[0-9a-f]{16,24}")


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
            self._report_claims(asking, [known[one] for one in ids if one in known], len(ids))
            if ids
            else report_malformed_call(f"{READ_CLAIMS} needs ids of claims, such as those behind facts")
            for asking, ids in zip(askings, wanted, strict=True)
        ]

    def _report_claims(self, asking: PendingCall, claims: Sequence[Claim], wanted: int) -> Observation:
        if self.evidence is not None:
            pieces = [Piece(claim.id, claim.text) for claim in claims]
            taken = self.evidence.admit(asking.question.id, pieces, last=False)
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
    return tuple(
        dict.fromkeys(found for text in list_of(call, "claims") for found in _CLAIM_ID.findall(text))
    )


def graph_tools(place: AgentContext) -> Mapping[str, Tool]:
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
