"""The entities that a question names."""

import pytest

from services.rag.graph_search.link import entities_named, entity_names, naming_chunks
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

SNAPSHOT = made_snapshot(
    [
        Page("1", {"Orla Venning": 1, "Venning": 1, "Norholm": 2}),
        Page("2", {"Norholm": 1, "St. Ives": 1}),
        Page("3", {"Norholm": 1, "Isle of Tavisk": 1, "Tavisk": 1}),
    ],
    aliases={
        "Norholm": ["the Old Town", "NHB"],
        "Venning": ["the director"],
        "Orla Venning": ["the director"],
    },
)
NAMES = entity_names(SNAPSHOT.entities)
COUNTS = naming_chunks(SNAPSHOT.naming)


def named(question: str) -> list[tuple[str, str]]:
    return [
        (one.words, SNAPSHOT.entities.names[one.entity]) for one in entities_named(NAMES, COUNTS, question)
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Orla Venning live?", [("Orla Venning", "Orla Venning")]),
        ("Who governs the  Isle of Tavisk's harbour?", [("Isle of Tavisk", "Isle of Tavisk")]),
        ("Is NHB older than St. Ives?", [("St. Ives", "St. Ives"), ("NHB", "Norholm")]),
        ("Who lives in the old town?", [("the old town", "Norholm")]),
        ("norholm", [("norholm", "Norholm")]),
        ("Who went to norholm?", []),
        ("Who is it?", []),
        ("", []),
    ],
)
def test_the_longest_names_are_found_by_any_spelling_rarest_first(
    question: str, expected: list[tuple[str, str]]
) -> None:
    assert named(question) == expected


def test_words_that_may_mean_several_share_their_weight() -> None:
    found = entities_named(NAMES, COUNTS, "Who is the director in Norholm?")
    assert [(SNAPSHOT.entities.names[one.entity], one.weight) for one in found] == [
        ("Orla Venning", 0.5),
        ("Venning", 0.5),
        ("Norholm", pytest.approx(1 / 3)),
    ]
