from datetime import UTC, datetime
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.ingest.text_files import split_front_matter
from tests.examples import examples
from tests.kg.ingest.reading import read, write

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
