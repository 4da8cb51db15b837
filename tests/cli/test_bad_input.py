"""Articles that can't be used: one clear sentence, and nothing lost."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kg.corpus import fingerprint
from kg.queries import query
from kg.store.graph import Graph
from kg.store.leases import writing_to
from tests.cli.conftest import Kg
from tests.examples import examples
from tests.graph_reading import change, value
from tests.scripted_endpoint import scripted_endpoint
from tests.small_world import ARTICLES, write_articles

GOOD = {"id": "good", "title": "Good", "body": "Mara Solberg founded Kestrel Shipping."}
KEEP = ("--min-tokens", "1")


def write_rows(path: Path, *rows: dict[str, str] | str) -> str:
    """A JSONL file of these rows; a text stands as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def bodies(graph: Graph, corpus: str) -> dict[str, str]:
    """The articles of a corpus by title."""
    ids = [row["id"] for row in graph.rows(query("articles/list_articles"), corpus=corpus)]
    return {row["title"]: row["body"] for row in graph.rows(query("articles/read_bodies"), ids=ids)}


def unreadable(folder: Path) -> dict[Path, tuple[str, ...]]:
    """Files and folders that hold no articles, and what must be said of each."""
    written = {
        "empty.jsonl": (b"", ("the file is empty",)),
        "binary.jsonl": (bytes(range(256)) * 40, ("binary", "JSONL")),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(200), ("PNG",)),
        "table.csv": (
            b"headline,words\nA,Mara Solberg founded Kestrel Shipping.\n",
            ("headline, words", "--map body=words"),
        ),
        "object.json": (json.dumps({"articles": [GOOD]}, indent=1).encode(), ("one JSON object",)),
    }
    for name, (content, _) in written.items():
        (folder / name).write_bytes(content)
    (folder / "nothing").mkdir()
    said = {folder / name: words for name, (_, words) in written.items()}
    return said | {folder / "missing.jsonl": ("no such file",), folder / "nothing": ("no text files",)}


@pytest.mark.parametrize("command", ["corpus ingest", "run-all"])
def test_a_file_that_cannot_be_read_changes_nothing(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path, command: str
) -> None:
    good = write_rows(tmp_path / "good.jsonl", GOOD)
    assert kg("corpus", "ingest", good, "--corpus", corpus, *KEEP).code == 0
    before = fingerprint(graph, corpus)
    for bad, said in unreadable(tmp_path).items():
        ended = kg(*command.split(), good, str(bad), "--corpus", corpus, *KEEP)
        assert (ended.code, ended.out) == (2, ""), bad
        assert ended.err.startswith(f"error: {bad}: ")
        assert ended.err.count("\n") == 1
        assert [words for words in said if words not in ended.err] == []
        assert fingerprint(graph, corpus) == before, bad


def test_a_broken_line_is_listed_and_the_others_are_kept(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path
) -> None:
    rows: list[dict[str, str] | str] = [
        {"title": f"T{number}", "body": f"Mara Solberg met Otto Lindqvist {number} times."}
        for number in range(1, 11)
    ]
    rows[6] = '{"title": "T7", "body": '
    path = write_rows(tmp_path / "rows.jsonl", *rows)
    ended = kg("corpus", "ingest", path, "--corpus", corpus, *KEEP)
    assert ended.code == 0
    assert f"kg corpus rejects --corpus {corpus}" in ended.out
    assert set(bodies(graph, corpus)) == {f"T{number}" for number in range(1, 11)} - {"T7"}
    listed = kg("corpus", "rejects", "--corpus", corpus, "--json").json
    assert [(row["place"], row["kind"]) for row in listed] == [(f"{path}:7", "set aside")]
    assert "invalid JSON in line 7" in listed[0]["reason"]
    shown = kg("corpus", "rejects", "--corpus", corpus).out
    assert f"{path}:7" in shown
    write_rows(Path(path), *rows[:6])
    assert kg("corpus", "ingest", path, "--corpus", corpus, *KEEP).code == 0
    assert kg("corpus", "rejects", "--corpus", corpus, "--json").json == []
    nothing = kg("corpus", "rejects", "--corpus", corpus)
    assert (nothing.out, nothing.err) == ("", f"nothing was set aside or noted in '{corpus}'.\n")


@pytest.mark.campaign
def test_an_article_of_100_megabytes_is_set_aside(graph: Graph, corpus: str, kg: Kg, tmp_path: Path) -> None:
    huge = json.dumps({"title": "Huge", "body": "word " * 20_000_000})
    path = write_rows(tmp_path / "huge.jsonl", huge, GOOD)
    assert kg("corpus", "ingest", path, "--corpus", corpus, *KEEP, "--json").json["set_aside"] == 1
    assert set(bodies(graph, corpus)) == {"Good"}
    assert kg("corpus", "rejects", "--corpus", corpus, "--json").json[0]["place"] == f"{path}:1"


