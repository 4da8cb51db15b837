"""What has the type of a name and is none."""

import pytest

from kg.extract.model_answers import is_specific, is_unnamed
from kg.model import EntityType


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Halm Rovers player", "PERSON"),
        ("Norwegian man", "PERSON"),
        ("man from Tarn", "PERSON"),
        ("Oda Wexler's mother", "PERSON"),
        ("Norwegian citizens", "NORP"),
        ("nearby hotel", "FAC"),
        ("family cemetery", "FAC"),
        ("burning hall at Tarn Airport", "FAC"),
        ("Norwegian army bases", "FAC"),
        ("primaries", "EVENT"),
        ("several Averell disputes", "EVENT"),
        ("hundreds of quakes in Averell", "EVENT"),
        ("state party", "ORG"),
        ("Senate", "ORG"),
        ("Averell authorities", "ORG"),
        ("River and Harbour parties", "ORG"),
        ("Norwegian passenger jet", "PRODUCT"),
        ("Norway's law", "LAW"),
        ("anonymous Tarn channel", "MISC"),
    ],
)
def test_a_description_is_no_name_whatever_its_type(name: str, kind: EntityType) -> None:
    assert is_unnamed(name, kind)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Oda Wexler", "PERSON"),
        ("Ludwig van Tarn", "PERSON"),
        ("Abdel al-Tarni", "PERSON"),
        ("Catherine of Averell", "PERSON"),
        ("Norwegians", "NORP"),
        ("Norwegian government", "ORG"),
        ("government of Averell", "ORG"),
        ("House of Lords", "ORG"),
        ("Tarn Airlines", "ORG"),
        ("fire at Tarn Airport", "EVENT"),
        ("2031 Tarn caucuses", "EVENT"),
        ("east Asia", "LOC"),
        ("Tarn power plant", "FAC"),
        ("measles", "MISC"),
        ("coronavirus 2019-nCoV", "MISC"),
        ("oVert project", "MISC"),
        ("lamp", "CONCEPT"),
        ("3 May 2031", "DATE"),
        ("\u5317\u4eac", "GPE"),
        ("", "ORG"),
    ],
)
def test_a_name_stays_one(name: str, kind: EntityType) -> None:
    assert not is_unnamed(name, kind)


def test_a_description_is_specific_by_a_name_or_a_number_in_it() -> None:
    assert all(
        map(
            is_specific, ["fire at Tarn Airport", "magnitude 5 quake", "Norwegian jet", "fever (MF) outbreak"]
        )
    )
    assert not any(map(is_specific, ["fire at airport", "Fire", ""]))
