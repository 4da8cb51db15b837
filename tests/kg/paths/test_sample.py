"""The sample: full where it can be, within the caps, and the same as if pairs were taken one by one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.paths import sample as sampling
from kg.paths.choose import Fitness, choose
from kg.paths.draw import Keys, entity_keys, pair_priorities
from kg.paths.edges import EntityEdges, OutEdge, edge_table
from kg.paths.protocol import Pair
from kg.paths.sample import Caps, Drawn, Sample, draw_sample
from kg.paths.sparse import SparseEngine
from kg.paths.walk import DEPTHS
from tests.kg.paths.tables import World, chain, worlds
from tests.kg.paths.test_sparse import pairs_of

NO_CAPS = Caps(0, 0, 0)
CAPS = st.builds(Caps, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
FITNESSES = st.builds(Fitness, st.booleans(), st.integers(1, 3), st.sampled_from(["", "category-1"]))


def one_by_one(
    engine: SparseEngine, per_depth: int, seed: int, caps: Caps, fitness: Fitness
) -> tuple[list[Drawn], Counter[int], Counter[int]]:
    """The sample in the plainest way: pairs over caps and unfit pairs counted by depth."""
    keys = entity_keys(seed, engine.entities)
    taken: list[Drawn] = []
    over, unfit = Counter[int](), Counter[int]()
    for depth in DEPTHS:
        pairs = [pair for pair in pairs_of(engine) if pair.hops == depth]
        pairs.sort(key=lambda pair: _priority(keys, pair))
        uses = Counter[tuple[str, int]]()
        count = 0
        for pair, web in zip(pairs, engine.webs(pairs), strict=True):
            if count == per_depth:
                break
            if (0 < caps.start <= uses["start", pair.start]) or (0 < caps.end <= uses["end", pair.end]):
                over[depth] += 1
                continue
            choice = choose(web, fitness, seed, engine.entities[pair.start], engine.entities[pair.end])
            if choice is None:
                unfit[depth] += 1
                continue
            inside = [arc.head for arc in choice.arcs[:-1]]
            if caps.middle and any(uses["inside", stop] >= caps.middle for stop in inside):
                over[depth] += 1
                continue
            uses.update([("start", pair.start), ("end", pair.end), *(("inside", stop) for stop in inside)])
            taken.append(Drawn(pair, choice))
            count += 1
    return taken, over, unfit


def _priority(keys: Keys, pair: Pair) -> int:
    return int(pair_priorities(keys, np.array([pair.start], np.int32), np.array([pair.end], np.int32))[0])


def star(arms: int) -> SparseEngine:
    """Many entities that all lead to one, from which as many others are led to: a hub in the middle."""
    ins = [EntityEdges(f"in-{i:02}", "", "", False, [OutEdge(f"to-{i:02}", "hub")]) for i in range(arms)]
    hub = EntityEdges("hub", "", "", False, [OutEdge(f"from-{i:02}", f"out-{i:02}") for i in range(arms)])
    return SparseEngine(edge_table([*ins, hub]))


@given(worlds(), st.integers(1, 6), st.integers(0, 3), CAPS, FITNESSES)
def test_it_is_what_taking_pairs_one_by_one_gives(
    world: World, per_depth: int, seed: int, caps: Caps, fitness: Fitness
) -> None:
    engine = SparseEngine(world.table())
    found = draw_sample(engine, per_depth, seed, caps, fitness)
    taken, over, unfit = one_by_one(engine, per_depth, seed, caps, fitness)
    assert found.drawn == taken
    assert found.over_caps == {depth: over[depth] for depth in DEPTHS}
    assert found.unfit == {depth: unfit[depth] for depth in DEPTHS}


@given(worlds(), st.integers(0, 3))
def test_without_caps_every_pair_is_drawn_if_there_is_room(world: World, seed: int) -> None:
    engine = SparseEngine(world.table())
    found = draw_sample(engine, 1_000, seed, NO_CAPS)
    by_depth = Counter(pair.hops for pair in pairs_of(engine))
    assert found.pairs == {depth: by_depth[depth] for depth in DEPTHS}
    assert {drawn.pair for drawn in found.drawn} == {pair for pair in pairs_of(engine) if pair.hops > 1}
    assert found.starts_searched == found.starts == len(engine.sources())


@given(worlds(), st.integers(1, 4), st.integers(0, 3), CAPS)
def test_a_smaller_sample_is_the_beginning_of_a_larger_one(
    world: World, per_depth: int, seed: int, caps: Caps
) -> None:
    engine = SparseEngine(world.table())
    small, large = (draw_sample(engine, size, seed, caps).drawn for size in (per_depth, per_depth + 3))
    for depth in DEPTHS:
        one, other = ([drawn for drawn in found if drawn.pair.hops == depth] for found in (small, large))
        assert one == other[: len(one)]
        assert len(one) == min(per_depth, len(other))


def test_a_hub_does_not_fill_the_sample() -> None:
    engine = star(30)
    uncapped = draw_sample(engine, 400, 0, NO_CAPS)
    assert (len(uncapped.drawn), uncapped.pairs[2]) == (400, 900)
    capped = draw_sample(engine, 400, 0, Caps(start=2, end=3, middle=25))
    starts, ends = (Counter(drawn.pair[i] for drawn in capped.drawn) for i in (0, 1))
    assert len(capped.drawn) == 25
    assert max(starts.values()) <= 2
    assert max(ends.values()) <= 3


def test_it_goes_on_until_no_pair_is_left() -> None:
    """All 900 pairs are looked at for a 61st path, though only 305 are held at first."""
    found = draw_sample(star(30), 61, 0, Caps(start=2, end=0, middle=0))
    assert len(found.drawn) == 60
    assert found.over_caps[2] == 900 - 60
    assert found.pairs[2] == 900


def test_unfit_pairs_make_room_for_others() -> None:
    engine = SparseEngine(chain(0, 0, 1, 1).table())
    found = draw_sample(engine, 2, 0, NO_CAPS, Fitness(cross_articles=True))
    stops = {(drawn.pair.start, drawn.pair.end) for drawn in found.drawn}
    assert stops == {(1, 3), (0, 3), (1, 4), (0, 4)}
    assert found.unfit[2] == 2


def test_a_graph_with_too_many_pairs_is_searched_from_some_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = star(30)
    monkeypatch.setattr(sampling, "STARTS_A_ROUND", 4)
    monkeypatch.setattr(sampling, "ENOUGH_PAIRS", 200)
    found: Sample = draw_sample(engine, 400, 0, NO_CAPS)
    assert found.starts == 31
    assert found.starts_searched in {8, 12}
    assert len({drawn.pair.start for drawn in found.drawn}) >= found.starts_searched - 1
