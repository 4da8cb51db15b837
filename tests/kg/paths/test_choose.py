"""The representative of a pair: one that fits, uniformly, the same always."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from kg.paths import choose as choosing
from kg.paths.choose import Choice, Fitness, Misfit, choose, count_paths
from kg.paths.protocol import Arc, Web, edge_table
from kg.paths.sparse import SparseEngine
from kg.paths.spread import seeded_number
from tests.examples import examples
from tests.kg.paths.tables import World, chain, list_paths, worlds
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
"""From 0 to 3 over 1, which two facts lead to, or over 2, which two facts lead from: four paths, of which
"e1 e3" and "e2 e4" state both hops by one sentence."""
NO_WISHES = Fitness()
FITNESSES = st.builds(Fitness, st.booleans(), st.sampled_from(["", "category-0", "category-1"]))
NAMES = st.frozensets(st.integers(0, 11), max_size=3)


def states_each_hop_apart(path: tuple[Arc, ...]) -> bool:
    claims = [arc.claim for arc in path if arc.claim]
    return len(set(claims)) == len(claims)


def avoids(path: tuple[Arc, ...], names: frozenset[int]) -> bool:
    reached_by_context = path[-1].mirrored and path[-1].head in names
    return names.isdisjoint(arc.tail for arc in path) and not reached_by_context


def is_wished(path: tuple[Arc, ...], fitness: Fitness) -> bool:
    return (not fitness.cross_articles or len({arc.article for arc in path}) > 1) and (
        not fitness.domain or {arc.category for arc in path} == {fitness.domain}
    )


def prefers_facts(path: tuple[Arc, ...], web: Web) -> bool:
    facts = {(arc.tail, arc.head) for arcs in web for arc in arcs if not arc.mirrored}
    return not any(arc.mirrored and (arc.tail, arc.head) in facts for arc in path)


def chosen(
    web: Web, fitness: Fitness = NO_WISHES, seed: int = 0, names: frozenset[int] = frozenset()
) -> Choice | Misfit:
    return choose(web, fitness, seeded_number(seed, "start", "end"), names)


@pytest.mark.parametrize(
    ("fitness", "expected"),
    [
        (Fitness(), {"e0 e3", "e2 e5"}),
        (Fitness(cross_articles=True), {"e2 e5"}),
        (Fitness(domain="news"), {"e0 e3", "e2 e5"}),
    ],
    ids=["all", "cross articles", "in the news"],
)
def test_only_paths_that_fit_are_chosen_each_as_often(fitness: Fitness, expected: set[str]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(400):
        choice = chosen(DIAMOND, fitness, seed)
        assert isinstance(choice, Choice)
        assert (choice.alternatives, choice.fitting) == (4, len(expected))
        counts[" ".join(arc.edge for arc in choice.arcs)] += 1
    assert counts.keys() == expected
    if len(expected) > 1:
        assert chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("domain", ["sport", "x"])
def test_where_none_is_wished_for_none_is_chosen(domain: str) -> None:
    assert chosen(DIAMOND, Fitness(domain=domain)) == "wishes"


def test_a_sentence_that_states_both_hops_makes_no_path() -> None:
    """ "Soldiers killed the head of Norvik's guard" says who led what, and whose it was."""
    one, two = Arc("e0", 0, 1, "c0", "a0", ""), Arc("e1", 1, 2, "c0", "a0", "")
    assert chosen(((one,), (two,))) == "sentences"
    other = Arc("e2", 1, 2, "c5", "a1", "")
    choice = chosen(((one,), (two, other)))
    assert isinstance(choice, Choice)
    assert choice.arcs == (one, other)
    assert (choice.alternatives, choice.fitting) == (2, 1)


def test_hops_without_a_known_sentence_are_not_one_sentence() -> None:
    assert isinstance(chosen(((Arc("e0", 0, 1, "", "", ""),), (Arc("e1", 1, 2, "", "", ""),))), Choice)


def test_a_way_around_a_repeated_sentence_is_found_over_several_hops() -> None:
    """The first and the third hop share a sentence on one way; each other way is as good."""
    web: Web = (
        (Arc("e0", 0, 1, "c0", "a0", ""), Arc("e1", 0, 1, "c1", "a0", "")),
        (Arc("e2", 1, 2, "c2", "a0", ""),),
        (Arc("e3", 2, 3, "c0", "a0", ""), Arc("e4", 2, 3, "c1", "a0", "")),
    )
    ways = set()
    for seed in range(40):
        choice = chosen(web, seed=seed)
        assert isinstance(choice, Choice)
        assert (choice.alternatives, choice.fitting) == (4, 2)
        ways.add(" ".join(arc.edge for arc in choice.arcs))
    assert ways == {"e0 e2 e4", "e1 e2 e3"}


@examples("names, expected")
def test_no_path_starts_at_or_goes_through_a_name_by_context(names: set[int], expected: str | None) -> None:
    choice = chosen(DIAMOND, names=frozenset(names))
    if isinstance(choice, Choice):
        assert expected in {None, " ".join(arc.edge for arc in choice.arcs)}
    else:
        assert choice == expected


def test_a_path_may_end_at_a_name_by_context_but_not_by_a_mirrored_edge() -> None:
    one, told = Arc("e0", 0, 1, "c0", "a0", ""), Arc("e1", 1, 2, "c1", "a0", "")
    assert isinstance(chosen(((one,), (told,)), names=frozenset({2})), Choice)
    assert chosen(((one,), (told._replace(mirrored=True),)), names=frozenset({2})) == "names"


def test_a_fact_is_preferred_to_a_mirrored_one_beside_it() -> None:
    one, fact = Arc("e0", 0, 1, "c0", "a0", ""), Arc("e1", 1, 2, "c1", "a0", "")
    mirrored = [Arc(f"m{i}", 1, 2, f"c{i}", "a0", "", mirrored=True) for i in range(2, 9)]
    web: Web = ((one,), (fact, *mirrored))
    choices = {chosen(web, seed=seed) for seed in range(20)}
    assert choices == {Choice((one, fact), 8, 1)}
    # The fact's sentence states the first hop as well: now the mirrored ones are all that there is.
    web = ((one,), (fact._replace(claim="c0"), *mirrored))
    choice = chosen(web)
    assert isinstance(choice, Choice)
    assert (choice.arcs[1].mirrored, choice.fitting) == (True, 7)


def test_a_pair_without_a_path_has_no_choice() -> None:
    assert chosen(()) == "names"
    assert count_paths(()) == 0
    assert list(list_paths(())) == []


def test_a_choice_belongs_to_its_number() -> None:
    numbers = [seeded_number(seed, "start", f"end-{i}") for i in range(30) for seed in (0, 1)]
    found = [choose(DIAMOND, Fitness(), number) for number in numbers]
    assert found == [choose(DIAMOND, Fitness(), number) for number in numbers]
    assert found[::2] != found[1::2]


@given(worlds(), FITNESSES, st.integers(0, 2), NAMES)
def test_fitting_paths_are_counted_as_if_they_were_listed(
    world: World, fitness: Fitness, seed: int, names: frozenset[int]
) -> None:
    engine = SparseEngine(world.table())
    pairs = pairs_of(engine)
    for pair, web in zip(pairs, engine.webs(pairs), strict=True):
        listed = list(list_paths(web))
        named = [path for path in listed if avoids(path, names)]
        fitting = [path for path in named if states_each_hop_apart(path) and is_wished(path, fitness)]
        inside = replace(fitness, cross_articles=False)
        kept = {arc for path in named for arc in path if is_wished((arc,), inside)}
        allowed: Web = tuple(tuple(arc for arc in arcs if arc in kept) for arcs in web)
        preferred = [path for path in fitting if prefers_facts(path, allowed)] or fitting
        choice = choose(web, fitness, seeded_number(seed, str(pair)), names)
        if isinstance(choice, Choice):
            assert choice.arcs in preferred
            assert (choice.alternatives, choice.fitting) == (len(listed), len(preferred))
        else:
            assert fitting == []
            apart = any(map(states_each_hop_apart, named))
            assert choice == ("names" if not named else "wishes" if apart else "sentences")


def test_very_many_ways_are_chosen_from_without_listing_sets_of_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each sentence stays at its first step, so what is chosen still states each hop by one of its own."""
    stops = [(0,), (1, 2), (3, 4), (5,)]
    web: Web = tuple(
        tuple(
            Arc(f"e{step}{tail}{head}{claim}", tail, head, f"c{claim}", "a", "")
            for tail, head, claim in product(tails, heads, range(step, step + 3))
        )
        for step, (tails, heads) in enumerate(pairwise(stops))
    )
    exact = chosen(web)
    monkeypatch.setattr(choosing, "MOST_COUNTED", 10)
    for seed in range(50):
        choice = chosen(web, seed=seed)
        assert isinstance(choice, Choice)
        assert states_each_hop_apart(choice.arcs)
        assert isinstance(exact, Choice)
        assert 0 < choice.fitting < exact.fitting < exact.alternatives == choice.alternatives


def test_the_same_articles_under_another_name_give_the_same_choice() -> None:
    """Ids hold the corpus' name and decide nothing, as long as names and sentences differ."""
    world = chain(0, 1, 2, parallel=(1, 2, 0))
    rows = world.rows()
    renamed = [
        row._replace(edges=[edge._replace(id=f"x-{97 * int(edge.id[-3:]) % 101:03}") for edge in row.edges])
        for row in rows
    ]
    one, other = SparseEngine(edge_table(rows)), SparseEngine(edge_table(renamed))
    pairs = pairs_of(one)
    for pair, web, again in zip(pairs, one.webs(pairs), other.webs(pairs), strict=True):
        for seed in range(5):
            choices = [choose(each, Fitness(), seeded_number(seed, str(pair))) for each in (web, again)]
            ways = [[arc.origin for arc in choice.arcs] for choice in choices if isinstance(choice, Choice)]
            assert len(ways) == 2
            assert ways[0] == ways[1]
