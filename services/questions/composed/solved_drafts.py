"""Filters of the validation chain over atomic and composed questions: those that read text and chunks alone.

A draft made here has no entities, so that it fits filters that ask a model, and none that walk the graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from services.questions.composed.protocol import Atom, Composed
from services.questions.draft import Check, Draft, Fact, QuestionKind
from services.questions.filters.protocol import Filter


@dataclass(frozen=True, slots=True)
class AtomsThrough:
    """An atom filter that puts each atom through a filter of drafts."""

    filter: Filter

    @property
    def name(self) -> str:
        """The filter's own name."""
        return self.filter.name

    def check(self, atoms: Sequence[Atom]) -> list[Check]:
        """One verdict an atom, in order."""
        return _checked(self.filter, [atom_draft(atom) for atom in atoms])


@dataclass(frozen=True, slots=True)
class ComposedThrough:
    """A filter of composed questions that puts each through a filter of drafts."""

    filter: Filter

    @property
    def name(self) -> str:
        """The filter's own name."""
        return self.filter.name

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        return _checked(self.filter, [composed_draft(question) for question in questions])


def atom_draft(atom: Atom) -> Draft:
    """An atom as a question of one fact."""
    return _draft("sequential", atom.question, atom.answer, atom.accepted, atom.generator, [atom])


def composed_draft(question: Composed) -> Draft:
    """A composed question with one fact a hop, whose evidence is the chunk of the hop's atom.

    It counts as parallel only where its last hop compares: one that asks on from there can't be guessed.
    """
    kind: QuestionKind = "parallel" if question.last.topology == "comparison" else "sequential"
    last, atoms = question.last, [hop.atom for hop in question.hops]
    return _draft(kind, last.question, last.answer, last.accepted, question.generator, atoms)


def _draft(
    kind: QuestionKind,
    text: str,
    answer: str,
    accepted: tuple[str, ...],
    generator: str,
    atoms: Sequence[Atom],
) -> Draft:
    return Draft(
        kind=kind,
        text=text,
        answer=answer,
        accepted=accepted,
        answer_type="MISC",
        generator=generator,
        stops=(),
        facts=tuple(_fact(number, atom) for number, atom in enumerate(atoms, start=1)),
    )


def _fact(number: int, atom: Atom) -> Fact:
    return Fact(
        index=number,
        claim=atom.claim,
        triple=atom.triple,
        subject="",
        predicate="",
        object=atom.answer,
        article=atom.article,
        sentence=atom.sentence,
        chunks=(atom.chunk,),
    )


def _checked(one: Filter, drafts: Sequence[Draft]) -> list[Check]:
    return [Check(one.name, verdict.passed, verdict.reason) for verdict in one.check(drafts)]
