import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.contextual import distinct_pairs
from kg.resolve.link_batches import (
    FACTS_A_SIDE,
    MOST_SHARING,
    PAIRS_A_REQUEST,
    PARTNERS_AN_ENTITY,
    link_batches,
    proposed_pairs,
)
from kg.resolve.pair_likeness import is_description, may_be_one
from tests.examples import examples


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
    assert list(proposed_pairs(FACTS, VALLEY, {})) == [
        ("Ivo Brandt", "lighthouse keeper"),
        ("Oda Wexler", "lighthouse keeper"),
    ]


@pytest.mark.parametrize("thing", ["old lamp", "another keeper", "lighthouse keepers", "brother"])
def test_a_person_is_no_thing_no_other_and_no_group(thing: str) -> None:
    known = {**VALLEY, thing: EntityCard(thing, thing, "CONCEPT")}
    found = proposed_pairs([*FACTS, fact(thing, "is in", "Tarn Museum", "c4")], known, {})
    assert found
    assert not [pair for pair in found if thing in pair]


def test_what_stands_in_one_claim_beside_each_other_is_not_alike_for_it() -> None:
    known = cards(Reds="ORG", Blues="ORG", Vell="GPE", Marsk="GPE")
    facts = [fact("Reds", "won cup in", "Vell", "c1"), fact("Blues", "won cup in", "Vell", "c1")]
    assert list(proposed_pairs(facts, known, {"c1": "The Reds lifted the harbour trophy."})) == []
    facts[1] = fact("Blues", "won cup in", "Vell", "c2")
    assert list(proposed_pairs(facts, known, {})) == [("Blues", "Reds")]


def test_events_in_similar_claims_are_proposed_and_firms_need_more() -> None:
    texts = {"c1": "The storm sank the harbour ferry.", "c2": "In the gale, the ferry of the harbour sank."}
    for kind, found in (("EVENT", [("gale", "storm")]), ("ORG", [])):
        known = {**cards(Vell="GPE", Marsk="GPE"), **{n: EntityCard(n, n, kind) for n in ("storm", "gale")}}  # type: ignore[arg-type]
        facts = [fact("storm", "hit", "Vell", "c1"), fact("gale", "passed over", "Marsk", "c2")]
        assert list(proposed_pairs(facts, known, texts)) == found


def test_acronyms_and_short_names_are_proposed() -> None:
    known = cards(
        Norholm_Health_Board="ORG", NHB="ORG", Health_Board="ORG", Norholm="GPE", Norholm_Board_Trust="ORG"
    )
    facts = [
        fact("Norholm Health Board", "is in", "Vell"),
        fact("NHB", "left", "Marsk"),
        fact("Health Board", "left", "Lund"),
        fact("Norholm Board Trust", "is in", "Ostby"),
        fact("Norholm", "lies on", "Sundet"),
    ]
    assert list(proposed_pairs(facts, known, {})) == [
        ("Health Board", "Norholm Health Board"),
        ("NHB", "Norholm Health Board"),
    ]


def test_spellings_with_a_country_s_abbreviation_are_short_names_too() -> None:
    known = {
        name: EntityCard(name, name, "FAC")
        for name in ("U.S. Embassy", "United States Embassy in Lund", "British Consulate in Lund")
    }
    facts = [fact(name, "is in", f"town {number}", f"c{number}") for number, name in enumerate(known)]
    assert list(proposed_pairs(facts, known, {})) == [("U.S. Embassy", "United States Embassy in Lund")]


@examples("one, other, kind, in_paths, proposed")
def test_phrases_are_asked_about_where_paths_go_through_them_and_codes_everywhere(
    one: str, other: str, kind: EntityType, in_paths: bool, proposed: bool
) -> None:
    known = {name: EntityCard(name, name, kind, in_paths=in_paths) for name in (one, other)}
    facts = [fact(one, "troubled", "Oda Wexler", "c1"), fact(other, "led to", "Ivo Brandt", "c2")]
    assert bool(proposed_pairs(facts, known, {})) == proposed


def test_what_a_fact_relates_as_two_things_is_not_proposed() -> None:
    known = cards(Brel_Works="ORG", Brel_Foods="ORG")
    assert list(proposed_pairs([fact("Brel Works", "bought", "Brel Foods")], known, {})) == []
    assert list(proposed_pairs([fact("Brel Works", "is", "Brel Foods")], known, {})) == [
        ("Brel Foods", "Brel Works")
    ]
    assert distinct_pairs(FACTS) == {tuple(sorted((one.subject, one.object))) for one in FACTS}


