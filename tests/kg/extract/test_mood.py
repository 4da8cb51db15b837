"""Facts that are denied, or that somebody only says, are kept and marked."""

from pathlib import Path

import pytest
import yaml

from tests.kg.extract.conftest import Read, triples_of

DENIED = [
    ("Marta Silva did not visit Berlin.", "did not visit"),
    ("Luis Moreno never played for Real Madrid.", "never played for"),
    ("Johnson & Johnson won't sell its vaccine in India.", "will not sell vaccine in"),
    ("John Carter no longer works for Siemens.", "no longer works for"),
    ("John Carter failed to win the Nobel Prize.", "failed to win"),
    ("John Carter refused to join Siemens.", "refused to join"),
    ("John Carter stopped working for Siemens.", "stopped working for"),
    ("John Carter was not born in Rome but in Berlin.", "was not born in"),
    ("Acme Corporation was never acquired by Globex.", "was never acquired by"),
    ("Barclays Bank rarely lends to Siemens.", "rarely lends to"),
]


@pytest.mark.parametrize(("body", "predicate"), DENIED)
def test_denied_facts_are_marked(read: Read, body: str, predicate: str) -> None:
    (triple,) = triples_of(read(body))
    assert (triple.predicate, triple.negated) == (predicate, True)


@pytest.mark.parametrize(
    "body",
    [
        "Neither John Carter nor Anna Keller visited Berlin.",
        "John Carter neither visited Berlin nor met Anna Keller.",
        "John Carter met neither Anna Keller nor Peter Novak.",
        "John Carter is no longer chief executive of Siemens.",
        "John Carter is not the president of Siemens.",
    ],
)
def test_all_that_a_negation_covers_is_marked(read: Read, body: str) -> None:
    triples = triples_of(read(body))
    assert len(triples) == 2
    assert all(triple.negated for triple in triples)
    assert all({"not", "no"} & set(triple.predicate.split()) for triple in triples)


def test_what_is_not_denied_beside_a_negation_is_not_marked(read: Read) -> None:
    found = {t.object: t.negated for t in triples_of(read("John Carter left Rome and did not visit Berlin."))}
    assert found == {"Rome": False, "Berlin": True}


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("Police said that John Carter had visited Berlin.", "Police"),
        ("Anna Keller testified that John Carter visited Berlin.", "Anna Keller"),
        ("Anna Keller claimed John Carter had visited Berlin.", "Anna Keller"),
        ("Anna Keller believes that John Carter visited Berlin.", "Anna Keller"),
        ("Prosecutors alleged that John Carter visited Berlin.", "Prosecutors"),
        ("John Carter, officials said, visited Berlin.", "officials"),
        ("John Carter visited Berlin, police said.", "police"),
        ("According to Reuters, John Carter visited Berlin.", "Reuters"),
        ("John Carter visited Berlin, according to Reuters.", "Reuters"),
        ("Anna Keller told the BBC that John Carter had visited Berlin.", "Anna Keller"),
        ('"John Carter visited Berlin," said Anna Keller.', "Anna Keller"),
        ('Anna Keller said: "John Carter visited Berlin."', "Anna Keller"),
        ("It was reported that John Carter visited Berlin.", "unnamed source"),
        ("John Carter allegedly visited Berlin.", "unnamed source"),
        ("John Carter reportedly visited Berlin.", "unnamed source"),
        ("John Carter is said to have visited Berlin.", "unnamed source"),
    ],
)
def test_a_reported_fact_names_its_source_and_is_less_sure(read: Read, body: str, source: str) -> None:
    (plain,) = triples_of(read("John Carter visited Berlin."))
    (reported,) = triples_of(read(body))
    assert (reported.subject, reported.object, reported.attributed_to) == ("John Carter", "Berlin", source)
    assert not reported.negated
    assert reported.confidence < plain.confidence


@pytest.mark.parametrize(
    "body",
    [
        "Anna Keller denied that John Carter visited Berlin.",
        "Anna Keller dismissed reports that John Carter visited Berlin.",
    ],
)
def test_what_somebody_denies_is_denied_in_their_name(read: Read, body: str) -> None:
    (triple,) = triples_of(read(body))
    assert (triple.subject, triple.object, triple.negated) == ("John Carter", "Berlin", True)
    assert triple.attributed_to


def test_a_denied_denial_of_ones_own_is_denied_once(read: Read) -> None:
    (triple,) = triples_of(read("John Carter denied visiting Berlin."))
    assert (triple.negated, triple.attributed_to) == (True, "John Carter")


def test_a_fact_beside_a_report_is_nobodys(read: Read) -> None:
    body = "John Carter, who lives in Rome, said Siemens bought Alstom."
    found = {t.object: t.attributed_to for t in triples_of(read(body))}
    assert found == {"Rome": "", "Alstom": "John Carter"}


def test_quoted_speech_without_a_speaker_is_still_somebodys(read: Read) -> None:
    body = 'The paper wrote a lot. "Siemens bought Alstom in Paris last year."'
    triples = triples_of(read(body))
    assert triples
    assert all(triple.attributed_to for triple in triples)


def test_what_is_only_said_denied_imagined_or_asked_is_never_a_plain_fact(read: Read) -> None:
    cases = yaml.safe_load(Path("tests/data/not_stated_as_fact.yaml").read_text(encoding="utf-8"))
    assert len(cases) >= 60
    for case in cases:
        for triple in triples_of(read(case["sentence"])):
            joins = {triple.subject, triple.object} == set(case["pair"])
            assert not joins or triple.negated or triple.attributed_to or triple.confidence < 0.8, case
