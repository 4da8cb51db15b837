"""A question on its way: what it asks, along which facts, with what evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from kg.model import EntityType

QuestionKind = Literal[
    "chain", "comparison", "temporal", "null", "bridge entity", "bridge topic", "sequential", "parallel"
]
"""`chain` follows a hop path (GRADE, section 3.2), `sequential` and `parallel` are composed of atomic ones
(AgenticRAGTracer, section 3.3); the others are MultiHop-RAG's (section 3.1)."""

QuestionStatus = Literal["kept", "rejected", "dropped", "prefix", "atomic"]
"""`kept` and `rejected` are what the checks decided, `dropped` what a reviewer took out; `prefix` asks for an
early hop of another question, and `atomic` for one fact of a composed one."""

QUERY_TYPES: dict[QuestionKind, str] = {
    "chain": "inference",
    "comparison": "comparison",
    "temporal": "temporal",
    "null": "null",
    "bridge entity": "inference",
    "bridge topic": "inference",
    "sequential": "inference",
    "parallel": "comparison",
}
"""MultiHop-RAG's query type of a kind."""

Wording = Literal["nested", "stepwise", "any"]
"""How rules word a chain: one nested sentence, a sentence a fact, or nested where that reads well."""

MODEL_MARK = "model"
"""How the generator of a question in a model's words begins: "model-2/NAME/write-question@3"."""

COMPOSED_KINDS: tuple[QuestionKind, ...] = ("sequential", "parallel")
"""The kinds that are composed step by step; they are made by a command of their own."""


@dataclass(frozen=True, slots=True)
class Stop:
    """An entity that a question goes through; `nouns` are what claims call it ("drug maker")."""

    id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, the canonical one first."""
        return tuple(dict.fromkeys((self.name, *self.aliases)))


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a question rests on, as hop `index` (from 1).

    `chunks` are all chunks that state it, in any article and in whatever words. `reversed` tells that the
    path walks it from its object to its subject. `link` tells how it joins the fact before it: start, shared,
    exact or context. `statement` is what the claim says where it stands alone, empty where it was not read;
    `attributed_to` is who is reported to have said so, empty where the article states it itself; `published`
    is the day of the article as ISO text, empty where it is not known.
    """

    index: int
    claim: str
    triple: str
    subject: str
    predicate: str
    object: str
    article: str
    sentence: str
    chunks: tuple[str, ...] = ()
    reversed: bool = False
    link: str = "start"
    statement: str = ""
    attributed_to: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The question of a chain's first `hops` facts, with its own answer (AgenticRAGTracer, section 3.3).

    `failed` is the filter that it does not pass, None where there is none or it was not checked.
    """

    hops: int
    text: str
    answer: str
    accepted: tuple[str, ...]
    answer_type: EntityType
    answered_by: str
    generator: str
    failed: "Check | None" = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it is written, kept or rejected.

    `stops` has the entities in the order of the path for a chain (one more than there are facts), and for
    other kinds those that the question is about. `answered_by` is the id of the answer's entity, empty where
    the answer is none ("yes", "before"). `hidden` are the names that must not stand in the question beside
    the answer's: of every entity inside a chain, of a bridge. `sources` and `dates` are those that the text
    names. `facts` is empty only for a null question, whose `absent` says what was looked for and not found.
    """

    kind: QuestionKind
    text: str
    answer: str
    accepted: tuple[str, ...]
    answer_type: EntityType | Literal["YES_NO", "ORDER", "NONE"]
    generator: str
    stops: tuple[Stop, ...]
    facts: tuple[Fact, ...]
    answered_by: str = ""
    path: str = ""
    hidden: tuple[str, ...] = ()
    prefixes: tuple[Prefix, ...] = ()
    sources: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    absent: str = ""

    @property
    def hops(self) -> int:
        """How many facts the answer takes; for a null question the missing one counts too."""
        return len(self.facts) + (self.kind == "null")

    @property
    def by_model(self) -> bool:
        """Whether a model found its words: then no rule on wording judges them, but a model's verdict."""
        return self.generator.startswith(MODEL_MARK)

    @property
    def chunks(self) -> tuple[str, ...]:
        """Every supporting chunk, each once."""
        return tuple(dict.fromkeys(chunk for fact in self.facts for chunk in fact.chunks))


@dataclass(frozen=True, slots=True)
class Chain:
    """A hop path as a question needs it: `stops` has one more than `facts`."""

    path: str
    stops: tuple[Stop, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A draft with the filters that it went through, in their order; it is kept when all passed."""

    draft: Draft
    checks: tuple["Check", ...] = field(default=())

    @property
    def kept(self) -> bool:
        """Whether every filter passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> "Check | None":
        """The filter that rejected it."""
        return next((check for check in self.checks if not check.passed), None)


@dataclass(frozen=True, slots=True)
class Check:
    """What a filter said of a draft; a failure says why, and at which hop if it is about one, else 0.

    With `at_join` that hop's fact is not to blame but how it joins the one before: the name that both have
    means two things.
    """

    filter: str
    passed: bool
    reason: str = ""
    hop: int = 0
    at_join: bool = False


def count_kept(made: Sequence[Made]) -> int:
    """How many of them every filter let pass."""
    return sum(one.kept for one in made)
