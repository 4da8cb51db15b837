"""A small set in the form of MultiHop-RAG's two files."""

import json
from pathlib import Path

FACTS = {
    "Ferries": ("The Post", "Halden Shipping was founded by Greta Lindqvist in 1904."),
    "Clubs": ("The Courier", "Halden Shipping owns the Ostby Rovers."),
    "Schools": ("The Post", "Verrin University stands in Kaldmere."),
    "Pears": ("The Courier", "Pears ripen late in the valley."),
}
"""The source and the one sentence of each article, by its title."""

QUERIES = (
    ("Which firm was founded in 1904 and owns the Ostby Rovers?", "Halden Shipping", "inference", 2),
    ("Do The Post and The Courier both tell of Halden Shipping?", "Yes", "comparison", 2),
    ("Which firm owns Verrin University, says the Brel Gazette?", "Insufficient information.", "null", 0),
)
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
