"""The parts that compose questions by rules, without a model.

Is it worth comparing? What is asked of the one chosen must have an answer for the other one as well.

What rules can mend of a rejected question: a name that is not clear gives way to a longer one.

What is true of many at once, though a corpus may tell it of one: who lives in a country, who is a member.

Asked for its subject, such a fact has one answer in the graph and many outside it: "who died in France".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg.store.graph import Graph
from services.questions.composed.answer_forms import known_forms
from services.questions.composed.atoms_by_rules import RuleAtoms
from services.questions.composed.checks_by_rules import (
    AtomsAsChains,
    ClearNames,
    ComposedAsDrafts,
    NoBareNumber,
)
from services.questions.composed.drafts import Outline, is_reversed, outlines
from services.questions.composed.facts import FactShelf
from services.questions.composed.join_by_rules import RuleJoiner
from services.questions.composed.parts import Parts
from services.questions.composed.protocol import Atom, Composed
from services.questions.draft import Check, Stop
from services.questions.filters.choose import rule_filters
from services.questions.filters.form import WELL_FORMED
from services.questions.filters.graph_facts import Turn, read_steps
from services.questions.filters.guesses import RetrievalNecessary
from services.questions.filters.hiding import ANSWER_HIDDEN
from services.questions.filters.names_in_text import first_named
from services.questions.filters.need import Solvable
from services.questions.filters.rivals import OnlyAnswer
from services.questions.filters.rule_solver import RuleSolver
from services.questions.filters.specific import AnswerSpecific
from services.questions.filters.standing import StandsAlone
from services.questions.kinds.known_facts import KnownFact
from services.questions.kinds.nouns_by_facts import TOO_VAGUE
from services.questions.predicate_key import predicate_key
from services.questions.wording.nouns import is_person, noun_of
from services.questions.wording.place_names import known_place

TRUE_OF_ONE = "true of one"

_OF_PEOPLE_WORDS = """
citizen of, national of, native of, resident of, student of, employee of, supporter of, member of, from, in,
affiliated with, associated with, born in, born at, based in, located in, employed by, buried in, killed in,
part of, come from, die in, die at, live in, live at, reside in, work at, work for, work in, belong to,
study at, study in, graduate from, attend, play for, play in, serve in, serve at, serve with, join, leave,
move to, return to, travel to, fly to, go to, run in, run for, perform in, speak in,
visit, arrive in, flee, compete in, participate in, stay in,
son of, daughter of, child of, representative of, state representative of, delegate to, secretary for
"""
_OF_PEOPLE = frozenset(one.strip() for one in _OF_PEOPLE_WORDS.replace("\n", " ").split(","))
_OF_GROUPS = frozenset({"member of", "part of", "belong to", "affiliated with", "compete in", "from"})
_OF_PLACES = frozenset(
    {"located in", "based in", "headquartered in", "situated in", "lie in", "held in", "in"}
)
_BEFORE = frozenset({"be", "a", "an", "the", "former", "formerly", "previously", "originally", "once", "now"})
_VAGUE_NOUNS = TOO_VAGUE | {"organisation", "company", "place", "area", "city", "town", "group", "event"}


@dataclass(frozen=True, slots=True)
class TrueOfOne:
    """A question for the subject of a fact does not ask for one of many.

    People who live, work or play somewhere are many, and so are the members of a group, the things in a
    place of some size, and what only "organisation" or "place" describes. "Which observatory is located in
    Greymoor" passes, of a place that no list knows.
    """

    shelf: FactShelf
    name: str = TRUE_OF_ONE

    def check(self, atoms: Sequence[Atom]) -> list[Check]:
        """One verdict an atom, in order; one without a fact of the graph passes."""
        known = self.shelf.facts(atom.triple for atom in atoms)
        return [self._verdict(atom, known) for atom in atoms]

    def _verdict(self, atom: Atom, known: Mapping[str, KnownFact]) -> Check:
        fact = known.get(atom.triple)
        if fact is None or not is_reversed(atom, fact) or not true_of_many(fact):
            return Check(self.name, passed=True)
        return Check(self.name, passed=False, reason=f'many may have "{fact.predicate}" {fact.object.name}')


def true_of_many(fact: KnownFact) -> bool:
    """Whether many things usually have the predicate and object of a fact."""
    words = fact.key.split()
    while words and words[0] in _BEFORE:
        words = words[1:]
    said = " ".join(words)
    if is_person(fact.subject, (), (fact.predicate,)):
        return said in _OF_PEOPLE
    if said in _OF_GROUPS:
        return True
    vague = noun_of(fact.subject, (), (fact.predicate,)) in _VAGUE_NOUNS
    return said in _OF_PLACES and (vague or bool(known_place(fact.object)))


MENDABLE = frozenset({"stands alone"})
"""Filters whose complaint another name may answer."""


@dataclass(frozen=True, slots=True)
class RuleRefiner:
    """Names the beginning of a question by a longer name of its entity, and collects forms of answers."""

    shelf: FactShelf

    def mend(self, rejected: Sequence[Composed]) -> list[Composed | None]:
        """A question with a longer name in it, None where its fault is another or there is no such name."""
        known = self.shelf.stops(id_ for one in rejected for id_ in one.hops[0].atom.about)
        return [
            _renamed(
                one, [name for id_ in one.hops[0].atom.about if id_ in known for name in known[id_].names]
            )
            if any(check.filter in MENDABLE for check in one.checks if not check.passed)
            else None
            for one in rejected
        ]

    def alternatives(self, questions: Sequence[Composed]) -> list[tuple[str, ...]]:
        """The names of the entity that answers, and a date in the usual ways to write it."""
        known = self.shelf.stops(one.answered_by for one in questions)
        return [
            known_forms(
                one.last.answer,
                (*one.last.accepted, *(known[one.answered_by].names if one.answered_by in known else ())),
            )
            for one in questions
        ]


def _renamed(question: Composed, names: Sequence[str]) -> Composed | None:
    text = question.last.question
    used = first_named(text, names)
    if used is None or used not in text:
        return None
    longer = [name for name in names if len(name.split()) > len(used.split()) and name not in text]
    if not longer:
        return None
    best = max(longer, key=lambda name: (len(name.split()), name))
    renamed = replace(question.last, question=text.replace(used, best, 1))
    return Composed((*question.hops[:-1], renamed), question.generator)


COMPARISON_NEEDED = "comparison needed"


@dataclass(frozen=True, slots=True)
class ComparisonNeeded:
    """Where a question asks on from what a comparison chose, the other one leads on too, to another answer.

    Only a club has a coach: "who coaches the one of the hospital and the club that was founded earlier" is
    answered without a date. Looked at is the first hop behind the comparison. Others pass.
    """

    shelf: FactShelf
    seed: int
    name: str = COMPARISON_NEEDED

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        found = [
            outline if outline and outline.comparison and outline.tail else None
            for outline in outlines(self.shelf, questions, self.seed)
        ]
        turns = {_turn(outline) for outline in found if outline}
        steps = read_steps(self.shelf.graph, turns)
        return [self._verdict(outline, steps) for outline in found]

    def _verdict(self, outline: Outline | None, steps: Mapping[Turn, Mapping[str, frozenset[str]]]) -> Check:
        if outline is None:
            return Check(self.name, passed=True)
        ends = steps.get(_turn(outline), {}).get(predicate_key(outline.tail[0].predicate), frozenset())
        if ends - {outline.stops[1].id}:
            return Check(self.name, passed=True)
        told = f'of the two only "{outline.stops[0].name}" leads on'
        return Check(self.name, passed=False, reason=told)


def _turn(outline: Outline) -> Turn:
    """The one that was not chosen, and the direction in which the next hop is followed."""
    return _other(outline).id, outline.tail[0].reversed


def _other(outline: Outline) -> Stop:
    return next(stop for stop in outline.named if stop.id != outline.stops[0].id)


ATOMS_BEHIND_COMPARISON = 24
"""Trying costs nothing by rules."""


def rule_parts(graph: Graph, corpus: str, seed: int) -> Parts:
    """Everything by rules: atomic questions of verified triples, the validation chain's filters by rules."""
    shelf = FactShelf(graph)
    of_atoms = (
        WELL_FORMED,
        ANSWER_HIDDEN,
        StandsAlone(graph, corpus),
        AnswerSpecific(graph, corpus),
        OnlyAnswer(graph, corpus),
        RetrievalNecessary(graph, corpus),
        Solvable(RuleSolver(graph)),
    )
    return Parts(
        atom_maker=RuleAtoms(shelf, corpus),
        atom_filters=(NoBareNumber(), TrueOfOne(shelf), *(AtomsAsChains(one, shelf) for one in of_atoms)),
        joiner=RuleJoiner(shelf, seed),
        filters=(
            *(ComposedAsDrafts(one, shelf, seed) for one in rule_filters(graph, corpus)),
            ClearNames(shelf, corpus),
            ComparisonNeeded(shelf, seed),
        ),
        refiner=RuleRefiner(shelf),
        atoms_behind_comparison=ATOMS_BEHIND_COMPARISON,
    )
