"""Composed questions as drafts: as filters by rules look at them, and as they are written.

Filters of the validation chain over atomic and composed questions: those that read text and chunks alone.

A draft made here has no entities, so that it fits filters that ask a model, and none that walk the graph.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from kg.model import EntityType
from kg.resolve.normal_form import normal_form
from services.questions.composed.atoms_by_rules import FactShelf
from services.questions.composed.comparing import Comparison, compare
from services.questions.composed.protocol import Atom, Composed, Hop
from services.questions.draft import Check, Draft, Fact, QuestionKind, Stop
from services.questions.filters.protocol import Filter
from services.questions.kinds.known_facts import KnownFact
from services.questions.wording.chain import GENERATOR


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
    """A filter of composed questions that puts each with all its evidence through a filter of drafts."""

    filter: Filter
    shelf: FactShelf

    @property
    def name(self) -> str:
        """The filter's own name."""
        return self.filter.name

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        drafts = [composed_draft(question) for question in questions]
        return _checked(self.filter, self.shelf.with_all_evidence(drafts))


def atom_draft(atom: Atom) -> Draft:
    """An atom as a question of one fact."""
    return _solved_draft("sequential", atom.question, atom.answer, atom.accepted, atom.generator, [atom])


def composed_draft(question: Composed) -> Draft:
    """A composed question with one fact a hop, whose evidence is the chunk of the hop's atom.

    It counts as parallel only where its last hop compares: one that asks on from there can't be guessed.
    """
    kind: QuestionKind = "parallel" if question.last.topology == "comparison" else "sequential"
    last, atoms = question.last, [hop.atom for hop in question.hops]
    return _solved_draft(kind, last.question, last.answer, last.accepted, question.generator, atoms)


def _solved_draft(
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
        facts=tuple(_solved_fact(number, atom) for number, atom in enumerate(atoms, start=1)),
    )


def _solved_fact(number: int, atom: Atom) -> Fact:
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


@dataclass(frozen=True, slots=True)
class Outline:
    """What the facts make of a question: its entities in order, its facts, and of compared ones what of them.

    With a comparison the first two facts are the compared ones, and `stops` begins with the one that was
    chosen, where it chooses one; without, `stops` has one more than there are facts.
    """

    stops: tuple[Stop, ...]
    facts: tuple[Fact, ...]
    comparison: Comparison | None
    named: tuple[Stop, ...]

    @property
    def tail(self) -> tuple[Fact, ...]:
        """The facts that are followed one after the other."""
        return self.facts[2:] if self.comparison else self.facts


def outlines(shelf: FactShelf, questions: Sequence[Composed], seed: int) -> list[Outline | None]:
    """What the graph's facts make of some questions; None for one whose hops are not all facts of it."""
    known = shelf.facts(hop.atom.triple for one in questions for hop in one.hops)
    return [_outline(one.hops, known, seed) for one in questions]


def _outline(hops: Sequence[Hop], known: Mapping[str, KnownFact], seed: int) -> Outline | None:
    if any(hop.atom.triple not in known for hop in hops):
        return None
    found = [known[hop.atom.triple] for hop in hops]
    facts = tuple(_fact(hops, found, at) for at in range(len(hops)))
    if len(hops) > 1 and hops[1].topology == "comparison":
        compared = compare(found[0], found[1], seed)
        if isinstance(compared, str):
            return None
        ends = tuple(_ends(hop.atom, fact)[1] for hop, fact in zip(hops[2:], found[2:], strict=True))
        chosen = () if compared.winner is None else (compared.winner,)
        return Outline((*chosen, *ends), facts, compared, (found[0].subject, found[1].subject))
    start = _ends(hops[0].atom, found[0])[0]
    stops = (start, *(_ends(hop.atom, fact)[1] for hop, fact in zip(hops, found, strict=True)))
    return Outline(stops, facts, None, (start,))


def is_reversed(atom: Atom, fact: KnownFact) -> bool:
    """Whether the atomic question asks for the subject of its fact."""
    return atom.answered_by == fact.subject.id and atom.about == (fact.object.id,)


def _ends(atom: Atom, fact: KnownFact) -> tuple[Stop, Stop]:
    """What an atomic question names, and what answers it."""
    return (fact.object, fact.subject) if is_reversed(atom, fact) else (fact.subject, fact.object)


def _fact(hops: Sequence[Hop], found: Sequence[KnownFact], at: int) -> Fact:
    atom, known = hops[at].atom, found[at]
    fact = known.fact(at + 1, _link(hops, found, at))
    return replace(fact, reversed=is_reversed(atom, known))


def _link(hops: Sequence[Hop], found: Sequence[KnownFact], at: int) -> str:
    """How a fact joins the one before it; a compared one and that behind a comparison begin anew."""
    if at == 0 or hops[at].topology == "comparison" or hops[at - 1].topology == "comparison":
        return "start"
    (before, here), (atom, last) = (found[at - 1], found[at]), (hops[at].atom, hops[at - 1].atom)
    if last.answered_by not in atom.about:
        return "context"
    left = before.said_subject if is_reversed(last, before) else before.said_object
    right = here.said_object if is_reversed(atom, here) else here.said_subject
    return "shared" if normal_form(left) == normal_form(right) else "exact"


