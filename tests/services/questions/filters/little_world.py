"""Graphs of a handful of facts, written as a build writes them, and drafts over them.

Mira Tolland plays for the Ostby Rovers, who are owned by Halden Shipping, which was founded by Greta
Lindqvist: a chunk of an article of its own for each fact, unless a test says otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg.model import EntityType
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.draft import Draft, Fact, Stop
from tests.examples import read_examples
from tests.graph_reading import change

TYPES: dict[str, EntityType] = read_examples("services/questions/filters/little_world")["types"]
TEXT = "Who founded the company that owns the club that Mira Tolland plays for?"

_PLANT = """
CYPHER 25
UNWIND $rows AS row
MERGE (a:Article {id: row.article}) SET a.corpus = $corpus, a.title = row.article, a.source = 'Post'
MERGE (k:Chunk {id: row.chunk}) SET k.corpus = $corpus, k.text = coalesce(k.text + ' ', '') + row.text
MERGE (a)-[:HAS_CHUNK]->(k)
MERGE (s:Entity {id: row.subject.id}) SET s += row.subject, s.corpus = $corpus
MERGE (o:Entity {id: row.object.id}) SET o += row.object, o.corpus = $corpus
MERGE (k)-[:NAMES]->(s) MERGE (k)-[:NAMES]->(o)
MERGE (c:Claim {id: row.claim})
SET c.corpus = $corpus, c.text = row.text, c.sentence = row.text, c.article = row.article
MERGE (k)-[:HAS_CLAIM]->(c)
MERGE (c)-[:MENTIONS]->(s) MERGE (c)-[:MENTIONS]->(o)
MERGE (s)-[r:RELATES {id: row.triple}]->(o)
SET r += {predicate: row.predicate, claim: row.claim, article: row.article, corpus: $corpus,
          kept_out: row.kept_out, negated: coalesce(row.kept_out = 'negated', false)}
