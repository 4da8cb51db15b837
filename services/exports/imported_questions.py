"""Questions of a dataset as the graph takes them in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kg.errors import InputError
from kg.ids import node_id
from kg.store.graph import Row
from services.exports.records import GoldRecord, HopRecord, PrefixRecord, QuestionRecord
from services.exports.source import IMPORTED_FACTS, IMPORTED_PATH, IMPORTED_SIGNATURE, IMPORTED_STOPS
from services.questions.choice import INFERENCE
from services.questions.composed.store import ATOMIC
from services.questions.question_rows import PREFIX
from services.questions.spans.facets import FACETS

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Places:
    """The ids in a corpus of what a dataset names: its articles, its chunks, and its questions."""

    corpus: str
    articles: Mapping[str, str]
    chunks: Mapping[str, str]
    new_ids: bool

    def question(self, id_: str) -> str:
        """The id of a question: its own, or one of this corpus."""
        return node_id(self.corpus, "question", id_) if self.new_ids else id_


def question_row(question: QuestionRecord, places: Places, vector: Vector) -> Row:
    """A question's row for `exports/write_questions`.

    Raises:
        InputError: it names an article or a chunk that the dataset lacks.
    """
    facts = [replace(fact, article=_here(places.articles, fact.article, question)) for fact in question.facts]
    told = {
        "text": question.text,
        "answer": question.answer,
        "accepted": list(question.accepted),
        "answer_type": question.answer_type or None,
        "kind": question.kind,
        "query_type": question.type,
        "hops": question.hops,
        "status": "kept",
        "bin": question.bin,
        "generator": question.generator,
        "sources": list(question.sources),
        "dates": list(question.dates),
        "absent": question.absent or None,
        "domain": question.domain or None,
        "given_id": question.given_id or (question.id if places.new_ids else None),
        IMPORTED_PATH: question.path or None,
        IMPORTED_SIGNATURE: question.signature or None,
        IMPORTED_STOPS: [json.dumps(asdict(one), ensure_ascii=False) for one in question.stops] or None,
        IMPORTED_FACTS: [json.dumps(asdict(one), ensure_ascii=False) for one in facts] or None,
        **{f"difficulty_{name}": value for name, value in question.difficulty.items()},
        **{f"spans_{facet}": question.spans.get(facet) for facet in FACETS},
        **{f"crossings_{facet}": question.crossings.get(facet) for facet in FACETS},
    }
    return {
        "id": places.question(question.id),
        "question": told,
        "vector": vector,
        "gold": [_gold(one, question, places) for one in question.gold],
        "prefixes": [{"id": places.question(one.id), "hops": one.hops} for one in question.prefixes],
        "hop_questions": [
            {"id": places.question(one.id), "hop": one.hop, "topology": one.topology}
            for one in question.hop_questions
        ],
    }


def side_rows(question: QuestionRecord, places: Places) -> Iterator[Row]:
    """The rows of the questions of its first hops and of each hop, with the evidence of these hops."""
    for prefix in question.prefixes:
        yield _side_row(question, places, prefix, PREFIX, range(1, prefix.hops + 1))
    for one in question.hop_questions:
        yield _side_row(question, places, one, ATOMIC, range(one.hop, one.hop + 1))


def _side_row(
    question: QuestionRecord, places: Places, one: PrefixRecord | HopRecord, kind: str, hops: range
) -> Row:
    gold = [replace(found, hop=found.hop - hops.start + 1) for found in question.gold if found.hop in hops]
    return {
        "id": places.question(one.id),
        "question": {
            "text": one.text,
            "answer": one.answer,
            "accepted": list(one.accepted),
            "answer_type": one.answer_type,
            "kind": kind,
            "query_type": question.type if kind == PREFIX else INFERENCE,
            "hops": len(hops),
            "status": kind,
            "generator": question.generator,
        },
        "vector": None,
        "gold": [_gold(found, question, places) | {"similarity": None} for found in gold],
        "prefixes": [],
        "hop_questions": [],
    }


def _gold(gold: GoldRecord, question: QuestionRecord, places: Places) -> Row:
    chunk = _here(places.chunks, gold.chunk, question)
    return {"hop": gold.hop, "chunk": chunk, "similarity": gold.similarity}


def _here(known: Mapping[str, str], id_: str, question: QuestionRecord) -> str:
    found = known.get(id_)
    if found is None:
        raise InputError(
            f"question {question.id} names {id_}, which the dataset lacks.", "Export the dataset anew."
        )
    return found
