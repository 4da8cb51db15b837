"""Claims that stand alone, and mentions with whole names."""

import pytest

from tests.kg.extract.conftest import Read


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "Anna Keller plays for Bayern Munich. She scored three goals.",
            "Anna Keller scored three goals.",
        ),
        (
            "Anna Keller plays for Bayern Munich. Her brother lives in Rome.",
            "Anna Keller's brother lives in Rome.",
        ),
        ("Anna Keller was hurt. Keller left the pitch.", "Anna Keller left the pitch."),
        (
            "The World Health Organization (WHO) met. The WHO is based in Geneva.",
            "The World Health Organization is based in Geneva.",
        ),
        ("John Carter resigned on Monday.", "John Carter resigned on Monday [2018-12-31]."),
        ("John Carter resigned in 2012.", "John Carter resigned in 2012."),
        (
            "Anna Ruiz, the health minister, came to Berlin. The health minister opened Charity Hospital.",
            "Anna Ruiz opened Charity Hospital.",
        ),
        (
            "Foreign Minister John Carter flew to Rome. Anna Keller met the foreign minister.",
            "Anna Keller met John Carter.",
        ),
        (
            "Anna Ruiz, the health minister, came to Berlin. The foreign minister stayed in Rome.",
            "The foreign minister stayed in Rome.",
        ),
        (
            "Anna Ruiz, a health minister, met John Carter, a health minister. The health minister left.",
            "The health minister left.",
        ),
    ],
)
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


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "The World Health Organization met. In Rome, it was praised.",
            "In Rome, the World Health Organization was praised.",
        ),
        (
            "Anna Keller sang. At the time of her death, Anna Keller lived in Rome.",
            "At the time of her death, Anna Keller lived in Rome.",
        ),
        ("Anna Keller sang. But Keller left.", "Anna Keller left."),
        (
            "Anna Keller sang. In today's match, Keller scored.",
            "In today's [2019-01-04] match, Anna Keller scored.",
        ),
    ],
)
def test_a_claim_reads_as_english(read: Read, body: str, text: str) -> None:
    assert read(body).claims[-1].text == text
