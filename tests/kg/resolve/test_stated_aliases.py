from kg.model import EntityName, EntityType
from kg.resolve.exact import merge_exact
from kg.resolve.stated_aliases import stated_aliases, states_alias
from tests.examples import examples, read_examples

KINDS: dict[str, EntityType] = read_examples("kg/resolve/stated_aliases")["kinds"]
NAMES = [EntityName(name, kind, frozenset({"a1"}), 1) for name, kind in KINDS.items()]


def found(sentence: str) -> set[tuple[str, ...]]:
    return {bond.names for bond in stated_aliases([("a1", sentence)], NAMES)}


@examples("sentence, pair")
def test_what_a_sentence_says_to_be_one(sentence: str, pair: tuple[str, str]) -> None:
    assert found(sentence) == {pair}


@examples("sentence")
def test_what_a_sentence_does_not_say(sentence: str) -> None:
    assert found(sentence) == set()


def test_the_sentence_and_its_article_are_the_evidence() -> None:
    (bond,) = stated_aliases([("a7", "Vellmouth was formerly named Saint Ode.")], NAMES)
    assert bond.evidence == 'article says "Vellmouth was formerly named Saint Ode." (a7)'


def test_two_articles_that_say_it_give_one_bond_whatever_their_order() -> None:
    texts = [
        ("a2", "He left.\nVellmouth was formerly\nnamed Saint Ode."),
        ("a1", "Vellmouth, once named Saint Ode."),
    ]
    (bond,) = stated_aliases(texts, NAMES)
    assert bond.evidence == 'article says "Vellmouth was formerly named Saint Ode." (a2)'
    assert stated_aliases(reversed(texts), NAMES) == [bond]


@examples("title, text, one")
def test_a_title_is_another_name_of_whom_its_text_calls_by_more(title: str, text: str, one: bool) -> None:
    people = ("Ana Brel", "Ana M. Brel", "Ana Maria Brel", "Ana Maria Clara Brel")
    names = [EntityName(name, "PERSON", frozenset({name}), 1) for name in people]
    bonds = stated_aliases([(title, text)], names)
    assert len(bonds) == one
    merges = merge_exact(names, bonds)
    assert len(set(merges.canonical.values())) == len(names) - one


def test_a_statement_counts_more_than_a_guessed_type_of_a_lone_name() -> None:
    bonds = stated_aliases([("a1", "Vellmouth was formerly named Saint Ode.")], NAMES)
    merges = merge_exact(NAMES, bonds)
    assert merges.canonical["Saint Ode"] == merges.canonical["Vellmouth"]
    together = [*NAMES, EntityName("the Vellmouth", "GPE", frozenset({"a1"}), 1)]
    more = [*together, EntityName("the Saint Ode", "PERSON", frozenset({"a1"}), 1)]
    assert merge_exact(more, bonds).canonical["Saint Ode"] != "Vellmouth"


@examples("predicate, expected")
def test_a_predicate_may_state_an_alias(predicate: str, expected: bool) -> None:
    assert states_alias(predicate) == expected