@pytest.mark.campaign
def test_what_is_odd_but_readable_is_kept_and_noted(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path
) -> None:
    body = "Mara Solberg 😀 lives in חיפה. שלום עולם! مرحبا [red]x[/red] [/] \x1b[31mred.\r\n\tEnd  "
    path = write_rows(
        tmp_path / "odd.jsonl",
        {"id": "1", "title": "שלום [bold]😀", "body": body, "date": "04/01/2019"},
        {"id": "1", "title": "Second", "body": "Otto Lindqvist married Mara Solberg."},
        {"id": "3", "title": "Nul", "body": "Kestrel Shipping\0 sails."},
    )
    assert kg("corpus", "ingest", path, "--corpus", corpus, *KEEP).code == 0
    assert bodies(graph, corpus) == {
        "שלום [bold]😀": body,
        "Second": "Otto Lindqvist married Mara Solberg.",
        "Nul": "Kestrel Shipping sails.",
    }
    listed = kg("corpus", "rejects", "--corpus", corpus, "--json").json
    assert [(row["place"], row["kind"]) for row in listed] == [
        (f"{path}:1", "note"),
        (f"{path}:2", "note"),
        (f"{path}:3", "note"),
    ]
    for row, words in zip(listed, ("04/01/2019", "same id '1'; both are kept", "NUL"), strict=True):
        assert words in row["reason"]


@pytest.mark.campaign
def test_text_that_looks_like_markup_or_steers_terminals_is_shown_as_text(
    corpus: str, kg: Kg, tmp_path: Path
) -> None:
    title = "[red]x[/red] [/] \x1b[31mred \x9b2J 😀 שלום"
    row = {"title": title, "body": "Mara Solberg founded \x1b]0;title\x07 Kestrel Shipping [/bold]."}
    assert kg("corpus", "ingest", write_rows(tmp_path / "a.jsonl", row), "--corpus", corpus, *KEEP).code == 0
    assert kg("corpus", "build", "--corpus", corpus).code == 0
    asked = ("ask", "Who founded Kestrel Shipping?", "--corpus", corpus)
    shown = kg(*asked)
    assert shown.code == 0, shown.err
    assert r"[red]x[/red] [/] \x1b[31mred \x9b2J 😀 שלום" in shown.out
    assert r"\x1b]0;title\x07 Kestrel Shipping [/bold]." in shown.out
    as_json = kg(*asked, "--json")
    assert as_json.json["passages"][0]["title"] == title
    for text in (shown.out, shown.err, as_json.out):
        assert not {"\x1b", "\x9b", "\x07"} & set(text)


@pytest.mark.campaign
def test_when_all_are_too_short_the_remedy_works(corpus: str, kg: Kg, tmp_path: Path) -> None:
    path = str(write_articles(tmp_path))
    ended = kg("run-all", path, "--corpus", corpus, "--min-tokens", "512")
    assert ended.code == 2
    error = ended.err.splitlines()[-1]
    assert f"{len(ARTICLES)} set aside, all too short" in error
    assert "--min-tokens 1" in error
    assert corpus not in [row["name"] for row in kg("corpus", "list", "--json").json]
    assert kg("corpus", "ingest", path, "--corpus", corpus, *KEEP).code == 0
    assert kg("corpus", "rejects", "--corpus", corpus, "--json").json == []


@pytest.mark.campaign
def test_a_corpus_name_may_hold_quotes(graph: Graph, corpus: str, kg: Kg, tmp_path: Path) -> None:
    name = f'it\'s "{corpus}" `$x` \\'
    path = write_rows(tmp_path / "good.jsonl", GOOD, "broken")
    assert kg("corpus", "ingest", path, "--corpus", name, *KEEP).code == 0
    assert bodies(graph, name) == {"Good": GOOD["body"]}
    assert name in [row["name"] for row in kg("corpus", "list", "--json").json]
    assert name in kg("corpus", "list").out
    assert len(kg("corpus", "rejects", "--corpus", name, "--json").json) == 1
    assert kg("corpus", "drop", name, "--yes", "--json").json == {"dropped": name}
    assert name not in [row["name"] for row in kg("corpus", "list", "--json").json]


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["new\nline", "", "  ", "\x1b[31m", "x" * 101])
def test_a_corpus_name_that_fits_no_line_is_refused(kg: Kg, tmp_path: Path, name: str) -> None:
    ended = kg("corpus", "ingest", write_rows(tmp_path / "good.jsonl", GOOD), "--corpus", name, *KEEP)
    assert ended.code == 2
    assert repr(name) in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.campaign
