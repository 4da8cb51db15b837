"""Run `kg` in this process, as the shell would."""

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from cli.main import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        """Standard output as JSON."""
        return json.loads(self.out)


def run_kg(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Ended:
    """Run `kg` with arguments; its output is captured."""
    monkeypatch.setattr(sys, "argv", ["kg", *arguments])
    capsys.readouterr()
    code = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    shown = capsys.readouterr()
    return Ended(code, shown.out, shown.err)
