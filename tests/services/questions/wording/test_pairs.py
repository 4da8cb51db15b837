import pytest

from kg.model import EntityType
from services.questions.draft import Stop
from services.questions.wording.chain import (
    event_clause,
    order_question,
    relation_question,
    same_object_question,
    which_of_question,
)


@pytest.mark.parametrize(
    ("subject", "predicate", "name", "kind", "question"),
    [
        ("Port Averell", "is governed by", "Ann Bell", "PERSON", "Who governs Port Averell?"),
        ("Averell Mariners", "are based in", "Rell", "GPE", "Where are the Averell Mariners based?"),
        ("Ministry of Health", "has banned", "Velimab", "ORG", "What has the Ministry of Health banned?"),
        ("Ann Bell", "studied at", "Rell College", "ORG", "At which college did Ann Bell study?"),
    ],
)
def test_a_single_fact_is_asked_for_its_object(
    subject: str, predicate: str, name: str, kind: EntityType, question: str
) -> None:
    assert relation_question(subject, predicate, Stop("s", name, kind)) == question


@pytest.mark.parametrize(
    ("predicate", "noun", "question"),
    [
        (
            "is headquartered in",
            "place",
            "Are Acme and the Health Board headquartered in the same place?",
        ),
        ("studied at", "university", "Did Acme and the Health Board study at the same university?"),
        ("is governed by", "person", "Are Acme and the Health Board governed by the same person?"),
        ("has joined", "club", "Have Acme and the Health Board joined the same club?"),
        ("is daughter of", "person", "Are Acme and the Health Board daughters of the same person?"),
        ("owns stake in", "bank", "Do Acme and the Health Board own a stake in the same bank?"),
    ],
)
def test_two_are_asked_whether_they_share_an_object(predicate: str, noun: str, question: str) -> None:
    assert same_object_question("Acme", "Health Board", predicate, noun) == question


def test_one_of_two_is_asked_for() -> None:
    text = which_of_question("Acme", "Rell Foundation", "are based in", "Isle of Tavisk")
    assert text == "Which of Acme and the Rell Foundation is based in the Isle of Tavisk?"
    text = which_of_question("Rell", "Ostrel", "is capital of", "Ormelund")
    assert text == "Which of Rell and Ostrel is the capital of Ormelund?"
    text = which_of_question("Ann Bell", "Otto Lind", "is citizen of", "Ormelund")
    assert text == "Which of Ann Bell and Otto Lind is a citizen of Ormelund?"


@pytest.mark.parametrize(
    ("subject", "predicate", "object", "clause"),
    [
        ("Averell Mariners", "won Averell Cup on", "", "the Averell Mariners won the Averell Cup"),
        ("Stenbury Commission", "published Stenbury Commission's report on", "",
         "the Stenbury Commission published its report"),
        ("Ann Bell", "published Ann Bell's report in", "", "Ann Bell published their report"),
        ("Rell", "is capital of", "Ormelund", "Rell is the capital of Ormelund"),
        ("Velimab", "was recalled", "", "Velimab was recalled"),
        ("Acme", "owns stake in", "Tidewell Bank", "Acme owns a stake in Tidewell Bank"),
    ],
)  # fmt: skip
def test_a_fact_becomes_a_clause(subject: str, predicate: str, object: str, clause: str) -> None:  # noqa: A002
    assert event_clause(subject, predicate, object) == clause


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("the Averell Mariners won the Averell Cup", "Velimab was recalled",
         "Did the Averell Mariners win the Averell Cup before or after Velimab was recalled?"),
        ("Velimab was recalled", "Ann Bell left", "Was Velimab recalled before or after Ann Bell left?"),
        ("the Tour of the Marches opened", "Rell flooded",
         "Did the Tour of the Marches open before or after Rell flooded?"),
        ("Acme has joined it", "Rell left it", "Has Acme joined it before or after Rell left it?"),
    ],
)  # fmt: skip
def test_two_events_are_asked_for_their_order(first: str, second: str, question: str) -> None:
    assert order_question(first, second) == question
