"""Atomic questions by rules: a fact that a chunk states, asked for its object or for its subject.

The facts and entities behind atomic questions, read once and kept at a bounded size.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg.ids import content_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.chains import read_stating_chunks, widened
from services.questions.composed.comparing import known_forms
from services.questions.composed.measures import measure_question, measuring_words, parse_measure
from services.questions.composed.protocol import Atom, Refused
from services.questions.draft import Draft, Stop
from services.questions.filters.rivals import read_known
from services.questions.kinds.askable import asks_well
from services.questions.kinds.known_facts import KnownFact, read_facts
from services.questions.wording.chain import GENERATOR, chain_question
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import wordable

MOST_KEPT = 20_000
"""Facts and entities that are kept in memory; beyond, all are read anew."""


@dataclass(frozen=True, slots=True)
class FactShelf:
    """Facts by their triples' ids and entities by theirs."""

    graph: Graph
    _facts: dict[str, KnownFact] = field(default_factory=dict, repr=False)
    _stops: dict[str, Stop] = field(default_factory=dict, repr=False)
    _stating: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def facts(self, triples: Iterable[str]) -> Mapping[str, KnownFact]:
        """The facts of some triples; those that the graph doesn't have are missing."""
        wanted = set(filter(None, triples))
        if len(self._facts) + len(wanted) > MOST_KEPT:
            self._facts.clear()
        self._facts.update(read_facts(self.graph, wanted - self._facts.keys()))
        return {triple: self._facts[triple] for triple in wanted if triple in self._facts}

    def stops(self, entities: Iterable[str]) -> Mapping[str, Stop]:
        """Some entities with their names; those that the graph doesn't have are missing."""
        wanted = set(filter(None, entities))
        if len(self._stops) + len(wanted) > MOST_KEPT:
            self._stops.clear()
        found = read_known(self.graph, wanted - self._stops.keys())
        self._stops.update({id_: Stop(id_, one.name, one.type, one.names[1:]) for id_, one in found.items()})
        return {id_: self._stops[id_] for id_ in wanted if id_ in self._stops}

    def stating(self, triples: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """The ids of all chunks that state some triples, in whatever words."""
        wanted = set(filter(None, triples))
        if len(self._stating) + len(wanted) > MOST_KEPT:
            self._stating.clear()
        self._stating.update(read_stating_chunks(self.graph, wanted - self._stating.keys()))
        return {triple: self._stating[triple] for triple in wanted if triple in self._stating}

    def evidence(self, atoms: Sequence[Atom]) -> Mapping[str, set[str]]:
        """By the ids of some atoms the chunks that state their facts: their own and all that restate them."""
        triples = [atom.triple for atom in atoms]
        known, stating = self.facts(triples), self.stating(triples)
        return {
            atom.id: {
                atom.chunk,
                *(known[atom.triple].chunks if atom.triple in known else ()),
                *stating.get(atom.triple, ()),
            }
            for atom in atoms
        }

    def with_all_evidence(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with every chunk that states a fact of theirs."""
        chunks = self.stating(fact.triple for draft in drafts for fact in draft.facts)
        return [widened(draft, chunks) for draft in drafts]


FACTS_A_CHUNK = 40
CHUNKS_A_BATCH = 200
NAME = f"composed-3/{GENERATOR}"


@dataclass(frozen=True, slots=True)
class RuleAtoms:
    """Makes atomic questions of verified triples; both ends are names, or the object a date or a measure."""

    shelf: FactShelf
    corpus: str
    name: str = NAME

    def atoms(self, chunks: Sequence[str]) -> Iterator[Atom | Refused]:
        """The atomic questions of some chunks, in their order, unfiltered."""
        rows = list(
            self.shelf.graph.read_in_batches(
                query("facts/list_in_chunks"), chunks, CHUNKS_A_BATCH, most=FACTS_A_CHUNK
            )
        )
        facts = self.shelf.facts(triple for row in rows for triple in row["triples"])
        for row in rows:
            for triple in row["triples"]:
                if triple in facts:
                    yield from self._of_fact(facts[triple], row)

    def _of_fact(self, fact: KnownFact, chunk: Row) -> Iterator[Atom | Refused]:
        if fact.object.type == "NUMBER":
            yield from self._of_measure(fact, chunk)
            return
        if not wordable(fact.predicate):
            yield Refused(f'"{fact.predicate}" can\'t be put into words')
            return
        if any(map(_is_a_role, (fact.subject, fact.object))):
            yield Refused("what stands for a name only tells a role")
            return
        yield self._atom(fact, chunk, backwards=False)
        if fact.object.type != "DATE" and asks_well(fact.predicate):
            yield self._atom(fact, chunk, backwards=True)

    def _of_measure(self, fact: KnownFact, chunk: Row) -> Iterator[Atom | Refused]:
        """A figure is asked for only where it can be compared with another one."""
        measure = parse_measure(fact.object.name)
        words = measuring_words(fact.predicate, measure) if measure else None
        if words is None:
            yield Refused("rules have no words for what is measured")
            return
        asked = measure_question(fact.subject_in_text, fact.predicate, words)
        yield replace(self._atom(fact, chunk, backwards=False), question=asked)

    def _atom(self, fact: KnownFact, chunk: Row, *, backwards: bool) -> Atom:
        start, end = (fact.object, fact.subject) if backwards else (fact.subject, fact.object)
        said = fact.said_subject if backwards else fact.said_object
        return Atom(
            id=content_id(self.corpus, "atom", chunk["id"], fact.triple, "backwards" if backwards else ""),
            question=chain_question((start, end), (replace(fact.fact(1), reversed=backwards),)),
            answer=end.name,
            accepted=known_forms(end.name, (*end.names, said)),
            answer_type=end.type,
            chunk=chunk["id"],
            article=chunk["article"],
            sentence=fact.sentence,
            about=(start.id,),
            answered_by=end.id,
            claim=fact.claim,
            triple=fact.triple,
            domain=chunk["domain"],
            generator=self.name,
        )


def _is_a_role(stop: Stop) -> bool:
    """Whether a name begins with what a person is to somebody: "wife Maureen"."""
    first = stop.name.split(maxsplit=1)[0] if stop.name else ""
    return first.islower() and "person" in sorts_of(first)
