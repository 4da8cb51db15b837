"""Made articles with chunks, claims and vectors: rows for the product's statements, and files for the import.

Every article has ten chunks, every chunk seven claims of 27 words, drawn by how often words are used (Zipf);
the text of a chunk is that of its claims. Vectors are directions by chance. A block of a thousand articles is
made at a time, by its number and a seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made_corpus import DIMENSIONS, unit_vectors
from kg.ids import content_id, shelf_marks
from kg.stages.articles import chunk_id

CORPUS, SEED = "bench-loading", 1
CHUNKS_AN_ARTICLE, CLAIMS_A_CHUNK, WORDS_A_CLAIM = 10, 7, 27
BLOCK_ARTICLES = 1_000
VOCABULARY = 40_000
SEPARATOR = "\x1f"
_FLOATS = SEPARATOR.join(["%.9g"] * DIMENSIONS)
"""Nine digits tell 32-bit numbers apart."""
_PUBLISHED = datetime(2024, 5, 17, tzinfo=UTC)
_FIELDS = {
    "title": "Made",
    "source": "made press",
    "category": "news",
    "author": "",
    "published": "2024-05-17",
}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Block:
    """Some articles of a made corpus with all that hangs on them, as rows of the product's statements."""

    articles: list[Row]
    chunks: list[Row]
    """A row an article, with its chunks and the links between them."""
    claims: list[Row]
    chunk_vectors: list[Row]
    claim_vectors: list[Row]


def made_blocks(chunks: int) -> Iterator[Block]:
    """So many chunks, a block at a time."""
    articles = chunks // CHUNKS_AN_ARTICLE
    for number, first in enumerate(range(0, articles, BLOCK_ARTICLES)):
        yield made_block(number, first, min(BLOCK_ARTICLES, articles - first))


def made_block(number: int, first: int, articles: int) -> Block:
    """The articles from the one with number `first` on."""
    random = np.random.default_rng((SEED, number))
    claims = articles * CHUNKS_AN_ARTICLE * CLAIMS_A_CHUNK
    weights = np.arange(1, VOCABULARY + 1, dtype=np.float64) ** -0.9
    steps = np.cumsum(weights) / weights.sum()
    words = np.searchsorted(steps, random.random((claims, WORDS_A_CLAIM))).tolist()
    sentences = [" ".join(map(_word, row)) + "." for row in words]
    fields = _FIELDS | shelf_marks(CORPUS, "made press", "news", "", "2024-05-17")
    found = Block([], [], [], [], [])
    a_article = CHUNKS_AN_ARTICLE * CLAIMS_A_CHUNK
    for at in range(articles):
        article = content_id(CORPUS, "article", str(first + at))
        said = sentences[at * a_article : (at + 1) * a_article]
        found.articles.append(_article_row(article, " ".join(said)))
        found.chunks.append(_chunks_row(article, said, fields))
        ids = [chunk["id"] for chunk in found.chunks[-1]["chunks"]]
        found.claims.extend(_claim_rows(article, ids, said))
    ids = [chunk["id"] for row in found.chunks for chunk in row["chunks"]]
    found.chunk_vectors.extend(_vector_rows(ids, random))
    found.claim_vectors.extend(_vector_rows([row["claim"]["id"] for row in found.claims], random))
    return found


def _word(rank: int) -> str:
    """A word of the vocabulary, the same for the same rank: syllables that spell it in base 20."""
    text, rank = "", rank + 20
    while rank:
        rank, syllable = divmod(rank, 20)
        text += "bdfgklmnprstvzhjcwxy"[syllable] + "aeiou"[syllable % 5]
    return text


def _article_row(article: str, body: str) -> Row:
    return {
        "id": article, "title": "Made", "body": body, "source": "made press", "category": "news",
        "author": "", "published_at": _PUBLISHED, "url": "", "tokens": 1_890, "sha256": article,
        "given_id": "",
    }  # fmt: skip


