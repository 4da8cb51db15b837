"""Which things a question names, as titles and names of the passages tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.sentence_match import folded, thing_named, two_named
from tests.examples import examples
from tests.services.rag.passages import passage

FILMS = [
    passage("Hoppet is a 2007 film.", 1, {"Hoppet": "WORK"}, title="Hoppet (film)"),
    passage("Hoppet is a club.", 2, {"Hoppet": "WORK"}, title="Hoppet (club)"),
    passage("It is a 1980 film.", 3, {}, title="Who's Singin' Over There?"),
    passage("Two Fists is a film.", 4, {"Two Fists": "WORK"}, title="Two Fists, One Heart"),
    passage("Mira Tolland chairs Halden Shipping.", 5, title="A day at sea"),
]


@examples("question, two")
def test_the_two_things_of_a_question(question: str, two: tuple[str, str]) -> None:
    found = two_named(question, FILMS)
    assert found is not None
    assert (found[0].label, found[1].label) == two


@pytest.mark.parametrize(
    "question", ["Which came first, Ostby or Kaldmere?", "Hoppet or Hoppet?", "Who is Mira Tolland?", ""]
)
def test_two_things_that_passages_do_not_tell_apart_are_none(question: str) -> None:
    assert two_named(question, FILMS) is None


def test_brackets_tell_articles_apart_and_can_be_left_out() -> None:
    film, club, either = (
        thing_named(name, FILMS) for name in ("Hoppet (film)", "The Hoppet (Club)", "Hoppet")
    )
    assert film is not None
    assert club is not None
    assert either is not None
    assert [one.chunk for one in film.own] == ["chunk-1"]
    assert [one.chunk for one in club.own] == ["chunk-2"]
    assert [one.chunk for one in either.own] == ["chunk-1", "chunk-2"]
    assert thing_named("Anton Brask", FILMS) is None


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_but_articles(name: str) -> None:
    words = folded(name).split()
    if words[:1] not in (["the"], ["a"], ["an"]):
        assert folded(folded(name)) == folded(name)
    assert folded(name) == folded(f" {name.upper()} ") or name.upper().casefold() != name.casefold()


@given(st.text(max_size=60))
def test_any_text_is_taken(question: str) -> None:
    two_named(question, FILMS)
