"""What bonds from outside may do, and what stops a chain of right bonds."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityName, EntityType
from kg.resolve.bonds import BY_HAND, Bond
from kg.resolve.closure import stated_aliases, states_alias
from kg.resolve.exact import merge_exact
from tests.examples import examples, read_examples


def name(text: str, kind: EntityType = "ORG", article: str = "a1", count: int = 1) -> EntityName:
    return EntityName(text, kind, frozenset({article}), count)


def by_hand(*names: str) -> Bond:
    return Bond(names, 1.0, BY_HAND)


def by_model(*names: str, score: float = 0.8) -> Bond:
    return Bond(names, score, "a model says so")


def test_a_declared_bond_merges_with_its_evidence() -> None:
    merges = merge_exact(
        [name("Harrow Works"), name("Vell Mills", article="a2")], [by_model("Harrow Works", "Vell Mills")]
    )
    (alias,) = merges.aliases
    assert {alias.alias_name, alias.canonical} == {"Harrow Works", "Vell Mills"}
    assert (alias.score, alias.evidence) == (0.8, "a model says so")


def test_a_model_cannot_make_a_town_a_person_but_a_hand_can() -> None:
    names = [name("Vell", "GPE"), name("Ana Brel", "PERSON")]
    refused = merge_exact(names, [by_model("Vell", "Ana Brel")])
    assert len(refused.type_of) == 2
    assert "types" in refused.split[0].reason
    assert len(merge_exact(names, [by_hand("Vell", "Ana Brel")]).type_of) == 1


def test_a_bond_between_names_that_the_corpus_lacks_is_passed_over() -> None:
    merges = merge_exact([name("Vell")], [by_hand("Vell", "Nowhere"), by_hand("No", "Body")])
    assert merges.canonical == {"Vell": "Vell"}


def test_names_apart_stay_apart_whatever_bonds_them() -> None:
    names = [name("Vell Works", count=5), name("the Vell Works"), name("VELL WORKS")]
    merges = merge_exact(names, [by_hand("Vell Works", "the Vell Works")], [("the Vell Works", "Vell Works")])
    assert merges.canonical["the Vell Works"] != merges.canonical["Vell Works"]
    assert any("by hand" in split.reason for split in merges.split)


def test_a_chain_is_cut_at_its_weakest_bond() -> None:
    chain = [name(text, article=f"a{i}") for i, text in enumerate(("Alder", "Birch", "Cedar", "Doum"))]
    bonds = [
        by_model("Alder", "Birch", score=0.9),
        by_model("Birch", "Cedar", score=0.6),
        by_model("Cedar", "Doum", score=0.8),
    ]
    merges = merge_exact(chain, bonds, [("Doum", "Alder")])
    assert merges.canonical["Alder"] == merges.canonical["Birch"]
    assert merges.canonical["Cedar"] == merges.canonical["Doum"]
    (split,) = merges.split
    assert split.parts == (("Alder", "Birch"), ("Cedar", "Doum"))
    assert split.reason == "kept apart by hand"


def test_two_full_names_are_not_chained_by_a_short_one() -> None:
    names = [name("Ana Brel", "PERSON", "a1"), name("Otto Brel", "PERSON", "a2"), name("AOB", "MISC", "a3")]
    merges = merge_exact(names, [by_model("Ana Brel", "AOB", score=0.9), by_model("AOB", "Otto Brel")])
    assert merges.canonical["AOB"] == "Ana Brel"
    assert merges.canonical["Otto Brel"] == "Otto Brel"
    assert merges.split[0].reason == "full names of two people"


def test_a_bond_between_two_full_names_is_evidence_of_its_own() -> None:
    names = [name("Ana Brel", "PERSON", "a1"), name("Ana Ode", "PERSON", "a2")]
    assert len(merge_exact(names, [by_model("Ana Brel", "Ana Ode")]).type_of) == 1


def test_years_and_opposites_anywhere_in_a_group_stop_a_merge() -> None:
    names = [
        name("Vell Cup 2019", "EVENT", "a1"),
        name("Cup", "EVENT", "a2"),
        name("Vell Cup 2020", "EVENT", "a3"),
    ]
    bonds = [by_model("Cup", "Vell Cup 2019", score=0.9), by_model("Cup", "Vell Cup 2020")]
    merges = merge_exact(names, bonds)
    assert merges.canonical["Cup"] == "Vell Cup 2019"
    assert merges.canonical["Vell Cup 2020"] == "Vell Cup 2020"
    assert merges.split[0].reason == "conflicting numbers"


LETTERS = [f"N{letter}" for letter in "abcdefgh"]
PAIRS = st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS)).filter(lambda pair: pair[0] != pair[1])


@given(st.lists(PAIRS, max_size=12), st.lists(PAIRS, max_size=5), st.booleans())
def test_no_pair_that_was_split_is_one_and_every_alias_has_evidence(
    joined: list[tuple[str, str]], apart: list[tuple[str, str]], hand: bool
) -> None:
    bonds = [by_hand(*pair) if hand else by_model(*pair) for pair in joined]
    names = [name(text, article=text) for text in LETTERS]
    merges = merge_exact(names, bonds, apart)
    assert all(merges.canonical[one] != merges.canonical[other] for one, other in apart)
    assert {alias.alias_name for alias in merges.aliases} == {
        alias for alias, canonical in merges.canonical.items() if alias != canonical
    }
    assert merge_exact(names[::-1], bonds[::-1], [pair[::-1] for pair in apart]) == merges


def test_a_long_chain_takes_no_recursion() -> None:
    texts = [f"W{'a' * (i % 7)}{chr(97 + i % 26)}{'x' * (i // 26 + 1)}" for i in range(3_000)]
    names = [name(text, article=text) for text in texts]
    merges = merge_exact(names, [by_hand(*pair) for pair in pairwise(texts)])
    assert len(merges.type_of) == 1


KINDS: dict[str, EntityType] = read_examples("kg/resolve/closure")["kinds"]
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
