"""Comparisons of two entities by one predicate: what is asked, what is answered, and what is left alone."""

from collections import Counter

from kg.model import EntityType
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.kinds.comparison import comparison_candidates, comparisons
from tests.examples import read_examples
from tests.graph_reading import change
from tests.services.questions.kinds.told_world import Told, World, chunk_id, tell

ARTICLES = {str(number): (f"Paper {number}", "") for number in range(12)}
FIRMS: tuple[str, ...] = read_examples("services/questions/kinds/comparison")["firms"]
PLACES = ("Ostby", "Kaldmere", "Norholm", "Verrin", "Corrin", "Merrow", "Dunholm", "Greyford")


def based(article: str, firm: str, place: str, predicate: str = "is headquartered in") -> Told:
    return Told(article, firm, predicate, place)


def made(graph: Graph, corpus: str, world: World) -> list[Draft]:
    """All that could be asked, before even answers are drawn from it."""
    tell(graph, corpus, world)
    return [one.draft for one in comparison_candidates(graph, corpus, 40, seed=0)]


def pairs_of(drafts: list[Draft], answer: str) -> set[frozenset[str]]:
    return {frozenset(stop.name for stop in draft.stops) for draft in drafts if draft.answer == answer}


def world_of(*facts: Told, links: tuple[tuple[str, str], ...] = ()) -> World:
    return World(ARTICLES, facts, types=dict.fromkeys(PLACES, "GPE"), links=links)


def test_two_firms_at_one_place_and_one_elsewhere(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        world_of(
            based("0", "Halden Shipping", "Ostby"),
            based("1", "Brask Foundry", "Ostby", "was headquartered in"),
            based("2", "Tolland Bank", "Kaldmere"),
        ),
    )
    assert pairs_of(drafts, "Yes") == {frozenset({"Halden Shipping", "Brask Foundry"})}
    assert all("Tolland Bank" in pair for pair in pairs_of(drafts, "No"))
    same = next(draft for draft in drafts if draft.answer == "Yes")
    assert same.answer_type == "YES_NO"
    assert "Ostby" not in same.text
    assert {*same.chunks} == {chunk_id(corpus, "0"), chunk_id(corpus, "1")}
    assert [fact.object for fact in same.facts] == ["Ostby", "Ostby"]


def test_a_second_value_leaves_a_firm_out(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        world_of(
            *(based(str(at), f"{FIRMS[at + 1]} Works", place) for at, place in enumerate(PLACES)),
            based("8", "Halden Shipping", "Ostby"),
            based("9", "Halden Shipping", "Kaldmere"),
        ),
    )
    assert drafts
    assert all(stop.name != "Halden Shipping" for draft in drafts for stop in draft.stops)


def test_a_doubtful_second_value_counts_too(graph: Graph, corpus: str) -> None:
    rumour = Told("9", "Halden Shipping", "was headquartered in", "Kaldmere", stated=False)
    drafts = made(
        graph,
        corpus,
        world_of(
            *(based(str(at), f"{FIRMS[at + 1]} Works", place) for at, place in enumerate(PLACES)),
            based("8", "Halden Shipping", "Ostby"),
            rumour,
        ),
    )
    assert all(stop.name != "Halden Shipping" for draft in drafts for stop in draft.stops)


def test_a_denial_is_no_value(graph: Graph, corpus: str) -> None:
    denial = Told("2", "Halden Shipping", "is headquartered in", "Kaldmere", stated=False, negated=True)
    drafts = made(
        graph,
        corpus,
        world_of(
            based("0", "Halden Shipping", "Ostby"), based("1", "Brask Foundry", "Ostby"), denial,
            based("3", "Tolland Bank", "Verrin"),
        ),
    )  # fmt: skip
    assert pairs_of(drafts, "Yes") == {frozenset({"Halden Shipping", "Brask Foundry"})}


def test_values_that_may_be_one_are_not_told_apart(graph: Graph, corpus: str) -> None:
    linked = world_of(
        based("0", "Halden Shipping", "Ostby"),
        based("1", "Brask Foundry", "Kaldmere"),
        links=(("Ostby", "Kaldmere"),),
    )
    assert made(graph, corpus, linked) == []


def test_a_place_within_the_other_is_not_told_apart(graph: Graph, corpus: str) -> None:
    world = world_of(
        based("0", "Halden Shipping", "Ostby"),
        based("1", "Brask Foundry", "Norholm"),
        Told("2", "Ostby", "lies in", "Norholm"),
    )
    assert made(graph, corpus, world) == []


