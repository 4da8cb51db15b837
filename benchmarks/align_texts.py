"""How well retrieved texts are aligned to our chunks: texts cut and changed in known ways, and foreign texts.

    python -m benchmarks.align_texts --articles 300 --texts 200

Texts are windows of words of every second Wikinews article of 2019, whose right chunks are known from where
they lie; the foreign ones are the beginnings of the others, on much the same events. Needs the folder of real
corpora (HOPGRADE_SHARED).
"""

import argparse
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter

import numpy as np

from kg.ingest.read import read_articles
from kg.model import ArticleRow
from kg.own_system import RetrievedText
from kg.text.chunks import chunk
from services.datasets.match_gold import EvidenceIndex, index_articles
from services.external.align import HALF, Aligner

_WORD = re.compile(r"\S+")
CHANGES = ("none", "title before", "5 % of words", "10 % of words", "20 % of words")
LENGTHS = (30, 80, 160, 320, 0)
"""Words of a text; 0 stands for the whole article."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text with the chunks that it should be aligned to."""

    text: str
    chunks: frozenset[str]


def main() -> None:
    """Print a line for each way to cut and change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=300)
    parser.add_argument("--texts", type=int, default=200)
    chosen = parser.parse_args()
    shared = Path(os.environ.get("HOPGRADE_SHARED", "../shared")) / "data"
    every = list(_rows(shared / "wikinews" / "wikinews_2019.csv", 2 * chosen.articles))
    rows, others = every[::2], every[1::2][: chosen.texts]
    started = perf_counter()
    index = _index(rows)
    print(f"{len(rows)} articles, indexed in {perf_counter() - started:.1f} s")
    generator = np.random.default_rng(0)
    aligner = Aligner(index)
    for change in CHANGES:
        for words in LENGTHS:
            cuts = [_draw_excerpt(index, rows, words, change, generator) for _ in range(chosen.texts)]
            _report(f"{change}, {words or 'all'} words", cuts, aligner)
    for words in LENGTHS:
        texts = [Excerpt(" ".join(row.body.split()[: words or None]), frozenset()) for row in others]
        _report(f"foreign, {words or 'all'} words", texts, aligner)


def _report(name: str, cuts: list[Excerpt], aligner: Aligner) -> None:
    started = perf_counter()
    found = aligner.align([RetrievedText(cut.text) for cut in cuts])
    seconds = perf_counter() - started
    right = sum(len(cut.chunks & set(chunks)) for cut, chunks in zip(cuts, found, strict=True))
    given, wanted = sum(map(len, found)), sum(len(cut.chunks) for cut in cuts)
    none = sum(not chunks for chunks in found)
    print(
        f"{name:30} precision {right / given if given else 1:.3f} "
        f"recall {right / wanted if wanted else 1:.3f} "
        f"unaligned {none / len(cuts):.3f} {1000 * seconds / len(cuts):.1f} ms a text"
    )


def _rows(path: Path, most: int) -> Iterator[ArticleRow]:
    return islice((row for row in read_articles([path], {}) if isinstance(row, ArticleRow)), most)


def _index(rows: list[ArticleRow]) -> EvidenceIndex:
    return index_articles(
        {
            "id": f"article-{number}",
            "given_ids": [],
            "title": row.title,
            "url": row.url,
            "body": row.body,
            "chunks": [
                {"id": f"chunk-{number}-{one.position}", "start": one.start, "end": one.end}
                for one in chunk(row.body)
            ],
        }
        for number, row in enumerate(rows)
    )


def _draw_excerpt(
    index: EvidenceIndex, rows: list[ArticleRow], words: int, change: str, generator: np.random.Generator
) -> Excerpt:
    number = int(generator.integers(len(index.articles)))
    article, row = index.articles[number], rows[int(index.articles[number].id.partition("-")[2])]
    found = list(_WORD.finditer(row.body))
    first = int(generator.integers(max(1, len(found) - words))) if words else 0
    last = min(len(found), first + words) if words else len(found)
    start, end = found[first].start(), found[last - 1].end()
    covers = [(min(end, to) - max(start, at), to - at, id_) for id_, at, to in article.chunks]
    wanted = {id_ for overlap, length, id_ in covers if overlap >= HALF * length}
    wanted = wanted or {max(covers, key=lambda cover: cover[0])[2]}
    return Excerpt(_change_text(row, start, end, change, generator), frozenset(wanted))


def _change_text(row: ArticleRow, start: int, end: int, change: str, generator: np.random.Generator) -> str:
    text = row.body[start:end]
    if change == "title before":
        return f"{row.title}\n{text}"
    if change == "none":
        return text
    share = int(change.partition(" ")[0]) / 100
    return " ".join("changed" if generator.random() < share else word for word in text.split())


if __name__ == "__main__":
    main()
