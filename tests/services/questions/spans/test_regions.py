"""The region of an article: the place that it names most, lifted along what lies in what."""

import pytest

from services.questions.spans.evidence_clusters import (
    Named,
    Place,
    regions_of_articles,
    says_stands_there,
    says_where,
)


def _place(name: str, within: dict[str, int] | None = None, type_: str = "GPE") -> Place:
    return Place(name, name, type_, within or {})


def _regions(places: list[Place], named: dict[str, dict[str, int]]) -> dict[str, str]:
    rows = [Named(article, place, n) for article, counted in named.items() for place, n in counted.items()]
    return regions_of_articles(places, rows)


VALLEY = [
    _place("Ostby", {"North": 2, "South": 1}),
    _place("Kaldmere", {"North": 1}),
    _place("Vell", {"South": 1}),
    _place("North", {"Norland": 1}, "LOC"),
    _place("South", {"Norland": 1}, "LOC"),
    _place("Norland"),
    _place("Town Hall", {"Vell": 1}, "FAC"),
    _place("Arena", {}, "FAC"),
]


def test_towns_count_for_the_region_that_most_facts_put_them_in() -> None:
    named = {
        "a": {"Ostby": 1, "Kaldmere": 1, "Vell": 1},
        "b": {"Vell": 1},
        "c": {"Norland": 5, "Ostby": 1},
        "d": {"Norland": 1},
    }
    # Norland holds what all four articles name. North and South hold what two of them name.
    assert _regions(VALLEY, named) == {"a": "North", "b": "South", "c": "North", "d": "Norland"}


def test_a_place_that_most_articles_are_about_divides_nothing() -> None:
    # South is named in two of three articles, or a town in it: what lies there is told apart by town.
    named = {"a": {"Kaldmere": 1}, "b": {"Vell": 1, "Norland": 9}, "c": {"South": 1, "Norland": 5}}
    assert _regions(VALLEY, named) == {"a": "North", "b": "Vell", "c": "Norland"}


def test_a_building_counts_for_where_it_stands_and_alone_tells_nothing() -> None:
    named = {
        "a": {"Town Hall": 3, "Kaldmere": 1},
        "b": {"Arena": 4},
        "c": {"Kaldmere": 1},
        "d": {"Norland": 1},
    }
    assert _regions(VALLEY, named) == {"a": "South", "c": "North", "d": "Norland"}


def test_facts_that_go_round_in_a_circle_end() -> None:
    circle = [_place("A", {"B": 1}), _place("B", {"C": 1}), _place("C", {"B": 1})]
    named = {"x": {"A": 1}, "y": {"C": 1}, "z": {"B": 1}}
    assert set(_regions(circle, named)) == {"x", "y", "z"}


def test_order_changes_nothing_and_of_equal_regions_the_first_by_name_is_taken() -> None:
    apart = [_place("Vell"), _place("Kaldmere"), _place("Norland")]
    named = {"a": {"Vell": 1, "Kaldmere": 1}, "b": {"Norland": 2, "Vell": 2}, "c": {"Norland": 1}, "d": {}}
    turned = {article: dict(reversed(counted.items())) for article, counted in reversed(named.items())}
    assert _regions(apart, named) == _regions(apart[::-1], turned)
    assert _regions(apart, {"a": {"Vell": 1, "Kaldmere": 1}, "b": {"Norland": 1}})["a"] == "Kaldmere"


@pytest.mark.parametrize(
    ("predicate", "says"),
    [
        ("is located in", True),
        ("lies in", True),
        ("Is city in", True),
        ("is part of", True),
        ("is the capital of", True),
        ("was situated within", True),
        ("is twinned with", False),
        ("was named", False),
        ("lies on", False),
        ("borders", False),
        ("is interested in", False),
    ],
)
def test_which_predicates_say_where_a_place_lies(predicate: str, says: bool) -> None:
    assert says_where(predicate) == says


@pytest.mark.parametrize(
    ("predicate", "says"),
    [
        ("was born in", True),
        ("is  headquartered in", True),
        ("Lives on", True),
        ("is the capital of", True),
        ("owns stake in", False),
        ("was born on the day of", False),
        ("directs", False),
        ("has recalled", False),
    ],
)
def test_which_predicates_say_that_their_object_is_a_place(predicate: str, says: bool) -> None:
    assert says_stands_there(predicate) == says
