"""How an article is cut into requests, and how much of it each one shows."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.extract.model_text import (
    CHARACTERS_A_REQUEST,
    SENTENCES_A_REQUEST,
    NumberedArticle,
    find_mentions,
    given_names,
    request_batches,
    searched,
    stands_in_group,
    tidy_name,
    whole_names,
)
from kg.model import NAMED_TYPES, EntityType
from tests.examples import examples


def sizes(lengths: list[int]) -> list[int]:
    return [
        len(batch) for batch in request_batches([(n, "x" * length) for n, length in enumerate(lengths, 1)])
    ]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [(0, []), (1, [1]), (10, [10]), (11, [6, 5]), (12, [6, 6]), (21, [7, 7, 7]), (31, [8, 8, 8, 7])],
)
def test_batches_are_even(sentences: int, expected: list[int]) -> None:
    assert sizes([100] * sentences) == expected


def test_long_sentences_make_no_last_batch_of_one() -> None:
    assert sizes([310] * 10) == [5, 5]
    assert sizes([5_000, 10, 10]) == [1, 2]


@given(st.lists(st.integers(1, 1_500), max_size=60))
def test_no_batch_is_too_long_and_none_could_be_spared(lengths: list[int]) -> None:
    batches = request_batches([(n, "x" * length) for n, length in enumerate(lengths)])
    assert [n for batch in batches for n in batch] == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= SENTENCES_A_REQUEST
        assert sum(lengths[n] for n in batch) <= CHARACTERS_A_REQUEST
    for one, other in pairwise(batches):
        both = [*one, *other]
        is_one = len(both) <= SENTENCES_A_REQUEST and sum(lengths[n] for n in both) <= CHARACTERS_A_REQUEST
        assert not is_one or len(batches) > -(-len(lengths) // SENTENCES_A_REQUEST)


def article(*sentences: str) -> NumberedArticle:
    return NumberedArticle("Harbour news", None, sentences)


def shown(text: str) -> list[str]:
    return [line.partition("]")[0].strip("[") for line in text.splitlines()[3:]]


def test_a_few_sentences_don_t_bring_the_whole_article_with_them() -> None:
    plain = ["The lamp was sold."] * 30
    assert shown(article(*plain).shown_with([20, 21])) == ["1", "2", "...", *map(str, range(15, 23)), "..."]


def test_the_sentence_that_has_the_whole_name_comes_along() -> None:
    sentences = ["The lamp was sold."] * 30
    sentences[7] = "It was bought by the museum's director, Lena Osk."
    sentences[9] = "The Norholm Health Board (NHB) and Ivo Brandt objected."
    sentences[24] = "Osk and the NHB later agreed."
    found = shown(article(*sentences).shown_with([25]))
    assert found[:5] == ["1", "2", "...", "8", "9"], "a single sentence between two is no gap"
    assert "Ivo Brandt" not in article(*sentences[:24], "Osk agreed.", *sentences[25:]).shown_with([25])


def test_a_table_is_cut_where_it_is_only_a_neighbour() -> None:
    text = article("Osk spoke.", "x " * 2_000, "She left.").shown_with([3])
    assert len(text) < 1_000
    assert "[2] x x" in text


@examples("written, name")
def test_names_are_made_tidy(written: str, name: str) -> None:
    assert tidy_name(written) == name


@given(st.text(max_size=60))
def test_a_tidy_name_is_one_line_out_of_the_text(text: str) -> None:
    name = tidy_name(text)
    assert name == " ".join(name.split())
    assert set(name) <= {*text, " "}


def test_a_name_is_looked_for_by_its_words() -> None:
    text = searched("The Caf\u00e9 Vell is run by O\u2019Brien & Sons.")
    assert all(map(text.has, ["Cafe Vell", "the caf\u00e9 vell", "O'Brien & Sons", "O'Brien and Sons"]))
    assert not any(map(text.has, ["Vell is by", "Brie", "", "...", "Caf\u00e9 Run"]))
    assert text.with_text("Ana Brel left.").has("Ana Brel")


def test_a_surname_belongs_to_the_only_person_who_has_it() -> None:
    people: list[tuple[str, EntityType]] = [("Oda Wexler", "PERSON"), ("Ivo Brandt", "PERSON")]
    assert whole_names([*people, ("Ana Brandt", "PERSON")]) == {"Wexler": "Oda Wexler"}
    assert whole_names([*people, ("Brandt", "GPE")]) == {"Wexler": "Oda Wexler"}
    assert whole_names([*people, ("Wexler", "MISC")])["Wexler"] == "Oda Wexler"


def test_a_first_name_belongs_to_the_only_person_who_has_it() -> None:
    people: list[tuple[str, EntityType]] = [("Oda Wexler", "PERSON"), ("Oda", "PERSON")]
    assert given_names(people) == {"Oda": "Oda Wexler"}
    assert given_names([*people, ("Oda Brandt", "PERSON")]) == {}
    assert given_names([*people, ("Jon Oda", "PERSON")]) == {}
    assert given_names([("Oda Wexler", "PERSON"), ("Oda", "GPE")]) == {}


def test_a_member_of_a_group_has_the_words_that_all_share() -> None:
    text = "The River and Harbour parties met Oda and Ivo Wexler of the Tarn, Vell and Marsk Councils."
    names = ["River Party", "Harbour Party", "Oda Wexler", "Ivo Wexler", "Tarn Council", "Vell Council"]
    assert all(stands_in_group(name, text) for name in names)
    others = ["Oda Councils", "Tarn Party", "River party", "Wexler Oda", "Party", "Harbour Wexler"]
    assert not any(stands_in_group(name, text) for name in others)


def surfaces(body: str, *names: tuple[str, EntityType]) -> list[tuple[str, str]]:
    return [(mention.surface, mention.name) for mention in find_mentions(body, names)]


def test_mentions_are_names_surnames_and_declared_acronyms() -> None:
    body = "Oda Wexler ran the Norholm Health Board (NHB). Wexler left the NHB\nto Ivo\nBrandt."
    found = surfaces(
        body, ("Oda Wexler", "PERSON"), ("Norholm Health Board", "ORG"), ("Ivo Brandt", "PERSON")
    )
    assert found == [
        ("Oda Wexler", "Oda Wexler"),
        ("Norholm Health Board", "Norholm Health Board"),
        ("NHB", "Norholm Health Board"),
        ("Wexler", "Oda Wexler"),
        ("NHB", "Norholm Health Board"),
        ("Ivo\nBrandt", "Ivo Brandt"),
    ]


def test_the_longest_name_counts_and_words_are_whole() -> None:
    body = "Tarn Museum is in Tarn, not in Tarnow. O\u2019Hara's and tarn."
    names: list[tuple[str, EntityType]] = [("Tarn", "GPE"), ("Tarn Museum", "ORG"), ("O'Hara", "PERSON")]
    assert [surface for surface, _ in surfaces(body, *names)] == ["Tarn Museum", "Tarn", "O\u2019Hara"]


def test_dates_and_things_without_a_name_are_no_mentions() -> None:
    assert surfaces("In 1999 a boat sank.", ("1999", "DATE"), ("boat", "CONCEPT")) == []


@given(
    st.text(alphabet="Ana Brel.(AB)'\n", max_size=80),
    st.lists(
        st.tuples(
            st.sampled_from(["Ana Brel", "Ana", "Brel", "A B", "An."]), st.sampled_from(sorted(NAMED_TYPES))
        )
    ),
)
def test_mentions_lie_in_the_text_and_never_overlap(body: str, names: list[tuple[str, EntityType]]) -> None:
    mentions = find_mentions(body, names)
    assert all(body[one.start : one.end] == one.surface for one in mentions)
    assert all(one.end <= other.start for one, other in pairwise(mentions))
    assert {one.name for one in mentions} <= {name for name, _ in names}
