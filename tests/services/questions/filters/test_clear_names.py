"""The filters "stands alone" and "answer specific" on small graphs."""

from dataclasses import replace

import pytest

from kg.model import EntityType
from services.questions.draft import Draft
from services.questions.filters.standing import AnswerSpecific, StandsAlone, vague_part
from tests.examples import examples
from tests.services.questions.filters.little_world import CHAIN, Said, World


def stands(world: World, draft: Draft) -> str:
    (found,) = StandsAlone(world.graph, world.corpus).check([draft])
    return found.reason


def specific(world: World, draft: Draft) -> str:
    (found,) = AnswerSpecific(world.graph, world.corpus).check([draft])
    return found.reason


def started(world: World, name: str, kind: EntityType = "ORG", text: str = "") -> Draft:
    """A chain from another start."""
    world.plant(Said(name, "plays for", "Ostby Rovers", "k1"), **{name.replace(" ", "_"): kind})
    chain = world.chain(text=text or f"Who founded the company that owns the club that {name} plays for?")
    return replace(chain, stops=(world.stop(name, kind), *chain.stops[1:]))


def answered(world: World, name: str, kind: EntityType = "ORG") -> Draft:
    """A chain to another answer."""
    last = Said("Halden Shipping", "was founded by", name, "k3")
    world.plant(last, **{name.replace(" ", "_"): kind})
    return world.chain(*CHAIN[:2], last, answer_type=kind)


def test_a_clear_question_stands_alone_and_its_answer_is_specific(world: World) -> None:
    world.plant(*CHAIN)
    assert stands(world, world.chain()) == ""
    assert specific(world, world.chain()) == ""


def test_a_chain_names_its_start(world: World) -> None:
    text = "Who founded the company that owns the club that wears black?"
    assert "Mira Tolland" in stands(world, world.chain(text=text))


def test_a_vague_word_is_told(world: World) -> None:
    world.plant(*CHAIN)
    text = "Who founded the company that owned the club of Mira Tolland last season?"
    assert "last season" in stands(world, world.chain(text=text))


@examples("name, kind, reason")
def test_a_start_that_is_no_name_is_told(world: World, name: str, kind: EntityType, reason: str) -> None:
    assert reason in stands(world, started(world, name, kind))


@pytest.mark.parametrize(
    "name", ["United States", "European Union", "United States Department of Justice", "Tarn"]
)
def test_a_country_is_a_name_though_its_words_are_common(world: World, name: str) -> None:
    assert stands(world, started(world, name, "GPE")) == ""


def test_a_start_that_articles_write_small_is_told(world: World) -> None:
    draft = started(world, "Comet")
    assert stands(world, draft) == ""
    world.write("k1", "A comet was seen from the terraces.")
    assert "also write small" in stands(world, draft)


def test_a_name_that_is_rarely_written_small_stays_a_name(world: World) -> None:
    world.plant(*(Said("Comet", "beat", "Vell Bears", f"m{number}") for number in range(12)))
    draft = started(world, "Comet")
    world.write("k1", "A comet was seen from the terraces.")
    assert stands(world, draft) == ""


def test_a_name_that_two_entities_share_is_told(world: World) -> None:
    world.plant(*CHAIN, Said("Tolland", "coaches", "Vell Bears", "k4"), Tolland="PERSON")
    assert stands(world, world.chain()) == ""
    world.alias("Mira Tolland", "Tolland")
    assert "2 entities go by it" in stands(world, world.chain())


def test_a_surname_that_belongs_to_somebody_else_as_well_is_told(world: World) -> None:
    draft = started(world, "Tolland", "PERSON")
    assert stands(world, draft) == ""
    world.plant(*CHAIN)
    assert "it may be short for Mira Tolland" in stands(world, draft)


def test_a_town_is_no_surname(world: World) -> None:
    world.plant(*CHAIN)
    assert stands(world, started(world, "Tolland", "GPE")) == ""


def test_dates_and_newspapers_in_a_question_are_no_vague_words(world: World) -> None:
    opened = Said("Ostby Rovers", "opened on", "4 May 2031", "k1")
    dates: dict[str, EntityType] = {"4_May_2031": "DATE"}
    world.plant(opened, **dates)
    draft = world.comparison(opened, opened, "Did Today write that Ostby Rovers opened on 4 May 2031?")
    stops = (*draft.stops, world.stop("4 May 2031", "DATE"))
    assert "today" in stands(world, replace(draft, stops=stops)).casefold()
    assert stands(world, replace(draft, stops=stops, sources=("Today",))) == ""


@examples("name, kind, reason")
def test_an_answer_that_is_not_specific_is_told(
    world: World, name: str, kind: EntityType, reason: str
) -> None:
    assert reason in specific(world, answered(world, name, kind))


@examples("name, kind")
def test_dates_numbers_and_names_are_answers(world: World, name: str, kind: EntityType) -> None:
    assert specific(world, answered(world, name, kind)) == ""


def test_a_chain_does_not_go_on_from_a_number(world: World) -> None:
    chain = world.chain()
    by_year = replace(chain, stops=(chain.stops[0], world.stop("1412", "DATE"), *chain.stops[2:]))
    assert 'goes on from "1412"' in specific(world, by_year)
    by_name = replace(chain, stops=(chain.stops[0], world.stop("27", "MISC"), *chain.stops[2:]))
    assert 'goes on from "27"' in specific(world, by_name)


def test_an_answer_by_a_word_passes(world: World) -> None:
    assert specific(world, world.comparison(CHAIN[0], CHAIN[1], "Is it so?")) == ""


def test_a_noun_phrase_is_specific_where_the_corpus_takes_concepts(world: World) -> None:
    draft = answered(world, "respiratory depression", "CONCEPT")
    word, broad = (answered(world, name, "CONCEPT") for name in ("ketamine", "government"))
    for concepts, expected in ((False, [False, False, False]), (True, [True, True, False])):
        found = AnswerSpecific(world.graph, world.corpus, concepts).check([draft, word, broad])
        assert [verdict.passed for verdict in found] == expected


@examples("text")
def test_a_question_that_stands_alone_has_no_vague_part(text: str) -> None:
    assert vague_part(text) == ""


@examples("text, part")
def test_what_leans_on_an_article_is_told(text: str, part: str) -> None:
    assert vague_part(text).startswith(part)


def test_names_are_left_out() -> None:
    text = "Who directed Yesterday after This Is Us?"
    assert vague_part(text) != ""
    assert vague_part(text, ("Yesterday", "This Is Us")) == ""
