"""What the graph agent's tools show: entities, facts and claims, as values and as lines of text.

What the graph agent is called, and how long it may walk.

The prompts of the graph agent by a model, besides the one that answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.model import Entity
from services.rag.agents.protocol import Observation

GRAPH_AGENT: Literal["graph-agent"] = "graph-agent"

MOST_CALLS = 20
"""So many calls for a question, where a run doesn't say otherwise; a hop takes two of them."""


PLANNING = "walk-plan"
ACTING = "walk-step"

WALK_PROMPTS = (PLANNING, ACTING)


def entity_line(entity: Entity) -> str:
    """Name, type and id on a line."""
    return f"{entity.name} ({entity.type}) [{entity.id}]"


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity and the words that stand for it in a text."""

    words: str
    node: Entity


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact seen from `start`: it leads to `end`, along the fact's direction where `forward`.

    `likeness` is the cosine to what the expansion was about; `mirrored` tells that the fact was stated of
    another entity, which means the same as `start` or `end` in its cluster of claims. A fact that is mirrored
    onto several ends is one fact: `also` names the ends beside its own, and `id` is that of the fact itself.
    """

    start: Entity
    predicate: str
    end: Entity
    forward: bool
    claim: str
    likeness: float
    mirrored: bool
    id: str = ""
    also: tuple[str, ...] = ()

    @property
    def triple(self) -> str:
        """Subject, predicate and object."""
        subject, object_ = (self.start, self.end) if self.forward else (self.end, self.start)
        return f"{subject.name} | {self.predicate} | {object_.name}"

    @property
    def line(self) -> str:
        """The fact on a line, with the entity that it leads to, its other names, and its claim."""
        also = f", also called {'; '.join(self.also)}" if self.also else ""
        return f"{self.triple} -> {entity_line(self.end)}{also}, stated in [{self.claim}]"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its sentence, where it stands, and the chunks that hold it."""

    id: str
    text: str
    sentence: str
    title: str
    source: str
    published: str
    chunks: tuple[str, ...]

    @property
    def line(self) -> str:
        """The claim on a line, with its article."""
        where = ", ".join(one for one in (self.title, self.source, self.published) if one)
        return f"{self.text} ({where})"


@dataclass(frozen=True, slots=True)
class SeenEntities(Observation):
    """Entities that a text names, or that mean the same as others; the surest first."""

    mentions: tuple[EntityMention, ...] = ()


def each_once(facts: Sequence[Fact]) -> list[Fact]:
    """The facts as a reader needs them: one that several of the expanded entities share is shown from that
    which states it."""
    best: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda fact: fact.mirrored):
        best.setdefault(fact.id, fact)
    return [fact for fact in facts if best[fact.id] is fact]


@dataclass(frozen=True, slots=True)
class SeenFacts(Observation):
    """Facts of the entities that were expanded; `more` are the names of those that have others beside."""

    facts: tuple[Fact, ...] = ()
    more: tuple[str, ...] = ()

    def lines_for(self, shown: Mapping[str, bool]) -> str:
        """The facts on lines for a reader who knows some already: ids, and whether they were mirrored there.

        A fact that is or was mirrored is told once, a stated one again from its other end.
        """
        once = each_once(self.facts)
        fresh = [fact for fact in once if not (fact.id in shown and (fact.mirrored or shown[fact.id]))]
        lines = [fact.line for fact in fresh]
        if known := len(once) - len(fresh):
            lines.append(
                f"{known} more {'facts were' if known > 1 else 'fact was'} shown under another name."
            )
        lines = lines or ["the graph states nothing about them"]
        lines += [f'{name} has further facts: another "about" shows others.' for name in self.more]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class SeenClaims(Observation):
    """Claims that were read."""

    claims: tuple[Claim, ...] = ()
