from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.ingest.read import NUL_REASON, SURROGATE_REASON, as_text, to_article
from kg.ingest.rows import MAX_BODY_CHARACTERS, MAX_FIELD_CHARACTERS, Note, RawRow, file_and_line, row_place
from kg.model import ArticleRow, Reject


def outcome(**cells: object) -> list[ArticleRow | Reject | Note]:
    return list(to_article(RawRow("f:1", cells), {}))


def test_all_fields() -> None:
    assert outcome(
        title=" Rain ", body=" It rained.\n", source="Globe", category="weather",
        author=["A. Brel", "C. Dio"],
        published_at="2019-01-04", url="http://x", id=17,
    ) == [
        ArticleRow(
            title="Rain", body=" It rained.\n", place="f:1", source="Globe", category="weather",
            author="A. Brel, C. Dio", published_at=datetime(2019, 1, 4, tzinfo=UTC), url="http://x",
            given_id="17",
        )
    ]  # fmt: skip


def test_null_counts_as_absent_so_that_the_next_name_is_read() -> None:
    (article,) = outcome(body=None, text="Words.", author=None)
    assert isinstance(article, ArticleRow)
    assert (article.body, article.author) == ("Words.", "")


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"body": "  \n"}, "the body is empty"),
        ({"body": "\0"}, "the body is empty"),
        ({"body": ["a", "b"]}, "the body is a list, not text"),
        ({"body": 3}, "the body is a number, not text"),
        (
            {"title": "x"},
            "there is no body: the row has no body or text or content or article or article_body",
        ),
        (
            {"body": "x" * (MAX_BODY_CHARACTERS + 1)},
            "the body has 5,000,001 characters; at most 5,000,000 are read",
        ),
    ],
)
def test_a_row_without_a_usable_body_is_rejected(cells: dict[str, object], reason: str) -> None:
    assert outcome(**cells) == [Reject("f:1", reason)]


def test_the_longest_body_allowed_is_kept() -> None:
    assert isinstance(outcome(body="x " * (MAX_BODY_CHARACTERS // 2))[0], ArticleRow)


@pytest.mark.parametrize("field", ["title", "source", "category", "author"])
def test_a_field_that_no_index_can_hold_is_cut_with_a_note(field: str) -> None:
    article, note = outcome(**{"body": "It rained.", field: "\U0001f3c6" * 9_000})
    assert getattr(article, field) == "\U0001f3c6" * MAX_FIELD_CHARACTERS
    assert note == Note("f:1", f"the {field} has 9,000 characters, more than 1,000: the rest is left out")


@pytest.mark.parametrize(("field", "property_"), [("url", "url"), ("id", "given_id")])
def test_an_address_or_id_that_is_too_long_is_left_out_with_a_note(field: str, property_: str) -> None:
    article, note = outcome(**{"body": "It rained.", field: "x" * 9_000})
    assert getattr(article, property_) == ""
    assert note == Note("f:1", f"the {field} has 9,000 characters, more than 1,000: it is left out")


@pytest.mark.parametrize("letter", ["a", "A", "-", "\u200b", "e\u0301", "\U0001f3c6"])
def test_an_unbroken_run_is_left_out_of_the_body_with_a_note(letter: str) -> None:
    article, note = outcome(body=f"It rained. ![map](data:image/png;base64,{letter * 50_000}) It stopped.")
    assert isinstance(article, ArticleRow)
    assert article.body.split()[-2:] == ["It", "stopped."]
    assert len(article.body) < 300
    assert note == Note("f:1", "left out of the body: a run of over 200 characters without a blank")


@pytest.mark.parametrize("body", ["x" * 200, "\u5317\u4eac\u5f88\u5927\u3002" * 300, "\u0e01" * 900])
def test_a_long_word_and_scripts_without_blanks_stay(body: str) -> None:
    (article,) = outcome(body=body)
    assert isinstance(article, ArticleRow)
    assert article.body == body


def test_nuls_and_lone_surrogates_are_mended_with_a_note_each() -> None:
    article, *notes = outcome(body="a\0b \ud83d c 😀", title="t\udc80")
    assert isinstance(article, ArticleRow)
    assert (article.body, article.title) == ("ab \ufffd c 😀", "t\ufffd")
    assert notes == [Note("f:1", NUL_REASON), Note("f:1", SURROGATE_REASON)]


def test_a_date_that_is_not_understood_costs_only_the_date() -> None:
    article, note = outcome(body="Words.", date="last week")
    assert isinstance(article, ArticleRow)
    assert article.published_at is None
    assert note == Note("f:1", 'the date "last week" was not understood; the article is kept without one')


def test_an_empty_date_needs_no_note() -> None:
    assert len(outcome(body="Words.", date="  ")) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["Ana", ["Bo", None, ""], 3], "Ana, Bo, 3"),
        ({"id": "bbc", "name": "BBC News"}, "BBC News"),
        ([{"name": "Ana", "mail": "a@x"}, {"name": "Bo"}], "Ana, Bo"),
        ({"$oid": "5f"}, "5f"),
        (True, "true"),
        (None, ""),
    ],
)
def test_nested_values_become_one_line(value: object, text: str) -> None:
    assert as_text(value) == text


def test_a_value_that_holds_itself_ends() -> None:
    endless: list[object] = ["a"]
    endless.append(endless)
    assert as_text(endless).startswith("a, a")


@given(st.sampled_from(["a.json", "c:\\d.json", "a:7", "a, row 2"]), st.integers(1), st.integers(0))
def test_a_place_gives_back_its_file_and_line(name: str, line: int, number: int) -> None:
    assert file_and_line(row_place(Path(name), line, number)) == (name, line)


def test_a_file_by_itself_has_no_line() -> None:
    assert file_and_line("notes/a.txt") == ("notes/a.txt", 0)
