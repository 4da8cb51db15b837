import pytest

from kg.resolve.name_pool import conflict, marks, same_marks


@pytest.mark.parametrize(
    ("one", "other", "axis"),
    [
        ("Vell Cup 2019", "Vell Cup 2020", "numbers"),
        ("Ostred II", "Ostred III", "numbers"),
        ("North Vell", "South Vell", "compass"),
        ("Ana Brel Jr.", "Ana Brel Sr.", "generation"),
        ("First Harrow Bank", "2nd Harrow Bank", "order"),
        ("Harrow Men's Team", "Harrow Women's Team", "sex"),
        ("Upper Vell", "Lower Vell", "size"),
        ("Deputy Minister", "Vice Minister", "rank"),
        ("King Ostred", "Queen Ostred", "house"),
    ],
)
def test_numbers_and_opposites_conflict(one: str, other: str, axis: str) -> None:
    assert conflict(marks(one), marks(other)) == axis
    assert not same_marks(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vell Cup 2019", "2019 Vell Cup"),
        ("Kittiwake 2", "K2 Orbiter"),
        ("Northern Vell", "North Vell"),
        ("Terminal 07", "Terminal 7"),
        ("1st Harrow Bank", "First Harrow Bank"),
    ],
)
def test_the_same_in_other_words_does_not(one: str, other: str) -> None:
    assert same_marks(one, other)


def test_what_only_one_has_is_no_conflict_but_no_agreement() -> None:
    assert conflict(marks("Deputy Minister"), marks("Minister")) == ""
    assert not same_marks("Deputy Minister", "Minister")


def test_an_i_is_a_word_at_the_beginning_only() -> None:
    assert marks("I Claudius") == {}
    assert marks("Claudius I") == {"numbers": frozenset({"I"})}
