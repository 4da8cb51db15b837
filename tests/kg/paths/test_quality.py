"""What is wrong with a path, and that a draw takes the better ones first without losing its spread."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.paths.protocol import DEPTHS, EntityEdges, Leaving, OutEdge, Pair, Walk, edge_table, predicate_form
from kg.paths.quality import (
    FATAL,
    GRAVE,
    SLIGHT,
    ContextReason,
    CorpusNames,
    EntityNames,
    Partner,
    Quality,
    context_names,
    dates,
    name_words,
    read_corpus_names,
    says_nothing,
    stopping,
)
from kg.paths.sample import draw_sample
from kg.paths.sparse import SparseEngine
from kg.paths.spread import Caps, DrawRules, limits_for, strict_limits
from kg.store.graph import Graph
from tests.examples import examples
from tests.graph_reading import change
from tests.kg.paths.tables import World, worlds

GRADED = DrawRules(graded=True)
WEIGHTS = {"none": 0, "slight": SLIGHT, "grave": GRAVE, "fatal": FATAL}


def engine_of(*facts: tuple[str, str, str, str], **types: str) -> SparseEngine:
    """An engine over facts: subject, predicate, object, article; entities are persons unless typed."""
    names = sorted({name for subject, _, end, _ in facts for name in (subject, end)})
    rows = [
        EntityEdges(
            name,
            name,
            types.get(name.replace(" ", "_"), "ORG"),
            types.get(name.replace(" ", "_")) == "DATE",
            [
                OutEdge(f"e{at}", end, f"c{at}", article, predicate=predicate)
                for at, (subject, predicate, end, article) in enumerate(facts)
                if subject == name
            ],
        )
        for name in names
    ]
    return SparseEngine(edge_table(rows))


def faults(engine: SparseEngine, *names: str, known: CorpusNames | None = None) -> int:
    """What is wrong with the only path over these entities."""
    pair = Pair(engine.entities.index(names[0]), engine.entities.index(names[-1]), len(names) - 1)
    (web,) = engine.webs([pair])
    arcs = tuple(step[0] for step in web)
    quality = Quality(engine, known or CorpusNames())
    return quality.of_path(arcs, web, quality.several_ends([web]))


def is_drawn(engine: SparseEngine, hops: int, known: CorpusNames | None = None) -> bool:
    """Whether the only pair so many hops apart is drawn; one that is not is counted as unaskable."""
    sample = draw_sample(engine, 20, DrawRules(names=known or CorpusNames(), graded=True))
    drawn = sum(one.pair.hops == hops for one in sample.paths)
    assert (sample.pairs[hops], sample.unaskable[hops]) == (1, 1 - drawn)
    return drawn == 1


@examples("name, type_, start, end")
def test_a_name_at_either_end(name: str, type_: str, start: str, end: str) -> None:
    found = stopping(name, type_, literal=False)
    assert (found.start, found.end) == (WEIGHTS[start], WEIGHTS[end])


@examples("name, end")
def test_a_time_at_the_end(name: str, end: str) -> None:
    assert stopping(name, "DATE", literal=True).end == WEIGHTS[end]


@examples("predicate, silent")
def test_predicates_that_say_nothing(predicate: str, silent: bool) -> None:
    assert says_nothing(predicate) == silent


@examples("predicate, dating")
def test_predicates_before_a_date(predicate: str, dating: bool) -> None:
    assert dates(predicate) == dating


def test_a_date_that_a_predicate_only_goes_by_is_no_end() -> None:
    def with_end(predicate: str) -> bool:
        facts = (
            ("Oda Wexler", "founded", "Brandt Towing", "a"),
            ("Brandt Towing", predicate, "3 May 1931", "b"),
        )
        rows = engine_of(*facts, **{"3_May_1931": "DATE"})
        return is_drawn(rows, 2)

    assert (with_end("closed on"), with_end("made report of")) == (True, False)


def test_a_whole_people_is_no_end_but_a_path_may_go_through_one() -> None:
    engine = engine_of(
        ("Oda Wexler", "united", "Norlanders", "a"),
        ("Norlanders", "elected", "Alva Brel", "b"),
        ("Port Vell", "hired", "Oda Wexler", "c"),
        Norlanders="NORP",
    )
    sample = draw_sample(engine, 20, GRADED)
    drawn = {engine.entities[one.pair.end] for one in sample.paths}
    assert drawn == {"Alva Brel"}
    assert (sample.unaskable[2], sample.unaskable[3]) == (1, 0)
    assert sample.without_a_path(2) == 1


def test_words_that_give_a_name_away() -> None:
    assert name_words("Tarn's state news") & name_words("Tarn")
    assert name_words("Al Vox") == {"vox"}
    assert name_words("2026 Tarn caucuses") & name_words("Tarn")
    assert not name_words("New Tarn of 2026") & name_words("New Alva in 2026")


@examples("facts, types, path, weight")
def test_what_is_wrong_with_a_path(
    facts: tuple[tuple[str, str, str, str], ...], types: dict[str, str], path: tuple[str, ...], weight: str
) -> None:
    known = CorpusNames(publishers={"tarn gazette"})
    assert faults(engine_of(*facts, **types), *path, known=known) == WEIGHTS[weight]


def test_a_predicate_with_several_ends_singles_nothing_out() -> None:
    engine = engine_of(
        ("Oda Wexler", "visited", "Brandt Towing", "a"),
        ("Oda Wexler", "visited", "Kesterholm", "a"),
        ("Brandt Towing", "owns", "Port Vell", "b"),
    )
    assert faults(engine, "Oda Wexler", "Brandt Towing", "Port Vell") == GRAVE
    wexler = engine.entities.index("Oda Wexler")
    asked = [
        Leaving(wexler, "visited", False),
        Leaving(wexler, "owns", False),
        Leaving(wexler, "eats", False),
    ]
    assert engine.count_ends(asked) == [2, 0, 0]


def test_predicates_of_one_form_are_counted_together_and_backwards_too() -> None:
    assert predicate_form("was defeated by") == predicate_form("is Defeated by") != predicate_form("is in")
    assert predicate_form("has been") == "has been"
    engine = engine_of(
        ("Oda Wexler", "is led by", "Brandt Towing", "a"),
        ("Oda Wexler", "was led by", "Kesterholm", "a"),
        ("Port Vell", "led by", "Kesterholm", "a"),
    )
    wexler, kesterholm = (engine.entities.index(name) for name in ("Oda Wexler", "Kesterholm"))
    assert engine.count_ends([Leaving(wexler, "led by", False)]) == [2]
    assert engine.count_ends([Leaving(kesterholm, "is led by", False)], backwards=True) == [2]


@pytest.mark.parametrize(("predicate", "drawn"), [("was called a strike by", False), ("cost", True)])
def test_a_predicate_with_a_word_of_what_it_leaves_needs_nothing_before_it(
    predicate: str, drawn: bool
) -> None:
    facts = [
        ("Oda Wexler", "joined", "Tarn strike of 2031", "a"),
        ("Tarn strike of 2031", predicate, "Harbour Board", "b"),
    ]
    assert is_drawn(engine_of(*facts, Tarn_strike_of_2031="EVENT"), 2) == drawn


def test_a_word_that_other_names_have_as_well_tells_only_a_kind() -> None:
    facts = [
        ("Oda Wexler", "joined", "Vellow Party", "a"),
        ("Vellow Party", "is ruling party of", "Norland", "b"),
    ]
    assert not is_drawn(engine_of(*facts), 2)
    several = engine_of(*facts, ("Alva Brel", "left", "Kell Party", "c"))
    assert is_drawn(several, 2)
    assert faults(several, "Oda Wexler", "Vellow Party", "Norland") == GRAVE


def test_a_pair_keeps_its_other_fact() -> None:
    engine = engine_of(
        ("Oda Wexler", "joined", "Tarn strike", "a"),
        ("Tarn strike", "was called a strike by", "Harbour Board", "b"),
        ("Tarn strike", "cost", "Harbour Board", "c"),
    )
    (one,) = draw_sample(engine, 20, GRADED).paths
    assert [arc.predicate for arc in one.choice.arcs] == ["joined", "cost"]


def test_a_word_of_another_name_of_what_it_leaves_is_one_as_well() -> None:
    engine = engine_of(
        ("Oda Wexler", "joined", "Brandt Towing", "a"),
        ("Brandt Towing", "named Vellow Line head", "Alva Brel", "b"),
    )
    path = ("Oda Wexler", "Brandt Towing", "Alva Brel")
    assert faults(engine, *path) == 0
    known = CorpusNames(aliases={"Brandt Towing": ["Vellow Line"]})
    assert not is_drawn(engine, 2, known)


def test_of_parallel_facts_the_one_that_can_be_asked_for_is_taken() -> None:
    """And the one that makes the path cross articles."""
    engine = engine_of(
        ("Oda Wexler", "is of", "Brandt Towing", "a"),
        ("Oda Wexler", "founded", "Brandt Towing", "b"),
        ("Oda Wexler", "sold", "Brandt Towing", "a"),
        ("Brandt Towing", "owns", "Port Vell", "b"),
    )
    for seed in range(5):
        (one,) = draw_sample(engine, 4, replace(GRADED, seed=seed)).paths
        assert [arc.origin[2] for arc in one.choice.arcs] == ["sold", "owns"]


def lanes(*starts: str) -> list[tuple[str, str, str, str]]:
    """Chains of three that share nothing, one for each start."""
    return [
        fact
        for at, start in enumerate(starts)
        for fact in (
            (start, "founded", f"Firm{chr(65 + at)}", f"a{at}"),
            (f"Firm{chr(65 + at)}", "owns", f"Quay{chr(65 + at)}", f"b{at}"),
        )
    ]


def starts_of(engine: SparseEngine, number: int, rules: DrawRules) -> list[str]:
    return [engine.entities[one.pair.start] for one in draw_sample(engine, number, rules).paths]


def test_better_paths_come_first_and_worse_ones_still_fill_the_draw() -> None:
    good = [f"Person{letter}" for letter in "ABCD"]
    bad = [f"nearby hotel {chr(97 + at)}" for at in range(8)]
    engine = engine_of(*lanes(*bad, *good))
    ungraded = []
    for seed in range(5):
        rules = replace(GRADED, seed=seed)
        assert sorted(starts_of(engine, 4, rules)) == good
        assert sorted(starts_of(engine, 12, rules)) == sorted([*good, *bad])
        ungraded += starts_of(engine, 4, replace(rules, graded=False))
    assert Counter(start in bad for start in ungraded)[True] > 5


def test_better_paths_don_t_take_more_than_twice_their_share() -> None:
    """All good paths begin at one entity: of twenty it begins four, which the limits allow to the good."""
    facts = [("Oda Wexler", f"founded {at}", f"Firm{chr(65 + at)}", "a") for at in range(20)]
    facts += [(f"Firm{chr(65 + at)}", "owns", f"Quay{chr(65 + at)}", "b") for at in range(20)]
    worse = [f"nearby hotel {chr(97 + at)}" for at in range(20)]
    facts += [(name, "joined", f"Club{chr(65 + at)}", "a") for at, name in enumerate(worse)]
    facts += [(f"Club{chr(65 + at)}", "plays at", f"Field{chr(65 + at)}", "b") for at in range(20)]
    engine = engine_of(*facts)
    counted = Counter(starts_of(engine, 20, GRADED))
    assert counted["Oda Wexler"] == 4
    assert counted.total() == 20


@given(worlds(), st.integers(1, 20), st.integers(0, 3))
def test_a_smaller_graded_sample_is_the_beginning_of_a_larger_one(
    world: World, per_depth: int, seed: int
) -> None:
    engine = SparseEngine(world.table())
    rules = replace(GRADED, seed=seed)
    small, large = (draw_sample(engine, size, rules).paths for size in (per_depth, per_depth + 7))
    full = draw_sample(engine, per_depth, replace(rules, graded=False)).paths
    for depth in DEPTHS:
        one, other, plain = (
            [drawn for drawn in found if drawn.pair.hops == depth] for found in (small, large, full)
        )
        assert one == other[: len(one)]
        assert len(one) == min(per_depth, len(other)) == len(plain)


@pytest.mark.parametrize("size", [4, 8, 20, 400])
def test_strict_limits_are_the_first_of_all_limits(size: int) -> None:
    found = list(strict_limits(size, Caps()))
    every = list(limits_for(size, Caps()))
    assert found == every[: len(found)]
    assert all(limits.start <= max(1, size // 10, 4) for limits in found)


@given(worlds(), st.booleans(), st.booleans())
def test_ends_are_counted_as_a_walk_finds_them(world: World, undirected: bool, mirrored: bool) -> None:
    engine = SparseEngine(world.table(), Walk(undirected, mirrored))
    asked = [Leaving(at, "knows", flag) for at in range(world.size) for flag in (False, True)]
    steps: Sequence[tuple[int, int, bool]] = [
        (int(tail), int(head), bool(world.table().mirrored[edge]))
        for tail, head, edge in zip(engine.arcs.tail, engine.arcs.head, engine.arcs.edge, strict=True)
    ]
    expected = [
        len({head for tail, head, mirror in steps if tail == one.tail and (one.mirrored or not mirror)})
        for one in asked
    ]
    assert engine.count_ends(asked) == expected


@examples("name, type_, partners, expected")
def test_a_name_stands_for_itself_unless_context_is_needed(
    name: str, type_: str, partners: list[str], expected: ContextReason | None
) -> None:
    others = [EntityNames("ana", "Ana Brel", "PERSON"), EntityNames("jon", "Jon Marie Brel", "PERSON")]
    found = context_names(
        [EntityNames("it", name, type_, (), [Partner(partner, partner) for partner in partners]), *others]
    )
    assert found == ({"it": expected} if expected else {})


def test_an_entity_of_which_nothing_is_said_is_known_by_context() -> None:
    one = EntityNames("one", "Harbour Trust", "ORG", (), [Partner("two", "Port Society")], mirrored_only=True)
    assert context_names([one]) == {"one": "mirrored"}


def test_they_are_read_from_links_and_edges(graph: Graph, corpus: str) -> None:
    names = ["Mira Tolland", "Tolland", "Ostby Rovers", "Rovers Club", "Halden"]
    change(
        graph,
        "UNWIND $names AS name "
        "CREATE (:Entity {id: $corpus + name, corpus: $corpus, name: name, named: true, "
        "type: CASE WHEN name ENDS WITH 'Tolland' THEN 'PERSON' ELSE 'ORG' END})",
        corpus=corpus,
        names=names,
    )
    edges = [
        ("CONTEXT_EQUIVALENT", "Tolland", "Mira Tolland"),
        ("CONTEXT_EQUIVALENT", "Ostby Rovers", "Rovers Club"),
        ("RELATES", "Mira Tolland", "Ostby Rovers"),
        ("RELATES", "Tolland", "Halden"),
        ("MIRRORED", "Mira Tolland", "Rovers Club"),
        ("MIRRORED", "Tolland", "Ostby Rovers"),
    ]
    for kind, start, end in edges:
        change(
            graph,
            "MATCH (a:Entity {id: $corpus + $start}), (b:Entity {id: $corpus + $end}) "
            "CREATE (a)-[:$($kind) {in_paths: true}]->(b)",
            corpus=corpus,
            kind=kind,
            start=start,
            end=end,
        )
    change(
        graph,
        "MATCH (e:Entity {id: $corpus + 'Halden'}) SET e.aliases = ['Halden Bay'] "
        "CREATE (:Article {id: $corpus + 'one', corpus: $corpus, source: 'The Norvik Post'})",
        corpus=corpus,
    )
    known = read_corpus_names(graph, corpus)
    assert known.context == {f"{corpus}Tolland", f"{corpus}Rovers Club"}
    assert known.aliases == {f"{corpus}Halden": ["Halden Bay"]}
    assert known.equivalents[f"{corpus}Tolland"] == [f"{corpus}Mira Tolland"]
    assert known.equivalents[f"{corpus}Mira Tolland"] == [f"{corpus}Tolland"]
    assert known.publishers == {"norvik post"}
