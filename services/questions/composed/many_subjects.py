"""What is true of many at once, though a corpus may tell it of one: who lives in a country, who is a member.

Asked for its subject, such a fact has one answer in the graph and many outside it: "who died in France".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.questions.composed.drafts import is_reversed
from services.questions.composed.facts import FactShelf
from services.questions.composed.protocol import Atom
from services.questions.draft import Check
from services.questions.kinds.known_facts import KnownFact
from services.questions.kinds.nouns_by_facts import TOO_VAGUE
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
