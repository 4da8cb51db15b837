"""The representative of a pair: one that fits, uniformly, the same always."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from kg.paths.choose import Choice, Fitness, choose, count_paths, list_paths
from kg.paths.protocol import Arc, Web
from kg.paths.sparse import SparseEngine
from tests.kg.paths.tables import World, worlds
from tests.kg.paths.test_sparse import pairs_of

DIAMOND: Web = (
    (
        Arc("e0", 0, 1, "c0", "a0", "news"),
        Arc("e1", 0, 1, "c1", "a1", "sport"),
        Arc("e2", 0, 2, "c2", "a0", "news"),
    ),
    (
        Arc("e3", 1, 3, "c1", "a0", "news"),
        Arc("e4", 2, 3, "c2", "a0", "news"),
        Arc("e5", 2, 3, "c3", "a2", "news"),
    ),
)
"""From 0 to 3 over 1, which two facts lead to, or over 2, which two facts lead from: four paths."""
FITNESSES = st.builds(
    Fitness, st.booleans(), st.integers(1, 5), st.sampled_from(["", "category-0", "category-1"])
)


def fits(path: tuple[Arc, ...], fitness: Fitness) -> bool:
    return (
        (not fitness.cross_articles or len({arc.article for arc in path}) > 1)
        and len({arc.claim for arc in path}) >= fitness.distinct_claims
        and (not fitness.domain or {arc.category for arc in path} == {fitness.domain})
    )


def chosen(fitness: Fitness, seed: int = 0) -> Choice | None:
    return choose(DIAMOND, fitness, seed, "start", "end")


@pytest.mark.parametrize(
    ("fitness", "expected"),
    [
        (Fitness(), {"e0 e3", "e1 e3", "e2 e4", "e2 e5"}),
        (Fitness(cross_articles=True), {"e1 e3", "e2 e5"}),
        (Fitness(distinct_claims=2), {"e0 e3", "e2 e5"}),
        (Fitness(domain="news"), {"e0 e3", "e2 e4", "e2 e5"}),
        (Fitness(cross_articles=True, distinct_claims=2), {"e2 e5"}),
    ],
    ids=["all", "cross articles", "two claims", "in the news", "both"],
)
def test_only_paths_that_fit_are_chosen_each_as_often(fitness: Fitness, expected: set[str]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(400):
        choice = chosen(fitness, seed)
        assert choice is not None
        assert (choice.alternatives, choice.fitting) == (4, len(expected))
        counts[" ".join(arc.edge for arc in choice.arcs)] += 1
    assert counts.keys() == expected
    if len(expected) > 1:
        assert chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize(
    "fitness", [Fitness(distinct_claims=3), Fitness(domain="sport"), Fitness(domain="x")]
)
def test_where_none_fits_none_is_chosen(fitness: Fitness) -> None:
    assert chosen(fitness) is None


def test_a_pair_without_a_path_has_no_choice() -> None:
    assert choose((), Fitness(), 0, "start", "end") is None
    assert count_paths(()) == 0
    assert list(list_paths(())) == []


def test_a_choice_belongs_to_its_pair_and_seed() -> None:
    found = [choose(DIAMOND, Fitness(), seed, "start", f"end-{i}") for i in range(30) for seed in (0, 1)]
    assert found == [
        choose(DIAMOND, Fitness(), seed, "start", f"end-{i}") for i in range(30) for seed in (0, 1)
    ]
    assert found[::2] != found[1::2]
    assert len({choice.arcs for choice in found if choice}) == 4


@given(worlds(), FITNESSES, st.integers(0, 2))
def test_fitting_paths_are_counted_as_if_they_were_listed(world: World, fitness: Fitness, seed: int) -> None:
    engine = SparseEngine(world.table())
    pairs = pairs_of(engine)
    for pair, web in zip(pairs, engine.webs(pairs), strict=True):
        listed = list(list_paths(web))
        fitting = [path for path in listed if fits(path, fitness)]
        choice = choose(web, fitness, seed, engine.entities[pair.start], engine.entities[pair.end])
        if choice is None:
            assert fitting == []
        else:
            assert choice.arcs in fitting
            assert (choice.alternatives, choice.fitting) == (len(listed), len(fitting))
