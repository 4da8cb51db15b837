"""What articles that a question cites by title have in common."""

import pytest

from services.rag.cited_articles import citations
from services.rag.reader import NO_ANSWER, read_answer
from tests.services.rag.passages import passage

PASSAGES = [
    passage(
        "Mira Tolland left the Ostby Rovers.", 1, source="The Gazette", title="After the cup, a farewell"
    ),
    passage(
        "Halden Shipping paid. Anton Brask saw it.",
        2,
        source="The Gazette",
        title="After the cup, a farewell",
    ),
    passage(
        "Mira Tolland and Anton Brask were in Kaldmere. Anton Brask wrote The Grey Rope.",
        3,
        facts=[("Anton Brask", "wrote", "The Grey Rope")],
        source="The Post",
        title="Books of the year",
    ),
    passage("The Post met Greta Lindqvist.", 4, source="The Post", title="A ship is launched"),
]
BOTH = '"After the cup, a farewell" in The Gazette and "Books of the year" in The Post'


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (f"Do {BOTH} both tell of Mira Tolland?", "Yes"),
        (f"Do {BOTH} both tell of Kaldmere?", "No"),
        (f"Do {BOTH} both mention Greta Lindqvist?", "No"),
        (f"Which person do {BOTH} both tell of?", "Anton Brask"),
        ('Who is named in both "Books of the year" and "After the cup, a farewell"?', "Anton Brask"),
        (f"Which event do {BOTH} both tell of?", NO_ANSWER),
        (f'Which person do {BOTH} and "A day at sea" all tell of?', NO_ANSWER),
        ('Do "Books of the year" in The Gazette and "A ship is launched" both tell of Ostby?', NO_ANSWER),
    ],
)
def test_a_name_common_to_passages_of_the_articles_answers(question: str, answer: str) -> None:
    assert read_answer(question, PASSAGES).answer == answer


def test_quoted_speech_is_no_citation_unless_two_texts_are_held_together() -> None:
    assert citations('Who said "never again" in "Books of the year"?') == ()
    assert [str(one) for one in citations(f"Do {BOTH} both tell of it?")] == [
        '"After the cup, a farewell" in The Gazette',
        '"Books of the year" in The Post',
    ]
