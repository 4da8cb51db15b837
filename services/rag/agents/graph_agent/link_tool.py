"""The tool that finds the entities that a text names.

The arguments of the graph agent's tools, as a model may write them.

Entities in arguments: agents may call them by id or by name.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.llm.protocol import JsonValue, json_object
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.rag.agents.graph_agent.seen import Named, Node, SeenEntities
from services.rag.agents.protocol import Call, Observation, PendingCall, same_search
from services.rag.graph_search.link import LONGEST, name_index, names_in, plain_name, words_of

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


def malformed(told: str) -> Observation:
    """What an agent is told whose arguments can't be read."""
    return Observation(told, fault="malformed call")


FIND_ENTITIES: Literal["find_entities"] = "find_entities"

MOST_NAMESAKES = 3
"""So many entities are taken where one name may mean several."""


@dataclass(frozen=True, slots=True)
class NameLinker:
    """Looks names up in the graph by their normal forms; the time depends on the text, not on the corpus."""

    graph: Graph
    corpus: str

    def named(self, texts: Sequence[str]) -> list[tuple[Named, ...]]:
        """The entities that each text names, in the order of their names there; of names within names only
        the longest counts. All texts are looked up together."""
        keys = sorted({key for text in texts for key in _keys(text)})
        nodes: dict[str, Node] = {}
        spelled: defaultdict[str, list[str]] = defaultdict(list)
        for row in self.graph.read_in_batches(query("entities/find_named"), keys, corpus=self.corpus):
            if row["id"] in nodes:
                continue
            nodes[row["id"]] = Node(row["id"], row["name"], row["type"])
            for name in dict.fromkeys((row["name"], *row["names"])):
                spelled[plain_name(name)].append(row["id"])
        ids = sorted(nodes)
        place = {id_: at for at, id_ in enumerate(ids)}
        index = name_index({name: [place[id_] for id_ in found] for name, found in spelled.items() if name})
        return [
            tuple(
                {
                    at: Named(found.words, nodes[ids[at]])
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
            _observed(text, named)
            if text
            else malformed(f"{FIND_ENTITIES} needs a text that names something")
            for text, named in zip(texts, self.linker.named(texts), strict=True)
        ]


def _observed(text: str, named: tuple[Named, ...]) -> Observation:
    told = "\n".join(f"{one.words}: {one.node.line}" for one in named)
    return SeenEntities(told or "the graph knows none of the names", query=text, named=named)


def _keys(text: str) -> Iterator[str]:
    """The normal forms of all stretches of a text that can be names."""
    words, quiet = words_of(text), text == text.lower()
    for first in range(len(words)):
        for last in range(first, min(first + LONGEST, len(words))):
            if quiet or last > first or words[first].named:
                yield normal_form(text[words[first].start : words[last].end])


_ID = re.compile(r"entity-[0-9a-f]{16,24}")


def entity_ids(linker: NameLinker, calls: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The ids of the entities that each call means, each once; what the graph doesn't know is left out.

    An id may stand anywhere in a text, as in "Ann Brel (PERSON) [entity-0123456789abcdef]".
    """
    names = sorted({text for texts in calls for text in texts if not _ID.search(text)})
    meant = dict(zip(names, linker.named(names), strict=True)) if names else {}
    return [
        tuple(
            dict.fromkeys(
                entity
                for text in texts
                for entity in (
                    _ID.findall(text) if text not in meant else (one.node.id for one in meant[text][:1])
                )
            )
        )
        for texts in calls
    ]