def _chunks_row(article: str, said: Sequence[str], fields: Mapping[str, str]) -> Row:
    chunks, start = list[Row](), 0
    for position in range(CHUNKS_AN_ARTICLE):
        text = " ".join(said[position * CLAIMS_A_CHUNK : (position + 1) * CLAIMS_A_CHUNK])
        chunks.append(
            {
                "id": chunk_id(CORPUS, article, position),
                "article": article,
                "position": position,
                "start": start,
                "end": start + len(text),
                "tokens": 189,
                "text": text,
            }
        )
        start += len(text) + 1
    links = [{"from": before["id"], "to": after["id"]} for before, after in pairwise(chunks)]
    return {"article": article, "fields": fields, "chunks": chunks, "links": links}


def _claim_rows(article: str, chunks: Sequence[str], said: Sequence[str]) -> Iterator[Row]:
    start = 0
    for number, sentence in enumerate(said):
        end = start + len(sentence)
        claim = {
            "id": content_id(CORPUS, "claim", article, str(start), str(end)),
            "article": article,
            "sentence": sentence,
            "text": sentence,
            "start": start,
            "end": end,
            "factual": 0.9,
            "verified": True,
            "doubt": None,
            "extractor": "rules-made",
        }
        yield {"claim": claim, "chunks": [chunks[number // CLAIMS_A_CHUNK]]}
        start = end + 1


def _vector_rows(ids: Sequence[str], random: np.random.Generator) -> Iterator[Row]:
    for id_, vector in zip(ids, unit_vectors(random, len(ids)), strict=True):
        yield {"id": id_, "vector": vector}


def _text(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)


class ImportFiles:
    """The files of a made corpus for `neo4j-admin database import full`: what the statements would write."""

    NODES = ("Article", "Chunk", "Claim")
    EDGES = ("HAS_CHUNK", "NEXT", "HAS_CLAIM")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = {
            name: (folder / f"{name}.csv").open("w", encoding="utf-8") for name in (*self.NODES, *self.EDGES)
        }
        for name in self.EDGES:
            more = ",position:long" if name == "HAS_CHUNK" else ""
            self._files[name].write(f":START_ID,:END_ID{more}\n")

    def add(self, block: Block) -> None:
        """Write a block."""
        for row in block.articles:
            self._node("Article", row | {"chunked": CHUNKS_AN_ARTICLE}, None)
        vectors = iter(block.chunk_vectors)
        for row in block.chunks:
            for chunk in row["chunks"]:
                self._node("Chunk", chunk | row["fields"], next(vectors)["vector"])
                self._files["HAS_CHUNK"].write(f"{row['article']},{chunk['id']},{chunk['position']}\n")
            self._files["NEXT"].writelines(f"{link['from']},{link['to']}\n" for link in row["links"])
        shelf = block.chunks[0]["fields"] if block.chunks else {}
        for row, vector in zip(block.claims, block.claim_vectors, strict=True):
            claim = {name: value for name, value in row["claim"].items() if value is not None}
            more = {"shelf": shelf["shelf"], "published": shelf["published"]}
            self._node("Claim", claim | more, vector["vector"])
            self._files["HAS_CLAIM"].writelines(f"{chunk},{claim['id']}\n" for chunk in row["chunks"])

    def close(self) -> list[str]:
        """Close the files; the options of the import that name them."""
        for file in self._files.values():
            file.close()
        return [
            *(f"--nodes={name}={self._folder / f'{name}.csv'}" for name in self.NODES),
            *(f"--relationships={name}={self._folder / f'{name}.csv'}" for name in self.EDGES),
        ]

    def _node(self, label: str, properties: Row, vector: np.ndarray | None) -> None:
        properties = properties | {"corpus": CORPUS}
        file = self._files[label]
        if not file.tell():
            heads = [f"{name}:{_type(value)}" for name, value in properties.items()]
            heads[0] = "id:ID"
            file.write(",".join([*heads, *(["embedding:float[]"] if vector is not None else [])]) + "\n")
        fields = [_text(value) for value in properties.values()]
        if vector is not None:
            fields.append(_FLOATS % tuple(vector.tolist()))
        file.write(",".join(fields) + "\n")


def _type(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return {int: "long", float: "double", datetime: "datetime"}.get(type(value), "string")