def test_values_that_share_a_word_are_not_told_apart(graph: Graph, corpus: str) -> None:
    world = World(
        ARTICLES,
        (
            Told("0", "Mira Brel", "studied at", "Old University"),
            Told("1", "Otto Pelham", "studied at", "Ostby University"),
        ),
        types={"Mira Brel": "PERSON", "Otto Pelham": "PERSON"},
    )  # fmt: skip
    assert made(graph, corpus, world) == []


def test_another_value_under_a_missing_link_leaves_a_subject_out(graph: Graph, corpus: str) -> None:
    world = world_of(
        based("0", "Halden Shipping", "Ostby"),
        based("1", "Brask Foundry", "Ostby"),
        based("2", "The Line", "Kaldmere"),
        links=(("Halden Shipping", "The Line"),),
    )
    named = {stop.name for draft in made(graph, corpus, world) for stop in draft.stops}
    assert "Halden Shipping" not in named


def test_a_year_is_not_compared_with_a_place(graph: Graph, corpus: str) -> None:
    world = World(
        ARTICLES,
        (
            Told("0", "Halden Shipping", "was founded in", "1904"),
            Told("1", "Brask Foundry", "was founded in", "Ostby"),
        ),
        types={"1904": "DATE", "Ostby": "GPE"},
    )  # fmt: skip
    assert made(graph, corpus, world) == []


def test_a_name_that_tells_the_value_is_not_asked_for(graph: Graph, corpus: str) -> None:
    world = world_of(
        based("0", "Ostby Shipping", "Ostby"), based("1", "Brask Foundry", "Kaldmere"),
        based("2", "Corvane Bank", "Kaldmere"),
    )  # fmt: skip
    assert all(stop.name != "Ostby Shipping" for draft in made(graph, corpus, world) for stop in draft.stops)


def test_years_are_compared_as_years_and_days_not_at_all(graph: Graph, corpus: str) -> None:
    founded = {
        "Halden Shipping": "1904",
        "Brask Foundry": "1904",
        "Tolland Bank": "1911",
        "Pelham Works": "1958",
    }
    days = {"Quorran Arms": "5 May 2031", "Sable Inn": "5 May 2031", "Corvane Arts": "6 May 2031"}
    facts = [Told(str(at), firm, "was founded in", year) for at, (firm, year) in enumerate(founded.items())]
    facts += [Told(str(at + 6), firm, "was founded on", day) for at, (firm, day) in enumerate(days.items())]
    world = World(ARTICLES, facts, types=dict.fromkeys((*founded.values(), *days.values()), "DATE"))
    same = [draft for draft in made(graph, corpus, world) if draft.answer_type == "YES_NO"]
    assert {draft.answer for draft in same} == {"Yes", "No"}
    assert all("the same year" in draft.text for draft in same)


def test_facts_of_one_chunk_need_no_comparison(graph: Graph, corpus: str) -> None:
    world = world_of(based("0", "Halden Shipping", "Ostby"), based("0", "Brask Foundry", "Ostby"))
    assert made(graph, corpus, world) == []


def test_answers_are_even_and_nobody_is_everywhere(graph: Graph, corpus: str) -> None:
    facts = [
        based(str(at), f"{firm} {kind}", PLACES[at % 4], predicate)
        for at, firm in enumerate(FIRMS)
        for kind, predicate in (
            ("Shipping", "is headquartered in"),
            ("Bank", "is governed by"),
            ("Works", "sponsors"),
        )
    ]
    tell(graph, corpus, world_of(*facts))
    drafts = list(comparisons(graph, corpus, 20, seed=0))
    answers = Counter(draft.answer for draft in drafts if draft.answer_type == "YES_NO")
    assert answers["Yes"] == answers["No"] > 0
    assert max(Counter(stop.id for draft in drafts for stop in draft.stops).values()) <= 2
    assert drafts == list(comparisons(graph, corpus, 20, seed=0))
    assert drafts != list(comparisons(graph, corpus, 20, seed=1))


def test_a_place_is_no_citizen(graph: Graph, corpus: str) -> None:
    facts = [Told(str(at), one, "is citizen of", "Ostby") for at, one in enumerate(("Mira Brel", "Karl Moe"))]
    kinds: tuple[tuple[EntityType, int], ...] = (("PERSON", 1), ("GPE", 0))
    for kind, pairs in kinds:
        types: dict[str, EntityType] = {"Ostby": "GPE", "Mira Brel": kind, "Karl Moe": kind}
        drafts = made(graph, corpus, World(ARTICLES, tuple(facts), types=types))
        assert len(pairs_of(drafts, "Yes")) == pairs
        change(graph, "MATCH (n {corpus: $corpus}) DETACH DELETE n", corpus=corpus)
