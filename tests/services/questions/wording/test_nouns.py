from kg.model import EntityType
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import with_text_nouns
from services.questions.wording.nouns import is_organisation, known_place, noun_of, question_word
from services.questions.wording.predicates import parse, wordable
from tests.examples import examples


@examples("name, kind, leads, before, noun")
def test_a_noun_follows_the_name_and_the_predicates_before_the_type(
    name: str, kind: EntityType, leads: tuple[str, ...], before: tuple[str, ...], noun: str
) -> None:
    assert noun_of(Stop("s", name, kind), leads, before) == noun


def test_what_claims_call_it_comes_first_unless_a_predicate_denies_it() -> None:
    stop = Stop("s", "Quorran", "PERSON", nouns=("clean fight", "drug maker"))
    assert noun_of(stop, ("acquired",)) == "drug maker"
    assert noun_of(Stop("s", "Ann Bell", "PERSON", nouns=("hospital",)), ("is married to",)) == "person"


@examples("name, kind, called, predicate, noun")
def test_what_it_is_called_fits_its_own_name_and_says_more_than_region(
    name: str, kind: EntityType, called: str, predicate: str, noun: str
) -> None:
    assert noun_of(Stop("s", name, kind, nouns=(called,)), (predicate,)) == noun


@examples("called, noun")
def test_what_claims_call_it_goes_without_names_years_and_ordinals(called: str, noun: str) -> None:
    assert noun_of(Stop("s", "Quorran", "MISC", nouns=(called,))) == noun


def test_a_noun_that_repeats_a_name_is_not_used() -> None:
    stop = Stop("s", "Tavisk Island", "LOC", aliases=("Island",))
    assert noun_of(stop, ("is located on",), (), {"island"}) == "place"


@examples("name, kind, predicate, word")
def test_the_word_that_asks_fits_the_answer(name: str, kind: EntityType, predicate: str, word: str) -> None:
    assert question_word(Stop("s", name, kind), (predicate,)) == word


def test_an_organisation_is_told_by_its_head() -> None:
    assert is_organisation("Ministry of Health") and is_organisation("Stenbury Commission")
    assert not is_organisation("Ann Bell") and not is_organisation("River Ostrel")


@examples("predicate, parts")
def test_a_predicate_is_taken_apart(predicate: str, parts: tuple[str, str, str, str]) -> None:
    found = parse(predicate)
    assert (found.voice, found.verb, found.complement, found.preposition) == parts


@examples("predicate")
def test_verb_groups_can_be_worded(predicate: str) -> None:
    assert wordable(predicate)


@examples("predicate")
def test_what_says_nothing_or_drags_a_clause_along_is_refused(predicate: str) -> None:
    assert not wordable(predicate)


@examples("name, kind, noun")
def test_a_place_that_lists_know_is_called_what_it_is(name: str, kind: EntityType, noun: str) -> None:
    assert known_place(Stop("s", name, kind)) == noun


@examples("name, kind, sentence, nouns")
def test_sentences_say_what_things_and_places_are(
    name: str, kind: EntityType, sentence: str, nouns: tuple[str, ...]
) -> None:
    fact = Fact(1, "", "", "Acme", "built", name, "", sentence)
    assert with_text_nouns([Stop("a", "Acme", "ORG"), Stop("b", name, kind)], [fact])[1].nouns == nouns