def test_a_description_of_which_nothing_else_is_told_is_not_asked_about() -> None:
    known = cards(Mira_Tolland="PERSON", mayor="CONCEPT", Vell="GPE")
    said = fact("Mira Tolland", "is", "mayor", "c1")
    assert list(proposed_pairs([said], known, {})) == []
    assert list(proposed_pairs([said, fact("mayor", "opened bridge in", "Vell", "c2")], known, {})) == [
        ("Mira Tolland", "mayor")
    ]


def test_two_descriptions_are_never_asked_about_whatever_their_types() -> None:
    types: dict[str, EntityType] = {
        "Vice Governor": "CONCEPT", "Vice Governor of Averell": "PERSON", "vice governor": "MISC"
    }  # fmt: skip
    known = {name: EntityCard(name, name, kind) for name, kind in types.items()}
    facts = [fact(name, "opened", f"bridge {number}", f"c{number}") for number, name in enumerate(known)]
    assert all(map(is_description, known.values()))
    assert list(proposed_pairs(facts, known, {})) == []
    assert not is_description(EntityCard("g", "Governor Mira Tolland", "PERSON"))


def test_types_numbers_and_opposites_tell_apart() -> None:
    one = cards(North_Vell="GPE", South_Vell="GPE", Vell_2019="EVENT", Vell_2021="EVENT", Vell="ORG")
    assert not may_be_one(one["North Vell"], one["South Vell"])
    assert not may_be_one(one["Vell 2019"], one["Vell 2021"])
    assert not may_be_one(one["Vell"], one["North Vell"])


def test_what_everybody_shares_proposes_nothing() -> None:
    clubs: dict[str, EntityType] = {f"{chr(97 + n)}{'x' * n}": "ORG" for n in range(MOST_SHARING + 1)}
    known = cards(Vell="GPE", **clubs)
    facts = [fact(name, "plays in", "Vell", name) for name in known if name != "Vell"]
    assert list(proposed_pairs(facts, known, {})) == []
    fewer = [one for one in facts if one.subject not in {"a", "bx"}]
    assert proposed_pairs(fewer, known, {})


def test_a_pair_comes_with_the_facts_that_proposed_it_first() -> None:
    others = [fact("Oda Wexler", f"visited {number}", f"town {number}", f"a{number}") for number in range(9)]
    (batch,) = link_batches({"k": [*others, *FACTS[:2]]}, VALLEY, {})
    (pair,) = batch.pairs
    assert (pair.a, pair.b, pair.clusters) == ("Oda Wexler", "lighthouse keeper", ("k",))
    assert {FACTS[0], FACTS[1]} <= {*pair.facts}
    assert len(pair.facts) == FACTS_A_SIDE + 1
    assert set(batch.claims) == {one.claim for one in pair.facts}


def test_what_many_hold_proposes_nothing_and_stands_behind_what_did() -> None:
    """Both served alike, which is no sign; that both sank a ferry is one."""
    known = {name: EntityCard(name, name, "EVENT") for name in ("storm", "gale")}
    facts = [
        fact(name, predicate, f"{object_} {name if predicate == 'sank' else ''}", f"{name} {object_}")
        for name in known
        for predicate, object_ in (
            ("served as head of", "Vell"),
            ("became mayor of", "Tarn"),
            ("sank", "ferry"),
        )
    ]
    texts = {one.claim: "It sank the harbour ferry." for one in facts if one.predicate == "sank"}
    (proposers,) = proposed_pairs(facts, known, texts).values()
    assert proposers == {"storm ferry", "gale ferry"}
    (batch,) = link_batches({"k": facts}, known, texts)
    assert proposers < {*batch.claims}
    assert len(batch.claims) == 2 * FACTS_A_SIDE


def test_a_pair_that_two_clusters_propose_alike_is_asked_about_once() -> None:
    (batch,) = link_batches({"k2": FACTS[:2], "k1": FACTS[:2]}, VALLEY, {})
    assert [pair.clusters for pair in batch.pairs] == [("k1", "k2")]


