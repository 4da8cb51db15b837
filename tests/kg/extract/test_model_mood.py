"""What a statement puts as duty, plan or somebody's word, and a model left out."""

import pytest

from kg.extract.model_phrases import SAID_BY, as_stated, with_mood
from kg.model import Triple


@pytest.mark.parametrize(
    ("claim", "predicate", "wanted"),
    [
        ("Kald Foods must keep the lamp in Verrin.", "keeps lamp in", "must keep lamp in"),
        ("Kald Foods may soon sell the lamp.", "soon sells", "soon sells"),
        ("Kald Foods could carry the lamp to Verrin.", "carries lamp to", "could carry lamp to"),
        ("The lamp must be kept in Verrin.", "is kept in", "must be kept in"),
        ("Kald Foods plans to open in Verrin.", "opened in", "plans to open in"),
        ("Kald Foods failed to open in Verrin.", "opened in", "failed to open in"),
        ("Kald Foods must keep the lamp in Verrin.", "must keep lamp in", "must keep lamp in"),
        ("Kald Foods opened in Verrin and may open in Tarn.", "opened in", "opened in"),
        ("Kald Foods was able to open in Verrin.", "opened in", "opened in"),
        ("The lamp was kept in Verrin and must be kept there.", "was kept in", "was kept in"),
        ("Kald Foods has a lamp in Verrin.", "has", "has"),
    ],
)
def test_a_duty_and_a_plan_stay_what_they_are(claim: str, predicate: str, wanted: str) -> None:
    assert with_mood(predicate, claim) == wanted


def test_what_is_denied_did_fail_already() -> None:
    claim = "Kald Foods failed to open in Verrin."
    assert with_mood("opened in", claim, negated=True) == "opened in"


NAMED = ("Ivo Brandt", "Tarn", "Kald Foods", "Verrin")


@pytest.mark.parametrize(
    ("claim", "predicate", "source"),
    [
        ("Ivo Brandt announced that Kald Foods would open in Verrin.", "would open in", "Ivo Brandt"),
        ("The mayor, Ivo Brandt, said that Kald Foods will open in Verrin.", "will open in", "Ivo Brandt"),
        ("Kald Foods said that Kald Foods would open in Verrin.", "would open in", ""),
        ("The mayor of Tarn said that Kald Foods would open in Verrin.", "would open in", ""),
        ("The mayor of all Tarn, said to be ill, saw that Kald Foods would open.", "would open in", ""),
        ("Ivo Brandt announced that Kald Foods opened in Verrin.", "opened in", ""),
        ("Kald Foods would open in Verrin.", "would open in", ""),
    ],
)
def test_what_is_to_come_is_the_word_of_who_announces_it(claim: str, predicate: str, source: str) -> None:
    found = as_stated(Triple("Kald Foods", predicate, "Verrin", "ORG", "GPE"), claim, NAMED)
    assert isinstance(found, Triple)
    assert found.attributed_to == source


def test_a_given_source_stays() -> None:
    given = Triple("Kald Foods", "would open in", "Verrin", "ORG", "GPE", attributed_to="Tarn")
    claim = "Ivo Brandt announced that Kald Foods would open in Verrin, Tarn says."
    assert as_stated(given, claim, NAMED) == given


def test_who_says_it_is_no_agent() -> None:
    claim = "Ivo Brandt said that lamps must be kept in Verrin."
    given = Triple("Kald Foods", "was said to be kept by", "Ivo Brandt", "ORG", "PERSON")
    assert as_stated(given, claim, NAMED) == SAID_BY
