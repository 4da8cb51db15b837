import math

from hypothesis import given
from hypothesis import strategies as st

from kg.text.opinion import FACTUAL_FROM, factual_probability
from tests.examples import examples, read_examples

FACTS = list(read_examples("kg/text/opinion")["facts"])
OPINIONS = list(read_examples("kg/text/opinion")["opinions"])
MISJUDGED = {
    "Nothing about the show is worth the price of a ticket.",  # "worth" alone is a weak sign
    "The team looks like a certain winner this season.",  # so is "looks like"
    "He will go down as a giant among small men.",  # a metaphor without any word of judgement
}


def test_of_sentences_written_for_this_at_least_85_percent_are_judged_right() -> None:
    wrong = [text for text in FACTS if factual_probability(text) < FACTUAL_FROM]
    wrong += [text for text in OPINIONS if factual_probability(text) >= FACTUAL_FROM]
    assert set(wrong) == MISJUDGED
    assert 1 - len(wrong) / len(FACTS + OPINIONS) >= 0.85


@examples("fact, opinion")
def test_one_sign_of_opinion_lowers_the_probability(fact: str, opinion: str) -> None:
    assert factual_probability(opinion) < factual_probability(fact)


def test_curly_and_straight_quotes_count_the_same() -> None:
    assert factual_probability("“It is over,” he said.") == factual_probability('"It is over," he said.')


def test_what_has_no_word_is_no_fact() -> None:
    assert factual_probability("") == factual_probability(" —!? ") == 0.0


@given(st.text(max_size=300))
def test_it_is_a_probability(text: str) -> None:
    assert 0.0 <= factual_probability(text) <= 1.0
    assert math.isfinite(factual_probability(text))
