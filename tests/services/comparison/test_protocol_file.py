"""The protocol's file: what is written is read again, and each mistake is named at its line."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from kg.errors import InputError
from services.comparison.beginning import protocol_text
from services.comparison.protocol import Protocol, protocol_hash
from services.comparison.protocol_file import ProtocolFileError, parse_protocol, read_protocol
from tests.examples import examples
from tests.services.comparison.written_protocol import protocol, protocols

FILE = Path("standard.yaml")
TEXT = protocol_text(protocol())


def line_of(beginning: str, text: str = TEXT) -> int:
    return next(
        number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(beginning)
    )


def mistakes(text: str) -> list[str]:
    with pytest.raises(ProtocolFileError) as caught:
        parse_protocol(text, FILE)
    return [str(one) for one in caught.value.mistakes]


@settings(max_examples=50)
@given(protocols())
def test_what_is_written_is_what_is_read(written: Protocol) -> None:
    assert parse_protocol(protocol_text(written), FILE) == written


def test_every_part_says_what_it_is() -> None:
    parts = [part.splitlines() for part in TEXT.strip().split("\n\n")[1:]]
    silent = [part[0] for part in parts if not part[0].startswith("#")]
    assert silent == ["standard: 1"]


def test_comments_order_and_layout_change_no_hash() -> None:
    lines = [line for line in TEXT.splitlines() if not line.startswith("#")]
    start, end = lines.index("budget:"), lines.index("generator:")
    moved = [*lines[:start], *lines[end:], *lines[start:end]]
    assert protocol_hash(parse_protocol("\n".join(moved), FILE)) == protocol_hash(protocol())


@examples("find, replace, place, what")
def test_a_mistake_is_told_with_its_place(find: str, replace: str, place: str, what: str) -> None:
    text = TEXT.replace(find, replace, 1)
    (told,) = mistakes(text)
    assert f": {place}: " in told
    assert what in told


def test_a_mistake_has_its_line() -> None:
    line = line_of("measure: accuracy")
    (told,) = mistakes(TEXT.replace("measure: accuracy", "measure: acuracy"))
    assert told.startswith(f"line {line}: ")


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    text = (
        TEXT.replace("alpha: 0.05", "alpha: 2").replace("size: 20", "size: none").replace("seeds:", "seedy:")
    )
    told = mistakes(text)
    assert [one.split(": ")[1] for one in told] == ["pool.size", "inference.alpha", "seedy"]


def test_what_is_missing_is_told_at_the_part_that_lacks_it() -> None:
    (told,) = mistakes(TEXT.replace("  corpus: valley\n", ""))
    assert told == f"line {line_of('dataset:')}: dataset.corpus: it is missing"


@pytest.mark.parametrize(
    "text", ["", "- a", "just words", "a: [", "a: *b", "? [a]\n: b", "a: 2024-13-45", "\t"]
)
def test_what_is_no_protocol_is_refused_as_such(text: str) -> None:
    assert mistakes(text)


@pytest.mark.parametrize(
    ("text", "kind"), [("- a", "a list"), ("just words", "a text"), ("7", "a single value")]
)
def test_what_has_no_fields_is_called_what_it_is(text: str, kind: str) -> None:
    assert mistakes(text) == [f"line 1: it is {kind}, and must be fields with values"]


def test_a_list_that_is_too_short_is_told_how_many_it_needs() -> None:
    start, end = line_of("hypotheses:"), line_of("inference:")
    lines = TEXT.splitlines()
    (told,) = mistakes("\n".join([*lines[: start - 1], "hypotheses: []", *lines[end - 1 :]]))
    assert told.endswith("hypotheses: at least 1 is needed, not 0")


def test_an_alias_is_refused_at_its_line() -> None:
    (told,) = mistakes(TEXT.replace("name: first", "name: &n first").replace("corpus: valley", "corpus: *n"))
    assert told == f"line {line_of('corpus: valley')}: an alias (*n) can't be used; write it out"


def test_aliases_of_aliases_take_no_time() -> None:
    layers = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    assert mistakes("\n".join(["a0: &a0 x", *layers])) == [
        "line 2: an alias (*a0) can't be used; write it out"
    ]


def test_a_merge_of_fields_by_alias_is_refused_too() -> None:
    assert mistakes("a: &a {b: 1}\nc:\n  <<: *a\n") == ["line 3: an alias (*a) can't be used; write it out"]


def test_a_file_without_a_word_is_called_empty() -> None:
    assert mistakes("# nothing yet\n") == ["it is empty"]


def test_a_tab_is_called_a_tab() -> None:
    (told,) = mistakes(TEXT.replace("  corpus: valley", "\tcorpus: valley"))
    assert told.startswith(f"line {line_of('corpus: valley')}: ")
    assert "a tab stands where YAML takes blanks only" in told


def test_a_file_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_protocol(tmp_path)
    (tmp_path / "standard.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_protocol(tmp_path)
