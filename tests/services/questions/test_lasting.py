"""What stays true after its sentence was written, and for how long."""

from services.questions.draft import Fact
from services.questions.lasting import fleeting, holds_for_a_time, of_another_year, of_two_times
from tests.examples import examples


def fact(predicate: str, published: str, statement: str = "", article: str = "a") -> Fact:
    return Fact(1, "c", "t", "Greer", predicate, "Tarn House", article, statement, published=published)


@examples("predicate, dated, moment")
def test_what_is_true_of_a_moment_only_is_told(predicate: str, dated: bool, moment: bool) -> None:
    assert bool(fleeting(predicate, dated)) is moment


@examples("predicate, a_time")
def test_what_holds_for_a_time_is_told(predicate: str, a_time: bool) -> None:
    assert holds_for_a_time(predicate) is a_time


@examples("predicate, published, statement, another")
def test_what_is_told_of_another_year(predicate: str, published: str, statement: str, another: bool) -> None:
    assert bool(of_another_year(fact(predicate, published, statement))) is another


@examples("one, other, predicate, next_one, joins")
def test_facts_join_only_where_their_times_fit(
    one: str, other: str, predicate: str, next_one: str, joins: bool
) -> None:
    first, second = fact(predicate, one), fact(next_one, other, article="b")
    assert (of_two_times([first, second]) == "") is joins
    assert of_two_times([first, fact(next_one, other)]) == "", "one article tells both"
