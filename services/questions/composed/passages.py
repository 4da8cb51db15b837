"""Chunks as atomic questions are made from them: a text, where it is from, whom it names, what it states.

What a model said, read as what was asked for: an object's texts and lists, or why there is none.

Questions, answers and passages as a model sees them: each inside a fence of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from kg.llm.prompts import fence, on_one_line
from kg.llm.protocol import Failure, JsonValue, ModelOutcome
from kg.model import EntityType
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row
from services.questions.composed.protocol import Atom, Composed
from services.questions.filters.solver import NOT_CHECKED
from services.questions.generate import ArticleHead

LONGEST_REASON = 160


def failure_of(outcome: ModelOutcome) -> str:
    """Why there is no answer, in words that `was_checked` tells from a verdict; empty where there is one."""
    return f"{NOT_CHECKED}{outcome.message}" if isinstance(outcome, Failure) else ""


def text_of(value: JsonValue, name: str) -> str:
    """A member of an object on one line, empty where it is no text."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return " ".join(found.split()) if isinstance(found, str) else ""


def items_of(outcome: ModelOutcome, name: str) -> tuple[JsonValue, ...]:
    """The items of a list in an answer, none where it has no such list."""
    value = None if isinstance(outcome, Failure) else outcome.value
    found = value.get(name) if isinstance(value, Mapping) else None
    return tuple(found) if isinstance(found, list | tuple) else ()


def member_line(outcome: ModelOutcome, name: str) -> str:
    """A member of an answer on one line, empty where it has none."""
    return "" if isinstance(outcome, Failure) else text_of(outcome.value, name)


def reason_of(outcome: ModelOutcome) -> str:
    """The reason that a model gave, short and without a full stop."""
    return member_line(outcome, "reason")[:LONGEST_REASON].rstrip(". ")


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

    def fenced_text(self, label: str) -> str:
        """The text in a fence, under a line with title, source and day."""
        title = on_one_line(self.head.title)
        return fence(f"{title} ({self.head.origin or 'no source'})\n{self.text}", label)


def read_passages(graph: Graph, chunks: Iterable[str]) -> Mapping[str, Passage]:
    """The chunks with these ids, by id; what is not in the graph is left out."""
    rows = graph.read_in_batches(query("chunks/read_for_atoms"), sorted(set(chunks)))
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


def question_shown(question: str, answer: str, label: str) -> str:
    """A question with its answer."""
    return fence(_lines(question, answer), label)


def base_shown(composed: Composed) -> str:
    """The whole question so far with its answer, and those of its steps, which must stay hidden as well."""
    told = _lines(composed.last.question, composed.last.answer)
    steps = dict.fromkeys(on_one_line(hop.atom.answer) for hop in composed.hops[:-1])
    if steps:
        told += f"\nAnswers of its steps: {'; '.join(steps)}"
    return fence(told, "first question")


def _lines(question: str, answer: str) -> str:
    return f"Question: {on_one_line(question)}\nAnswer: {on_one_line(answer)}"


def steps_shown(composed: Composed) -> str:
    """Each hop's own question with its answer, in their order."""
    return "\n\n".join(
        question_shown(hop.atom.question, hop.atom.answer, f"step {hop.number}") for hop in composed.hops
    )


def passages_shown(
    atoms: Sequence[Atom], passages: Mapping[str, Passage], label: str = "passage of the first"
) -> str:
    """The passages of some atoms, each once; where a chunk is gone, the sentence behind the atom."""
    shown = {
        atom.chunk: passages[atom.chunk].fenced_text(label)
        if atom.chunk in passages
        else fence(atom.sentence, label)
        for atom in atoms
    }
    return "\n\n".join(shown.values())
