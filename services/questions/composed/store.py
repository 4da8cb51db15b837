"""Composed questions in the graph: each with the atomic question of every hop and those of its first hops."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kg.embed.choose import Embedder
from kg.ids import content_id
from kg.queries import query
from kg.store.graph import Graph, Row, batches
from services.questions.composed.atoms_by_rules import FactShelf
from services.questions.composed.drafts import fact_of, written_as
from services.questions.composed.protocol import Atom, Composed
from services.questions.draft import QUERY_TYPES, Draft, Made
from services.questions.question_rows import (
    PREFIX,
    asked_about,
    claim_rows,
    question_id,
    question_row,
    read_evidence,
    support_rows,
)

ATOMIC = "atomic"
"""Kind and status of the question of a single hop."""
QUESTIONS_A_BATCH = 100


@dataclass(slots=True)
class ComposedWriter:
    """Writes composed questions into a corpus; an atomic or a prefix question that several share once."""

    graph: Graph
    corpus: str
    embedder: Embedder
    _shelf: FactShelf = field(init=False, repr=False)
    _written: set[str] = field(default_factory=set, init=False, repr=False)

    def __post_init__(self) -> None:
        self._shelf = FactShelf(self.graph)

    def write(self, questions: Sequence[Composed]) -> list[str]:
        """Write kept and rejected questions; their ids, in order.

        Only what is kept is embedded, has a difficulty, and has questions of its hops and of its first hops.
        """
        ids: list[str] = []
        for batch in batches(questions, QUESTIONS_A_BATCH):
            ids += self._write_batch(batch)
        return ids

    def _write_batch(self, questions: Sequence[Composed]) -> list[str]:
        kept = [one for one in questions if one.kept]
        self._write(self._new(self._atomic_rows(kept)))
        self._write(self._new(self._prefix_rows(kept)))
        drafts = written_as(self._shelf, questions)
        evidence = read_evidence(
            self.graph,
            self.embedder,
            [draft for one, draft in zip(questions, drafts, strict=True) if one.kept],
        )
        rows = []
        for one, draft in zip(questions, drafts, strict=True):
            row = question_row(self.corpus, Made(draft, one.checks), evidence, self._prefixes(one))
            row["question"]["domain"] = one.domain or None
            rows.append(row)
        self._write(rows)
        self.graph.write_rows(query("questions/write_hops"), self._hop_rows(questions, drafts))
        return [row["question"]["id"] for row in rows]

    def _prefixes(self, question: Composed) -> list[Row]:
        if not question.kept:
            return []
        return [
            {"id": prefix_question_id(self.corpus, question, hops), "hops": hops}
            for hops in range(1, len(question.hops))
        ]

    def _prefix_rows(self, kept: Sequence[Composed]) -> Iterator[Row]:
        parts = [
            (one, Composed(one.hops[:hops], one.generator))
            for one in kept
            for hops in range(1, len(one.hops))
        ]
        drafts = written_as(self._shelf, [part for _, part in parts])
        for (whole, part), draft in zip(parts, drafts, strict=True):
            yield self._side_row(
                prefix_question_id(self.corpus, whole, len(part.hops)), PREFIX, draft, part.domain
            )

    def _atomic_rows(self, kept: Sequence[Composed]) -> Iterator[Row]:
        atoms = [hop.atom for one in kept for hop in one.hops]
        known = self._shelf.facts(atom.triple for atom in atoms)
        stops = self._shelf.stops(id_ for atom in atoms for id_ in (*atom.about, atom.answered_by))
        drafts = [
            Draft(
                kind="sequential",
                text=atom.question,
                answer=atom.answer,
                accepted=atom.accepted,
                answer_type="NONE",
                generator=atom.generator,
                stops=tuple(stops[id_] for id_ in atom.about if id_ in stops),
                facts=(fact_of(atom, 1, known),),
                answered_by=atom.answered_by,
            )
            for atom in atoms
        ]
        for atom, draft in zip(atoms, self._shelf.with_all_evidence(drafts), strict=True):
            row = self._side_row(atomic_id(self.corpus, atom), ATOMIC, draft, atom.domain)
            row["question"]["answer_type"] = atom.answer_type
            yield row

    def _side_row(self, id_: str, kind: str, draft: Draft, domain: str) -> Row:
        """The row of a question that stands beside another one: neither embedded nor rated."""
        return {
            "question": {
                "id": id_,
                "text": draft.text,
                "answer": draft.answer,
                "accepted": list(draft.accepted),
                "answer_type": draft.answer_type,
                "kind": kind,
                "query_type": QUERY_TYPES[draft.kind],
                "hops": len(draft.facts),
                "status": kind,
                "generator": draft.generator,
                "domain": domain or None,
            },
            "path": None,
            "vector": None,
            "asks_about": [stop.id for stop in asked_about(draft)],
            "answered_by": draft.answered_by or None,
            "claims": claim_rows(draft.facts),
            "support": support_rows(draft.facts),
            "prefixes": [],
        }

    def _hop_rows(self, questions: Sequence[Composed], drafts: Sequence[Draft]) -> Iterator[Row]:
        for one, draft in zip(questions, drafts, strict=True):
            for hop in one.hops if one.kept else ():
                yield {
                    "question": question_id(self.corpus, draft),
                    "atomic": atomic_id(self.corpus, hop.atom),
                    "hop": hop.number,
                    "topology": hop.topology or "start",
                }

    def _new(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if row["question"]["id"] not in self._written:
                self._written.add(row["question"]["id"])
                yield row

    def _write(self, rows: Iterable[Row]) -> None:
        self.graph.write_rows(
            query("questions/write_questions"), rows, size=QUESTIONS_A_BATCH, corpus=self.corpus
        )


def atomic_id(corpus: str, atom: Atom) -> str:
    """The id of an atomic question in the graph."""
    return content_id(corpus, "question", ATOMIC, atom.id)


def prefix_question_id(corpus: str, question: Composed, hops: int) -> str:
    """The id of the question of the first hops of a composed one: by these hops, whatever follows them."""
    first = question.hops[:hops]
    return content_id(corpus, "question", PREFIX, *(hop.atom.id for hop in first), first[-1].question)
