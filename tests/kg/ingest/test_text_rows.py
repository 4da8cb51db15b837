from datetime import UTC, datetime
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.ingest.text_rows import split_front_matter
from kg.model import Reject
from tests.examples import examples
from tests.kg.ingest.reading import read, write


def test_cells_over_several_lines_and_where_rows_start(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        'url,date,title,text\r\nhttp://x,2019-01-04,"Rain, again","One ""big"" storm.\r\n\r\nThen sun."\r\n'
        "\r\n,,Snow,It snowed.\r\n",
    )
    first, second = read(path).articles
    assert (first.title, first.body) == ("Rain, again", 'One "big" storm.\r\n\r\nThen sun.')
    assert first.published_at is not None
    assert (first.place, second.place) == (f"{path}:2", f"{path}:6")


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_the_header_tells_what_stands_between_cells(tmp_path: Path, mark: str) -> None:
    path = write(tmp_path / "a.csv", mark.join(["title", "body"]) + "\n" + mark.join(["A", "b. c"]) + "\n")
    (article,) = read(path).articles
    assert (article.title, article.body) == ("A", "b. c")


def test_tab_separated_with_its_own_suffix(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.tsv", "title\tbody\nA\tOne, two; three.\n")).bodies == [
        "One, two; three."
    ]


def test_one_column_is_enough(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.csv", "text\nOne.\n")).bodies == ["One."]


def test_a_wrong_number_of_cells_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "title,body\nA,one\nB\nC,three,3\nD,four\n")
    reading = read(path)
    assert reading.bodies == ["one", "four"]
    assert reading.rejects == [
        Reject(f"{path}:3", "the header has 2 columns, this record has 1"),
        Reject(f"{path}:4", "the header has 2 columns, this record has 3"),
    ]


def test_an_open_quote_is_rejected_and_never_glues_two_articles(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'title,body\nA,"one\nB,"two"\nC,"three"\nD,"four\n')
    reading = read(path)
    assert reading.bodies == ["three"]
    assert [reject.place for reject in reading.rejects] == [f"{path}:2", f"{path}:5"]
    assert reading.rejects[0].reason.startswith("its quotes do not pair up by line 3")


def test_bytes_that_are_not_text_cost_one_row(tmp_path: Path) -> None:
    reading = read(write(tmp_path / "a.csv", b"title,body\nA,caf\xe9\nB,tea\n"))
    assert reading.bodies == ["tea"]
    assert len(reading.rejects) == 1


def test_a_spreadsheet_in_utf_16(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "title\tbody\nŁódź\tתל אביב 😀\n".encode("utf-16"))
    (article,) = read(path).articles
    assert (article.title, article.body) == ("Łódź", "תל אביב 😀")


def test_nuls_are_removed_with_a_note(tmp_path: Path) -> None:
    reading = read(write(tmp_path / "a.csv", b"title,body\nA,some longer words he\0re\n"))
    assert reading.bodies == ["some longer words here"]
    assert len(reading.notes) == 1


def test_the_columns_found_are_named_where_the_body_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "news.csv", "headline,text2,when\nRain,It rained all day.,2019\n")
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: no column for the body (found: headline, text2, when). Name it: --map body=text2"
    )
    assert read(path, mapping={"body": "text2"}).bodies == ["It rained all day."]
    with pytest.raises(InputError, match=r"--map title=headline$"):
        read(path, mapping={"body": "text2", "title": "headlin"})


def test_a_header_alone_holds_no_articles(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no articles"):
        read(write(tmp_path / "a.csv", "title,body\n"))


def test_a_header_that_never_ends_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the header can't be read"):
        read(write(tmp_path / "a.csv", 'title,"body\nA,one\n'))


FRONT = """---
title: "No: a vote"
source: Globe
category: politics
author: [Ana Brel, Bo Dio]
date: 2019-01-04
url: https://example.org/a
id: 007
---

# Another heading

They voted.
"""


def test_front_matter_gives_the_fields(tmp_path: Path) -> None:
    (article,) = read(write(tmp_path / "a.md", FRONT)).articles
    assert (article.title, article.source, article.category) == ("No: a vote", "Globe", "politics")
    assert (article.author, article.url, article.given_id) == (
        "Ana Brel, Bo Dio",
        "https://example.org/a",
        "007",
    )
    assert article.published_at == datetime(2019, 1, 4, tzinfo=UTC)
    assert article.body == "# Another heading\n\nThey voted.\n"


def test_front_matter_can_be_mapped_and_need_not_have_the_key(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "---\nkop: Regen\ntitle: x\n---\nHet regende.\n")
    write(tmp_path / "b.md", "---\nauthor: null\n---\nHet regende weer.\n")
    assert [a.title for a in read(tmp_path, mapping={"title": "kop", "body": "any"}).articles] == [
        "Regen",
        "b",
    ]


@examples("text, title, body")
def test_where_the_title_comes_from(tmp_path: Path, text: str, title: str, body: str) -> None:
    (article,) = read(write(tmp_path / "report-1.txt", text)).articles
    assert (article.title, article.body) == (title, body)


def test_values_stay_as_they_are_written() -> None:
    front, _ = split_front_matter("---\ntitle: No\nid: 0o17\ndate: 2019-13-45\n---\nx")
    assert front == {"title": "No", "id": "0o17", "date": "2019-13-45"}


def test_front_matter_that_multiplies_itself_is_harmless(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    text = "---\n" + "\n".join(lines) + "\nauthor: *a11\n---\nWords.\n"
    (article,) = read(write(tmp_path / "a.md", text)).articles
    assert len(article.author) < 4000


def test_a_folder_is_read_in_order_and_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path / "b.txt", "Second.")
    write(tmp_path / "a" / "z.md", "First.")
    write(tmp_path / "c.txt", b"caf\xe9")
    write(tmp_path / "d.txt", b"\x00\x01\x02\x03")
    write(tmp_path / "e.md", "---\ntitle: a: b\n---\nWords.")
    write(tmp_path / "f.txt", "")
    write(tmp_path / "g.MD", "Third.")
    write(tmp_path / ".hidden" / "h.txt", "Not read.")
    write(tmp_path / "picture.png", b"\x89PNG")
    reading = read(tmp_path)
    assert reading.bodies == ["First.", "Second.", "Third."]
    assert reading.articles[0].place == str(tmp_path / "a" / "z.md")
    assert [(Path(r.place).name, r.reason) for r in reading.rejects] == [
        ("c.txt", "it holds bytes that are not text in the file's encoding; save the file as UTF-8"),
        ("d.txt", "the file is binary, not text"),
        ("e.md", "the front matter is not YAML in line 2: mapping values are not allowed here"),
        ("f.txt", "the file is empty"),
    ]


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", '{"body": "x"}')
    with pytest.raises(InputError, match="holds no text files"):
        read(tmp_path)


def test_a_heading_alone_is_an_empty_article(tmp_path: Path) -> None:
    (reject,) = read(write(tmp_path / "a.md", "# Rain\n")).rejects
    assert reject.reason == "the body is empty"
