"""A name has one type in an article, by what the article tells about it."""

import pytest

from tests.kg.extract.conftest import Read


def types_of(read: Read, body: str) -> dict[str, str]:
    return {mention.name: mention.type for mention in read(body).mentions}


@pytest.mark.parametrize(
    ("body", "name", "kind"),
    [
        ("The MV Brunhild sank near Java.", "MV Brunhild", "PRODUCT"),
        ("They crossed the Ammonoosuc River at night.", "Ammonoosuc River", "LOC"),
        ("He works for Vell Trading Ltd in Rome.", "Vell Trading Ltd", "ORG"),
        ("The Battle of Burgos was short.", "Battle of Burgos", "EVENT"),
        ("Ossian, a striker, left Lyon.", "Ossian", "PERSON"),
        ("Ossian, 39, left Lyon.", "Ossian", "PERSON"),
        ("Mr. Ossian left Lyon.", "Ossian", "PERSON"),
        ("Ossian is a 1975 film.", "Ossian", "WORK"),
        ("The village of Ossian lies in France.", "Ossian", "GPE"),
        ("Anna Keller lives in Ossian, Ohio.", "Ossian", "GPE"),
        ("The rock band Ossian toured Europe.", "Ossian", "ORG"),
        ("Anna Keller visited the US in May.", "US", "GPE"),
        ("She posted it on Twitter.", "Twitter", "ORG"),
        ('Anna Keller wrote "A Fistful of Cherries" in Rome.', "Fistful of Cherries", "WORK"),
    ],
)
def test_evidence_decides_the_type(read: Read, body: str, name: str, kind: str) -> None:
    assert types_of(read, body).get(name) == kind


def test_one_plain_hint_types_all_mentions(read: Read) -> None:
    body = "Ossian came to Rome. Ossian met Anna Keller. Ossian, a goalkeeper, left Rome. Ossian is back."
    assert {mention.type for mention in read(body).mentions if mention.surface == "Ossian"} == {"PERSON"}


@pytest.mark.parametrize(
    "body", ["The court met at 10:30 BST in London.", "It opened on Saturday in London."]
)
def test_hours_and_days_are_no_names(read: Read, body: str) -> None:
    assert set(types_of(read, body)) == {"London"}


def test_an_office_is_no_part_of_a_name(read: Read) -> None:
    body = "Guitarist Anna Keller met Representative Peter Novak and Taoiseach Luis Moreno."
    assert set(types_of(read, body)) == {"Anna Keller", "Peter Novak", "Luis Moreno"}


def test_a_hyphen_joins_a_name(read: Read) -> None:
    assert "Peter Salat-Baroux" in types_of(read, "Peter Salat-Baroux lives in Rome.")
