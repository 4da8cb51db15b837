"""The articles: enough of them, long, dated, from several outlets, and none a copy of another."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from kg.text.tokens import count_tokens
from tests.seed import corpus

LEAST_TOKENS = 512
LEAST_PER_CATEGORY = 16
LONGEST_SHARED_RUN = 8


def test_there_are_enough_articles_in_each_of_three_categories() -> None:
    categories = Counter(article.category for article in corpus.articles().values())
    assert set(categories) == {"sports", "health", "science"}
    assert min(categories.values()) >= LEAST_PER_CATEGORY


def test_every_article_has_512_tokens_or_more() -> None:
    tokens = {name: count_tokens(article.body) for name, article in corpus.articles().items()}
    assert {name: count for name, count in tokens.items() if count < LEAST_TOKENS} == {}


def test_every_article_says_where_when_and_by_whom_it_was_published() -> None:
    articles = corpus.articles().values()
    assert all(article.title and article.source and article.author and article.url for article in articles)
    assert {article.published_at.year for article in articles if article.published_at} == {2031}
    assert all(article.published_at for article in articles)
    assert len({article.source for article in articles}) >= 4


def test_titles_urls_and_file_names_are_unique_and_agree_with_the_ids() -> None:
    articles = corpus.articles()
    assert len({article.title for article in articles.values()}) == len(articles)
    assert len({article.url for article in articles.values()}) == len(articles)
    for name, article in articles.items():
        assert Path(article.place).stem.startswith(name.removeprefix("ormelund-") + "-")


def test_no_two_articles_share_a_sentence() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for name, article in corpus.articles().items():
        for sentence in _sentences(article.body):
            found[sentence].add(name)
    assert {sentence: names for sentence, names in found.items() if len(names) > 1} == {}


def test_no_two_articles_open_alike() -> None:
    openers = Counter(" ".join(_words(article.body)[:4]) for article in corpus.articles().values())
    assert [opener for opener, count in openers.items() if count > 1] == []


def test_no_run_of_words_comes_back_in_three_articles() -> None:
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, article in corpus.articles().items():
        words = _words(_without_names(article.body))
        for run in zip(*(words[start:] for start in range(LONGEST_SHARED_RUN)), strict=False):
            found[run].add(name)
    assert {" ".join(run): names for run, names in found.items() if len(names) > 2} == {}


def _sentences(text: str) -> Iterator[str]:
    """Pieces that end in a stop, a line or a quote, of three words or more."""
    for piece in re.split(r'(?<=[.!?])["\']?\s+|\n+', text):
        sentence = piece.strip(' "')
        if len(sentence.split()) >= 3:
            yield sentence


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def _without_names(text: str) -> str:
    """The text with each of the world's names as one word, so that a long name is no shared phrasing."""
    names = {name for entity in corpus.entities() for name in corpus.names_of(entity["name"])}
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{longest_first})(?!\w)", "NAME", text)
