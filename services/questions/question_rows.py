"""Questions as the graph takes them: a node with verdicts and difficulty, its evidence, its prefixes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import Embedder
from kg.ids import content_id
from kg.queries import query
from kg.store.graph import Graph, Row, vector_of
from services.questions.difficulty import difficulty_properties
from services.questions.draft import QUERY_TYPES, Draft, Fact, Made, Prefix, Stop

Vector = NDArray[np.float32]
PREFIX = "prefix"
"""Kind and status of a question that asks for the end of the first hops of another."""
ROWS_A_BATCH = 500


@dataclass(slots=True)
class QuestionWriter:
    """Writes questions into a corpus; a prefix question that several of them share is written once."""

    graph: Graph
    corpus: str
    embedder: Embedder
    prefixes: set[str] = field(default_factory=set)

    def write(self, made: Sequence[Made]) -> list[Row]:
        """Write kept and rejected questions with their evidence; the properties of each, in order.

        Only what is kept is embedded and has a difficulty, and only it has prefix questions; these have
        neither, for few of them are ever asked, and a run embeds what it asks.
        """
        kept = [one.draft for one in made if one.kept]
        new = self._new_prefixes(kept)
        evidence = read_evidence(self.graph, self.embedder, kept)
        self._write(one.row(self.corpus, key) for key, one in new.items())
        self.prefixes |= new.keys()
        rows = [question_row(self.corpus, one, evidence, self._prefixes_of(one)) for one in made]
        self._write(rows)
        return [row["question"] for row in rows]

    def _new_prefixes(self, kept: Iterable[Draft]) -> dict[str, "_PrefixOf"]:
        new: dict[str, _PrefixOf] = {}
        for draft in kept:
            for prefix in draft.prefixes:
                key = prefix_id(self.corpus, draft, prefix.hops)
                if key not in self.prefixes:
                    new.setdefault(key, _PrefixOf(draft, prefix))
        return new

    def _prefixes_of(self, made: Made) -> list[Row]:
        draft = made.draft
        return [
            {"id": prefix_id(self.corpus, draft, one.hops), "hops": one.hops}
            for one in (draft.prefixes if made.kept else ())
        ]

    def _write(self, rows: Iterable[Row]) -> None:
        self.graph.write_rows(query("questions/write_questions"), rows, size=ROWS_A_BATCH, corpus=self.corpus)


def question_id(corpus: str, draft: Draft) -> str:
    """The id of a question: by its path or kind, and its text."""
    return content_id(corpus, "question", draft.path or draft.kind, draft.text)


def prefix_id(corpus: str, draft: Draft, hops: int) -> str:
    """The id of the question of a chain's first hops: by its facts and entities, whatever follows them."""
    facts = (fact.triple for fact in draft.facts[:hops])
    stops = (stop.id for stop in draft.stops[: hops + 1])
    return content_id(corpus, "question", PREFIX, *facts, *stops)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Vectors of kept questions by their text, and of their chunks by id."""

    questions: Mapping[str, Vector]
    chunks: Mapping[str, Vector]

    def support(self, text: str, facts: Iterable[Fact]) -> list[Row]:
        """The chunks of each fact, with their cosines to the question."""
        vector = self.questions[text]
        return [
            row | {"similarity": round(float(vector @ self.chunks[row["chunk"]]), 6)}
            for row in support_rows(facts)
        ]


@dataclass(frozen=True, slots=True)
class _PrefixOf:
    """A prefix question with the draft that it is taken from."""

    draft: Draft
    prefix: Prefix

    def row(self, corpus: str, key: str) -> Row:
        """Its row for `questions/write_questions`."""
        draft, prefix = self.draft, self.prefix
        facts = draft.facts[: prefix.hops]
        question = {
            "id": key,
            "text": prefix.text,
            "answer": prefix.answer,
            "accepted": list(prefix.accepted),
            "answer_type": prefix.answer_type,
            "kind": PREFIX,
            "query_type": QUERY_TYPES[draft.kind],
            "hops": prefix.hops,
            "status": PREFIX,
            "generator": prefix.generator,
            "rejected_by": prefix.failed.filter if prefix.failed else None,
            "rejected_why": prefix.failed.reason if prefix.failed else None,
        }
        return {
            "question": question,
            "path": None,
            "vector": None,
            "asks_about": [draft.stops[0].id],
            "answered_by": prefix.answered_by,
            "claims": claim_rows(facts),
            "support": support_rows(facts),
            "prefixes": [],
        }


def read_evidence(graph: Graph, embedder: Embedder, kept: Sequence[Draft]) -> Evidence:
    """The vectors of kept questions, made now, and of their chunks."""
    return Evidence(
        _vectors(embedder, [draft.text for draft in kept]),
        _chunk_vectors(graph, (chunk for draft in kept for chunk in draft.chunks)),
    )


def question_row(corpus: str, made: Made, evidence: Evidence, prefixes: Sequence[Row]) -> Row:
    """A question's row for `questions/write_questions`; each of its prefixes has an id and `hops`."""
    draft, failed = made.draft, made.failed
    support = evidence.support(draft.text, draft.facts) if made.kept else support_rows(draft.facts)
    question = {
        "id": question_id(corpus, draft),
        "text": draft.text,
        "answer": draft.answer,
        "accepted": list(draft.accepted),
        "answer_type": draft.answer_type,
        "kind": draft.kind,
        "query_type": QUERY_TYPES[draft.kind],
        "hops": draft.hops,
        "status": "kept" if made.kept else "rejected",
        "rejected_by": failed.filter if failed else None,
        "rejected_why": failed.reason if failed else None,
        "checked": [check.filter for check in made.checks],
        "passed": [check.passed for check in made.checks],
        "reasons": [check.reason for check in made.checks],
        "generator": draft.generator,
        "sources": list(draft.sources),
        "dates": list(draft.dates),
        "absent": draft.absent or None,
        **(difficulty_properties(support) if made.kept else {}),
    }
    return {
        "question": question,
        "path": draft.path or None,
        "vector": evidence.questions[draft.text] if made.kept else None,
        "asks_about": [stop.id for stop in asked_about(draft)],
        "answered_by": draft.answered_by or None,
        "claims": claim_rows(draft.facts),
        "support": support,
        "prefixes": list(prefixes),
    }


def asked_about(draft: Draft) -> Sequence[Stop]:
    """The entities that the question names: a chain's first one, of other kinds those in its text."""
    if draft.kind == "chain":
        return draft.stops[:1]
    return [stop for stop in draft.stops if any(name in draft.text for name in stop.names)]


def support_rows(facts: Iterable[Fact]) -> list[Row]:
    """The chunks of each fact, for a question without a vector."""
    return [
        {"hop": fact.index, "chunk": chunk, "similarity": None} for fact in facts for chunk in fact.chunks
    ]


def claim_rows(facts: Iterable[Fact]) -> list[Row]:
    """The claim of each fact, by its place."""
    return [{"index": fact.index, "id": fact.claim} for fact in facts]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> dict[str, Vector]:
    different = list(dict.fromkeys(texts))
    if not different:
        return {}
    return dict(zip(different, embedder.embed_queries(different), strict=True))


def _chunk_vectors(graph: Graph, chunks: Iterable[str]) -> dict[str, Vector]:
    rows = graph.read_in_batches(query("chunks/read_vectors"), sorted(set(chunks)))
    return {row["id"]: vector_of(row["vector"]) for row in rows}