def cluster(dice: random.Random, size: int) -> tuple[list[Fact], dict[str, EntityCard], dict[str, str]]:
    kinds: list[EntityType] = ["PERSON", "ORG", "CONCEPT", "EVENT"]
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
def test_each_pair_is_in_one_batch_that_can_be_read(dice: random.Random, size: int) -> None:
    facts, known, texts = cluster(dice, size)
    pairs = [*proposed_pairs(facts, known, texts)]
    batches = link_batches({"k": facts}, known, texts)
    assert sorted((pair.a, pair.b) for batch in batches for pair in batch.pairs) == pairs
    for batch in batches:
        assert len(batch.pairs) <= PAIRS_A_REQUEST
        for pair in batch.pairs:
            ends = {end for one in pair.facts for end in (one.subject, one.object)}
            assert {pair.a, pair.b} <= ends
    assert len(pairs) <= PARTNERS_AN_ENTITY * len(known)
    sizes = [len(batch.pairs) for batch in batches]
    assert not sizes or max(sizes) - min(sizes) < PAIRS_A_REQUEST - 1 or len(sizes) == 1


@pytest.mark.campaign
@given(st.randoms(use_true_random=False))
def test_the_order_of_facts_does_not_matter(dice: random.Random) -> None:
    facts, known, texts = cluster(dice, 30)
    batches = link_batches({"k": facts}, known, texts)
    dice.shuffle(facts)
    assert link_batches({"k": facts}, known, texts) == batches


def test_a_disease_is_no_newspaper_for_all_that_they_share() -> None:
    known = cards(marsh_fever="MISC", Tarn_Courier="ORG", Vell="GPE", Marsk="GPE")
    facts = [
        fact("marsh fever", "reached coast at", "Vell", "c1"),
        fact("Tarn Courier", "reached coast at", "Vell", "c2"),
        fact("marsh fever", "left", "Marsk", "c3"),
        fact("Tarn Courier", "left", "Marsk", "c4"),
    ]
    assert list(proposed_pairs(facts, known, {})) == []
    known["Tarn Courier"] = EntityCard("Tarn Courier", "Tarn Courier", "MISC")
    assert list(proposed_pairs(facts, known, {})) == [("Tarn Courier", "marsh fever")]


def test_an_event_is_not_the_thing_that_it_is_named_after() -> None:
    known = cards(marsh_fever="MISC", marsh_fever_epidemic="EVENT", Tarn_Cup="MISC", Old_Tarn_Cup="EVENT")
    fever, epidemic, cup, old = known.values()
    assert not may_be_one(fever, epidemic)
    assert not may_be_one(epidemic, fever)
    assert may_be_one(cup, old)


def test_a_word_for_a_relative_is_whoever_is_said_to_be_that() -> None:
    known = {**VALLEY, **cards(brother="CONCEPT", Halm="GPE")}
    facts = [*FACTS, fact("brother", "left", "Halm", "c4"), fact("brother", "met", "Tarn Museum", "c5")]
    pair = ("Oda Wexler", "brother")
    assert pair not in proposed_pairs(facts, known, {})
    assert pair in proposed_pairs([*facts, fact("Oda Wexler", "is", "brother", "c6")], known, {})


def test_events_of_two_places_or_two_parties_are_two() -> None:
    known = cards(Norway_vote="EVENT", Sweden_vote="EVENT", River_vote="EVENT", Harbour_vote="EVENT")
    facts = [fact(name, "was held in", "2031", f"c{n}") for n, name in enumerate(known)]
    found = proposed_pairs(facts, known, {})
    assert ("Norway vote", "Sweden vote") not in found
    assert ("Harbour vote", "River vote") not in found
    assert ("Norway vote", "River vote") in found


def test_a_body_of_one_country_is_not_that_of_another() -> None:
    one, other = (EntityCard(name, name, "ORG") for name in ("Norwegian Senate", "U.S. Senate"))
    assert not may_be_one(one, other)
    assert may_be_one(other, EntityCard("s", "United States Senate", "ORG"))
    assert may_be_one(one, EntityCard("s", "senate", "CONCEPT"))


def test_a_common_word_for_a_body_is_of_its_own_article_only() -> None:
    facts = [
        fact("senate", "passed harbour law of", "Vell", "c1"),
        fact("U.S. Senate", "passed harbour law of", "Vell", "c2"),
    ]

    def found(article: str) -> list[tuple[str, str]]:
        known = {
            "senate": EntityCard("senate", "senate", "CONCEPT", frozenset({"a1"})),
            "U.S. Senate": EntityCard("U.S. Senate", "U.S. Senate", "ORG", frozenset({article})),
            "Vell": EntityCard("Vell", "Vell", "GPE"),
        }
        return [*proposed_pairs(facts, known, {})]

    assert found("a1") == [("U.S. Senate", "senate")]
    assert found("a2") == []


def test_an_award_is_a_description() -> None:
    assert is_description(EntityCard("a", "2031 Harbour Cup MVP", "MISC"))
    assert not is_description(EntityCard("a", "Harbour Cup", "EVENT"))
