from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityName, EntityType
from kg.resolve.exact import merge_exact
from kg.resolve.name_pool import compatible, conflict, date_key, entity_key, marks, same_marks, voted_type
from kg.resolve.normal_form import abbreviates, gender_of_honorific, normal_form
from tests.examples import examples


@examples("name, key")
def test_spellings_of_a_name_share_a_key(name: str, key: str) -> None:
    assert normal_form(name) == key


@examples("name, key")
def test_what_only_looks_like_a_title_or_suffix_stays(name: str, key: str) -> None:
    assert normal_form(name) == key


@examples("name, gender")
def test_a_title_tells_whether_a_man_or_a_woman_bears_it(name: str, gender: str) -> None:
    assert gender_of_honorific(name) == gender


@examples("acronym, name, may_be")
def test_what_an_acronym_may_be_short_for(acronym: str, name: str, may_be: bool) -> None:
    assert abbreviates(acronym, name) is may_be


def test_different_things_keep_different_keys() -> None:
    names = ["Disney", "Disney+", "C", "C#", "C++", "H5N1", "H5N2", "DR Congo", "Congo", "Mr Brel Sr"]
    assert len({normal_form(name) for name in names}) == len(names)


PIECES = (
    "The a Dr. dr DR Mr St. st U.S. i.n.c. Inc co Co. AB and & Brel brel's O'Neil - , 1,000 ( % S.A. ß İ ."
)
NAME_LIKE = st.lists(st.sampled_from(PIECES.split()), max_size=6).map(" ".join)


@given(st.one_of(st.text(max_size=30), NAME_LIKE))
def test_taking_the_key_twice_changes_nothing(name: str) -> None:
    assert normal_form(normal_form(name)) == normal_form(name)


@given(st.one_of(st.text(max_size=30), NAME_LIKE))
def test_a_name_with_a_letter_or_digit_has_a_key(name: str) -> None:
    if any(character.isalnum() for character in name):
        assert normal_form(name)
    assert normal_form(name) == normal_form(name).strip()


@examples("written")
def test_a_day_has_one_key(written: str) -> None:
    assert date_key(written) == "2031-09-05"


@examples("written, key")
def test_other_dates(written: str, key: str) -> None:
    assert date_key(written) == key


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_day_of_the_calendar(day: date) -> None:
    assert (
        date_key(f"{day.day} {day:%B} {day.year}") == date_key(f"{day:%B} {day.day}, {day.year}") == f"{day}"
    )


@given(st.text(max_size=40))
def test_any_text_has_a_key_that_stays(text: str) -> None:
    assert date_key(date_key(text)) == date_key(text)


@examples("written, key")
def test_a_date_has_the_key_of_its_calendar_form(written: str, key: str) -> None:
    assert entity_key(written) == key


def test_dates_of_one_day_are_one_entity_and_numbers_stay_apart() -> None:
    names = [
        EntityName("5 September 2031", "DATE", frozenset({"a"}), 1),
        EntityName("2031-09-05", "DATE", frozenset({"b"}), 3),
        EntityName("6 September 2031", "DATE", frozenset({"b"}), 1),
    ]
    canonical = merge_exact(names).canonical
    assert canonical["5 September 2031"] == canonical["2031-09-05"] != canonical["6 September 2031"]


@examples("one, other, axis")
def test_numbers_and_opposites_conflict(one: str, other: str, axis: str) -> None:
    assert conflict(marks(one), marks(other)) == axis
    assert not same_marks(one, other)


@examples("one, other")
def test_the_same_in_other_words_does_not(one: str, other: str) -> None:
    assert same_marks(one, other)


def test_what_only_one_has_is_no_conflict_but_no_agreement() -> None:
    assert conflict(marks("Deputy Minister"), marks("Minister")) == ""
    assert not same_marks("Deputy Minister", "Minister")


def test_an_i_is_a_word_at_the_beginning_only() -> None:
    assert marks("I Claudius") == {}
    assert marks("Claudius I") == {"numbers": frozenset({"I"})}


@examples("one, other, fits")
def test_which_types_can_be_one_thing(one: EntityType, other: EntityType, fits: bool) -> None:
    assert compatible(one, other) is fits
    assert compatible(other, one) is fits


def test_ties_go_by_the_order_of_the_types() -> None:
    assert voted_type({"ORG": 2, "PERSON": 2}) == voted_type({"PERSON": 2, "ORG": 2}) == "PERSON"
    assert voted_type({"MISC": 9, "CONCEPT": 1}) == "CONCEPT"
    assert voted_type({"MISC": 1}) == "MISC"
