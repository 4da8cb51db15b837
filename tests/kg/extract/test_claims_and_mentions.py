"""Claims that stand alone, and mentions with whole names.

Which surfaces an article makes names of one thing.
A name has one type in an article, by what the article tells about it.
"""

import pytest

from tests.examples import examples
from tests.kg.extract.conftest import Read, facts_of


@examples("body, text")
def test_a_claim_is_readable_without_its_article(read: Read, body: str, text: str) -> None:
    assert read(body).claims[-1].text == text


def test_a_name_is_not_repeated_for_a_pronoun_behind_it(read: Read) -> None:
    (claim,) = read("Anna Keller said she won.").claims
    assert claim.text == claim.sentence


def test_only_statements_are_claims(read: Read) -> None:
    body = "Fire in Hamburg\n\nThe fire started at night. Who did it? Photo: Reuters"
    assert [claim.sentence for claim in read(body).claims] == ["The fire started at night."]


def test_claims_carry_how_factual_they_are(read: Read) -> None:
    fact, opinion = read("Acme was founded in 1990. I think this is a terrible and shameful idea!").claims
    assert opinion.factual < fact.factual


def test_mentions_carry_the_whole_name_and_leave_out_dates(read: Read) -> None:
    body = "Angela Merkel met Emmanuel Macron in 2015. Merkel flew home."
    found = [(mention.surface, mention.name, mention.type) for mention in read(body).mentions]
    assert found == [
        ("Angela Merkel", "Angela Merkel", "PERSON"),
        ("Emmanuel Macron", "Emmanuel Macron", "PERSON"),
        ("Merkel", "Angela Merkel", "PERSON"),
    ]


def test_names_without_a_triple_are_mentioned(read: Read) -> None:
    extraction = read("Look at Berlin, Paris and Rome!")
    assert {mention.name for mention in extraction.mentions} >= {"Berlin", "Paris", "Rome"}


def test_the_title_gives_the_whole_name(read: Read) -> None:
    body = "Jeremy Thomas Camp is a singer from Indiana. Camp has toured Europe."
    names = {mention.name for mention in read(body, title="Jeremy Camp").mentions}
    assert "Jeremy Camp" in names
    assert not names & {"Camp", "Jeremy Thomas Camp"}


@examples("body, text")
def test_a_claim_reads_as_english(read: Read, body: str, text: str) -> None:
    assert read(body).claims[-1].text == text


def names_by_surface(read: Read, body: str) -> dict[str, str]:
    return {mention.surface: mention.name for mention in read(body).mentions}


@examples("body, surface, name")
def test_declared_aliases_are_one_name(read: Read, body: str, surface: str, name: str) -> None:
    assert names_by_surface(read, body).get(surface) == name


def test_facts_of_an_alias_are_facts_of_the_name(read: Read) -> None:
    body = "Peter Novak, known as Grandmaster Pix, lives in Rome. Grandmaster Pix visited Berlin."
    assert ("Peter Novak", "visited", "Berlin") in facts_of(read(body))


@examples("body, surface")
def test_other_names_in_brackets_or_behind_known_are_not(read: Read, body: str, surface: str) -> None:
    assert names_by_surface(read, body).get(surface) == surface


def types_of(read: Read, body: str) -> dict[str, str]:
    return {mention.name: mention.type for mention in read(body).mentions}


@examples("body, name, kind")
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
