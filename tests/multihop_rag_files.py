"""A small set in the form of MultiHop-RAG's two files."""

import json
from pathlib import Path
from typing import Any

from tests.examples import read_examples

FACTS: dict[str, tuple[str, ...]] = read_examples("multihop_rag_files")["facts"]
"""The source and the one sentence of each article, by its title."""

QUERIES: tuple[Any, ...] = read_examples("multihop_rag_files")["queries"]
"""Text, answer, type, and how many of the articles are its evidence, the first ones."""


def write_set(folder: Path, day: str = "2023-11-01") -> tuple[Path, Path]:
    """The corpus and the queries; with another day it is another corpus."""
    articles = [
        {
            "title": title, "author": "", "source": source, "published_at": f"{day}T00:00:00+00:00",
            "category": "business", "url": f"https://news.example/{title}", "body": fact,
        }
        for title, (source, fact) in FACTS.items()
    ]  # fmt: skip
    told = ("title", "url", "source")
    evidence = [{key: one[key] for key in told} | {"fact": one["body"]} for one in articles]
    queries = [
        {
            "query": text, "answer": answer, "question_type": f"{kind}_query",
            "evidence_list": evidence[:pieces],
        }
        for text, answer, kind, pieces in QUERIES
    ]  # fmt: skip
    corpus, questions = folder / "corpus.json", folder / "MultiHopRAG.json"
    corpus.write_text(json.dumps(articles))
    questions.write_text(json.dumps(queries))
    return corpus, questions