@examples("options, named")
def test_settings_that_do_not_fit_the_corpus_are_refused(
    graph: Graph,
    corpus: str,
    kg: Kg,
    tmp_path: Path,
    options: tuple[str, str],
    named: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = write_rows(tmp_path / "good.jsonl", GOOD)
    assert kg("corpus", "ingest", good, "--corpus", corpus, *KEEP).code == 0
    before = fingerprint(graph, corpus)
    with scripted_endpoint() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        ended = kg("corpus", "ingest", good, "--corpus", corpus, *KEEP, *options)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    for setting in named:
        assert setting in ended.err
    assert fingerprint(graph, corpus) == before


@pytest.mark.campaign
def test_drop_asks_and_no_keeps(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        kg("corpus", "ingest", write_rows(tmp_path / "good.jsonl", GOOD), "--corpus", corpus, *KEEP).code == 0
    )
    before = fingerprint(graph, corpus)
    for said in ("n\n", "\n", ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(said))
        ended = kg("corpus", "drop", corpus)
        assert ended.code == 1
        assert f"Delete corpus '{corpus}'" in ended.err
        assert "Aborted" not in ended.err
        assert fingerprint(graph, corpus) == before
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert kg("corpus", "drop", corpus).code == 0
    assert bodies(graph, corpus) == {}
    assert kg("corpus", "drop", corpus, "--yes").code == 2


def test_files_are_read_anew_where_somebody_says_so(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {**GOOD, "id": "other", "title": "Other", "body": "Jonas Vik left Kestrel Shipping."}
    ingest = ("corpus", "ingest", "--corpus", corpus, *KEEP)
    # Where there is nothing to clear nobody is asked.
    assert kg(*ingest, write_rows(tmp_path / "one.jsonl", other), "--clear").code == 0
    second = write_rows(tmp_path / "two.jsonl", GOOD)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    ended = kg(*ingest, second, "--clear")
    assert ended.code == 1
    assert f"Delete corpus '{corpus}'" in ended.err
    assert bodies(graph, corpus).keys() == {"Other"}
    assert kg(*ingest, second, "--reinit", "--yes", "--chunks", "8-16/0", "--max-chunks", "1").code == 0
    assert bodies(graph, corpus).keys() == {"Good"}


def test_of_an_article_with_too_many_chunks_the_first_are_taken(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path
) -> None:
    long = {**GOOD, "body": f"{GOOD['body']} Jonas Vik studied at Halden University."}
    path = write_rows(tmp_path / "long.jsonl", long)
    size = ("--chunks", "8-12/0", "--max-chunks", "1")
    assert kg("corpus", "ingest", path, "--corpus", corpus, *KEEP, *size).code == 0
    assert kg("corpus", "build", "--corpus", corpus).code == 0
    assert value(graph, "MATCH (c:Chunk {corpus: $corpus}) RETURN collect(c.text)", corpus=corpus) == [
        GOOD["body"]
    ]
    claims = value(graph, "MATCH (c:Claim {corpus: $corpus}) RETURN collect(c.sentence)", corpus=corpus)
    assert claims == [GOOD["body"]]


@pytest.mark.campaign
def test_drop_clears_what_has_the_name_without_a_corpus(graph: Graph, corpus: str, kg: Kg) -> None:
    """As is left where a drop of an older version ran beside a build."""
    change(
        graph, "UNWIND range(1, 3) AS i CREATE (:Entity {id: $corpus + i, corpus: $corpus})", corpus=corpus
    )
    assert kg("corpus", "drop", corpus, "--yes").code == 0
    assert value(graph, "MATCH (n {corpus: $corpus}) RETURN count(n)", corpus=corpus) == 0


@pytest.mark.campaign
def test_drop_leaves_a_corpus_that_another_command_changes(
    graph: Graph, corpus: str, kg: Kg, tmp_path: Path
) -> None:
    good = write_rows(tmp_path / "good.jsonl", GOOD)
    assert kg("corpus", "ingest", good, "--corpus", corpus, *KEEP).code == 0
    before = fingerprint(graph, corpus)
    with writing_to(graph, corpus):
        ended = kg("corpus", "drop", corpus, "--yes")
        assert ended.code == 2
        assert f"another command works on corpus '{corpus}'" in " ".join(ended.err.split())
        shown = kg("doctor", "--json").json["findings"]
        (writer,) = [
            one for one in shown if one["subject"] == "writes at the moment" and corpus in one["found"]
        ]
        assert f"process {os.getpid()} on" in writer["found"]
    assert fingerprint(graph, corpus) == before


@pytest.mark.campaign
def test_an_argument_that_is_no_text_is_refused_in_one_sentence() -> None:
    code, argument = "from cli.main import main; main()", os.fsdecode(b"caf\xe9")
    command = [sys.executable, "-c", code, "graph", "entity", "show", argument]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith('error: "caf\\xe9" is not text in the encoding of this terminal')
    assert done.stderr.count(b"\n") == 1


def test_where_no_row_can_be_read_no_corpus_is_left(corpus: str, kg: Kg, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"id": 1, "x"\n' * 7, encoding="utf-8")
    ended = kg("corpus", "ingest", str(path), "--corpus", corpus)
    assert ended.code == 2
    error = ended.err.splitlines()[-1]
    assert "7 set aside" in error
    assert f"{path}:1: invalid JSON" in error
    assert "and 2 more" in error
    assert corpus not in [row["name"] for row in kg("corpus", "list", "--json").json]
