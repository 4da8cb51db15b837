"""The sample: full where it can be, spread, and the same as if pairs were taken one by one.

CoDEx-S, a graph of 32,888 facts that people know: its pairs at each distance, and a sample of them.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.triples import table_of_file
from kg.engine.choose import Fault, Item, Result, Work
from kg.engine.processes import LocalEngine
from kg.paths import sample as sampling
from kg.paths import spread as spreading
from kg.paths.choose import Choice, Fitness, choose
from kg.paths.protocol import (
    DEPTHS,
    MAX_HOPS,
    EdgeTable,
    EntityEdges,
    Ints,
    OutEdge,
    Pair,
    Reach,
    Web,
    edge_table,
)
from kg.paths.quality import CorpusNames
from kg.paths.sample import Sample, Sampler, draw_sample
from kg.paths.sparse import SparseEngine
from kg.paths.spread import (
    Caps,
    DrawRules,
    Keys,
    Limits,
    SampledPair,
    entity_keys,
    ladder,
    limits_for,
    pair_priorities,
    seeded_number,
)
from kg.store.graph import batches
from tests.kg.paths.tables import World, chain, worlds
from tests.kg.paths.test_sparse import pairs_of

CAPS = st.builds(Caps, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
FITNESSES = st.builds(Fitness, st.booleans(), st.sampled_from(["", "category-1"]))
NAMES = st.frozensets(st.integers(0, 11).map(lambda i: f"entity-{i:02}"), max_size=2)
RULES = st.builds(DrawRules, st.integers(0, 3), CAPS, FITNESSES, st.builds(CorpusNames, NAMES))


def fitting_pairs(engine: SparseEngine, depth: int, rules: DrawRules) -> list[SampledPair]:
    """All pairs of a depth that have a path, in the order of priority."""
    keys = entity_keys(rules.seed, engine.labels)
    names = {i for i, id_ in enumerate(engine.entities) if id_ in rules.names.context}
    pairs = [pair for pair in pairs_of(engine) if pair.hops == depth and pair.start not in names]
    pairs.sort(key=lambda pair: _priority(keys, pair))
    found = []
    for pair, web in zip(pairs, engine.webs(pairs), strict=True):
        number = seeded_number(rules.seed, engine.labels[pair.start], engine.labels[pair.end])
        choice = choose(web, rules.fitness, number, names)
        if isinstance(choice, Choice):
            found.append(SampledPair(pair, choice))
    return found


def _priority(keys: Keys, pair: Pair) -> int:
    return int(pair_priorities(keys, np.array([pair.start], np.int32), np.array([pair.end], np.int32))[0])


def uses(drawn: SampledPair) -> list[tuple[int, object]]:
    """What a path uses: its start, its end, who stands inside, its facts; by the limit's position."""
    arcs = drawn.choice.arcs
    facts = {(arc.tail, arc.head) for arc in arcs} | {arc.claim for arc in arcs if arc.claim}
    inside = [(2, arc.head) for arc in arcs[:-1]]
    return [(0, drawn.pair.start), (1, drawn.pair.end), *inside, *((3, fact) for fact in facts)]


def one_by_one(offered: list[SampledPair], per_depth: int, caps: Caps) -> list[SampledPair]:
    """The sample of a depth in the plainest way: size by size, limits by limits, over all pairs each time."""
    taken: list[SampledPair] = []
    used = Counter[tuple[int, object]]()
    for size in ladder():
        goal = min(size, per_depth)
        for limits in limits_for(size, caps):
            for one in offered:
                within = all(used[use] < limits[use[0]] for use in uses(one))
                if len(taken) < goal and one not in taken and within:
                    taken.append(one)
                    used.update(uses(one))
        if len(taken) < goal or len(taken) == per_depth:
            return taken
    raise AssertionError("the ladder has no end")


