"""The estimate of tokens is an upper bound on English text, and not a wild one."""

from hypothesis import given
from hypothesis import strategies as st

from kg.files import bundled_folder
from kg.llm.budget import estimate_tokens, likely_tokens
from kg.text.tokens import count_tokens


def test_it_is_above_wordpiece_on_news_but_not_twice_as_much() -> None:
    articles = sorted((bundled_folder("seed") / "articles").rglob("*.*"))
    assert articles
    for article in articles:
        text = article.read_text(encoding="utf-8")
        counted = count_tokens(text)
        assert counted <= estimate_tokens(text) <= 2 * counted, article.name


def test_what_is_likely_is_about_four_letters_to_a_token() -> None:
    assert likely_tokens("") == 0
    assert likely_tokens("The clinic opened.") == 5
    assert likely_tokens("日本") == 2
    article = "The clinic in Alva opened in 1931, and its founder, Oda Wexler, led it until 1958. " * 20
    assert likely_tokens(article) < count_tokens(article) * 1.2
    assert likely_tokens(article) < estimate_tokens(article)


def test_worked_examples() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("The clinic opened.") == 1 + 2 + 2 + 1
    assert estimate_tokens("2031-04-09") == 10
    assert estimate_tokens("a    b\n") == 4
    assert estimate_tokens("日本") == 6


@given(st.text(), st.text())
def test_a_longer_text_is_never_estimated_smaller(one: str, other: str) -> None:
    assert estimate_tokens(one + "\n" + other) >= max(estimate_tokens(one), estimate_tokens(other))


@given(st.text(alphabet=st.characters(min_codepoint=0x80)))
def test_beyond_ascii_no_tokenizer_of_bytes_makes_more(text: str) -> None:
    assert estimate_tokens(text) == len(text.encode("utf-8", "surrogatepass"))