"""


@dataclass(frozen=True, slots=True)
class Said:
    """A fact, the chunk that states it, and why paths may not take it, if so."""

    subject: str
    predicate: str
    object: str
    chunk: str
    kept_out: str | None = None

    @property
    def text(self) -> str:
        """The fact as a sentence."""
        return f"{self.subject} {self.predicate} {self.object}."


CHAIN = (
    Said("Mira Tolland", "plays for", "Ostby Rovers", "k1"),
    Said("Ostby Rovers", "is owned by", "Halden Shipping", "k2"),
    Said("Halden Shipping", "was founded by", "Greta Lindqvist", "k3"),
)


@dataclass(frozen=True, slots=True)
class World:
    """A corpus to plant facts in."""

    graph: Graph
    corpus: str

    def plant(self, *facts: Said, **types: EntityType) -> None:
        """Write facts; entities of unknown type are organisations, `types` has blanks as underscores."""
        known = TYPES | {name.replace("_", " "): kind for name, kind in types.items()}
        rows = [
            {
                "article": f"{self.corpus}-a-{fact.chunk}",
                "chunk": self.id(fact.chunk),
                "text": fact.text,
                "claim": f"{self.corpus}-c-{fact.text}",
                "triple": self.triple(fact),
                "subject": self._entity(fact.subject, known),
                "predicate": fact.predicate,
                "object": self._entity(fact.object, known),
                "kept_out": fact.kept_out,
            }
            for fact in facts
        ]
        change(self.graph, _PLANT, rows=rows, corpus=self.corpus)

    def write(self, chunk: str, text: str) -> None:
        """Add a text to a chunk that is there."""
        change(
            self.graph,
            "CYPHER 25 MATCH (k:Chunk {id: $id}) SET k.text = k.text + ' ' + $more",
            id=self.id(chunk),
            more=text,
        )

    def word(self, said: Said, text: str, **properties: object) -> None:
        """Let the claim of a fact say it in other words."""
        change(
            self.graph,
            "CYPHER 25 MATCH (c:Claim {id: $id}) SET c.text = $words, c += $properties",
            id=f"{self.corpus}-c-{said.text}",
            words=text,
            properties=properties,
        )

    def alias(self, name: str, entity: str) -> None:
        """Let an entity have another name."""
        change(
            self.graph,
            "CYPHER 25 MATCH (e:Entity {id: $entity}) "
            "MERGE (a:Alias {id: $id}) SET a.corpus = $corpus, a.name = $name, a.key = $key "
            "MERGE (a)-[:EXACT_EQUIVALENT]->(e) SET e.aliases = e.aliases + [$name]",
            id=f"{self.corpus}-alias-{name}",
            entity=self.id(entity),
            corpus=self.corpus,
            name=name,
            key=normal_form(name),
        )

    def alike(self, one: str, other: str) -> None:
        """Let two entities be the same in some context."""
        change(
            self.graph,
            "CYPHER 25 MATCH (a:Entity {id: $one}), (b:Entity {id: $other}) "
            "MERGE (a)-[:CONTEXT_EQUIVALENT {cluster: 'c'}]->(b)",
            one=self.id(one),
            other=self.id(other),
        )

    def id(self, name: str) -> str:
        """The id of a chunk or an entity."""
        return f"{self.corpus}-{name}"

    def triple(self, fact: Said) -> str:
        """The id of a fact."""
        return f"{self.corpus}-t-{fact.chunk}-{fact.text}"

    def stop(self, name: str, kind: EntityType = "ORG", *aliases: str) -> Stop:
        """An entity as a question goes through it."""
        return Stop(self.id(name), name, TYPES.get(name, kind), aliases)

    def fact(self, index: int, said: Said, *more: str) -> Fact:
        """A fact as a question rests on it; `more` are further chunks that state it."""
        return Fact(
            index=index,
            claim=f"{self.corpus}-c-{said.text}",
            triple=self.triple(said),
            subject=said.subject,
            predicate=said.predicate,
            object=said.object,
            article=f"{self.corpus}-a-{said.chunk}",
            sentence=said.text,
            chunks=tuple(self.id(chunk) for chunk in (said.chunk, *more)),
        )

    def chain(self, *facts: Said, text: str = TEXT, answer_type: EntityType = "PERSON") -> Draft:
        """The question along some facts, by default along `CHAIN`."""
        facts = facts or CHAIN
        stops = (self.stop(facts[0].subject), *(self.stop(fact.object, "ORG") for fact in facts))
        last = replace(stops[-1], type=answer_type)
        return Draft(
            kind="chain",
            text=text,
            answer=last.name,
            accepted=(last.name,),
            answer_type=answer_type,
            generator="test",
            stops=(*stops[:-1], last),
            facts=tuple(self.fact(index, fact) for index, fact in enumerate(facts, 1)),
            answered_by=last.id,
            hidden=tuple(stop.name for stop in stops[1:-1]),
        )

    def comparison(self, one: Said, other: Said, text: str, answer: str = "Yes") -> Draft:
        """A question that compares what two facts say of their subjects."""
        return Draft(
            kind="comparison",
            text=text,
            answer=answer,
            accepted=(answer,),
            answer_type="YES_NO",
            generator="test",
            stops=(self.stop(one.subject), self.stop(other.subject)),
            facts=(self.fact(1, one), self.fact(2, other)),
        )

    def null(self, *facts: Said, text: str) -> Draft:
        """A question that leads along some facts to one that is missing."""
        chain = self.chain(*facts, text=text)
        return replace(
            chain,
            kind="null",
            answer="Insufficient information",
            accepted=("Insufficient information",),
            answer_type="NONE",
            answered_by="",
            absent="nothing says so",
        )

    def _entity(self, name: str, types: dict[str, EntityType]) -> dict[str, object]:
        kind = types.get(name, "ORG")
        return {
            "id": self.id(name),
            "name": name,
            "key": normal_form(name),
            "type": kind,
            "named": kind not in {"CONCEPT", "DATE", "NUMBER"},
            "literal": kind in {"DATE", "NUMBER"},
            "aliases": [],
        }


def reasons(verdicts: Sequence[object]) -> list[str]:
    """The reason of each verdict, "" where it passed."""
    return [getattr(verdict, "reason", "") for verdict in verdicts]