def star(arms: int, outs: int = 0) -> SparseEngine:
    """Many entities that all lead to one, from which as many others are led to."""
    ins = [
        EntityEdges(f"in-{i:02}", f"In {i}", "", False, [OutEdge(f"to-{i:02}", "hub")]) for i in range(arms)
    ]
    ends = [EntityEdges(f"out-{i:02}", f"Out {i}", "", False, []) for i in range(outs or arms)]
    hub = EntityEdges("hub", "Hub", "", False, [OutEdge(f"from-{end.id}", end.id) for end in ends])
    return SparseEngine(edge_table([*ins, hub, *ends]))


def lanes(number: int, long: int = 1) -> list[EntityEdges]:
    """Chains of three that share nothing, the first end reached from `long` more starts."""
    rows = []
    for i in range(number):
        rows += [
            EntityEdges(f"a{i:02}", f"A {i}", "", False, [OutEdge(f"ab{i:02}", f"b{i:02}")]),
            EntityEdges(f"b{i:02}", f"B {i}", "", False, [OutEdge(f"bc{i:02}", f"c{i:02}")]),
            EntityEdges(f"c{i:02}", f"C {i}", "", False, []),
        ]
    for i in range(long):
        rows += [
            EntityEdges(f"x{i:02}", f"X {i}", "", False, [OutEdge(f"xy{i:02}", f"y{i:02}")]),
            EntityEdges(f"y{i:02}", f"Y {i}", "", False, [OutEdge(f"yc{i:02}", "c00")]),
        ]
    return rows


@given(worlds(), st.integers(1, 30), RULES)
def test_it_is_what_taking_pairs_one_by_one_gives(world: World, per_depth: int, rules: DrawRules) -> None:
    engine = SparseEngine(world.table())
    found = draw_sample(engine, per_depth, rules)
    for depth in DEPTHS:
        offered = fitting_pairs(engine, depth, rules)
        taken = [drawn for drawn in found.paths if drawn.pair.hops == depth]
        assert taken == one_by_one(offered, per_depth, rules.caps)
        missed = found.unfit[depth] + found.one_sentence[depth] + found.by_context[depth]
        if len(taken) < per_depth:
            assert len(taken) + found.over_caps[depth] + missed == found.pairs[depth]


@given(worlds(), st.integers(1, 30), RULES)
def test_no_cap_is_exceeded_and_a_depth_without_caps_is_full(
    world: World, per_depth: int, rules: DrawRules
) -> None:
    engine = SparseEngine(world.table())
    found = draw_sample(engine, per_depth, rules)
    for depth in DEPTHS:
        taken = [drawn for drawn in found.paths if drawn.pair.hops == depth]
        for position, cap in enumerate((rules.caps.start, rules.caps.end, rules.caps.middle)):
            used = Counter(use for drawn in taken for use in uses(drawn) if use[0] == position)
            assert not cap or max(used.values(), default=0) <= cap
        if rules.caps == Caps():
            assert len(taken) == min(per_depth, len(fitting_pairs(engine, depth, rules)))


@given(worlds(), st.integers(0, 3))
def test_every_pair_with_a_fitting_path_is_drawn_if_there_is_room(world: World, seed: int) -> None:
    engine = SparseEngine(world.table())
    found = draw_sample(engine, 1_000, DrawRules(seed))
    by_depth = Counter(pair.hops for pair in pairs_of(engine))
    assert found.pairs == {depth: by_depth[depth] for depth in DEPTHS}
    left = {depth: by_depth[depth] - found.one_sentence[depth] for depth in DEPTHS}
    assert Counter(drawn.pair.hops for drawn in found.paths) == Counter(left)
    assert found.starts_searched == found.starts == len(engine.sources())


@given(worlds(), st.integers(1, 20), RULES)
def test_a_smaller_sample_is_the_beginning_of_a_larger_one(
    world: World, per_depth: int, rules: DrawRules
) -> None:
    engine = SparseEngine(world.table())
    small, large = (draw_sample(engine, size, rules).paths for size in (per_depth, per_depth + 7))
    for depth in DEPTHS:
        one, other = ([drawn for drawn in found if drawn.pair.hops == depth] for found in (small, large))
        assert one == other[: len(one)]
        assert len(one) == min(per_depth, len(other))


