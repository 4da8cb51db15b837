import pytest

from kg.model import EntityName, EntityType
from kg.resolve.exact import merge_exact
from kg.resolve.stated_aliases import stated_aliases, states_alias

KINDS: dict[str, EntityType] = {
    "Vell Works": "ORG",
    "Harrow Mills": "ORG",
    "Vellmouth": "GPE",
    "Saint Ode": "PERSON",
    "Ana Brel": "PERSON",
    "Falcon": "MISC",
    "Cardine": "PRODUCT",
    "Pelosin": "MISC",
    "VW": "ORG",
    "BKK": "ORG",
    "Harrow": "GPE",
    "church": "CONCEPT",
    "Greens": "ORG",
}
NAMES = [EntityName(name, kind, frozenset({"a1"}), 1) for name, kind in KINDS.items()]


def found(sentence: str) -> set[tuple[str, ...]]:
    return {bond.names for bond in stated_aliases([("a1", sentence)], NAMES)}


@pytest.mark.parametrize(
    ("sentence", "pair"),
    [
        ("Vell Works, also known as Harrow Mills, closed.", ("Harrow Mills", "Vell Works")),
        ("The Vell Works was formerly named the Harrow Mills.", ("Harrow Mills", "Vell Works")),
        ("They sued Vell Works, formerly Harrow Mills, in May.", ("Harrow Mills", "Vell Works")),
        ("Vell Works (formerly Harrow Mills) closed.", ("Harrow Mills", "Vell Works")),
        ("Vell Works, previously called Harrow Mills, closed.", ("Harrow Mills", "Vell Works")),
        ("Vell Works was renamed Harrow Mills.", ("Harrow Mills", "Vell Works")),
        ("Pelosin is sold as Cardine, and people swear by it.", ("Cardine", "Pelosin")),
        ("Cardine's generic name is Pelosin.", ("Cardine", "Pelosin")),
        ('Ana Brel, nicknamed "the Falcon", won.', ("Ana Brel", "Falcon")),
        ("Vell Works (VW) closed.", ("VW", "Vell Works")),
        ("Harrow Mills (BKK) closed.", ("BKK", "Harrow Mills")),
        ("It was so. Cardine was approved in May. Its generic name is Pelosin.", ("Cardine", "Pelosin")),
        ("Vellmouth was formerly named Saint Ode. Ana Brel left.", ("Saint Ode", "Vellmouth")),
    ],
)
def test_what_a_sentence_says_to_be_one(sentence: str, pair: tuple[str, str]) -> None:
    assert found(sentence) == {pair}


@pytest.mark.parametrize(
    "sentence",
    [
        "Vell Works called Harrow Mills.",
        "Ana Brel (Greens) spoke.",
        "Ana Brel (BKK) spoke.",
        "Vellmouth (Harrow) is wet.",
        "Vell Works, formerly a church, closed.",
        "Ana Brel, nicknamed the Falcon of Harrow, won.",
        "Vell Works is not known as Harrow Mills.",
        "Vell Works named Ana Brel.",
        "Vell Works and Harrow Mills closed.",
        'Vell Works, nicknamed the "Ana Brel Works of Harrow", closed.',
        "Vellmouth, formerly Harrow Hills, closed.",
        "It was so. People praised Cardine in May. Its generic name is Pelosin.",
    ],
)
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


def test_a_statement_counts_more_than_a_guessed_type_of_a_lone_name() -> None:
    bonds = stated_aliases([("a1", "Vellmouth was formerly named Saint Ode.")], NAMES)
    merges = merge_exact(NAMES, bonds)
    assert merges.canonical["Saint Ode"] == merges.canonical["Vellmouth"]
    together = [*NAMES, EntityName("the Vellmouth", "GPE", frozenset({"a1"}), 1)]
    more = [*together, EntityName("the Saint Ode", "PERSON", frozenset({"a1"}), 1)]
    assert merge_exact(more, bonds).canonical["Saint Ode"] != "Vellmouth"


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("is also known as", True), ("was renamed", True), ("performed under ring name", True),
        ("goes by the name", True), ("is abbreviated as", True), ("is short for", True),
        ("has the nickname", True), ("was formerly named", True), ("was cottage called", True),
        ("is known for devising", False), ("was named in reports on", False), ("called", False),
        ("was called an idiot by", False), ("named", False), ("was renamed in", False),
        ("released name of", False), ("fell short of", False), ("was", False), ("", False),
    ],
)  # fmt: skip
def test_a_predicate_may_state_an_alias(predicate: str, expected: bool) -> None:
    assert states_alias(predicate) == expected
