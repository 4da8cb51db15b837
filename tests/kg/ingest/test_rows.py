from pathlib import Path

import pytest

from kg.errors import InputError, SettingsError
from kg.ingest.rows import check_columns, choose_columns, parse_mapping
from tests.examples import examples

NEWS = Path("news.csv")


def test_options_become_a_mapping() -> None:
    assert parse_mapping(["title=headline", " body = a=b "]) == {"title": "headline", "body": "a=b"}


@examples("options, what")
def test_a_wrong_option_is_named(options: list[str], what: str) -> None:
    with pytest.raises(SettingsError, match=what):
        parse_mapping(options)


def test_of_two_known_names_the_first_in_our_list_counts_whatever_the_files_order() -> None:
    assert choose_columns(["content", "text", "body"], {})["body"] == "body"
    assert choose_columns(["headline", "title"], {})["title"] == "title"


def test_names_differ_in_case_and_blanks() -> None:
    assert choose_columns(["Text", "Pub Date", "article-id"], {}) == {
        "body": "Text",
        "published_at": "Pub Date",
        "id": "article-id",
    }


def test_a_name_as_written_comes_before_one_in_another_case() -> None:
    assert choose_columns(["TEXT", "text"], {})["body"] == "text"


def test_a_mapped_column_serves_no_other_field() -> None:
    assert choose_columns(["headline", "x"], {"body": "headline"}) == {"body": "headline"}


def test_a_mapping_does_not_fall_back_on_known_names() -> None:
    assert "body" not in choose_columns(["text"], {"body": "words"})


def test_no_body_column_names_what_was_found_and_the_likely_one() -> None:
    with pytest.raises(InputError) as caught:
        check_columns(NEWS, ["headline", "text2", "when"], {}, "text2")
    assert str(caught.value) == (
        "news.csv: no column for the body (found: headline, text2, when). Name it: --map body=text2"
    )


def test_a_column_with_a_blank_is_quoted_for_a_shell() -> None:
    with pytest.raises(InputError, match="Name it: --map 'body=Story text'"):
        check_columns(NEWS, ["headline", "Story text"], {}, "Story text")


def test_a_mapped_column_must_be_there_exactly() -> None:
    with pytest.raises(InputError, match=r'no column "Headline" for the title \(found: headline, text\)'):
        check_columns(NEWS, ["headline", "text"], {"title": "Headline"})


def test_two_columns_of_the_needed_name_are_refused_but_others_may_repeat() -> None:
    check_columns(NEWS, ["text", "x", "x", "", ""], {})
    with pytest.raises(InputError, match='two columns are named "text"'):
        check_columns(NEWS, ["text", "text"], {})
