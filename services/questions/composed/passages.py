"""Chunks as atomic questions are made from them: a text, where it is from, whom it names, what it states."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from kg.llm.prompts import fenced, on_one_line
from kg.model import EntityType
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row
from services.questions.shown_facts import ArticleHead


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity of the graph that a chunk names; a literal is a date or a number."""

    id: str
    name: str
    type: EntityType
    literal: bool
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, the canonical one first."""
        return tuple(dict.fromkeys((self.name, *self.aliases)))

    @property
    def forms(self) -> frozenset[str]:
        """The normal forms of its names."""
        return frozenset(map(normal_form, self.names))


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A triple of the graph, with the ids of its two entities."""

    triple: str
    subject: str
    object: str


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim of a chunk, the sentence that it was read from, and the facts in it that are not denied."""

    id: str
    sentence: str
    facts: tuple[StatedFact, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk; `domain` is the category of its article, empty where it has none."""

    id: str
    text: str
    article: str
    head: ArticleHead
    domain: str
    entities: tuple[NamedEntity, ...]
    claims: tuple[StatedClaim, ...]

    @property
    def published(self) -> date | None:
        """The day of its article."""
        return date.fromisoformat(self.head.published) if self.head.published else None

    def shown(self, label: str) -> str:
        """The text in a fence, under a line with title, source and day."""
        title = on_one_line(self.head.title)
        return fenced(f"{title} ({self.head.origin or 'no source'})\n{self.text}", label)


def read_passages(graph: Graph, chunks: Iterable[str]) -> Mapping[str, Passage]:
    """The chunks with these ids, by id; what is not in the graph is left out."""
    rows = graph.read_in_batches(query("composed/read_passages"), sorted(set(chunks)))
    return {row["id"]: _passage(row) for row in rows}


def _passage(row: Row) -> Passage:
    return Passage(
        id=row["id"],
        text=row["text"],
        article=row["article"],
        head=ArticleHead(row["title"], row["source"], row["published"]),
        domain=row["domain"],
        entities=tuple(
            NamedEntity(one["id"], one["name"], one["type"], one["literal"], tuple(one["aliases"]))
            for one in row["entities"]
        ),
        claims=tuple(
            StatedClaim(one["id"], one["sentence"], tuple(StatedFact(*fact) for fact in one["facts"]))
            for one in row["claims"]
        ),
    )
