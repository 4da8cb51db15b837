"""Sentences labelled as fact or opinion stand in their articles, and the halves keep to whole articles."""

from collections import Counter
from pathlib import Path

from services.evaluate.extraction_gold import read_labelled
from tests.seed import corpus

ROWS = read_labelled(Path(corpus.SEED) / "gold" / "opinions.jsonl")


def test_a_labelled_sentence_stands_in_its_article() -> None:
    lost = [row for row in ROWS if not corpus.is_whole_sentence(row.sentence, corpus.body(row.article))]
    assert lost == []


def test_the_halves_are_those_of_odd_and_even_articles() -> None:
    odd = {row.article: "tuning" if int(row.article[-2:]) % 2 else "held-out" for row in ROWS}
    assert {row.article: row.half for row in ROWS} == odd
    assert set(odd) == set(corpus.articles())


def test_counts_are_those_of_the_readme() -> None:
    assert Counter(row.label for row in ROWS) == {"fact": 303, "opinion": 97}
    readme = (corpus.SEED / "README.md").read_text(encoding="utf-8")
    assert "303 are facts, 97 opinions" in readme
    assert "gold/opinions.jsonl" in readme
