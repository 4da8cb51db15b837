"""Names and numbers of a claim that its article can't have told.

What has the type of a name and is none.
"""

from datetime import date

from kg.extract.model_answers import is_specific, is_unnamed, ungrounded, unknown_names, unknown_numbers
from kg.model import EntityType
from tests.examples import examples

TUESDAY = date(2027, 5, 4)
ARTICLE = (
    "Oda Wexler sold the lamp to the Anglo-Tarn museum last Friday for 1,900 crowns. She bought it ten years "
    "ago, with twenty-five others, in the 1990s style of Ivo Brandt's."
)


def test_names_from_elsewhere_are_noticed() -> None:
    assert unknown_names("Wexler sold Wexler's lamp to the Anglo-Tarn Museum on 3 May 2027.", ARTICLE) == []
    assert unknown_names("She said that Wexler'd sell it.", ARTICLE) == []
    assert unknown_names("Oda Wexler sold the lamp in Paris, France.", ARTICLE) == ["Paris", "France"]


@examples("claim, unknown")
def test_numbers_are_the_articles_or_counted_from_its_date(claim: str, unknown: list[str]) -> None:
    assert unknown_numbers(claim, ARTICLE, TUESDAY) == unknown


def test_without_a_date_of_the_article_none_can_be_counted() -> None:
    assert unknown_numbers("Oda Wexler sold the lamp on 30 April 2027.", ARTICLE, None) == ["30", "2027"]


def test_the_doubt_says_what_is_unknown() -> None:
    assert ungrounded("Oda Wexler sold the lamp.", ARTICLE, TUESDAY) == ""
    assert ungrounded("She paid 17 crowns in Paris.", ARTICLE, TUESDAY) == (
        "names what the article doesn't: Paris"
    )
    assert ungrounded("She paid 17 crowns.", ARTICLE, TUESDAY) == ("has numbers that the article doesn't: 17")


@examples("name, kind")
def test_a_description_is_no_name_whatever_its_type(name: str, kind: EntityType) -> None:
    assert is_unnamed(name, kind)


@examples("name, kind")
def test_a_name_stays_one(name: str, kind: EntityType) -> None:
    assert not is_unnamed(name, kind)


def test_a_description_is_specific_by_a_name_or_a_number_in_it() -> None:
    assert all(
        map(
            is_specific, ["fire at Tarn Airport", "magnitude 5 quake", "Norwegian jet", "fever (MF) outbreak"]
        )
    )
    assert not any(map(is_specific, ["fire at airport", "Fire", ""]))
