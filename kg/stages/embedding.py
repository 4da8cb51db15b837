"""Vectors for what is searched: chunks, claims, entities and facts that have none yet."""

from typing import Literal

from kg.embed.protocol import Embedder
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, batches

TEXTS_A_BATCH = 512

Target = Literal["chunks", "claims", "entities", "facts"]


def embed_missing(graph: Graph, corpus: str, target: Target, embedder: Embedder, progress: Progress) -> int:
    """Embed everything of one kind that has no vector; how many there were."""
    pending = [row["id"] for row in graph.rows(query(f"embeddings/list_{target}"), corpus=corpus)]
    progress.step(f"vectors of {target}", len(pending))
    for ids in batches(pending, TEXTS_A_BATCH):
        rows = graph.rows(query(f"embeddings/read_{target}"), ids=ids)
        distinct = list(dict.fromkeys(row["text"] for row in rows))
        vectors = dict(zip(distinct, embedder.embed(distinct), strict=True))
        graph.rows(
            query(f"embeddings/write_{target}"),
            rows=[{"id": row["id"], "vector": vectors[row["text"]]} for row in rows],
        )
        progress.advance(len(ids))
    return len(pending)


def embedded_text(title: str, text: str) -> str:
    """What the vector of a chunk is made of, as `cypher/embeddings/read_chunks` puts it together."""
    return f"{title}\n{text}"
