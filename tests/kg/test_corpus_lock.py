"""One command at a time writes to a corpus."""

from pathlib import Path

import pytest

from kg.corpus_lock import writing_to
from kg.errors import CorpusError
from kg.settings import Settings


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
