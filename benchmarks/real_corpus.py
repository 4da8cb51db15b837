"""A corpus of the size of MultiHop-RAG's, out of news reports and encyclopedia passages that people wrote.

MultiHop-RAG has 609 articles of 1.25 million tokens. Here are Wikinews' reports of two years, and articles of
as many passages as come to that number. The passages are fewer than that takes: where they run out, they come
again in another order, in company of others, each under the name of another.
"""

import csv
import json
import random
from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path

from benchmarks.passages import Passage, read_passages
from kg.text.tokens import count_tokens

ARTICLES, TOKENS = 609, 1_250_000
NEWS = ("wikinews/wikinews_2019.csv", "wikinews/wikinews_2020.csv")
PASSAGES = (
    "kg_rag_multihop/data__processed__corpus.jsonl",
    "musique/musique_train100_corpus.json",
    "hotpotqa/hotpotqa_train100_corpus.json",
)
MOST_TOKENS = 8_000
"""A longer report would be set aside by `kg corpus ingest`."""

Article = dict[str, str]


def write_real_articles(path: Path, data: Path, share: float, seed: int) -> Path:
    """Write that corpus as JSONL, or a share of its articles, drawn by seed."""
    articles = real_articles(data, seed)
    drawn = random.Random(seed).sample(articles, round(len(articles) * share))
    lines = (json.dumps(article, ensure_ascii=False) for article in drawn)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def real_articles(data: Path, seed: int, number: int = ARTICLES, tokens: int = TOKENS) -> list[Article]:
    """So many articles of so many tokens in all, or a few more; news first."""
    news = [article for file in NEWS for article in _reports(data / file)]
    left = tokens - sum(count_tokens(article["text"]) for article in news)
    joined = number - len(news)
    passages = [passage for file in PASSAGES for passage in read_passages(data / file)]
    endless = chain.from_iterable(_round(passages, turn, seed) for turn in count())
    return news + [_join(endless, left // joined) for _ in range(joined)]


def _reports(file: Path) -> Iterator[Article]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if count_tokens(row["text"]) <= MOST_TOKENS:
                yield {"title": row["title"], "text": row["text"], "date": row["date"]}


def _round(passages: Sequence[Passage], turn: int, seed: int) -> Iterator[Passage]:
    """The passages as they are, and in later rounds shuffled, each about another's title."""
    if turn == 0:
        yield from passages
        return
    order = random.Random(seed + turn).sample(passages, len(passages))
    for passage, other in zip(order, order[1:] + order[:1], strict=True):
        yield Passage(other.title, passage.text.replace(passage.title, other.title))


def _join(passages: Iterator[Passage], tokens: int) -> Article:
    """An article of the next passages, named after the first, of so many tokens or a little more."""
    texts: list[str] = []
    title, found = "", 0
    while found < tokens:
        passage = next(passages)
        title = title or passage.title
        texts.append(passage.text)
        found += count_tokens(passage.text)
    return {"title": title, "text": "\n\n".join(texts), "date": ""}
