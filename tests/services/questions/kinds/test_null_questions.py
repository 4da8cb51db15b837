"""Null questions: what is missing is missing from the graph and from the text, under every name.

Invented names sound like the corpus and stand nowhere in it.
"""

from dataclasses import replace

from kg.model import EntityType
from kg.store.graph import Graph
from services.answers import INSUFFICIENT
from services.questions.draft import Draft
from services.questions.kinds.invented_names import NEWS_NAMES, fictional_sources, invented_names
from services.questions.kinds.null_questions import nulls
from tests.examples import read_examples
from tests.graph_reading import change
from tests.services.questions.kinds.told_world import Told, World, draw_path, tell

ARTICLES = {str(number): (f"Paper {number}", "2031-01-04") for number in range(10)}
PERSONS: tuple[str, ...] = read_examples("services/questions/kinds/null_questions")["persons"]
FIRST: list[str] = list(read_examples("services/questions/kinds/null_questions")["first"])
LAST: list[str] = list(read_examples("services/questions/kinds/null_questions")["last"])
PATH = (
    Told("0", "Mira Brel", "taught", "Otto Pelham"),
    Told("1", "Otto Pelham", "founded", "Halden Shipping"),
)
"""It begins at Mira Brel; the first fact leads to Otto Pelham, of whom no marriage is told."""
OTHERS = (
    Told("2", "Ana Tolland", "founded", "Brask Foundry"),
    Told("3", "Ana Tolland", "is married to", "Karl Brask"),
    Told("4", "Greta Lindqvist", "founded", "Tolland Bank"),
    Told("5", "Greta Lindqvist", "is married to", "Ida Venning"),
)
WORLD = World(ARTICLES, (*PATH, *OTHERS), types=dict.fromkeys(PERSONS, "PERSON"))


_PASSAGE = "CREATE (:Chunk {id: $corpus + '-passage', corpus: $corpus, title: $title, text: $said})"


def made(graph: Graph, corpus: str, world: World) -> list[Draft]:
    tell(graph, corpus, world)
    draw_path(graph, corpus, PATH)
    return list(nulls(graph, corpus, 40, seed=0))


def gaps(drafts: list[Draft]) -> list[Draft]:
    return [draft for draft in drafts if "is married to" in draft.absent]


def with_invented(world: World) -> World:
    """A second path's worth of gaps, so that the bundle of two gaps and an invented name can be filled."""
    return replace(world, facts=(*world.facts, Told("6", "Lena Moor", "taught", "Ida Venning")))


def test_a_likely_gap_is_asked_for(graph: Graph, corpus: str) -> None:
    (draft,) = gaps(made(graph, corpus, WORLD))
    assert draft.answer == INSUFFICIENT
    assert draft.answer_type == "NONE"
    assert "Mira Brel" in draft.text
    assert "Pelham" not in draft.text
    assert [fact.predicate for fact in draft.facts] == ["taught"]
    assert draft.hops == 2
    assert "Otto Pelham" in draft.absent
    assert "Otto Pelham" in draft.hidden


def test_only_works_are_asked_for_their_release(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Mira Brel", "taught", "Otto Pelham"),
        Told("1", "Otto Pelham", "owns", "Halden"),
        Told("2", "Ana Tolland", "owns", "Winter Light"),
        Told("3", "Winter Light", "was released by", "Brask Foundry"),
        Told("4", "Greta Lindqvist", "owns", "Cold Sun"),
        Told("5", "Cold Sun", "was released by", "Corvane"),
        Told("6", "Halden", "opened", "Sable"),
    )
    kinds: tuple[EntityType, ...] = ("ORG", "WORK")
    asked = []
    for kind in kinds:
        tell(
            graph, corpus, World(ARTICLES, facts, types={**dict.fromkeys(PERSONS, "PERSON"), "Halden": kind})
        )
        draw_path(graph, corpus, (facts[1], facts[-1]))
        asked.append(any("released" in draft.absent for draft in nulls(graph, corpus, 40, seed=0)))
        change(graph, "MATCH (n {corpus: $corpus}) DETACH DELETE n", corpus=corpus)
    assert asked == [False, True]


