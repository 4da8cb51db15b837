"""The articles of the small world as if several papers had printed them, and chunks written by hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from kg.ids import shelf_marks
from kg.progress import Silent
from kg.queries import query
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.stages.build import build_graph
from kg.stages.vectors import SEARCHED, embed_for_search
from kg.store.graph import Graph
from services.pipeline import open_for_job
from services.rag.protocol import Filters, RagQuestion
from tests.graph_reading import change
from tests.small_world import ARTICLES, OPTIONS, tools

SOURCES = ("The Ostby Post", "Norholm Echo", "")
CATEGORIES = ("sport", "Business")
AUTHORS = ("Vera Holm", "L. Brandt", "", "Ida Rask")
EVERYTHING = Filters()

UNITS = {"chunks": "", "claims": "claim-", "facts": "fact-"}
"""What has vectors, and what its ids begin with where it was written by hand."""

DATES = ("2021-03-05", "2021-12-31", "", "2022-07-01", "2023-01-15")


def build_press(graph: Graph, corpus: str) -> None:
    """The graph of the articles, with sources, categories, authors and dates dealt out in turn."""
    open_for_job(graph, corpus, OPTIONS, tools())
    rows = [
        {
            "id": name,
            "title": name.capitalize(),
            "body": body,
            "source": SOURCES[number % len(SOURCES)],
            "category": CATEGORIES[number % len(CATEGORIES)],
            "author": AUTHORS[number % len(AUTHORS)],
            "published_at": DATES[number % len(DATES)],
        }
        for number, (name, body) in enumerate(ARTICLES.items())
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "press.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")
    embed_for_search(graph, corpus, tuple(SEARCHED), tools().embedder, Silent())


def asked(*texts: str, filters: Filters = EVERYTHING) -> list[RagQuestion]:
    """Questions with their vectors."""
    vectors = tools().embedder.embed(list(texts))
    return [
        RagQuestion(f"question-{number}", text, vector, filters)
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


def write_by_hand(
    graph: Graph,
    corpus: str,
    vectors: Sequence[NDArray[np.float32]],
    text: str = "",
    title: str = "",
    source: str = "",
    first: int = 0,
    targets: Sequence[str] = tuple(UNITS),
) -> list[str]:
    """One article of one chunk with a claim and a fact for each vector, which all three have; the chunks.

    Ids are numbered from `first`; only `targets` get their vectors.
    """
    names = [f"{corpus}-{number:05}" for number in range(first, first + len(vectors))]
    fields = {
        "title": title,
        "text": text,
        "source": source,
        "category": "",
        "author": "",
        "published": "",
    }
    marks = shelf_marks(corpus, source, "", "", "")
    change(
        graph,
        "UNWIND $ids AS id "
        "CREATE (a:Article {id: 'article-' + id, corpus: $corpus, source: $fields.source})"
        "-[:HAS_CHUNK]->(c:Chunk {id: id, corpus: $corpus})"
        "-[:HAS_CLAIM]->(k:Claim {id: 'claim-' + id, corpus: $corpus, shelf: $marks.shelf, published: ''})"
        "-[:MENTIONS]->(e:Entity {id: 'entity-' + id, corpus: $corpus})-[r:RELATES "
        "{id: 'fact-' + id, corpus: $corpus, claim: 'claim-' + id, shelf: $marks.shelf, published: ''}]->(e) "
        "SET c += $fields, c += $marks",
        ids=names,
        corpus=corpus,
        fields=fields,
        marks=marks,
    )
    for target in targets:
        rows = [
            {"id": UNITS[target] + name, "vector": vector}
            for name, vector in zip(names, vectors, strict=True)
        ]
        graph.write_rows(query("search/write_embeddings"), rows, target=target)
    return names