@given(worlds(), st.integers(1, 20), RULES)
def test_neither_the_pool_nor_the_window_changes_a_draw_that_fits_into_them(
    world: World, per_depth: int, rules: DrawRules
) -> None:
    """With tiny windows pairs are searched again and again; a depth is as full in the end."""
    engine = SparseEngine(world.table())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spreading, "POOL", 3)
        patch.setattr(spreading, "POOL_A_PATH", 0)
        found = draw_sample(engine, per_depth, rules)
    for depth in DEPTHS:
        taken = [drawn for drawn in found.paths if drawn.pair.hops == depth]
        offered = fitting_pairs(engine, depth, rules)
        assert all(drawn in offered for drawn in taken)
        if rules.caps == Caps():
            assert len(taken) == min(per_depth, len(offered))


@given(st.integers(1, 2_000), CAPS)
def test_limits_get_looser_and_end_where_only_caps_are_left(size: int, caps: Caps) -> None:
    found = list(limits_for(size, caps))
    for one, other in pairwise(found):
        assert one != other
        assert all(strict <= loose for strict, loose in zip(one, other, strict=True))
    start, end, middle = (min(size, cap or size) for cap in (caps.start, caps.end, caps.middle))
    most = Limits(start, end, middle, size)
    assert found[-1] == most
    assert len(found) < 70


def test_the_ladder_has_the_sizes_that_people_ask_for() -> None:
    assert list(islice(ladder(), 20)) == [
        4, 8, 20, 40, 60, 80, 100, 120, 140, 160, 200, 240, 280, 320, 400, 480, 560, 640, 800, 960,
    ]  # fmt: skip
    assert next(limits_for(400, Caps())) == (20, 20, 40, 20)
    assert [next(limits_for(size, Caps())) for size in (4, 8, 20)] == [
        (1, 1, 1, 1),
        (2, 2, 2, 2),
        (2, 2, 2, 2),
    ]


def test_an_end_of_most_pairs_does_not_fill_the_sample() -> None:
    """31 of 40 pairs end alike; of six paths two do, since ten other ends are there."""
    engine = SparseEngine(edge_table(lanes(10, long=30)))
    for seed in range(10):
        ends = Counter(drawn.pair.end for drawn in draw_sample(engine, 6, DrawRules(seed)).paths)
        assert ends.total() == 6
        assert max(ends.values()) <= 2


def test_an_end_stands_in_more_than_a_quarter_only_when_no_other_is_left() -> None:
    engine = SparseEngine(edge_table(lanes(10, long=30)))
    found = draw_sample(engine, 20, DrawRules())
    ends = Counter(drawn.pair.end for drawn in found.paths)
    assert sorted(ends.values()) == [1] * 9 + [11], "nine others are all there is"
    assert found.over_caps[2] > 0


def test_a_graph_with_one_end_still_fills_its_draw() -> None:
    ends = Counter(drawn.pair.end for drawn in draw_sample(star(30, outs=1), 12, DrawRules()).paths)
    assert list(ends.values()) == [12]


@pytest.mark.campaign
def test_a_hub_that_everything_goes_through_is_spread_at_its_ends() -> None:
    """All 900 paths go through one entity: that can't be helped, starts and ends can."""
    engine = star(30)
    starts, ends = (
        Counter(one.pair[i] for one in draw_sample(engine, 40, DrawRules()).paths) for i in (0, 1)
    )
    assert starts.total() == ends.total() == 40
    assert max(*starts.values(), *ends.values()) <= 10
    assert len(draw_sample(engine, 10_000, DrawRules()).paths) == 900


def test_caps_are_never_loosened() -> None:
    """All 900 pairs are looked at for a 61st path."""
    found = draw_sample(star(30), 61, DrawRules(caps=Caps(start=2)))
    assert len(found.paths) == 60
    assert found.over_caps[2] == 900 - 60
    assert found.pairs[2] == 900
    assert len(draw_sample(star(30), 400, DrawRules(caps=Caps(2, 3, 25))).paths) == 25


