"""The word of a noun phrase that says what a thing is."""

from kg.text.words import head_end, head_noun
from tests.examples import examples


@examples("phrase, head, end")
def test_the_head_stands_before_the_first_preposition(phrase: str, head: str, end: int) -> None:
    words = phrase.split()
    assert (head_noun(words), head_end(words)) == (head, end)
