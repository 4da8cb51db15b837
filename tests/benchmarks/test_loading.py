"""Rows and files of the benchmark of loading, and its tables, by hand; no server."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import loading
from benchmarks.loading_rows import CHUNKS_AN_ARTICLE, CLAIMS_A_CHUNK, SEPARATOR, ImportFiles, made_blocks


def test_made_rows_hang_together() -> None:
    """Every claim is a sentence of its chunk and of its article, at the place that it names."""
    (block,) = made_blocks(20)
    (again,) = made_blocks(20)
    assert block.claims == again.claims
    bodies = {row["id"]: row["body"] for row in block.articles}
    chunks = {chunk["id"]: chunk for row in block.chunks for chunk in row["chunks"]}
    assert len(bodies) == 2
    assert len(chunks) == 2 * CHUNKS_AN_ARTICLE
    assert len(block.claims) == len(chunks) * CLAIMS_A_CHUNK
    for row in block.claims:
        claim, (chunk,) = row["claim"], row["chunks"]
        assert bodies[claim["article"]][claim["start"] : claim["end"]] == claim["text"]
        assert claim["text"] in chunks[chunk]["text"]
    assert [row["id"] for row in block.chunk_vectors] == list(chunks)
    assert [row["id"] for row in block.claim_vectors] == [row["claim"]["id"] for row in block.claims]


def test_import_files_hold_the_vectors_bit_for_bit(tmp_path: Path) -> None:
    """Nine digits are enough for 32 bits, and each row has the fields of its header."""
    (block,) = made_blocks(10)
    files = ImportFiles(tmp_path)
    files.add(block)
    assert files.close()[0] == f"--nodes=Article={tmp_path / 'Article.csv'}"
    with (tmp_path / "Claim.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert len(rows) == len(block.claims)
    for row, claim, vector in zip(rows, block.claims, block.claim_vectors, strict=True):
        assert None not in row
        assert (row["id:ID"], row["sentence:string"]) == (claim["claim"]["id"], claim["claim"]["sentence"])
        found = np.array(row["embedding:float[]"].split(SEPARATOR), dtype=np.float32)
        assert np.array_equal(found, vector["vector"])
    lines = (tmp_path / "NEXT.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == CHUNKS_AN_ARTICLE


def line(way: str, **server: float) -> dict[str, Any]:
    """What a way took that wrote a thousand chunks in ten seconds."""
    return {
        "way": way, "chunks": 1_000, "claims": True, "load": [1.0, 2.0], "indexes": 1 << 20,
        "search_ms": 2.5, "fingerprint": "", "wall": {"claims": 10.0, "server start": 99.0},
        "python": {"claims": 1.0}, "server": server,
    }  # fmt: skip


def test_a_way_is_compared_by_processor_time_without_the_start_of_a_server() -> None:
    """Eleven processor seconds before, five with the import, which starts a server besides: 2.2 times."""
    bulk = line("bulk", **{"import": 3.0, "indexes": 1.0, "server start": 20.0})
    text = loading.tables([line("product", claims=9.0, after=1.0), bulk])
    first, second = text.splitlines()[-2:]
    assert "1,000 chunks, 7,000 claims" in text
    assert first.endswith("| 800 | 1.0 | 10.0 | 0.0 | 0.0 | 9.0 | 0.0 | 0.0 | 1.0 | 2.5 | 1.0 |")
    assert second.endswith("| 3.0 | 1.0 | 2.5 | 2.2 |")
