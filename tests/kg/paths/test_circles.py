"""Paths that go in a circle or take an alias for a fact: none is chosen, and the others are counted."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.paths import choose as choosing
from kg.paths.choose import Choice, Clashes, Fitness, choose, find_clashes, name_runs
from kg.paths.protocol import Arc, Web
from kg.paths.quality import CorpusNames
from kg.paths.sample import draw_sample
from kg.paths.sparse import SparseEngine
from kg.paths.spread import DrawRules
from tests.examples import examples
from tests.kg.paths.tables import World, list_paths, worlds
from tests.kg.paths.test_quality import engine_of
from tests.kg.paths.test_sparse import pairs_of


def drawn(*facts: tuple[str, str, str], names: CorpusNames | None = None) -> dict[int, list[list[str]]]:
    """The stops of all paths that are drawn of some facts, by hops; each fact has an article of its own."""
    engine = engine_of(*((*fact, f"a{at}") for at, fact in enumerate(facts)))
    sample = draw_sample(engine, 20, DrawRules(names=names or CorpusNames(), graded=True))
    found: dict[int, list[list[str]]] = {}
    for one in sample.paths:
        arcs = one.choice.arcs
        stops = [engine.entities[stop] for stop in (arcs[0].tail, *(arc.head for arc in arcs))]
        found.setdefault(one.pair.hops, []).append(stops)
    assert all(sample.pairs[hops] - len(found.get(hops, ())) == sample.circular[hops] for hops in (2, 3, 4))
    return found


@examples("start, predicate, middle, further, end, expected")
def test_a_circle_is_never_drawn(
    start: str, predicate: str, middle: str, further: str, end: str, expected: bool
) -> None:
    paths = drawn((start, predicate, middle), (middle, further, end)).get(2, [])
    assert paths == ([[start, middle, end]] if expected else [])


def test_stops_far_apart_make_a_circle_and_the_way_around_it_is_taken() -> None:
    facts = [
        ("Harbour Board", "raised", "death of Oda Wexler"),
        ("death of Oda Wexler", "moved", "Alva Brel"),
        ("Alva Brel", "praised", "Oda Wexler"),
        ("Oda Wexler", "sold", "Port Vell"),
    ]
    assert 4 not in drawn(*facts)
    around = [("Harbour Board", "raised", "Tarn House"), ("Tarn House", "moved", "Alva Brel")]
    assert drawn(*facts, *around)[4] == [
        ["Harbour Board", "Tarn House", "Alva Brel", "Oda Wexler", "Port Vell"]
    ]


def test_other_names_and_contextual_equivalents_make_a_circle() -> None:
    facts = [("UK police", "hired", "Oda Wexler"), ("Oda Wexler", "came to", "Norland")]
    assert drawn(*facts)[2]
    assert not drawn(*facts, names=CorpusNames(aliases={"Norland": ["UK"]}))
    assert not drawn(*facts, names=CorpusNames(equivalents={"Norland": ["UK police"]}))


def test_an_acronym_is_no_word_in_small_letters() -> None:
    facts = [("IS", "hired", "Oda Wexler"), ("Oda Wexler", "is mayor of", "Port Vell")]
    assert drawn(*facts)[2]
    assert not drawn(("IS", "hired", "Oda Wexler"), ("Oda Wexler", "left IS for", "Port Vell"))


CALLED = st.lists(st.sampled_from(["A", "B", "C", "A B", "B C", "D", "E", "F"]), min_size=12, max_size=12)


def is_circle(path: tuple[Arc, ...], clashes: Clashes) -> bool:
    """By the plain definition, pair by pair."""
    stops = [path[0].tail, *(arc.head for arc in path)]
    return any(other in clashes.stops.get(one, ()) for one, other in combinations(stops, 2)) or any(
        stop in clashes.predicates.get(arc.predicate, ())
        for arc in path
        for stop in stops
        if stop not in (arc.tail, arc.head)
    )


@pytest.mark.parametrize("most", [10_000, 0])
@given(world=worlds(), called=CALLED, named=st.sampled_from(["knows", "knows A", "knows B C"]))
def test_paths_without_a_circle_are_counted_as_if_they_were_listed(
    most: int, world: World, called: list[str], named: str
) -> None:
    """Where they are too many to be counted, what is chosen is no circle either."""
    engine = SparseEngine(world.table())
    pairs = pairs_of(engine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choosing, "MOST_COUNTED", most)
        for pair, found in zip(pairs, engine.webs(pairs), strict=True):
            web: Web = tuple(tuple(_saying(arc, named) for arc in arcs) for arcs in found)
            names = {stop: name_runs([called[stop]]) for stop in range(world.size)}
            clashes = find_clashes(web, names, {})
            listed = [path for path in list_paths(web) if not any(arc.mirrored for arc in path)]
            straight = [path for path in listed if not is_circle(path, clashes)]
            fitting = [path for path in straight if len({arc.claim for arc in path}) == len(path)]
            facts: Web = tuple(tuple(arc for arc in arcs if not arc.mirrored) for arcs in web)
            choice = choose(facts, Fitness(), pair.start, clashes=clashes)
            if isinstance(choice, Choice):
                assert choice.arcs in fitting
                assert choice.fitting == len(fitting) or most == 0
            else:
                assert not fitting or most == 0


def _saying(arc: Arc, named: str) -> Arc:
    """An arc of an odd number with a predicate that may hold a name."""
    return arc._replace(origin=("", 0, named)) if arc.head % 2 else arc
