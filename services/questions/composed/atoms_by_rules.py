"""Atomic questions by rules: a fact that a chunk states, asked for its object or for its subject."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kg.ids import node_id
from kg.queries import query
from services.questions.composed.answer_forms import known_forms
from services.questions.composed.facts import FactShelf
from services.questions.composed.protocol import Atom, Refused
from services.questions.draft import Stop
from services.questions.kinds.askable import asks_well
from services.questions.kinds.known_facts import KnownFact
from services.questions.wording.chain import GENERATOR, chain_question
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import wordable

FACTS_A_CHUNK = 40
CHUNKS_A_BATCH = 200
NAME = f"composed-2/{GENERATOR}"


@dataclass(frozen=True, slots=True)
class RuleAtoms:
    """Makes atomic questions of verified triples; both ends must be names, or the object a date."""

    shelf: FactShelf
    corpus: str
    name: str = NAME

    def atoms(self, chunks: Sequence[str]) -> Iterator[Atom | Refused]:
        """The atomic questions of some chunks, in their order, unfiltered."""
        rows = list(
            self.shelf.graph.read_in_batches(
                query("composed/list_facts"), chunks, CHUNKS_A_BATCH, most=FACTS_A_CHUNK
            )
        )
        facts = self.shelf.facts(triple for row in rows for triple in row["triples"])
        for row in rows:
            for triple in row["triples"]:
                if triple in facts:
                    yield from self._of_fact(facts[triple], row["id"], row["domain"])

    def _of_fact(self, fact: KnownFact, chunk: str, domain: str) -> Iterator[Atom | Refused]:
        if not wordable(fact.predicate):
            yield Refused(f'"{fact.predicate}" can\'t be put into words')
            return
        if any(map(_is_a_role, (fact.subject, fact.object))):
            yield Refused("what stands for a name only tells a role")
            return
        yield self._atom(fact, chunk, domain, backwards=False)
        if fact.object.type != "DATE" and asks_well(fact.predicate):
            yield self._atom(fact, chunk, domain, backwards=True)

    def _atom(self, fact: KnownFact, chunk: str, domain: str, *, backwards: bool) -> Atom:
        start, end = (fact.object, fact.subject) if backwards else (fact.subject, fact.object)
        said = fact.said_subject if backwards else fact.said_object
        return Atom(
            id=node_id(self.corpus, "atom", chunk, fact.triple, "backwards" if backwards else ""),
            question=chain_question((start, end), (replace(fact.fact(1), reversed=backwards),)),
            answer=end.name,
            accepted=known_forms(end.name, (*end.names, said)),
            answer_type=end.type,
            chunk=chunk,
            article=fact.article,
            sentence=fact.sentence,
            about=(start.id,),
            answered_by=end.id,
            claim=fact.claim,
            triple=fact.triple,
            domain=domain,
            generator=self.name,
        )


def _is_a_role(stop: Stop) -> bool:
    """Whether a name begins with what a person is to somebody: "wife Maureen"."""
    first = stop.name.split(maxsplit=1)[0] if stop.name else ""
    return first.islower() and "person" in sorts_of(first)
