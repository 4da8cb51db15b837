"""What the rules for contextual equivalence see of one cluster, and what they say about it."""

from dataclasses import dataclass

from kg.model import EntityType


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple of a claim between two entities; `subject` and `object` are entity ids."""

    id: str
    subject: str
    predicate: str
    object: str
    claim: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class EntityCard:
    """An entity after exact merging, with the articles that it occurs in."""

    id: str
    name: str
    type: EntityType
    articles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ContextLink:
    """Entities `a` and `b` (ids, a < b) are one thing within `cluster`; `score` is in [0, 1]."""

    a: str
    b: str
    cluster: str
    score: float
    evidence: str