def test_a_fact_with_doubt_fills_the_gap(graph: Graph, corpus: str) -> None:
    rumour = Told("7", "Otto Pelham", "is married to", "Lena Moor", stated=False)
    assert gaps(made(graph, corpus, replace(WORLD, facts=(*WORLD.facts, rumour)))) == []


def test_a_fact_told_from_the_other_side_fills_the_gap(graph: Graph, corpus: str) -> None:
    told = Told("7", "Lena Moor", "married", "Otto Pelham")
    assert gaps(made(graph, corpus, replace(WORLD, facts=(*WORLD.facts, told)))) == []


def test_a_fact_under_another_name_fills_the_gap(graph: Graph, corpus: str) -> None:
    told = Told("7", "The Shipwright", "is married to", "Lena Moor")
    world = replace(WORLD, facts=(*WORLD.facts, told), links=(("Otto Pelham", "The Shipwright"),))
    assert gaps(made(graph, corpus, world)) == []


def test_a_sentence_without_a_triple_fills_the_gap(graph: Graph, corpus: str) -> None:
    world = replace(WORLD, said=(("7", "His wife calls Pelham a dreamer.", True, ()),))
    assert gaps(made(graph, corpus, world)) == []


def test_a_sentence_under_an_alias_fills_the_gap(graph: Graph, corpus: str) -> None:
    world = replace(
        WORLD,
        aliases={"Otto Pelham": ("O'Hara (Otto)",)},
        said=(("7", "Somebody married O'Hara (Otto).", True, ()),),
    )
    assert gaps(made(graph, corpus, world)) == []


def test_an_unclear_he_in_his_article_fills_the_gap(graph: Graph, corpus: str) -> None:
    world = replace(WORLD, said=(("1", "He married in spring.", False, ()),))
    assert gaps(made(graph, corpus, world)) == []


def test_a_caption_or_a_title_that_is_no_claim_fills_the_gap(graph: Graph, corpus: str) -> None:
    for title, text in (("Otto Pelham weds", "A quiet day."), ("Harbour", "Pelham and his wife, centre.")):
        tell(graph, corpus, WORLD)
        draw_path(graph, corpus, PATH)
        change(graph, _PASSAGE, corpus=corpus, title=title, said=text)
        assert gaps(list(nulls(graph, corpus, 40, seed=0))) == []
        change(graph, "MATCH (n {corpus: $corpus}) DETACH DELETE n", corpus=corpus)


def test_a_passage_that_tells_it_of_somebody_else_does_not(graph: Graph, corpus: str) -> None:
    tell(graph, corpus, WORLD)
    draw_path(graph, corpus, PATH)
    text = "Pelham was there. His neighbour is married to a farmer."
    change(graph, _PASSAGE, corpus=corpus, title="Harbour", said=text)
    assert len(gaps(list(nulls(graph, corpus, 40, seed=0)))) == 1


def test_an_unclear_he_in_another_article_does_not(graph: Graph, corpus: str) -> None:
    world = replace(WORLD, said=(("8", "He married in spring.", False, ()),))
    assert len(gaps(made(graph, corpus, world))) == 1


def test_a_hyphen_in_a_predicate_hides_no_sentence(graph: Graph, corpus: str) -> None:
    others = tuple(
        replace(one, predicate="is co-owned by") if "married" in one.predicate else one for one in OTHERS
    )
    world = replace(WORLD, facts=(*PATH, *others))
    assert any("is co-owned by" in draft.absent for draft in made(graph, corpus, world))


