"""The parts that compose questions by rules, without a model.

Is it worth comparing? What is asked of the one chosen must have an answer for the other one as well.

What rules can mend of a rejected question: a name that is not clear gives way to a longer one.

What is true of many at once, though a corpus may tell it of one: who lives in a country, who is a member.

Asked for its subject, such a fact has one answer in the graph and many outside it: "who died in France".

The validation chain's filters over atomic and composed questions that ask for facts of the graph.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg.model import LITERAL_TYPES
from kg.resolve.normal_form import normal_form
from kg.stages.resolution import read_resolution_choice
from kg.store.graph import Graph
from services.questions.composed.atoms_by_rules import FactShelf, RuleAtoms
from services.questions.composed.comparing import known_forms
from services.questions.composed.drafts import Outline, checked_as, is_reversed, outlines
from services.questions.composed.join_by_rules import RuleJoiner, is_bare_number
from services.questions.composed.protocol import Atom, Composed, Parts
from services.questions.draft import Check, Draft, Stop
from services.questions.filters.choose import rule_filters
from services.questions.filters.form import WELL_FORMED
from services.questions.filters.hiding import ANSWER_HIDDEN, RetrievalNecessary
from services.questions.filters.name_use import first_named, read_same_names
from services.questions.filters.need import Solvable
from services.questions.filters.protocol import Filter, Verdict, fail
from services.questions.filters.rivals import Known, OnlyAnswer, Turn, read_known, read_steps
from services.questions.filters.solver import RuleSolver
from services.questions.filters.standing import AnswerSpecific, StandsAlone
from services.questions.kinds.known_facts import TOO_VAGUE, KnownFact
from services.questions.predicate_key import predicate_key
from services.questions.wording.chain import GENERATOR
from services.questions.wording.nouns import is_person, known_place, noun_of

NO_BARE_NUMBER = "not a bare number"
CLEAR_NAMES = "every name means one thing"


@dataclass(frozen=True, slots=True)
class NoBareNumber:
    """The answer is not a number: what is only figures leads nowhere (AgenticRAGTracer, section 3.2).

    Dates pass, since they can be compared; a question is never asked on to a bare year. A number with its
    unit passes where `units`: models can word what it counts, rules can't.
    """

    units: bool = False
    name: str = NO_BARE_NUMBER

    def check(self, atoms: Sequence[Atom]) -> list[Check]:
        """One verdict an atom, in order."""
        return [self._verdict(atom) for atom in atoms]

    def _verdict(self, atom: Atom) -> Check:
        counted = atom.answer_type == "NUMBER" and not self.units
        bare = atom.answer_type != "DATE" and (is_bare_number(atom.answer) or not _says(atom.answer))
        number = counted or bare
        return Check(self.name, not number, f'"{atom.answer}" is a bare number' if number else "")


def _says(answer: str) -> bool:
    """Whether there is more in it than figures and punctuation: a letter, or the sign of a unit."""
    return any(one.isalpha() or unicodedata.category(one) == "Sc" or one in "%\u2030\u00b0" for one in answer)


@dataclass(frozen=True, slots=True)
class AtomsAsChains:
    """A filter of the validation chain over atomic questions, each a chain of one fact.

    The source chunk alone is its evidence, though other chunks may state the fact as well.
    """

    filter: Filter
    shelf: FactShelf

    @property
    def name(self) -> str:
        """The filter's own name."""
        return self.filter.name

    def check(self, atoms: Sequence[Atom]) -> list[Check]:
        """One verdict an atom, in order."""
        known = self.shelf.facts(atom.triple for atom in atoms)
        drafts = [_chain_of(atom, known[atom.triple]) for atom in atoms if atom.triple in known]
        verdicts = iter(self.filter.check(drafts))
        return [_as_check(self.name, next(verdicts) if atom.triple in known else _UNKNOWN) for atom in atoms]


