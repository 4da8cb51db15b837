"""The validation chain's filters over atomic and composed questions that ask for facts of the graph."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg.model import LITERAL_TYPES
from kg.resolve.normal_form import normal_form
from services.questions.composed.drafts import checked_as, is_reversed, outlines
from services.questions.composed.facts import FactShelf
from services.questions.composed.join_by_rules import is_bare_number
from services.questions.composed.protocol import Atom, Composed
from services.questions.draft import Check, Draft, Stop
from services.questions.filters.graph_facts import Known, read_known
from services.questions.filters.name_use import read_same_names
from services.questions.filters.protocol import Filter, Verdict, fail
from services.questions.kinds.known_facts import KnownFact
from services.questions.wording.chain import GENERATOR

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
        return [_told(self.name, next(verdicts) if atom.triple in known else _UNKNOWN) for atom in atoms]


@dataclass(frozen=True, slots=True)
class ComposedAsDrafts:
    """A filter of the validation chain over composed questions; all drafts of a question must pass."""

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
        verdicts = iter(self.filter.check([draft for some in views for draft in some]))
        return [_told(self.name, _worst([next(verdicts) for _ in some])) for some in views]


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The first failure, or that all passed; a question without a draft fails."""
    return next((one for one in verdicts if not one.passed), verdicts[0] if verdicts else _UNKNOWN)


_UNKNOWN = fail("its hops are no facts of the graph")


def _told(name: str, verdict: Verdict) -> Check:
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
