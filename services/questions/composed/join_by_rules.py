"""Longer questions by rules: the answer so far is described in place of its name, or two are compared.

What nobody need be asked to join: hops that one chunk states, and numbers.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from services.questions.composed.atoms_by_rules import NAME, FactShelf
from services.questions.composed.comparing import compare
from services.questions.composed.drafts import goes_round, is_reversed, outlines
from services.questions.composed.protocol import Candidate, Composed, Hop, Refused
from services.questions.kinds.known_facts import KnownFact, related_pairs
from services.questions.predicate_key import predicate_key
from services.questions.wording.chain import chain_question

_BETWEEN_NUMBERS = re.compile(r"[\s.,/\u2013-]+|\band\b")
_NUMBER_WORDS = frozenset(
    {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
     "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
     "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "million",
     "billion", "trillion", "dozen"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleJoiner:
    """Joins atomic questions that ask for facts of the graph."""

    shelf: FactShelf
    seed: int
    name: str = NAME

    def join(self, candidates: Sequence[Candidate]) -> list[Composed | Refused]:
        """One longer question a candidate, in order, unfiltered; or why there is none."""
        known = self.shelf.facts(atom.triple for one in candidates for atom in one.atoms)
        related = related_pairs(self.shelf.graph, _compared_pairs(candidates, known))
        evidence = self.shelf.evidence([atom for one in candidates for atom in one.atoms])
        begun = [self._begun(one, known, related, evidence) for one in candidates]
        made = [one for one in begun if isinstance(one, Composed)]
        worded = iter(self._worded(made))
        return [next(worded) if isinstance(one, Composed) else one for one in begun]

    def _begun(
        self,
        candidate: Candidate,
        known: Mapping[str, KnownFact],
        related: set[frozenset[str]],
        evidence: Mapping[str, Collection[str]],
    ) -> Composed | Refused:
        """The longer question with its answer; that of an inference has no words yet."""
        base, atom = candidate.base, candidate.atom
        if atom.triple not in known or any(hop.atom.triple not in known for hop in base.hops):
            return Refused("a hop is no fact of the graph")
        hop = self._compared(candidate, known, related) if _compares(candidate) else _asked_on(candidate)
        if isinstance(hop, str):
            return Refused(hop)
        longer = Composed((*base.hops, hop), self.name)
        if goes_round(longer):
            return Refused("it leads back to where it has been")
        if _turns_back(longer, known):
            return Refused("it asks what else has the relation by which it came")
        return Refused(READ_AT_ONCE) if read_at_once(candidate, evidence) else longer

    def _compared(
        self, candidate: Candidate, known: Mapping[str, KnownFact], related: set[frozenset[str]]
    ) -> Hop | str:
        if len(candidate.base.hops) > 1:
            return "only the first two hops are compared"
        one, other = known[candidate.base.last.atom.triple], known[candidate.atom.triple]
        if _pairs(one, other) & related:
            return "the two may be one thing, or have to do with each other"
        found = compare(one, other, self.seed)
        if isinstance(found, str):
            return found
        winner = found.winner.id if found.winner else ""
        return Hop(2, candidate.atom, "comparison", found.question, found.answer, found.accepted, winner)

    def _worded(self, questions: Sequence[Composed]) -> list[Composed | Refused]:
        outlined = outlines(self.shelf, questions, self.seed)
        worded: list[Composed | Refused] = []
        for one, outline in zip(questions, outlined, strict=True):
            if one.last.question:
                worded.append(one)
            elif outline is None:
                worded.append(Refused("its facts don't make a question"))
            else:
                start = outline.comparison.phrase if outline.comparison else ""
                text = chain_question(outline.stops, outline.tail, start)
                worded.append(Composed((*one.hops[:-1], replace(one.last, question=text)), self.name))
        return worded


def _compares(candidate: Candidate) -> bool:
    return candidate.topology == "comparison"


def _asked_on(candidate: Candidate) -> Hop | str:
    """The hop that asks on, with no words yet."""
    atom = candidate.atom
    if is_bare_number(atom.answer):
        return "its answer is a bare number"
    if atom.answer_type == "NUMBER":
        return "rules ask for a number only to compare it"
    number = len(candidate.base.hops) + 1
    return Hop(number, atom, "inference", "", atom.answer, atom.accepted, atom.answered_by)


def is_bare_number(answer: str) -> bool:
    """Whether an answer is a number and nothing else ("1904", "12,000", "two million"): too little to go by.

    With a unit ("59.0 %", "4,586 K"), as an ordinal with its noun, or in a name ("H5N1") it is more.
    """
    parts = [part for part in _BETWEEN_NUMBERS.split(answer.casefold()) if part]
    return bool(parts) and all(part.isdigit() or part in _NUMBER_WORDS for part in parts)


def _turns_back(question: Composed, known: Mapping[str, KnownFact]) -> bool:
    """Whether the last hop goes back over the predicate of the one before: "who was appointed by the person
    who appointed X", which X answers as well."""
    if len(question.hops) < 2 or question.last.topology == "comparison":
        return False
    (key, back), (next_key, next_back) = (
        _active(known[hop.atom.triple].key, is_reversed(hop.atom, known[hop.atom.triple]))
        for hop in question.hops[-2:]
    )
    return key == next_key and back != next_back and question.hops[-2].topology != "comparison"


def _active(key: str, back: bool) -> tuple[str, bool]:
    """A predicate and the way it is followed; "be appointed by" is "appoint" the other way round."""
    words = key.split()
    if len(words) == 3 and words[0] == "be" and words[-1] == "by":
        return predicate_key(words[1]), not back
    return key, back


READ_AT_ONCE = "one chunk states two of its hops"


def read_at_once(candidate: Candidate, evidence: Mapping[str, Collection[str]]) -> bool:
    """Whether a chunk states its new hop and one before, so that nothing has to be brought together."""
    new = evidence[candidate.atom.id]
    return any(not set(new).isdisjoint(evidence[hop.atom.id]) for hop in candidate.base.hops)


def _compared_pairs(candidates: Sequence[Candidate], known: Mapping[str, KnownFact]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for one in candidates:
        if _compares(one) and {one.base.last.atom.triple, one.atom.triple} <= known.keys():
            found = _pairs(known[one.base.last.atom.triple], known[one.atom.triple])
            pairs += [(a, b) for a, b in map(sorted, found)]
    return pairs


def _pairs(one: KnownFact, other: KnownFact) -> set[frozenset[str]]:
    """The two subjects, and the two values where they differ."""
    pairs = {frozenset((one.subject.id, other.subject.id)), frozenset((one.object.id, other.object.id))}
    return {pair for pair in pairs if len(pair) == 2}
