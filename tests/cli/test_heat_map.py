"""Text blocks for rates, and plain signs where a stream lacks them."""

import io

import pytest
from rich.console import Console

from cli import matrix
from services.evaluate.matrix import AnswerVerdict, difficulty_matrix
from services.report.content import Rate
from services.statistics.intervals import Interval


def printed(monkeypatch: pytest.MonkeyPatch, encoding: str) -> str:
    """Two bars on a stream of an encoding."""
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding, errors="backslashreplace")
    for place in ("cli.matrix.out", "cli.console.out"):
        monkeypatch.setattr(place, Console(file=stream, width=80, highlight=False))
    half = Rate("2 hops", 8, 4, 0.5, Interval(0.2, 0.8))
    matrix.print_bars("Accuracy", [half, Rate("5 hops", 0, 0, None, None)])
    stream.flush()
    return written.getvalue().decode(encoding)


def test_bars_are_as_long_as_the_share(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(monkeypatch, "utf-8").splitlines()
    assert shown[1] == "2 hops  " + 10 * "\u2588" + 10 * "\u2591" + "  0.50 0.20 to 0.80  (8)*"
    assert shown[2] == "5 hops  -"


@pytest.mark.parametrize("terminal", [True, False])
def test_the_grid_is_coloured_by_error_rate_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM", raising=False)
    written = {}
    for no_color in ("", "1"):
        stream = io.StringIO()
        monkeypatch.setenv("NO_COLOR", no_color)
        console = Console(file=stream, width=100, highlight=False, force_terminal=terminal)
        for place in ("cli.matrix.out", "cli.console.out"):
            monkeypatch.setattr(place, console)
        judged = [
            AnswerVerdict(f"{bin_} {n}", 2, bin_, bin_ / 4, wrong=bin_ == 4, cluster=str(n))
            for bin_ in (1, 4)
            for n in range(20)
        ]
        matrix.print_grid(difficulty_matrix(judged))
        written[no_color] = stream.getvalue()
    green, red = (f"\x1b[{code}m" for code in (32, 31))
    assert (f"{green}0.00 (20)" in written[""]) is terminal
    assert (f"{red}1.00 (20)" in written[""]) is terminal
    for plain in (written["1"], "" if terminal else written[""]):
        assert green not in plain
        assert red not in plain
    assert "  1.00 (20)" in written["1"]


def test_a_stream_without_blocks_gets_plain_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(monkeypatch, "ascii").splitlines()
    assert shown[1] == f"2 hops  {'#' * 10}{'.' * 10}  0.50 0.20 to 0.80  (8)*"
