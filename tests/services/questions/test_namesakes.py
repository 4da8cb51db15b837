"""Chains don't go from one person to a namesake."""

from dataclasses import replace
from typing import Any

import pytest

from kg.model import EntityType
from services.questions.draft import Draft, Fact, Stop
from services.questions.namesakes import (
    Lands,
    Namesakes,
    is_of_many_people,
    joins_a_shared_name,
    lands_in,
    leads_to_a_namesake,
    shared_titles,
)
from tests.examples import examples


def chain(middle: Stop, *articles: str) -> Draft:
    """Two hops, from Lyon to a date, through somebody; an article for each."""
    stops = (Stop("lyon", "Lyon", "GPE"), middle, Stop("date", "1 May 1900", "DATE"))
    facts = tuple(
        Fact(at, f"c{at}", f"t{at}", "", "leads to", "", article, "")
        for at, article in enumerate(articles, 1)
    )
    return Draft("chain", "When?", "1 May 1900", ("1 May 1900",), "DATE", "test", stops, facts)


def doubt(draft: Draft, namesakes: Namesakes | None = None, named: Lands | None = None) -> str:
    """Why a chain may lead to a namesake, by what articles name."""
    return leads_to_a_namesake(draft, namesakes or Namesakes(), named or {})


def person(*names: str, type_: EntityType = "PERSON") -> Stop:
    return Stop("p", names[0], type_, names[1:])


@examples("stop, many")
def test_names_of_many_people(stop: tuple[Any, ...], many: bool) -> None:
    assert is_of_many_people(person(*stop)) is many


def test_a_name_of_many_joins_facts_of_one_article_only() -> None:
    assert doubt(chain(person("John I"), "a", "a")) == ""
    assert doubt(chain(person("John I"), "a", "b")) == '"John I" is the name of many people'
    assert doubt(chain(person("Helena Brandvold"), "a", "b")) == ""
    assert doubt(chain(person("John I", type_="WORK"), "a", "b")) == ""
    ends = ("a", "a"), ("a", "b")
    assert [joins_a_shared_name(chain(person("Dracula"), *articles)) for articles in ends] == [False, True]
    assert not joins_a_shared_name(chain(person("Helena Brandvold"), "a", "b"))


def test_whoever_was_born_twice_is_two() -> None:
    assert "two people" in doubt(chain(person("Helena Brandvold"), "a", "a"), Namesakes({"p"}))


def test_a_work_of_two_makers_is_two() -> None:
    work = person("Lost Patrol", type_="WORK")
    assert doubt(chain(work, "a", "b"), Namesakes({"p"})).endswith("it may be two works")
    assert doubt(chain(work, "a", "b")) == ""


@pytest.mark.parametrize(
    ("middle", "statements", "several"),
    [
        (
            person("Ada Greer"),
            ("Tarn was made by Ada Greer before her death in 2008.", "Ada Greer (1908-1960)."),
            True,
        ),
        (
            person("Ada Greer"),
            ("Tarn was made by Ada Greer before her death in 1960.", "Ada Greer (1908-1960)."),
            False,
        ),
        (person("Tarn", type_="WORK"), ("Tarn is a 2014 film.", 'It is based on the novel "Tarn".'), True),
        (person("Tarn", type_="WORK"), ("Tarn is a 2014 film.", 'She is in the movie "Tarn".'), False),
    ],
)
def test_two_deaths_or_two_kinds_of_work_are_no_hop(
    middle: Stop, statements: tuple[str, str], several: bool
) -> None:
    draft = chain(middle, "a", "b")
    facts = tuple(replace(fact, statement=said) for fact, said in zip(draft.facts, statements, strict=True))
    assert bool(doubt(replace(draft, facts=facts))) is several


def test_half_a_name_joins_no_articles_and_neither_begins_nor_ends_a_chain() -> None:
    whole = person("Helena Brandvold", "Brandvold")
    first = Fact(1, "c", "t", "Lyon", "elected", "Brandvold", "a", "")
    second = Fact(2, "c", "t", "Helena Brandvold", "died on", "1 May 1900", "b", "")
    draft = replace(chain(whole), facts=(first, second))
    assert doubt(draft).startswith('"Brandvold" is half a name')
    assert doubt(replace(draft, facts=(first, replace(second, article="a")))) == ""
    begun = replace(draft, stops=(person("Brandvold"), *draft.stops[1:]), facts=(first, second))
    assert "half a name" in doubt(begun)


def test_a_party_of_one_state_is_not_that_of_another() -> None:
    party = person("Democratic Party", "Maryland Democratic Party", type_="ORG")
    first = Fact(1, "c", "t", "Lyon", "chose", "Democratic Party", "a", "")
    second = Fact(2, "c", "t", "Maryland Democratic Party", "met on", "1 May 1900", "b", "")
    draft = replace(chain(party), facts=(first, second))
    assert doubt(draft).startswith('"Maryland Democratic Party" may be another')
    same = replace(second, subject="Democratic Party")
    assert doubt(replace(draft, facts=(first, same))) == ""


def test_a_chamber_of_no_country_joins_no_articles() -> None:
    senate = person("Senate", type_="ORG")
    first = Fact(1, "c", "t", "Lyon", "has", "Senate", "a", "")
    second = Fact(2, "c", "t", "Senate", "met on", "1 May 1900", "b", "")
    draft = replace(chain(senate), facts=(first, second))
    assert doubt(draft).startswith('"Senate" may be another')
    assert doubt(replace(draft, facts=(first, replace(second, article="a")))) == ""


