"""Statements that would be half of what the sentence says, and the whole ones beside them."""

import pytest

from tests.kg.extract.conftest import Read, facts_of, triples_of

HALVES: dict[str, tuple[str, str]] = {
    "credited with": ("NASA credited Anna Keller with the success of Siemens.", "credited"),
    "sentenced to": ("Judge Anna Keller sentenced Peter Novak to life in prison.", "sentenced"),
    "described as": ("Anna Keller was described by Siemens as a strong leader.", "was described by"),
    "reacted to": ("Anna Keller reacted on Twitter.", "reacted on"),
    "called for a deed": (
        "Anna Keller called for the government of Ukraine to reduce corruption.",
        "called for",
    ),
    "paid for a deed": ("NASA pays for Russian spacecraft to carry people.", "pays for"),
    "an office that is lost": (
        "In 1995, Anna Keller was elected to her first of two terms.",
        "was elected in",
    ),
    "a share of what": ("The Siemens Institute indicates 82% of workers left.", "indicates"),
    "out of how many": (
        "Anna Keller won with 92 votes, out of roughly 160,000 members of the Conservative Party.",
        "won out of",
    ),
    "a number's noun": ("The Aviation Herald lists a tail number of EP-CPP.", "lists tail number of"),
    "which of two events": (
        "Peter Novak was given a medal after an arrest in 2006.",
        "was given medal after arrest in",
    ),
    "some of them": (
        "Two Democratic Representatives, Peter Novak and Anna Keller, opposed Siemens.",
        "opposed",
    ),
    "of the object": (
        "Peter Novak smuggled them out of the country disguised as a Canadian film crew.",
        "was disguised as",
    ),
    "which of two nouns": (
        "The United States announced a coalition to patrol the Persian Gulf which was joined by Australia.",
        "was joined by",
    ),
    "the place of a place": ("Acme Lodge near Pretoria, South Africa, was closed by Siemens.", "is near"),
}


@pytest.mark.parametrize("case", HALVES)
def test_half_a_statement_is_refused(read: Read, case: str) -> None:
    body, predicate = HALVES[case]
    found = {(said, thing) for _, said, thing in facts_of(read(body)) if said == predicate}
    assert found <= {("is near", "Pretoria")}


@pytest.mark.parametrize(
    ("body", "fact"),
    [
        ("Anna Keller reacted to Siemens.", ("Anna Keller", "reacted to", "Siemens")),
        ("NASA credited Anna Keller.", ("NASA", "credited", "Anna Keller")),
        (
            "Anna Keller was elected to Congress in 1996.",
            ("Anna Keller", "was elected to Congress in", "1996"),
        ),
        ("Anna Keller called for Siemens.", ("Anna Keller", "called for", "Siemens")),
        ("The Persian Gulf, which was joined by Oman, is warm.", ("Persian Gulf", "was joined by", "Oman")),
    ],
)
def test_a_whole_statement_is_kept(read: Read, body: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts_of(read(body))


@pytest.mark.parametrize(
    ("body", "predicates"),
    [
        ("Peter Novak and Anna Keller were arrested in Berlin.", {"was arrested in"}),
        ("Peter Novak and Anna Keller have visited Berlin.", {"has visited"}),
    ],
)
def test_a_verb_of_several_is_said_of_each(read: Read, body: str, predicates: set[str]) -> None:
    assert {triple.predicate for triple in triples_of(read(body))} == predicates


def test_what_several_are_each_of_them_is(read: Read) -> None:
    facts = facts_of(read("Peter Novak and Anna Keller are members of the Senate."))
    assert ("Anna Keller", "is", "member of the Senate") in facts
    assert ("Anna Keller", "is member of", "Senate") in facts


def test_when_somebody_was_elected_is_no_half(read: Read) -> None:
    body = "Anna Keller entered politics when elected as a member of Parliament."
    assert ("Anna Keller", "was elected as", "member of Parliament") in facts_of(read(body))
