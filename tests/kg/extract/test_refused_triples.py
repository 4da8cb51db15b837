"""Sentences whose facts are easily turned into something that they don't say."""

from dataclasses import replace

import pytest

from kg.extract.article import weighed
from kg.extract.entities import clean_name
from kg.model import Triple
from tests.kg.extract.conftest import Read, facts_of, triples_of

REFUSED: dict[str, tuple[str, tuple[str, str, str]]] = {
    "a country's judge": (
        "U.S. District Judge Peter Novak ruled against Siemens.",
        ("Peter Novak", "is citizen of", "United States"),
    ),
    "a remark that is no profession": (
        "Anna Keller told Siemens, a choice leaving her helpless.",
        ("Siemens", "is", "choice"),
    ),
    "a father-in-law": (
        "Jonathan Binney was a merchant. His father-in-law was Henry Newton.",
        ("Henry Newton", "is father of", "Jonathan Binney"),
    ),
    "a brother who is new": (
        "Henry Newton was the son of John Adams. Jonathan Binney's brother John served in Lyon.",
        ("John Adams", "is brother of", "Jonathan Binney"),
    ),
    "the sister of the one before": (
        "He was the son of King Adolf Frederick of Sweden and Louisa Ulrika of Prussia, "
        "sister of Gustav Holm.",
        ("King Adolf Frederick", "is sister of", "Gustav Holm"),
    ),
    "a place's father": (
        "Stephen Binney was born in Halifax, the son of Hibbert Binney, who was the son of Jonathan Binney.",
        ("Halifax", "was son of", "Jonathan Binney"),
    ),
    "a place behind a church": (
        "There is a mural tablet at St. Paul's Church (Halifax) to his son commander Peter Novak.",
        ("Halifax", "belongs to", "St. Paul's Church"),
    ),
    "somebody who becomes an island": (
        "Jonathan Binney was born in Hull. In 1768, he became customs collector and judge for "
        "St. John's Island (later Prince Edward Island).",
        ("Jonathan Binney", "became", "Prince Edward Island"),
    ),
    "one of the treaties": (
        "Peter Novak was a signatory to one of the Halifax Treaties with the Mi'kmaq.",
        ("Peter Novak", "was signatory to one with", "Mi'kmaq"),
    ),
    "a party of another name": (
        "Benjamin Pierce was an American Democratic- Republican politician.",
        ("Benjamin Pierce", "is affiliated with", "Republican Party"),
    ),
    "a people that nobody joins": (
        "Marta Silva is an African American writer.",
        ("Marta Silva", "is affiliated with", "African American"),
    ),
    "the dates of who is of a place": (
        "Frederick William of Brandenburg-Schwedt (18 March 1715 - 12 September 1744) was a general.",
        ("Brandenburg-Schwedt", "died on", "12 September 1744"),
    ),
    "an hour in another zone": ("The game began at 9:54 ET, 1354 UTC.", ("ET", "is", "1354 UTC")),
    "what somebody is asked to do": (
        "Anna Keller called on church leaders to help Siemens.",
        ("Anna Keller", "called on", "church leaders"),
    ),
    "what is put somewhere": (
        "Anna Keller placed Ohio under a flood warning.",
        ("Anna Keller", "placed", "Ohio"),
    ),
    "the highest of what is left out": (
        "The Court of Session is the highest civil court in Scotland.",
        ("Court of Session", "is", "highest civil court"),
    ),
    "a mayor's town in its province": (
        "Charles Novak, the mayor of Esperanza, Sultan Kudarat, met Siemens.",
        ("Sultan Kudarat", "is mayor of", "Esperanza"),
    ),
    "an army in a war": (
        "Peter Novak served in the US Army in World War Two.",
        ("US Army", "is in", "World War Two"),
    ),
    "what somebody was to become": (
        "Anna Keller met future Siemens engineer Peter Novak.",
        ("Peter Novak", "is", "future Siemens engineer"),
    ),
    "what anybody is": ("Peter Novak was a young boy.", ("Peter Novak", "was", "young boy")),
    "several offices before one name": (
        "German actors Thomas Weber and Anna Keller met Siemens.",
        ("Thomas Weber", "is", "German actors"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_sentence_is_not_turned_into_what_it_does_not_say(read: Read, case: str) -> None:
    body, wrong = REFUSED[case]
    assert wrong not in facts_of(read(body))


FORMER = {
    "apposition": "Anna Keller, former president of Brazil, died in Rome.",
    "copula": "Anna Keller is a former president of Brazil.",
    "before the name": "Former Brazil president Anna Keller died in Rome.",
}


@pytest.mark.parametrize("case", FORMER)
def test_an_office_that_is_over_stays_former(read: Read, case: str) -> None:
    facts = facts_of(read(FORMER[case]))
    assert ("Anna Keller", "is former president of", "Brazil") in facts
    assert ("Anna Keller", "is president of", "Brazil") not in facts


@pytest.mark.parametrize(
    "body",
    [
        "Nuestras acciones estar\u00e1n dirigidas a ese fin y siempre estar\u00e1 primero.",
        "Le bilan est lourd, plusieurs policiers ont perdu la vie.",
    ],
)
def test_another_language_is_no_statement(read: Read, body: str) -> None:
    assert read(body).claims == ()


def test_a_description_that_names_nobody_is_no_subject(read: Read) -> None:
    body = "Several U.S. nationals had hidden during the Gulf War."
    assert triples_of(read(body)) == []


def test_a_thing_that_it_may_not_stand_for_does_nothing() -> None:
    bought = Triple("Globex", "bought", "Alstom", "ORG", "ORG", confidence=0.8)
    lives = Triple("Anna Keller", "lives in", "Lyon", "PERSON", "GPE", confidence=0.75)
    sure = Triple("Siemens", "bought", "Alstom", "ORG", "ORG", confidence=0.8)
    doubtful = frozenset({"Globex", "Anna Keller"})
    assert list(weighed([bought, lives, sure], doubtful, "")) == [replace(lives, confidence=0.5), sure]
    assert list(weighed([bought], doubtful, "The rise of Globex")) == [replace(bought, confidence=0.5)]


def test_a_name_has_no_invisible_characters() -> None:
    assert clean_name("Daily Xtra\u200d") == "Daily Xtra"


def test_a_nation_is_told_of_people_and_not_of_places(read: Read) -> None:
    facts = facts_of(read("Khartoum, a Saudi national, visited Siemens."))
    assert ("Khartoum", "is located in", "Saudi Arabia") not in facts
