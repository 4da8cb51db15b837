"""What sources say: nothing without their articles, "Yes" where each says its part."""

import pytest

from services.rag.reader import NO_ANSWER, names_missing_source, read_answer
from tests.services.rag.passages import passage

WORLD = [
    passage("Halden Shipping cut ticket prices on every harbour line.", 1, source="The Gazette"),
    passage("Norholm Cement closed two kilns for want of orders in spring.", 2, source="Harbour News"),
]


def test_each_source_says_its_part() -> None:
    question = (
        "Does the Gazette article suggest that Halden Shipping cut its ticket prices, while the Harbour "
        "News report states that Norholm Cement closed kilns for want of orders?"
    )
    reading = read_answer(question, WORLD)
    assert reading.answer == "Yes"
    assert reading.sentence == WORLD[0].text or reading.sentence == WORLD[1].text


@pytest.mark.parametrize(
    "question",
    [
        "Does the Gazette article suggest that Norholm Cement closed two kilns for want of orders in spring?",
        "Does the Gazette article suggest that Halden Shipping cut ticket prices on every line, "
        "while the Harbour News report states that a ferry captain adopted seven kittens in Kaldmere?",
        "Does the Gazette article say the same of Halden's ticket prices as the Harbour News report?",
    ],
)
def test_what_a_source_does_not_say_is_left_open(question: str) -> None:
    assert read_answer(question, WORLD).answer == NO_ANSWER


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What did a Morning Post article say of Halden Shipping?", True),
        ("Which firm, as reported by The Gazette, cut ticket prices?", False),
        ("Which firm cut prices in an article by The Gazette and a Reuters report?", True),
        ("Who cut ticket prices?", False),
    ],
)
def test_a_source_without_a_passage_is_missing(question: str, missing: bool) -> None:
    assert names_missing_source(question, WORLD) is missing
    if missing:
        assert read_answer(question, WORLD).answer == NO_ANSWER


def test_passages_without_sources_miss_none() -> None:
    assert not names_missing_source("What did a Reuters report say?", [passage("Nothing.", 1)])
