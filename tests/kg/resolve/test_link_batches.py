import random

from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.link_batches import (
    FACTS_A_BATCH,
    MOST_SHARING,
    PARTNERS_AN_ENTITY,
    kept_apart,
    link_batches,
    may_be_one,
    proposed_pairs,
)


def cards(**types: EntityType) -> dict[str, EntityCard]:
    """Cards whose ids are their names, with blanks for underscores."""
    names = {name.replace("_", " "): kind for name, kind in types.items()}
    return {name: EntityCard(name, name, kind) for name, kind in names.items()}


def fact(subject: str, predicate: str, other: str, claim: str = "c1") -> Fact:
    return Fact(f"{subject}|{predicate}|{other}|{claim}", subject, predicate, other, claim)


VALLEY = cards(Oda_Wexler="PERSON", lighthouse_keeper="CONCEPT", Tarn_Museum="ORG", Ivo_Brandt="PERSON")
FACTS = [
    fact("Oda Wexler", "sold lamp to", "Tarn Museum", "c1"),
    fact("lighthouse keeper", "signed contract with", "Tarn Museum", "c2"),
    fact("Ivo Brandt", "paid", "Tarn Museum", "c3"),
]


def test_entities_with_the_same_neighbour_are_proposed_but_two_full_names_are_not() -> None:
    assert proposed_pairs(FACTS, VALLEY, {}) == [
        ("Ivo Brandt", "lighthouse keeper"),
        ("Oda Wexler", "lighthouse keeper"),
    ]


def test_entities_of_one_claim_are_not_alike_for_its_words() -> None:
    known = cards(Reds="ORG", Blues="ORG", Vell="GPE", Marsk="GPE")
    facts = [fact("Reds", "won in", "Vell", "c1"), fact("Blues", "lost in", "Marsk", "c1")]
    assert proposed_pairs(facts, known, {"c1": "The Reds lifted the harbour trophy."}) == []


def test_entities_in_similar_claims_are_proposed() -> None:
    known = cards(Reds="ORG", Averell_Mariners="ORG", Vell="GPE", Marsk="GPE")
    facts = [fact("Reds", "won in", "Vell", "c1"), fact("Averell Mariners", "beat a side in", "Marsk", "c2")]
    texts = {"c1": "The Reds lifted the harbour trophy.", "c2": "They lifted the harbour trophy again."}
    assert ("Averell Mariners", "Reds") in proposed_pairs(facts, known, texts)
    assert proposed_pairs(facts, known, {"c1": "Lifted.", "c2": "They lifted."}) == []


def test_acronyms_and_shared_words_are_proposed() -> None:
    known = cards(
        Norholm_Health_Board="ORG", NHB="ORG", Health_Board="ORG", Vell="GPE", Marsk="GPE", Lund="GPE"
    )
    facts = [
        fact("Norholm Health Board", "is in", "Vell"),
        fact("NHB", "left", "Marsk"),
        fact("Health Board", "left", "Lund"),
    ]
    assert proposed_pairs(facts, known, {}) == [
        ("Health Board", "Norholm Health Board"),
        ("NHB", "Norholm Health Board"),
    ]


def test_what_a_fact_relates_as_two_things_is_not_proposed() -> None:
    known = cards(Brel_Works="ORG", Brel_Foods="ORG")
    assert proposed_pairs([fact("Brel Works", "bought", "Brel Foods")], known, {}) == []
    assert proposed_pairs([fact("Brel Works", "is", "Brel Foods")], known, {}) == [
        ("Brel Foods", "Brel Works")
    ]
    assert kept_apart(FACTS) == {tuple(sorted((one.subject, one.object))) for one in FACTS}


def test_types_numbers_and_opposites_tell_apart() -> None:
    one = cards(North_Vell="GPE", South_Vell="GPE", Vell_2019="EVENT", Vell_2021="EVENT", Vell="ORG")
    assert not may_be_one(one["North Vell"], one["South Vell"])
    assert not may_be_one(one["Vell 2019"], one["Vell 2021"])
    assert not may_be_one(one["Vell"], one["North Vell"])


def test_what_everybody_shares_proposes_nothing() -> None:
    clubs: dict[str, EntityType] = {f"club_{number}": "ORG" for number in range(MOST_SHARING + 1)}
    known = cards(Vell="GPE", **clubs)
    facts = [fact(name, "plays in", "Vell") for name in known if name != "Vell"]
    assert proposed_pairs(facts, known, {}) == []


def cluster(dice: random.Random, size: int) -> tuple[list[Fact], dict[str, EntityCard], dict[str, str]]:
    kinds: list[EntityType] = ["PERSON", "ORG", "CONCEPT", "GPE"]
    known = {}
    for number in range(max(2, size // 2)):
        name = f"{dice.choice('ABCDEFGH')}ell {dice.choice('KLMNOPQR')}and {number // 3}"
        known[f"e{number}"] = EntityCard(f"e{number}", name, dice.choice(kinds))
    ids = sorted(known)
    facts = [fact(dice.choice(ids), "knows", dice.choice(ids), f"c{number}") for number in range(size)]
    texts = {
        f"c{number}": " ".join(dice.choices(["harbour", "trophy", "lamp", "boat"], k=3))
        for number in range(size)
    }
    return facts, known, texts


@given(st.randoms(use_true_random=False), st.integers(0, 60))
def test_each_pair_is_in_a_batch_that_can_be_read(dice: random.Random, size: int) -> None:
    facts, known, texts = cluster(dice, size)
    pairs = proposed_pairs(facts, known, texts)
    batches = list(link_batches("c", facts, known, texts))
    together = [{card.id for card in batch.entities} for batch in batches]
    assert all(any(set(pair) <= ids for ids in together) for pair in pairs)
    for batch, ids in zip(batches, together, strict=True):
        assert len(batch.facts) <= FACTS_A_BATCH
        assert ids <= {end for one in batch.facts for end in (one.subject, one.object)}
    assert len(pairs) <= PARTNERS_AN_ENTITY * len(known)


@given(st.randoms(use_true_random=False))
def test_the_order_of_facts_does_not_matter(dice: random.Random) -> None:
    facts, known, texts = cluster(dice, 30)
    batches = list(link_batches("c", facts, known, texts))
    dice.shuffle(facts)
    assert list(link_batches("c", facts, known, texts)) == batches