def test_a_hyphenated_sentence_fills_the_gap(graph: Graph, corpus: str) -> None:
    others = tuple(
        replace(one, predicate="is co-owned by") if "married" in one.predicate else one for one in OTHERS
    )
    said = (("7", "Pelham is a horse that two farmers co-own.", True, ()),)
    world = replace(WORLD, facts=(*PATH, *others), said=said)
    assert not any("is co-owned by" in draft.absent for draft in made(graph, corpus, world))


def test_a_description_that_fits_others_leaves_no_sure_gap(graph: Graph, corpus: str) -> None:
    other = Told("7", "Mira Brel", "has taught", "Ana Tolland")
    assert gaps(made(graph, corpus, replace(WORLD, facts=(*WORLD.facts, other)))) == []


def test_an_invented_start_is_nobody(graph: Graph, corpus: str) -> None:
    # Among few names one is easily drawn twice, and then no name can be made of the two.
    persons = (*PERSONS, *(f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)))
    facts = tuple(Told("8", name, "visited", "Halden Shipping") for name in persons[len(PERSONS) :])
    world = World(ARTICLES, (*WORLD.facts, *facts), types=dict.fromkeys(persons, "PERSON"))
    (draft,) = [draft for draft in made(graph, corpus, world) if not draft.facts]
    assert draft.answer == INSUFFICIENT
    assert draft.stops == ()
    assert not any(name in draft.text for name in persons)
    assert any(f"{one.split()[0]} {other.split()[1]}" in draft.text for one in persons for other in persons)
    assert "Otto Pelham" in draft.hidden


def test_fictional_sources_stand_nowhere_and_are_in_about_half_of_the_questions(
    graph: Graph, corpus: str
) -> None:
    tell(graph, corpus, WORLD)
    draw_path(graph, corpus, PATH)
    sources = fictional_sources(graph, corpus, seed=0)
    taken = sources[0]
    assert all(source.split()[-1] in NEWS_NAMES for source in sources)
    asked = [draft for seed in range(12) for draft in nulls(graph, corpus, 40, seed)]
    naming = [draft for draft in asked if draft.sources]
    assert 0 < len(naming) < len(asked)
    for draft in naming:
        assert draft.text.endswith(f", according to the {draft.sources[0]}?")
        assert f'no source is called "{draft.sources[0]}"' in draft.absent
    passage = f"So the {taken} wrote."
    change(graph, _PASSAGE, corpus=corpus, title="Harbour", said=passage)
    assert taken not in fictional_sources(graph, corpus, seed=0)


def test_where_articles_name_no_source_no_question_does(graph: Graph, corpus: str) -> None:
    tell(graph, corpus, replace(WORLD, articles=dict.fromkeys(ARTICLES, ("", "2031-01-04"))))
    assert fictional_sources(graph, corpus, seed=0) == []


PEOPLE = ("Mira Brel", "Otto Pelham", "Ana Tolland")


def test_a_name_is_mixed_from_two_and_is_nobodys(graph: Graph, corpus: str) -> None:
    facts = tuple(Told("0", one, "taught", other) for one in PEOPLE for other in PEOPLE if one < other)
    said = (("0", "Mira Pelham sang, and so did Ana Brel.", True, ()),)
    tell(graph, corpus, World({"0": ("Post", "")}, facts, types=dict.fromkeys(PEOPLE, "PERSON"), said=said))
    wanted = {str(number): "PERSON" for number in range(20)}
    made = invented_names(graph, corpus, wanted, seed=0)
    free = {"Mira Tolland", "Otto Brel", "Otto Tolland", "Ana Pelham"}
    assert {*made.values()} <= free
    assert len({*made.values()}) == len(made) > 0


def test_places_and_firms_make_no_persons(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Sable Harbour", "taught", "Halden Shipping"),
        Told("0", "Mira Brel", "taught", "Sable Bank"),
    )
    types: dict[str, EntityType] = {"Sable Harbour": "PERSON", "Mira Brel": "PERSON"}
    tell(graph, corpus, World({"0": ("Post", "")}, facts, types=types))
    assert invented_names(graph, corpus, {"a": "PERSON"}, seed=0) == {}
