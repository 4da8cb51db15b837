"""What composed questions are made of: atomic questions, and what joins them, by rules or by a model.

An atomic question asks for one fact of one chunk. Joined to another it makes a question of two hops; each
further one makes it a hop longer, and nothing of the chain is lost on the way (AgenticRAGTracer, section
3.3).

What the composing of questions is put together from: by rules, or by a model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from services.questions.draft import Check

Topology = Literal["inference", "comparison"]
"""How a hop joins what is before it: it asks on from the answer so far, or sets two answers side by side."""


Across = Literal["articles", "chunks"]
"""What hops must differ in: their articles (AgenticRAGTracer, section 3.3), or their chunks."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A question that one chunk answers; `domain` is the category of its article.

    `about` are the entities that the question names and `answered_by` the one that answers it, empty where
    the answer is none (a date). `claim` and `triple` are empty where no fact of the graph is behind it.
    `accepted` has every form of the answer, the canonical one first.
    """

    id: str
    question: str
    answer: str
    accepted: tuple[str, ...]
    answer_type: str
    chunk: str
    article: str
    sentence: str
    about: tuple[str, ...]
    answered_by: str = ""
    claim: str = ""
    triple: str = ""
    domain: str = ""
    generator: str = ""


@dataclass(frozen=True, slots=True)
class Hop:
    """One hop of a composed question, from 1: its atom, and the question as it stands with this hop in it.

    `topology` is None for the first hop, whose question is its atom's. `answered_by` is the entity that
    answers the question so far, which a comparison chooses; it is left empty where it is the atom's.
    """

    number: int
    atom: Atom
    topology: Topology | None
    question: str
    answer: str
    accepted: tuple[str, ...]
    answered_by: str = ""


@dataclass(frozen=True, slots=True)
class Composed:
    """A question with its whole chain; `topology` is "comparison" as soon as one hop is.

    The question and the answer are those of the last hop. `checks` are those of the last hop's filters.
    """

    hops: tuple[Hop, ...]
    generator: str
    checks: tuple[Check, ...] = field(default=())

    @property
    def last(self) -> Hop:
        """The hop that asks the whole question."""
        return self.hops[-1]

    @property
    def topology(self) -> Topology:
        """How its hops are joined."""
        return "comparison" if any(hop.topology == "comparison" for hop in self.hops) else "inference"

    @property
    def answered_by(self) -> str:
        """The id of the entity that answers it, from which it can be asked on; empty where there is none."""
        if self.last.answered_by or self.last.topology == "comparison":
            return self.last.answered_by
        return self.last.atom.answered_by

    @property
    def domain(self) -> str:
        """The domain of the article that it was begun with."""
        return self.hops[0].atom.domain

    @property
    def kept(self) -> bool:
        """Whether every filter of the last hop passed."""
        return all(check.passed for check in self.checks)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question so far, and an atom that might make it a hop longer."""

    base: Composed
    atom: Atom
    topology: Topology

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Those of the question so far, and the new one."""
        return (*(hop.atom for hop in self.base.hops), self.atom)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing came of a chunk or of a candidate."""

    reason: str


class AtomMaker(Protocol):
    """Makes atomic questions from chunks."""

    @property
    def name(self) -> str:
        """What is recorded with a question."""
        ...

    def atoms(self, chunks: Sequence[str]) -> Iterator[Atom | Refused]:
        """The atomic questions of some chunks, given their ids, unfiltered.

        Raises:
            ModelError: a model can't go on.
        """
        ...


class AtomFilter(Protocol):
    """Decides whether an atomic question may be used."""

    @property
    def name(self) -> str:
        """What funnels and reports call it."""
        ...

    def check(self, atoms: Sequence[Atom]) -> list[Check]:
        """One verdict an atom, in order."""
        ...


class Joiner(Protocol):
    """Writes the longer question of a candidate."""

    @property
    def name(self) -> str:
        """What is recorded with a question."""
        ...

    def join(self, candidates: Sequence[Candidate]) -> list[Composed | Refused]:
        """One longer question a candidate, in order, unfiltered; or why there is none.

        Raises:
            ModelError: a model can't go on.
        """
        ...


class ComposedFilter(Protocol):
    """Decides whether a composed question may be kept; it sees only those that passed the ones before."""

    @property
    def name(self) -> str:
        """What funnels and reports call it."""
        ...

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        ...


class Refiner(Protocol):
    """Mends a question that a filter rejected, once, and finds other forms of its answer."""

    def mend(self, rejected: Sequence[Composed]) -> list[Composed | None]:
        """A mended question for each whose fault is one of words, None where there is nothing to mend."""
        ...

    def alternatives(self, questions: Sequence[Composed]) -> list[tuple[str, ...]]:
        """For each question every acceptable form of its answer, the canonical one first."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """One way to compose: atoms are made and filtered, then joined; what comes of it is filtered and mended.

    Filters run in their order, the cheapest first; what fails one is not shown to the next.
    `atoms_a_question` says to how many atomic questions a question is joined at most, in each way, and
    `atoms_behind_comparison` to how many one that compares: few have an answer for both. `batch` questions
    are tried at a time, then it is looked whether more are wanted, and `bases` are gone on from at a time,
    all of them where it is None. `chunks_a_question` is from how many further chunks, None for all that are
    related. So many candidates as `tries` of each depth and way are tried for each question that is wanted.
    """

    atom_maker: AtomMaker
    atom_filters: tuple[AtomFilter, ...]
    joiner: Joiner
    filters: tuple[ComposedFilter, ...]
    refiner: Refiner
    atoms_a_question: int = 4
    atoms_behind_comparison: int = 4
    batch: int = 100
    bases: int | None = None
    chunks_a_question: int | None = None
    tries: int = 40


PAID_BATCH = 16
"""Small, since what is made beyond the number wanted is paid for as well."""


def paid_for(parts: Parts, per_hops: int) -> Parts:
    """The parts as they work where each request costs: in steps as small as the number that is wanted."""
    batch = min(PAID_BATCH, 2 * per_hops)
    return replace(parts, batch=batch, bases=max(1, batch // 2), chunks_a_question=3, tries=12)
