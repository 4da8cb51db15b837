from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kg.ingest.rows import file_and_line, row_place


@given(st.sampled_from(["a.json", "c:\\d.json", "a:7", "a, row 2"]), st.integers(1), st.integers(0))
def test_a_place_gives_back_its_file_and_line(name: str, line: int, number: int) -> None:
    assert file_and_line(row_place(Path(name), line, number)) == (name, line)


def test_a_file_by_itself_has_no_line() -> None:
    assert file_and_line("notes/a.txt") == ("notes/a.txt", 0)
