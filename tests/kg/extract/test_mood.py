"""Facts that are denied, or that somebody only says, are kept and marked."""

from pathlib import Path

import yaml

from tests.examples import examples
from tests.kg.extract.conftest import Read, triples_of


@examples("body, predicate")
def test_denied_facts_are_marked(read: Read, body: str, predicate: str) -> None:
    (triple,) = triples_of(read(body))
    assert (triple.predicate, triple.negated) == (predicate, True)


@examples("body")
def test_all_that_a_negation_covers_is_marked(read: Read, body: str) -> None:
    triples = triples_of(read(body))
    assert len(triples) == 2
    assert all(triple.negated for triple in triples)
    assert all({"not", "no"} & set(triple.predicate.split()) for triple in triples)


def test_what_is_not_denied_beside_a_negation_is_not_marked(read: Read) -> None:
    found = {t.object: t.negated for t in triples_of(read("John Carter left Rome and did not visit Berlin."))}
    assert found == {"Rome": False, "Berlin": True}


@examples("body, source")
def test_a_reported_fact_names_its_source_and_is_less_sure(read: Read, body: str, source: str) -> None:
    (plain,) = triples_of(read("John Carter visited Berlin."))
    (reported,) = triples_of(read(body))
    assert (reported.subject, reported.object, reported.attributed_to) == ("John Carter", "Berlin", source)
    assert not reported.negated
    assert reported.confidence < plain.confidence


@examples("body")
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
