import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.text.opinion import FACTUAL_FROM, factual_probability

FACTS = [
    "The council approved the budget on Monday.",
    "Ana Brel founded Norvik Energy in Bergen in 2009.",
    "Police said two people were injured in the crash.",
    "The company reported revenue of $3.2 billion for the third quarter.",
    "Marco Oko, who was born in Lagos, leads the research team.",
    "The bridge over the Tamar links Devon and Cornwall.",
    "Three suspects were arrested at a motel outside Tulsa.",
    "The court sentenced the former minister to six years in prison.",
    "According to the ministry, 412 schools will reopen on Sept. 2.",
    "The vaccine was developed by researchers at the University of Oxford.",
    "Real Madrid defeated Liverpool 2-0 in the final.",
    "The new line connects the airport with the central station.",
    "Her father worked as a carpenter in Leeds.",
    "Lin resigned as chief executive and was replaced by Sofia Grant.",
    "The storm cut power to 40,000 homes along the coast.",
    "Google bought the startup for an undisclosed sum.",
    "The film was directed by Jane Campion and shot in New Zealand.",
    "Authorities closed the road after a rockslide.",
    "The drug lowers blood pressure by blocking an enzyme.",
    "The minister denied the report.",
    "The Great Barrier Reef lies off the coast of Queensland.",
    "The museum will open its new wing in May 2025.",
    "The agreement was signed by both governments in Geneva last week.",
    '"The plane landed at 5 p.m.," police said on Friday.',
]
OPINIONS = [
    "I think the council made a terrible mistake.",
    "The government should resign at once.",
    "This is the most beautiful film of the year, and simply brilliant.",
    "Perhaps the mayor never meant it.",
    "What were they thinking?",
    "What a night for the fans!",
    "We must not let this happen again.",
    "The decision seems absurd.",
    '"I am so proud of this team," the coach said.',
    '"We could not have done better," she said.',
    "Critics believe the reform is bound to fail.",
    "It is hard to see how the plan could work.",
    "In my view, the referee was wrong.",
    "The new stadium is an ugly, overrated mess.",
    "You need to see this exhibition.",
    "Sadly, the sequel is a tedious and clumsy affair.",
    "Analysts expect the bank will probably cut rates again.",
    "The senator's remarks were disgraceful.",
    "Frankly, nobody deserves this.",
    "It might be too late to save the deal.",
    '"This is an outrageous attack on our freedom," the governor said.',
    "The party will surely regret its cowardly choice.",
    "Let's hope the lesson has been learned.",
    "The team looks like a certain winner this season.",
    "Nothing about the show is worth the price of a ticket.",
    "He will go down as a giant among small men.",
]
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


@pytest.mark.parametrize(
    ("fact", "opinion"),
    [
        ("The law took effect.", "The law should take effect."),
        ("The law took effect.", "Did the law take effect?"),
        ("She said the law took effect.", "“I feel the law took effect,” she said."),
        ("The reef is 2,300 km long.", "The reef is very long."),
    ],
)
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
