"""How many clusters evidence must span, and how many borders its hops must cross."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.questions.spans.question_spans import labels_of_hops, least_clusters, least_crossings

Hops = list[frozenset[str]]

HOPS = st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("hops", "clusters", "crossings"),
    [
        (["a", "a"], 1, 0),
        (["a", "b"], 2, 1),
        (["a", "b", "a"], 2, 2),
        (["ab", "bc", "cd"], 2, 1),
        (["ab", "ac", "bc"], 2, 1),
        (["abc", "cd", "ce"], 1, 0),
        (["a", "b", "c", "d", "e"], 5, 4),
        (["a", "", "a"], 1, 0),
        (["a", "", "b"], 2, 1),
    ],
)
def test_worked_examples(hops: list[str], clusters: int, crossings: int) -> None:
    labels = [frozenset(hop) for hop in hops]
    assert (least_clusters(labels), least_crossings(labels)) == (clusters, crossings)


@pytest.mark.parametrize("hops", [[], [frozenset[str]()], [frozenset[str](), frozenset[str]()]])
def test_evidence_of_which_nothing_is_known_has_neither(hops: Hops) -> None:
    assert least_clusters(hops) is None
    assert least_crossings(hops) is None


def test_a_hop_with_a_chunk_of_an_unknown_cluster_demands_nothing() -> None:
    clusters = {"k1": "north", "k2": None, "k3": "south"}
    assert labels_of_hops([["k1"], ["k1", "k2"], ["k3", "k1"], ["k9"]], clusters) == [
        frozenset({"north"}),
        frozenset(),
        frozenset({"south", "north"}),
        frozenset(),
    ]


@given(HOPS)
def test_both_are_the_least_over_all_choices_of_a_chunk_a_hop(hops: Hops) -> None:
    choices = list(product(*hops))
    assert least_clusters(hops) == min(len(set(choice)) for choice in choices)
    assert least_crossings(hops) == min(sum(a != b for a, b in pairwise(choice)) for choice in choices)


@given(HOPS, st.permutations("abcdef"))
def test_names_of_clusters_and_the_order_of_hops_change_nothing(hops: Hops, names: list[str]) -> None:
    renamed = [frozenset(names["abcdef".index(label)] for label in hop) for hop in hops]
    assert least_clusters(renamed) == least_clusters(hops) == least_clusters(hops[::-1])
    assert least_crossings(renamed) == least_crossings(hops) == least_crossings(hops[::-1])


def test_evidence_in_very_many_pieces_is_still_counted() -> None:
    hops = [frozenset({f"own {n}", "shared" if n % 2 else "other"}) for n in range(40)]
    assert least_clusters(hops) == 2
