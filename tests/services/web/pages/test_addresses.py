"""Addresses lead back to the names that they were made of."""

from urllib.parse import unquote, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from services.web.pages.parameters import address, name_of, segment

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(NAMES)
def test_a_name_comes_back_after_the_server_decoded_it_once(name: str) -> None:
    part = segment(name)
    assert "/" not in unquote(part)
    assert unquote(part) not in {".", ".."}
    assert name_of(unquote(part)) == name


def test_an_address_by_hand() -> None:
    assert address() == "/"
    assert address("mine") == "/c/mine"
    assert address("a/b", "runs", "x:y") == "/c/a%252Fb/runs/x%3Ay"
    assert address("mine", "questions", hops=2, kind="", run=None, with_="b c") == (
        "/c/mine/questions?hops=2&with=b+c"
    )


@given(NAMES, NAMES)
def test_a_parameter_stays_in_the_query(corpus: str, text: str) -> None:
    parts = urlsplit(address(corpus, "entities", text=text))
    assert parts.path.count("/") == 3
    assert parts.fragment == ""
