"""A journal keeps what was added, through a kill in the middle of a line.

The length of an answer.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from kg.text.tokens import count_tokens
from services.comparison.folder import KEY_DIGITS, Journal, Written
from services.comparison.records import LETTERS_A_TOKEN, Candidates, answer_length, cut_answer


def _key(number: int) -> str:
    return f"{number:0{KEY_DIGITS}x}"


def _row(number: int, text: str = "") -> Candidates:
    return Candidates(f"question {number}{text}", ((f"chunk-{number}\n\u2028", number / 7),))


def test_what_was_added_is_there_after_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.jsonl"
    with Journal(path, Candidates) as journal:
        for number in range(3):
            journal.add(_key(number), _row(number))
        journal.add(_key(1), _row(1, " again"))
        assert journal[_key(1)] == _row(1, " again")
    with Journal(path, Candidates) as journal:
        assert len(journal) == 3
        assert list(Written(journal, [_key(2), _key(1), _key(2)])) == [_row(2), _row(1, " again"), _row(2)]
        assert _key(3) not in journal
        journal.add(_key(3), _row(3))
        assert (journal[_key(3)], journal[_key(0)]) == (_row(3), _row(0))


@given(lost=st.integers(min_value=1, max_value=200))
def test_a_torn_end_costs_its_line_and_no_other(lost: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("torn") / "rows.jsonl"
    with Journal(path, Candidates) as journal:
        for number in range(4):
            journal.add(_key(number), _row(number))
    whole = path.read_bytes()
    torn = whole[: max(0, len(whole) - lost)]
    path.write_bytes(torn)
    kept = torn.count(b"\n")
    with Journal(path, Candidates) as journal:
        assert len(journal) == kept
        for number in range(kept, 4):
            journal.add(_key(number), _row(number))
    assert path.read_bytes() == whole


def test_one_command_at_a_time_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal(path, Candidates) as journal:
        journal.add(_key(1), _row(1))
        with pytest.raises(InputError, match=r"^another command is working in .*rows\.jsonl open\. Wait"):
            Journal(path, Candidates)
        assert _opened_elsewhere(path) == "another command is"
        journal.add(_key(2), _row(2))
        with Journal(tmp_path / "others.jsonl", Candidates) as other:
            assert len(other) == 0
    assert _opened_elsewhere(path) == "2 rows"


def _opened_elsewhere(path: Path) -> str:
    """What another process finds that opens the journal."""
    script = (
        "import sys; from pathlib import Path; from kg.errors import InputError\n"
        "from services.comparison.folder import Journal\n"
        "from services.comparison.records import Candidates\n"
        "try:\n"
        "    with Journal(Path(sys.argv[1]), Candidates) as journal:\n"
        "        print(len(journal), 'rows')\n"
        "except InputError as error:\n"
        "    print(error.message[:18])\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout.strip()


HARMED = (
    b' {"question": 1}\n',
    b" \xff\xfe\x00\n",
    b"\n",
    b"\x00" * 64 + b"\n",
    b" {" + b'"a":{' * 5_000 + b"\n",
)


@pytest.mark.parametrize("harmed", HARMED, ids=range(len(HARMED)))
def test_a_line_that_cannot_be_read_costs_only_itself(tmp_path: Path, harmed: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal(path, Candidates) as journal:
        for number in range(3):
            journal.add(_key(number), _row(number))
    first, _, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + _key(1).encode() + harmed + last)
    with Journal(path, Candidates) as journal:
        assert [_key(number) in journal for number in range(3)] == [True, False, True]
        assert (journal[_key(0)], journal[_key(2)]) == (_row(0), _row(2))
        journal.add(_key(1), _row(1))
    with Journal(path, Candidates) as journal:
        assert [journal[_key(number)] for number in range(3)] == [_row(number) for number in range(3)]


def test_an_earlier_line_stands_in_for_one_that_was_harmed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal(path, Candidates) as journal:
        journal.add(_key(1), _row(1))
    with path.open("ab") as file:
        file.write(_key(1).encode() + b" [}\n")
    with Journal(path, Candidates) as journal:
        assert journal[_key(1)] == _row(1)


def test_a_line_that_is_changed_while_it_is_open_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal(path, Candidates) as journal:
        journal.add(_key(1), _row(1))
        path.write_bytes(_key(1).encode() + b' {"question": 1}\n')
        with pytest.raises(InputError, match=r"rows\.jsonl was changed meanwhile"):
            journal[_key(1)]


def test_a_journal_is_on_the_disk_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def fsync(number: int) -> None:
        real(number)
        synced.append(os.fstat(number).st_size)

    monkeypatch.setattr(os, "fsync", fsync)
    with Journal(tmp_path / "rows.jsonl", Candidates) as journal:
        journal.add(_key(1), _row(1))
    assert synced[-1] == (tmp_path / "rows.jsonl").stat().st_size > 0


def test_a_place_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        Journal(tmp_path / "file" / "rows.jsonl", Candidates)


def test_usual_text_is_as_long_as_its_tokens() -> None:
    text = "The museum in Kesterholm was founded by the sister of Astrid Kellowen in 1931."
    assert answer_length(text) == count_tokens(text)
    assert answer_length("") == 0


def test_no_spelling_makes_much_text_short() -> None:
    joined = "\u00ad".join(["word"] * 2_000)
    assert count_tokens(joined) == 1
    assert answer_length(joined) == -(-len(joined) // LETTERS_A_TOKEN)


@given(st.text("ab \u00ad日.", max_size=600) | st.text(max_size=300), st.integers(1, 40))
def test_what_is_cut_is_a_beginning_and_no_longer_than_the_cap(text: str, cap: int) -> None:
    cut = cut_answer(text, cap)
    assert text.startswith(cut)
    assert answer_length(cut) <= cap