def test_it_goes_on_until_no_pair_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreading, "POOL", 10)
    monkeypatch.setattr(spreading, "POOL_A_PATH", 1)
    found = draw_sample(star(30), 61, DrawRules(caps=Caps(start=2)))
    assert len(found.paths) == 60
    assert found.over_caps[2] == 900 - 60


def test_one_fact_does_not_stand_in_every_path() -> None:
    """Five starts lead to one fact, and five others each to a fact of its own."""
    rows = [EntityEdges(f"s{i}", f"S {i}", "", False, [OutEdge(f"s{i}b", "b")]) for i in range(5)]
    rows += [EntityEdges(f"t{i}", f"T {i}", "", False, [OutEdge(f"t{i}", f"u{i}")]) for i in range(5)]
    rows += [EntityEdges(f"u{i}", f"U {i}", "", False, [OutEdge(f"u{i}c", f"c{i}")]) for i in range(5)]
    rows += [EntityEdges("b", "B", "", False, [OutEdge("bc", "c0")])]
    rows += [EntityEdges(f"c{i}", f"C {i}", "", False, []) for i in range(5)]
    for seed in range(5):
        drawn = draw_sample(SparseEngine(edge_table(rows)), 6, DrawRules(seed)).paths
        facts = Counter(arc.edge for one in drawn for arc in one.choice.arcs)
        assert facts["bc"] <= 2


def test_unfit_pairs_make_room_for_others() -> None:
    engine = SparseEngine(chain(0, 0, 1, 1).table())
    found = draw_sample(engine, 2, DrawRules(fitness=Fitness(cross_articles=True)))
    stops = {(drawn.pair.start, drawn.pair.end) for drawn in found.paths}
    assert stops == {(1, 3), (0, 3), (1, 4), (0, 4)}
    assert found.unfit[2] == 2


def test_what_is_left_out_is_counted() -> None:
    """0 > 1 > 2 > 3 > 4; the first two hops are one sentence, and only context knows 3."""
    world = chain(0, 0, 0, 0)
    facts = tuple(fact if fact.number else fact.__class__(0, 0, 1, 0, 1) for fact in world.facts)
    engine = SparseEngine(World(world.size, world.literals, world.hubs, facts).table())
    found = draw_sample(engine, 9, DrawRules(names=CorpusNames(frozenset({"entity-03"}))))
    assert {(drawn.pair.start, drawn.pair.end) for drawn in found.paths} == {(1, 3)}
    assert found.one_sentence == {2: 1, 3: 1, 4: 0, 5: 0}
    assert found.by_context == {2: 1, 3: 1, 4: 1, 5: 0}
    assert (found.starts, found.context_starts) == (3, 1)


def test_a_graph_with_too_many_pairs_is_searched_from_some_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = star(30)
    monkeypatch.setattr(sampling, "STARTS_A_ROUND", 4)
    monkeypatch.setattr(sampling, "ENOUGH_PAIRS", 200)
    found: Sample = draw_sample(engine, 400, DrawRules())
    assert found.starts == 31
    assert found.starts_searched in {8, 12}
    assert len({drawn.pair.start for drawn in found.paths}) >= found.starts_searched - 1


def test_the_same_graph_under_other_ids_gives_the_same_sample() -> None:
    """Two corpora of the same articles differ in ids only; the draw takes the same entities."""
    rows = lanes(12, long=6)
    renamed = []
    for row in rows:
        edges = [edge._replace(id=f"z{edge.id[::-1]}", to=f"z-{edge.to[::-1]}") for edge in row.edges]
        renamed.append(row._replace(id=f"z-{row.id[::-1]}", edges=edges))
    named = []
    for table in (edge_table(rows), edge_table(renamed)):
        drawn = draw_sample(SparseEngine(table), 9, DrawRules(5)).paths
        named.append([(table.names[one.pair.start], table.names[one.pair.end]) for one in drawn])
    assert named[0] == named[1]


