"""Which entities are hubs: by name, by type, and by a degree that is large for their corpus."""

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from kg.resolve.hubs import EntityUse, HubPolicy, degree_bound, find_hubs
from tests.examples import examples

POLICY = HubPolicy()


def use(name: str, kind: EntityType = "ORG", neighbours: int = 1, articles: int = 1) -> EntityUse:
    return EntityUse(f"id of {name}", name, kind, neighbours, articles)


def reasons(*entities: EntityUse, policy: HubPolicy = POLICY) -> dict[str, str]:
    return {hub.removeprefix("id of "): reason for hub, reason in find_hubs(entities, policy).items()}


@examples("name, kind, reason")
def test_some_names_are_hubs_however_rare(name: str, kind: EntityType, reason: str) -> None:
    assert reasons(use(name, kind)) == {name: reason}


@examples("name, kind")
def test_other_names_are_not_while_they_are_rare(name: str, kind: EntityType) -> None:
    assert reasons(use(name, kind, neighbours=POLICY.broad_degree - 1, articles=5)) == {}


@examples("name, kind, reason")
def test_broad_names_are_hubs_once_they_have_neighbours(name: str, kind: EntityType, reason: str) -> None:
    found = reasons(use(name, kind, neighbours=POLICY.broad_degree))
    assert found == ({name: reason} if reason else {})


def test_where_any_noun_may_be_an_end_only_what_many_things_are_called_is_a_hub() -> None:
    nouns = [use("ketamine", "CONCEPT"), use("government", "CONCEPT")]
    assert list(find_hubs(nouns, POLICY)) == [one.id for one in nouns]
    assert list(find_hubs(nouns, POLICY, concepts=True)) == [nouns[1].id]


def corpus_with(*large: EntityUse) -> list[EntityUse]:
    """A hundred entities with one to four neighbours, and some more."""
    return [use(f"Firm {n}", neighbours=1 + n % 4, articles=2) for n in range(100)] + list(large)


def test_an_entity_with_far_more_neighbours_than_others_is_a_hub() -> None:
    found = reasons(*corpus_with(use("Everyco", neighbours=60, articles=20)))
    assert found == {"Everyco": "60 neighbours, more than 30"}


def test_the_subject_of_a_biography_is_none_by_degree() -> None:
    assert reasons(*corpus_with(use("Ana Brel", "PERSON", neighbours=60, articles=2))) == {}


def test_a_small_corpus_keeps_its_protagonists() -> None:
    assert reasons(*corpus_with(use("Port Averell", "GPE", neighbours=30, articles=10))) == {}


def test_the_bound_follows_the_distribution_once_it_is_above_the_floor() -> None:
    degrees = [2] * 25 + [4] * 50 + [16] * 25  # the quartiles fall between 2 and 4, and between 4 and 16
    low = HubPolicy(least_degree=1)
    first, third = log(2) + 0.75 * log(2), log(4) + 0.25 * log(4)
    expected = exp(third + 1.5 * (third - first))
    assert degree_bound(degrees, low) == pytest.approx(expected)
    assert degree_bound(degrees, HubPolicy(least_degree=500)) == 500
    assert degree_bound([], low) == 1


@given(st.lists(st.integers(0, 1000)), st.integers(1, 50))
def test_the_bound_is_never_below_the_floor_and_blind_to_loners(degrees: list[int], floor: int) -> None:
    policy = HubPolicy(least_degree=floor)
    bound = degree_bound(degrees, policy)
    assert bound >= floor
    assert degree_bound([*degrees, 0, 0], policy) == bound
