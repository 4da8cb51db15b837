"""One command at a time writes to a corpus."""

import os
import sys
from pathlib import Path

import pytest

from kg.corpus_lock import answering_in, writing_to
from kg.errors import CorpusError, SettingsError
from kg.settings import Settings
from tests.small_disk import remount_read_only, small_disk


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    settings = Settings(hopgrade_home=tmp_path)
    with writing_to(settings, "it's 'mine'/../x"):
        with pytest.raises(CorpusError, match="another kg command"), writing_to(settings, "it's 'mine'/../x"):
            pytest.fail("two writers")
        with writing_to(settings, "another"):
            pass
    with writing_to(settings, "it's 'mine'/../x"):
        pass
    assert {path.parent for path in tmp_path.rglob("*.lock")} == {tmp_path / "locks"}


def test_runs_of_different_names_go_side_by_side(tmp_path: Path) -> None:
    settings = Settings(hopgrade_home=tmp_path)
    with answering_in(settings, "mine", "react"), answering_in(settings, "mine", "single-step"):
        with pytest.raises(CorpusError, match="on run 'react'"), answering_in(settings, "mine", "react"):
            pytest.fail("one run twice")
        with pytest.raises(CorpusError, match="another kg command"), writing_to(settings, "mine"):
            pytest.fail("a corpus changed under its runs")
        with writing_to(settings, "another"):
            pass
    with (
        writing_to(settings, "mine"),
        pytest.raises(CorpusError, match="on corpus 'mine'"),
        answering_in(settings, "mine", "react"),
    ):
        pytest.fail("a run in a corpus that changes")
    with answering_in(settings, "mine", "react"):
        pass


@pytest.mark.parametrize("place", ["file/home", "file"])
def test_a_home_that_can_not_be_written_is_one_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    settings = Settings(hopgrade_home=tmp_path / place)
    with (
        pytest.raises(SettingsError, match=r"^the lock of a corpus .*HOPGRADE_HOME"),
        writing_to(settings, "mine"),
    ):
        pytest.fail("no lock, and yet it writes")


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root mounts a file system")
def test_a_read_only_home_is_one_sentence(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "10m") as disk:
        settings = Settings(hopgrade_home=disk)
        with writing_to(settings, "mine"):
            pass
        remount_read_only(disk)
        with pytest.raises(SettingsError, match="Read-only file system"), writing_to(settings, "other"):
            pytest.fail("no lock, and yet it writes")
