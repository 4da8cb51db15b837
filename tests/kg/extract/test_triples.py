"""What a reader would write down for a sentence, and what the rules write down.

Statements that would be half of what the sentence says, and the whole ones beside them.
Sentences whose facts are easily turned into something that they don't say.
"""

from dataclasses import replace

import pytest

from kg.extract.article import weighed
from kg.extract.entities import clean_name
from kg.model import LITERAL_TYPES, NAMED_TYPES, Triple
from tests.examples import examples, read_examples
from tests.kg.extract.conftest import Read, facts_of, triples_of

Fact = tuple[str, str, str]

STATED: dict[str, tuple[str, tuple[Fact, ...]]] = read_examples("kg/extract/triples")["stated"]


@pytest.mark.parametrize("case", STATED)
def test_a_sentence_gives_its_facts(read: Read, case: str) -> None:
    body, wanted = STATED[case]
    assert set(wanted) <= facts_of(read(body))


@examples("body")
def test_what_is_no_fact_gives_no_triple(read: Read, body: str) -> None:
    assert triples_of(read(body)) == []


@examples("body, wrong")
def test_a_fact_is_not_ascribed_to_a_neighbour(read: Read, body: str, wrong: Fact) -> None:
    assert wrong not in facts_of(read(body))


@examples("title, body, wanted")
def test_the_title_tells_whom_a_sentence_is_about(read: Read, title: str, body: str, wanted: Fact) -> None:
    assert wanted in facts_of(read(body, title=title))


@examples("body, aside")
def test_what_stands_beside_a_statement_is_told_from_it(read: Read, body: str, aside: bool) -> None:
    (told,) = [triple for triple in triples_of(read(body)) if triple.rule.startswith("role-")]
    assert told.aside is aside


@examples("body, name, kind")
def test_what_is_told_of_a_name_tells_its_type(read: Read, body: str, name: str, kind: str) -> None:
    assert {mention.type for mention in read(body).mentions if mention.name == name} == {kind}


def test_an_opinion_in_a_quotation_is_its_speakers(read: Read) -> None:
    body = 'Peter Novak wrote, "Anna Keller, a lovely singer, and my best friend of all."'
    said = [triple for triple in triples_of(read(body)) if triple.rule == "apposition"]
    assert said
    assert all(triple.attributed_to for triple in said)


def test_without_a_day_of_publication_relative_dates_are_left_out(read: Read) -> None:
    facts = facts_of(read("John Carter visited Berlin on Monday.", published_at=None))
    assert facts == {("John Carter", "visited", "Berlin")}


def test_types_and_ends(read: Read) -> None:
    bodies = " ".join(body for body, _ in STATED.values())
    triples = triples_of(read(bodies))
    assert len(triples) > 40
    for triple in triples:
        assert triple.subject_type not in LITERAL_TYPES
        assert {triple.subject_type, triple.object_type} & NAMED_TYPES or " " in triple.subject
        assert 0 < triple.confidence <= 1
        assert triple.rule


def test_a_sentence_states_a_fact_once_and_another_one_states_it_again(read: Read) -> None:
    claims = read("John Carter visited Berlin. In May, John Carter visited Berlin.").claims
    assert [[t.predicate for t in claim.triples].count("visited") for claim in claims] == [1, 1]


def test_a_fact_that_was_attributed_first_is_still_stated(read: Read) -> None:
    triples = triples_of(read("Anna Weber said Siemens bought Alstom. Siemens bought Alstom."))
    assert {bool(t.attributed_to) for t in triples if t.predicate == "bought"} == {True, False}


def test_a_day_before_a_name_is_no_office(read: Read) -> None:
    facts = facts_of(read("It was reported on Saturday Sirhan Sirhan was stabbed in California."))
    assert facts == {("Sirhan Sirhan", "was stabbed in", "California")}


@examples("body, predicate")
def test_half_a_statement_is_refused(read: Read, body: str, predicate: str) -> None:
    found = {(said, thing) for _, said, thing in facts_of(read(body)) if said == predicate}
    assert found <= {("is near", "Pretoria")}


@examples("body, fact")
def test_a_whole_statement_is_kept(read: Read, body: str, fact: Fact) -> None:
    assert fact in facts_of(read(body))


@examples("body, predicates")
def test_a_verb_of_several_is_said_of_each(read: Read, body: str, predicates: set[str]) -> None:
    assert {triple.predicate for triple in triples_of(read(body))} == predicates


def test_what_several_are_each_of_them_is(read: Read) -> None:
    facts = facts_of(read("Peter Novak and Anna Keller are members of the Senate."))
    assert ("Anna Keller", "is", "member of the Senate") in facts
    assert ("Anna Keller", "is member of", "Senate") in facts


def test_when_somebody_was_elected_is_no_half(read: Read) -> None:
    body = "Anna Keller entered politics when elected as a member of Parliament."
    assert ("Anna Keller", "was elected as", "member of Parliament") in facts_of(read(body))


@examples("body, wrong")
def test_a_sentence_is_not_turned_into_what_it_does_not_say(read: Read, body: str, wrong: Fact) -> None:
    assert wrong not in facts_of(read(body))


@examples("body")
def test_an_office_that_is_over_stays_former(read: Read, body: str) -> None:
    facts = facts_of(read(body))
    assert ("Anna Keller", "is former president of", "Brazil") in facts
    assert ("Anna Keller", "is president of", "Brazil") not in facts


@examples("body")
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


def test_a_name_has_both_marks_of_a_quotation_or_neither() -> None:
    assert clean_name('"Big Oda" Wexler\'s') == '"Big Oda" Wexler'
    assert clean_name('Joe "Big" Wexler') == 'Joe "Big" Wexler'
    assert clean_name('the "Tarn"') == "Tarn"
    assert clean_name('"Big Oda') == "Big Oda"
    assert clean_name('Oda" Wexler') == "Oda Wexler"


def test_a_nickname_in_quotation_marks_stays_whole_in_the_name_around_it(read: Read) -> None:
    facts = facts_of(read('Police sergeant Matiu "Matt" Ratana was shot in Croydon. Ratana lived in London.'))
    assert ('Matiu "Matt" Ratana', "was shot in", "Croydon") in facts
    assert ('Matiu "Matt" Ratana', "lived in", "London") in facts


def test_a_nation_is_told_of_people_and_not_of_places(read: Read) -> None:
    facts = facts_of(read("Khartoum, a Saudi national, visited Siemens."))
    assert ("Khartoum", "is located in", "Saudi Arabia") not in facts