@examples("place, said, told, named, several")
def test_two_places_of_one_name_are_no_hop(
    place: str, said: str, told: tuple[str, str], named: tuple[str, str], several: bool
) -> None:
    stops = (Stop("a", "Ada Greer", "PERSON"), Stop("p", place, "GPE"), Stop("o", told[1], "GPE"))
    first = Fact(1, "c", "t", "Ada Greer", "moved to", place, "a", f"Ada Greer moved {said}.")
    second = Fact(2, "d", "u", told[0], "is located in", told[1], "b", f"It is in {', '.join(told)}.")
    draft = replace(chain(stops[1]), stops=stops, facts=(first, second))
    lands = {"a": lands_in(named[0]), "b": lands_in(named[1])}
    assert ("two places" in doubt(draft, named=lands)) is several
    assert doubt(replace(draft, facts=(first, replace(second, article="a"))), named=lands) == ""


def test_a_place_of_two_countries_joins_only_who_names_the_same() -> None:
    stops = (Stop("a", "Ada Greer", "PERSON"), Stop("p", "Dublin", "GPE"), Stop("o", "Ireland", "GPE"))
    first = Fact(1, "c", "t", "Ada Greer", "moved to", "Dublin", "a", "Ada Greer moved to Dublin.")
    second = Fact(2, "d", "u", "Dublin", "is located in", "Ireland", "b", "It is in Dublin, Ireland.")
    draft = replace(chain(stops[1]), stops=stops, facts=(first, second))
    two = Namesakes(places={"p"})
    assert doubt(draft) == ""
    assert "two places" in doubt(draft, two, {"a": frozenset()})
    assert doubt(draft, two, {"a": lands_in("The Irish poet")}) == ""


def test_a_woman_s_title_is_no_man_s() -> None:
    otto = Stop("o", "Baroness Pell", "PERSON", ("Otto Pell",))
    heads = Fact(
        1, "c", "t", "Otto Pell", "is head of", "Tarn Works", "a", "Otto Pell is head of Tarn Works."
    )
    both = (otto, Stop("w", "Tarn Works", "ORG"))
    assert "may be another" in doubt(replace(chain(both[1]), stops=both, facts=(heads,)))
    lord = replace(otto, name="Lord Pell")
    assert "may be another" not in doubt(replace(chain(both[1]), stops=(lord, both[1]), facts=(heads,)))


def test_a_town_of_one_state_joins_nothing_of_its_namesake() -> None:
    stops = (Stop("a", "Ada Greer", "PERSON"), Stop("p", "Ely", "GPE"), Stop("o", "Otto Pell", "PERSON"))
    first = Fact(1, "c", "t", "Ada Greer", "lived in", "Ely", "a", "Ada Greer lived in Ely, Nebraska.")
    spoke = "Ely police chief Otto Pell spoke."
    second = Fact(2, "d", "u", "Otto Pell", "is police chief of", "Ely", "b", spoke, reversed=True)
    draft = replace(chain(stops[1]), stops=stops, facts=(first, second))
    assert doubt(draft) == '"Ely" is told of Nebraska, and may be another elsewhere'
    assert doubt(replace(draft, facts=(first, replace(second, article="a")))) == ""
    lies = Fact(2, "d", "u", "Ely", "is located in", "Nebraska", "b", "She left Ely, Nebraska.")
    went = replace(first, sentence="Ada Greer lived in Ely.")
    in_state = (stops[0], stops[1], Stop("n", "Nebraska", "GPE"))
    assert doubt(replace(draft, stops=in_state, facts=(went, lies))) == ""


def test_an_article_that_is_told_from_a_namesake_says_nothing_of_her() -> None:
    titles = {"a": "Ada Greer", "b": "Ada Greer (politician)", "c": "Otto Pell (nurse)", "d": "Tarn"}
    assert shared_titles(titles) == {"b": "Ada Greer"}
    namesakes = Namesakes(titles=shared_titles(titles))
    first = Fact(1, "c", "t", "Otto Pell", "married", "Ada Greer", "a", "")
    second = Fact(2, "d", "u", "Ada Greer", "is citizen of", "Ostrel", "b", "")
    stops = (Stop("o", "Otto Pell", "PERSON"), Stop("p", "Ada Greer", "PERSON"), Stop("l", "Ostrel", "GPE"))
    draft = replace(chain(stops[1]), stops=stops, facts=(first, second))
    assert doubt(draft, namesakes) == '"Ada Greer" is the name of two articles'
    assert doubt(replace(draft, facts=(first, replace(second, article="d"))), namesakes) == ""


@pytest.mark.parametrize(
    ("first", "last", "back"),
    [
        ("EPP Group", "European People's Party Group", True),
        ("House Oversight Committee", "House Government Oversight Committee", True),
        ("Ostrel Marine Institute", "Tarn Bank", False),
    ],
)
def test_a_chain_that_comes_back_to_a_body_by_another_name_asks_nothing(
    first: str, last: str, back: bool
) -> None:
    stops = (Stop("a", first, "ORG"), person("Helena Brandvold"), Stop("b", last, "ORG"))
    facts = (
        Fact(1, "c1", "t1", "Helena Brandvold", "is chairwoman of", first, "one", ""),
        Fact(2, "c2", "t2", "Helena Brandvold", "is head of", last, "one", ""),
    )
    draft = Draft("chain", "Which?", last, (last,), "ORG", "test", stops, facts)
    assert ("may be one" in doubt(draft)) is back