def checked_as(question: Composed, outline: Outline) -> tuple[Draft, ...]:
    """The drafts that filters by rules look at, all of which must pass.

    A sequential question is looked at as a chain, one that only compares as a comparison. One that asks on
    from what a comparison chose is looked at as a whole, and as a chain that begins there.
    """
    whole = _draft(question, outline)
    if outline.comparison is None:
        return (_as_chain(whole, outline.stops, outline.facts),)
    if not outline.tail:
        return (replace(whole, kind="comparison", stops=outline.named, hidden=outline.comparison.hidden),)
    tail = tuple(replace(fact, index=at) for at, fact in enumerate(outline.tail, start=1))
    return (whole, _as_chain(whole, outline.stops, tail))


def _draft(question: Composed, outline: Outline) -> Draft:
    middles = [name for stop in outline.stops[:-1] for name in stop.names]
    named = {name for stop in outline.named for name in stop.names}
    values = outline.comparison.hidden if outline.comparison else ()
    hidden = tuple(dict.fromkeys(name for name in (*middles, *values) if name not in named))
    stops = tuple(dict.fromkeys((*outline.named, *outline.stops)))
    last = question.last
    return Draft(
        kind=kind_of(question),
        text=last.question,
        answer=last.answer,
        accepted=last.accepted,
        answer_type=_answer_type(question, outline.stops[-1].type if outline.stops else ""),
        generator=GENERATOR if question.generator.endswith(GENERATOR) else question.generator,
        stops=stops,
        facts=outline.facts,
        answered_by=question.answered_by,
        hidden=hidden,
    )


def kind_of(question: Composed) -> QuestionKind:
    """Its kind as the graph has it."""
    return "parallel" if question.topology == "comparison" else "sequential"


def _as_chain(draft: Draft, stops: Sequence[Stop], facts: Sequence[Fact]) -> Draft:
    hidden = tuple(dict.fromkeys(name for stop in stops[1:-1] for name in stop.names))
    return replace(draft, kind="chain", stops=tuple(stops), facts=tuple(facts), hidden=hidden)


def written_as(shelf: FactShelf, questions: Sequence[Composed]) -> list[Draft]:
    """Some questions as they are written into the graph.

    A hop with a fact of the graph is supported by every chunk that states it, in whatever words, another by
    its own chunk.
    """
    atoms = [hop.atom for one in questions for hop in one.hops]
    known = shelf.facts(atom.triple for atom in atoms)
    stops = shelf.stops(id_ for atom in atoms for id_ in (*atom.about, atom.answered_by))
    return shelf.with_all_evidence([_written(one, known, stops) for one in questions])


def _written(question: Composed, known: Mapping[str, KnownFact], stops: Mapping[str, Stop]) -> Draft:
    last = question.last
    ids = dict.fromkeys(id_ for hop in question.hops for id_ in (*hop.atom.about, hop.atom.answered_by))
    chosen = stops.get(question.answered_by)
    return Draft(
        kind=kind_of(question),
        text=last.question,
        answer=last.answer,
        accepted=last.accepted,
        answer_type=_answer_type(question, chosen.type if chosen else ""),
        generator=question.generator,
        stops=tuple(stops[id_] for id_ in ids if id_ in stops),
        facts=tuple(fact_of(hop.atom, hop.number, known) for hop in question.hops),
        answered_by=question.answered_by,
    )


def fact_of(atom: Atom, number: int, known: Mapping[str, KnownFact]) -> Fact:
    """What a hop rests on; without a fact of the graph it is only the sentence and its chunk."""
    found = known.get(atom.triple)
    if found is None:
        return Fact(
            number, atom.claim, "", "", "", atom.answer, atom.article, atom.sentence, chunks=(atom.chunk,)
        )
    chunks = tuple(dict.fromkeys((atom.chunk, *found.chunks)))
    return replace(found.fact(number), chunks=chunks, reversed=is_reversed(atom, found))


def _answer_type(question: Composed, chosen: str) -> EntityType:
    """The type of the answer as the graph notes it; drafts take what atoms say for a type of entity."""
    if question.last.topology != "comparison":
        return cast("EntityType", question.last.atom.answer_type)
    return cast("EntityType", chosen if question.answered_by else "YES_NO")


def goes_round(question: Composed) -> bool:
    """Whether a hop leads back to an entity that the question has been at, or two hops are one."""
    atoms = [hop.atom for hop in question.hops]
    if len({atom.triple or atom.id for atom in atoms}) < len(atoms):
        return True
    seen: set[str] = set()
    for hop in question.hops:
        if hop.topology == "inference" and hop.atom.answered_by in seen:
            return True
        seen |= {*hop.atom.about, hop.atom.answered_by} - {""}
    return False