@dataclass(frozen=True, slots=True)
class ComposedAsDrafts:
    """A filter of the validation chain over composed questions; all drafts of a question must pass.

    A fact has all the evidence that it has in the graph.
    """

    filter: Filter
    shelf: FactShelf
    seed: int

    @property
    def name(self) -> str:
        """The filter's own name."""
        return self.filter.name

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        outlined = outlines(self.shelf, questions, self.seed)
        views = [
            checked_as(one, outline) if outline else ()
            for one, outline in zip(questions, outlined, strict=True)
        ]
        drafts = self.shelf.with_all_evidence([draft for some in views for draft in some])
        verdicts = iter(self.filter.check(drafts))
        return [_as_check(self.name, _worst([next(verdicts) for _ in some])) for some in views]


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The first failure, or that all passed; a question without a draft fails."""
    return next((one for one in verdicts if not one.passed), verdicts[0] if verdicts else _UNKNOWN)


_UNKNOWN = fail("its hops are no facts of the graph")


def _as_check(name: str, verdict: Verdict) -> Check:
    return Check(name, verdict.passed, verdict.reason)


def _chain_of(atom: Atom, fact: KnownFact) -> Draft:
    backwards = is_reversed(atom, fact)
    start, end = (fact.object, fact.subject) if backwards else (fact.subject, fact.object)
    return Draft(
        kind="chain",
        text=atom.question,
        answer=atom.answer,
        accepted=atom.accepted,
        answer_type=end.type,
        generator=GENERATOR,
        stops=(start, end),
        facts=(replace(fact.fact(1), chunks=(atom.chunk,), reversed=backwards),),
        answered_by=end.id,
    )


@dataclass(frozen=True, slots=True)
class ClearNames:
    """No entity on the way shares a name with another one of the graph.

    The paper asks a public knowledge base for namesakes; here the graph is asked, whose keys are names in
    normal form. One that is the same in some context is no namesake. Dates have none.
    """

    shelf: FactShelf
    corpus: str
    name: str = CLEAR_NAMES

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        known = self.shelf.stops(id_ for one in questions for id_ in _entities(one))
        graph = self.shelf.graph
        names = {stop.name for stop in known.values() if stop.type not in LITERAL_TYPES}
        same = read_same_names(graph, self.corpus, names)
        several = {form: ids for form, ids in same.items() if len(ids) > 1}
        alike = read_known(graph, (id_ for ids in several.values() for id_ in ids)) if several else {}
        return [self._verdict(one, known, several, alike) for one in questions]

    def _verdict(
        self,
        question: Composed,
        known: Mapping[str, Stop],
        several: Mapping[str, frozenset[str]],
        alike: Mapping[str, Known],
    ) -> Check:
        for id_ in _entities(question):
            stop = known.get(id_)
            if stop is None or stop.type in LITERAL_TYPES:
                continue
            others = several.get(normal_form(stop.name), frozenset()) - {id_}
            others -= alike[id_].alike if id_ in alike else frozenset()
            if others:
                return Check(
                    self.name, passed=False, reason=f'{len(others) + 1} entities are called "{stop.name}"'
                )
        return Check(self.name, passed=True)


def _entities(question: Composed) -> tuple[str, ...]:
    """Every entity that its hops name or lead to, each once."""
    ids = (id_ for hop in question.hops for id_ in (*hop.atom.about, hop.atom.answered_by))
    return tuple(dict.fromkeys(filter(None, ids)))


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
    shelf, concepts = FactShelf(graph), read_resolution_choice(graph, corpus).concepts
    of_atoms = (
        WELL_FORMED,
        ANSWER_HIDDEN,
        StandsAlone(graph, corpus, concepts),
        AnswerSpecific(graph, corpus, concepts),
        OnlyAnswer(graph, corpus),
        RetrievalNecessary(graph, corpus),
        Solvable(RuleSolver(graph)),
    )
    return Parts(
        atom_maker=RuleAtoms(shelf, corpus),
        atom_filters=(
            NoBareNumber(units=True),
            TrueOfOne(shelf),
            *(AtomsAsChains(one, shelf) for one in of_atoms),
        ),
        joiner=RuleJoiner(shelf, seed),
        filters=(
            *(ComposedAsDrafts(one, shelf, seed) for one in rule_filters(graph, corpus)),
            ClearNames(shelf, corpus),
            ComparisonNeeded(shelf, seed),
        ),
        refiner=RuleRefiner(shelf),
        atoms_behind_comparison=ATOMS_BEHIND_COMPARISON,
    )
