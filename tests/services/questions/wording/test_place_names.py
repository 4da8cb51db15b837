import pytest

from kg.model import EntityType
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import with_text_nouns
from services.questions.wording.nouns import known_place


@pytest.mark.parametrize(
    ("name", "kind", "noun"),
    [
        ("Germany", "GPE", "country"),
        ("Ohio", "GPE", "state"),
        ("Ontario", "GPE", "province"),
        ("Berlin", "GPE", "city"),
        ("Northern Marches", "LOC", "region"),
        ("New York", "GPE", ""),
        ("Rell", "GPE", ""),
        ("Berlin", "PERSON", ""),
    ],
)
def test_a_place_that_lists_know_is_called_what_it_is(name: str, kind: EntityType, noun: str) -> None:
    assert known_place(Stop("s", name, kind)) == noun


@pytest.mark.parametrize(
    ("name", "kind", "sentence", "nouns"),
    [
        ("Kittiwake", "PERSON", "Acme built the satellite Kittiwake.", ("satellite",)),
        ("Rell", "GPE", "He lives in the small town of Rell.", ("town",)),
        ("Rell", "GPE", "He knows the coast of Rell.", ()),
        ("Grey Heron", "FAC", "Grey Heron, a ship of the navy, sank.", ("ship",)),
        ("Ann Bell", "PERSON", "He met the mayor Ann Bell.", ()),
        ("Rell", "GPE", "He left the city Rell Port.", ()),
    ],
)
def test_sentences_say_what_things_and_places_are(
    name: str, kind: EntityType, sentence: str, nouns: tuple[str, ...]
) -> None:
    fact = Fact(1, "", "", "Acme", "built", name, "", sentence)
    assert with_text_nouns([Stop("a", "Acme", "ORG"), Stop("b", name, kind)], [fact])[1].nouns == nouns
