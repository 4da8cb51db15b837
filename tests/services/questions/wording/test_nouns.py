import pytest

from kg.model import EntityType
from services.questions.draft import Stop
from services.questions.wording.nouns import is_organisation, noun_of, question_word


@pytest.mark.parametrize(
    ("name", "kind", "leads", "before", "noun"),
    [
        ("Lantern Eel", "PERSON", ("discovered",), (), "animal"),
        ("Cardivane", "GPE", ("has recalled",), (), "product"),
        ("Cardivane", "GPE", (), ("was approved on",), "product"),
        ("Isle of Tavisk", "LOC", ("is located on",), (), "island"),
        ("St Brannoc Hospital", "PERSON", ("directs",), (), "hospital"),
        ("Kittiwake 2", "PERSON", (), ("was launched from",), "craft"),
        ("Averell Mariners", "ORG", ("coaches",), (), "team"),
        ("Averell Mariners", "ORG", (), ("compete in",), "team"),
        ("Ann Bell", "PERSON", ("elected",), (), "person"),
        ("Ann Bell", "ORG", ("is married to",), (), "person"),
        ("Rell", "GPE", ("was born in",), (), "place"),
        ("Velimab", "MISC", (), (), "one"),
        ("Velimab", "MISC", ("discovered",), (), "thing"),
        ("Velimab", "PERSON", (), (), "one"),
        ("6 March 2031", "DATE", ("was approved on",), (), "date"),
        ("Mayor Ann Bell", "ORG", ("is governed by",), (), "person"),
    ],
)
def test_a_noun_follows_the_name_and_the_predicates_before_the_type(
    name: str, kind: EntityType, leads: tuple[str, ...], before: tuple[str, ...], noun: str
) -> None:
    assert noun_of(Stop("s", name, kind), leads, before) == noun


def test_what_claims_call_it_comes_first_unless_a_predicate_denies_it() -> None:
    stop = Stop("s", "Quorran", "PERSON", nouns=("clean fight", "drug maker"))
    assert noun_of(stop, ("acquired",)) == "drug maker"
    assert noun_of(Stop("s", "Ann Bell", "PERSON", nouns=("hospital",)), ("is married to",)) == "person"


def test_a_noun_that_repeats_a_name_is_not_used() -> None:
    stop = Stop("s", "Tavisk Island", "LOC", aliases=("Island",))
    assert noun_of(stop, ("is located on",), (), {"island"}) == "place"


@pytest.mark.parametrize(
    ("name", "kind", "predicate", "word"),
    [
        ("1966", "DATE", "was founded in", "in which year"),
        ("2031-02", "DATE", "was approved in", "in which month"),
        ("6 March 2031", "DATE", "was approved on", "when"),
        ("two days", "NUMBER", "spent", "how many days"),
        ("$5 million", "NUMBER", "raised", "how much"),
        ("Ann Bell", "PERSON", "appointed", "who"),
        ("Rell", "GPE", "is headquartered in", "which place"),
        ("Lorrimer Clinic", "ORG", "founded", "which clinic"),
        ("Velimab", "ORG", "has recalled", "what"),
    ],
)
def test_the_word_that_asks_fits_the_answer(name: str, kind: EntityType, predicate: str, word: str) -> None:
    assert question_word(Stop("s", name, kind), (predicate,)) == word


def test_an_organisation_is_told_by_its_head() -> None:
    assert is_organisation("Ministry of Health") and is_organisation("Stenbury Commission")
    assert not is_organisation("Ann Bell") and not is_organisation("River Ostrel")
