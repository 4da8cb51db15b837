"""A tiny set in each form that question files come in, about two invented people."""

import json
from pathlib import Path
from typing import Any

from tests.examples import read_examples

MIRA = ["Mira Tolland plays for the Ostby Rovers.", " She was born in Kaldmere."]
ROVERS = ["The Ostby Rovers are owned by Halden Shipping.", " Their ground is small."]
CONTEXT = [["Mira Tolland", MIRA], ["Ostby Rovers", ROVERS]]
QUESTION = "Who owns the club that Mira Tolland plays for?"

HOTPOTQA = {
    "_id": "h1",
    "question": QUESTION,
    "answer": "Halden Shipping",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Mira Tolland", 0], ["Ostby Rovers", 0]],
    "context": CONTEXT,
}
HOTPOTQA_COLUMNS = {
    **HOTPOTQA,
    "id": "h1",
    "supporting_facts": {"title": ["Mira Tolland", "Ostby Rovers"], "sent_id": [0, 0]},
    "context": {"title": ["Mira Tolland", "Ostby Rovers"], "sentences": [MIRA, ROVERS]},
}
TWO_WIKI = {
    **HOTPOTQA,
    "type": "compositional",
    "evidences": [["Mira Tolland", "member of", "Ostby Rovers"]],
    "entity_ids": "Q1_Q2",
}
MUSIQUE = {
    "id": "2hop__11_22",
    "question": QUESTION,
    "answer": "Halden Shipping",
    "answer_aliases": ["Halden"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Ostby Rovers", "paragraph_text": "".join(ROVERS), "is_supporting": True},
        {"idx": 1, "title": "Kaldmere", "paragraph_text": "Kaldmere is a town.", "is_supporting": False},
        {"idx": 2, "title": "Mira Tolland", "paragraph_text": "".join(MIRA), "is_supporting": True},
    ],
    "question_decomposition": [
        {"id": 11, "question": "For whom does she play?", "answer": "Rovers", "paragraph_support_idx": 2},
        {"id": 22, "question": "Who owns #1?", "answer": "Halden Shipping", "paragraph_support_idx": 0},
    ],
}
MOREHOPQA = {
    "_id": "m1",
    "question": f"{QUESTION} Give the first letter.",
    "answer": "H",
    "previous_question": QUESTION,
    "no_of_hops": 3,
    "reasoning_type": "Symbolic",
    "question_decomposition": [
        {"sub_id": "1", "question": "?", "answer": "Rovers", "paragraph_support_title": "Mira Tolland"},
        {"sub_id": "2", "question": "?", "answer": "Halden", "paragraph_support_title": "Ostby Rovers"},
        {"sub_id": "3", "question": "?", "answer": "H", "paragraph_support_title": ""},
    ],
    "context": CONTEXT,
}
MULTIHOP_RAG = {
    "query": QUESTION,
    "answer": "Halden Shipping",
    "question_type": "inference_query",
    "evidence_list": [
        {"title": "Mira Tolland", "url": "https://one", "source": "A", "fact": MIRA[0], "author": "x"},
        {"title": "Ostby Rovers", "url": "https://two", "source": "B", "fact": ROVERS[0], "author": "y"},
    ],
}
MULTIHOP_RAG_NULL: dict[str, Any] = read_examples("services/benchmarks/sets")["multihop_rag_null"]
KG_RAG = {
    "id": "k1",
    "question": QUESTION,
    "answer": "Halden Shipping",
    "hop_type": "compositional",
    "hop_count": 2,
    "gold_support_chunk_ids": ["c1", "c2"],
    "gold_triples": [],
}
KG_RAG_ABSENT: dict[str, Any] = read_examples("services/benchmarks/sets")["kg_rag_absent"]
PLAIN = {
    "id": "p1",
    "question": QUESTION,
    "answer": ["Halden Shipping", "Halden"],
    "evidence": [{"title": "Mira Tolland", "text": MIRA[0]}, ROVERS[0]],
    "evidence_titles": ["Ostby Rovers"],
    "gold_ids": ["c9"],
}


def write_lines(path: Path, *rows: object) -> Path:
    """Rows as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_array(path: Path, *rows: object) -> Path:
    """Rows as one JSON array."""
    path.write_text(json.dumps(list(rows), indent=1), encoding="utf-8")
    return path


def write_beir(folder: Path) -> Path:
    """A set in BEIR's form, with a query that no split judges and a document that is judged irrelevant."""
    write_lines(
        folder / "corpus.jsonl",
        {"_id": "d1", "title": "Mira Tolland", "text": "".join(MIRA)},
        {"_id": "d2", "title": "Ostby Rovers", "text": "".join(ROVERS)},
        {"_id": "d3", "title": "", "text": "Kaldmere is a town."},
    )
    write_lines(
        folder / "queries.jsonl",
        {"_id": "q1", "text": QUESTION, "metadata": {}},
        {"_id": "q2", "text": "Never judged?"},
        {"_id": "q3", "text": "Where is Kaldmere?", "metadata": {"answer": "by the sea"}},
    )
    qrels = folder / "qrels"
    qrels.mkdir()
    head = "query-id\tcorpus-id\tscore\n"
    (qrels / "test.tsv").write_text(f"{head}q1\td1\t1\nq1\td2\t2\nq1\td3\t0\nbroken line\nq9\td1\t1\n")
    (qrels / "dev.tsv").write_text(f"{head}q3\td3\t1\n")
    return folder
