"""A handful of poison from files to a finished build: what can be read is read, the rest is named."""

import json
import os
import random
import string
from pathlib import Path

from kg.ingest.rows import path_text
from kg.progress import Silent
from kg.stages.articles import ArticleLimits, ingest_articles, rejects
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.pipeline import open_for_job
from tests.graph_reading import read
from tests.small_world import OPTIONS, tools

GOOD = "Mara Solberg founded Kestrel Shipping in Bergen. "
LETTERS = string.ascii_letters + string.digits
PICTURE = "".join(random.Random(1).choices(LETTERS, k=100_000))
POISON = {
    "hyphens": "The ex-vice-president of Nova Labs met the co-vice-chair of an anti-re-election campaign. ",
    "picture": f"![map](data:image/png;base64,{PICTURE}) ",
    "name": f"She met {'Abcd' * 2_250} in Oslo. ",
    "emoji": "Flags: \U0001f3c6" * 600 + " ",
    "bidi": "\u202eMara\u202c \u2066said\u2069 so. \x07 ",
    "table": "| a | b |\n|---|---|\n" * 50,
    "quotes": '"She said "we go. ',
}


def test_no_article_ends_a_build(graph: Graph, corpus: str, tmp_path: Path) -> None:
    rows = [{"id": name, "title": name, "body": text + GOOD} for name, text in POISON.items()]
    rows.append({"id": "x" * 9_000, "title": "T" * 9_000, "source": "S" * 9_000, "category": "C" * 9_000,
                 "author": "A" * 9_000, "url": "u" * 9_000, "body": "Long fields. " + GOOD})  # fmt: skip
    rows.append({"id": "blank", "title": "", "body": GOOD + "\u200b " * 200_000})
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    open_for_job(graph, corpus, OPTIONS, tools())
    counts = ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())
    assert counts["articles"] == len(rows) - 1
    told = {(row["place"], row["kind"]): row["reason"] for row in rejects(graph, corpus)}
    assert told[f"{path_text(path)}:{len(rows)}", "set aside"] == "400,049 characters, more than 327,680"
    assert path_text(path).endswith("caf\\xe9.jsonl")
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    assert "failed" not in {row["kind"] for row in rejects(graph, corpus)}
    founders = read(
        graph,
        "MATCH (c:Claim {corpus: $corpus}) WHERE c.text CONTAINS 'founded Kestrel Shipping' "
        "RETURN count(DISTINCT c.article) AS articles",
        corpus=corpus,
    )
    # A quotation that is never closed may take the sentence behind it for its own.
    assert founders[0]["articles"] >= len(rows) - 2