class Elsewhere(LocalEngine):
    """Does all work as another process would: opened anew, with what crosses over pickled."""

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result | Fault]:
        opener, shared = pickle.loads(pickle.dumps((work.opener, work.shared)))
        for array in shared:
            array.flags.writeable = False
        function = opener(*shared)
        # Some rounds are taken ahead, so that they know less of what is drawn before them.
        for ahead in batches(items, 3):
            for item in pickle.loads(pickle.dumps(ahead)):
                yield pickle.loads(pickle.dumps(function(item)))


@given(worlds(), st.integers(1, 12), RULES)
def test_a_draw_is_the_same_where_others_search_from_blocks_of_starts(
    world: World, per_depth: int, rules: DrawRules
) -> None:
    engine = SparseEngine(world.table())
    here = draw_sample(engine, per_depth, rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "STARTS_A_ROUND", 2)
        assert draw_sample(engine, per_depth, rules, workers=Elsewhere()) == here


@given(worlds(), st.lists(st.integers(1, 12), min_size=2, max_size=3), st.sampled_from([0, 12]), RULES)
def test_draws_of_one_sampler_are_those_of_each_alone(
    world: World, numbers: list[int], most: int, rules: DrawRules
) -> None:
    """Whether pools are so small that further pairs are searched for, or hold what a larger draw wants."""
    engine = SparseEngine(world.table())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spreading, "POOL", 2)
        patch.setattr(spreading, "POOL_A_PATH", 1)
        sampler = Sampler(engine, rules, most=most)
        for number in numbers:
            alone = draw_sample(engine, {2: number, 3: number}, rules)
            assert sampler.draw({2: number, 3: number}) == alone
        assert sampler.draw(dict.fromkeys(DEPTHS, 5)) == draw_sample(engine, 5, rules)


class CountingEngine(SparseEngine):
    """Counts the starts that it was asked to search from here, and the pairs whose paths it was asked for."""

    searched = 0
    walked = 0

    def elsewhere(self) -> None:  # type: ignore[override]
        """Searches here only."""

    def reach(self, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
        """As the engine in memory, counted."""
        self.searched += len(sources)
        return super().reach(sources, max_hops)

    def webs(self, pairs: Sequence[Pair]) -> list[Web]:
        """As the engine in memory, counted."""
        self.walked += len(pairs)
        return super().webs(pairs)


def test_a_larger_draw_searches_no_start_again_and_looks_at_no_pair_again() -> None:
    engine = CountingEngine(edge_table(lanes(60, long=20)))
    sampler = Sampler(engine, DrawRules(), most=40)
    sampler.draw({2: 10})
    searched, walked = engine.searched, engine.walked
    assert (searched, walked > 0) == (len(engine.sources()), True)
    sampler.draw({2: 10})
    assert (engine.searched, engine.walked) == (searched, walked)
    assert len(sampler.draw({2: 40}).paths) == 40
    assert engine.searched == searched
    assert engine.walked <= len(pairs_of(engine))


PAIRS = {2: 254_155, 3: 215_785, 4: 63_819, 5: 23_214}


@pytest.fixture(scope="module")
def table(shared_data: Path) -> EdgeTable:
    path = shared_data / "codex" / "codex-s_train.txt"
    if not path.is_file():
        pytest.skip(f"no CoDEx-S at {path}")
    return table_of_file(path, "codex-s")


def test_its_pairs_are_counted_and_sampled(table: EdgeTable) -> None:
    limits = next(limits_for(400, Caps()))
    sample = draw_sample(SparseEngine(table), 400, DrawRules())
    assert sample.pairs == PAIRS
    for depth in DEPTHS:
        taken = [drawn for drawn in sample.paths if drawn.pair.hops == depth]
        assert len({drawn.pair for drawn in taken}) == len(taken) == 400
        starts, ends = (Counter(drawn.pair[i] for drawn in taken) for i in (0, 1))
        middles = Counter(arc.head for drawn in taken for arc in drawn.choice.arcs[:-1])
        facts = Counter((arc.tail, arc.head) for drawn in taken for arc in drawn.choice.arcs)
        assert max(starts.values()) <= limits.start
        assert max(ends.values()) <= limits.end
        assert max(middles.values()) <= limits.middle
        assert max(facts.values()) <= limits.fact
