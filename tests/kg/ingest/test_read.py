import csv
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import InputError
from kg.ingest.read import check_files, parse_date, read_articles
from kg.ingest.rows import MAX_ROW_CHARACTERS
from kg.model import ArticleRow, Reject
from tests.examples import examples
from tests.kg.ingest.reading import read, write

ROW = '{"body": "one"}\n'
Row = dict[str, str]


def as_lines(path: Path, rows: list[Row]) -> Path:
    return write(path / "a.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def as_ascii_lines(path: Path, rows: list[Row]) -> Path:
    return write(path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def as_array(path: Path, rows: list[Row]) -> Path:
    return write(path / "a.json", json.dumps(rows, indent=1, ensure_ascii=False))


def as_csv(path: Path, rows: list[Row]) -> Path:
    with (path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["title", "body"])
        writer.writeheader()
        writer.writerows(rows)
    return path / "a.csv"


# NULs are removed and a file of control characters is binary; both have tests of their own.
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.sampled_from('",;\t\r\n\x85\\😀א')
)
ROWS = st.lists(
    st.fixed_dictionaries({"title": TEXT, "body": TEXT.filter(lambda body: bool(body.strip()))}), min_size=1
)


@pytest.mark.parametrize("write_rows", [as_lines, as_ascii_lines, as_array, as_csv])
@settings(deadline=None)
@given(rows=ROWS)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[[Path, list[Row]], Path], rows: list[Row]
) -> None:
    reading = read(write_rows(tmp_path_factory.mktemp("rows"), rows))
    assert [(article.title, article.body) for article in reading.articles] == [
        (row["title"].strip(), row["body"]) for row in rows
    ]
    assert not reading.rejects
    assert not reading.notes


def test_every_file_is_checked_before_a_row_is_read(tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", ROW)
    bad = write(tmp_path / "bad.csv", "headline,words\nA,one\n")
    with pytest.raises(InputError, match=r"bad\.csv: no column for the body"):
        read_articles([good, bad], {})


def test_a_question_file_without_passages_is_told_apart_from_articles(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": "1", "question": "Who?", "answer": "Ann"}\n')
    with pytest.raises(InputError, match="questions, without articles") as caught:
        read_articles([path], {})
    assert "kg questions import" in caught.value.remedy


def test_files_are_read_in_the_order_given(tmp_path: Path) -> None:
    table = write(tmp_path / "a.csv", "text\ntwo\n")
    text = write(tmp_path / "b.txt", "three")
    assert read(write(tmp_path / "c.jsonl", ROW), table, text).bodies == ["one", "two", "three"]


def test_a_mapped_column_may_be_missing_in_some_rows_but_not_in_all(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "x", "by": "Ana"}\n{"text": "y"}\n{"by": "Bo"}\n')
    reading = read(path, mapping={"author": "by"})
    assert [article.author for article in reading.articles] == ["Ana", ""]
    assert [reject.place for reject in reading.rejects] == [f"{path}:3"]
    with pytest.raises(InputError, match=r'no column "byline" for the author \(found: text, by\)'):
        check_files([path], {"author": "byline"})


def test_a_file_of_one_broken_row_is_read_as_one_reject(tmp_path: Path) -> None:
    reading = read(write(tmp_path / "a.jsonl", '{"body": \n'))
    assert not reading.articles
    assert len(reading.rejects) == 1


@pytest.mark.campaign
@examples("name, before, after")
def test_a_hundred_megabytes_in_one_row_are_skipped_not_loaded(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    path = tmp_path / name
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(before)
        for _ in range(100):
            file.write("words and " * 100_000)
        file.write(after)
    tracemalloc.start()
    try:
        reading = read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        path.unlink()
    assert reading.bodies == ["one", "two"]
    assert [reject.reason.rpartition(": ")[2] for reject in reading.rejects] == [
        f"it is longer than {MAX_ROW_CHARACTERS:,} characters"
    ]
    assert peak < 60_000_000


@pytest.mark.campaign
def test_a_quote_that_is_never_closed_does_not_gather_the_rest_of_a_table(tmp_path: Path) -> None:
    line = "B," + "words " * 50_000 + "\n"
    path = tmp_path / "a.csv"
    path.write_text('title,body\nA,"open\n' + line * 60, encoding="utf-8")
    reading = read(path)
    assert [reject.place for reject in reading.rejects] == [f"{path}:2"]
    assert 15 < len(reading.articles) < 25


def test_a_long_text_file_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("words " * (MAX_ROW_CHARACTERS // 6 + 1), encoding="utf-8")
    (reject,) = read(path).rejects
    assert reject.reason.startswith("the file is set aside")


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from([".jsonl", ".json", ".csv", ".tsv", ".txt", ".md", ""]))
def test_no_bytes_make_it_fail_and_what_is_kept_can_be_stored(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = write(tmp_path_factory.mktemp("bytes") / f"a{suffix}", b"body\n" + content)
    try:
        items = list(read_articles([path], {}))
    except InputError:
        return
    for item in items:
        if isinstance(item, ArticleRow):
            assert item.body.encode()
        else:
            assert item.reason


@pytest.fixture
def shared_data() -> Iterator[Path]:
    folder = Path(os.environ.get("HOPGRADE_SHARED", Path(__file__).parents[4] / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip("the shared data folder is absent (set HOPGRADE_SHARED)")
    yield folder


def test_wikinews(shared_data: Path) -> None:
    rows = list(read_articles([shared_data / "wikinews" / "wikinews_2019.csv"], {}))
    articles = [row for row in rows if isinstance(row, ArticleRow)]
    assert len(articles) == len(rows) > 100
    assert all(article.title and article.url and article.published_at for article in articles)
    assert articles[0].title == "Magnitogorsk apartment building collapses after explosion, dozens dead"


def test_kg_rag_multihop(shared_data: Path) -> None:
    path = shared_data / "kg_rag_multihop" / "data__processed__corpus.jsonl"
    rows = list(islice(read_articles([path], {}), 3))
    assert not any(isinstance(row, Reject) for row in rows)
    first = rows[0]
    assert isinstance(first, ArticleRow)
    assert (first.given_id, first.title) == ("c00000", "Morris Harvey")


MORNING = datetime(2019, 1, 4, tzinfo=UTC)


@examples("text")
def test_every_form_of_one_morning(text: str) -> None:
    assert parse_date(text) == MORNING


def test_a_zone_is_kept_so_that_the_local_day_stays_known() -> None:
    expected = datetime(2019, 1, 4, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    for text in ("2019-01-04T23:30:00-05:00", "2019-01-04 23:30 -0500", "Fri, 04 Jan 2019 23:30:00 -0500"):
        moment = parse_date(text)
        assert moment == expected
        assert moment is not None
        assert moment.day == 4


@examples("text")
def test_what_is_not_one_certain_day_is_none(text: str) -> None:
    assert parse_date(text) is None


@settings(deadline=None)
@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_round_trip(moment: datetime) -> None:
    assert parse_date(moment.isoformat()) == moment


@settings(deadline=None)
@given(st.text() | st.from_regex(r"[0-9a-zA-Z ,:/+.-]{1,30}", fullmatch=True))
def test_any_text_is_a_zoned_moment_or_none(text: str) -> None:
    moment = parse_date(text)
    assert moment is None or moment.utcoffset() is not None


def test_a_hundred_thousand_million_is_the_first_number_of_milliseconds() -> None:
    """As seconds it would be the year 5138, as milliseconds it is a day in 1973."""
    assert parse_date("100000000000") == datetime(1973, 3, 3, 9, 46, 40, tzinfo=UTC)
    last = parse_date("99999999999")
    assert last is not None
    assert last.year == 5138
