"""What is printed is what is there, whatever it holds."""

import io
import json
import sys
import unicodedata
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from cli import console
from cli.console import (
    ConsoleProgress,
    out,
    print_error,
    print_json,
    remark,
    say,
    table,
    visible,
    write_in_any_encoding,
)
from cli.remarks import report_spending
from kg.llm.budget import Budget
from kg.llm.protocol import Usage
from kg.progress import Progress

CONTROLS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))}
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""What Unicode has to turn the direction of writing around."""


@given(st.text())
def test_only_line_ends_and_tabs_steer_the_terminal(text: str) -> None:
    assert not (CONTROLS - {"\n", "\t"}) & set(visible(text))


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cn", "Cs", "Zl", "Zp"])))
def test_other_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert visible(f"{text}\u200d\ufe0f\u00ad") == f"{text}\u200d\ufe0f\u00ad"


@pytest.mark.parametrize("mark", TURNING, ids=unicodedata.name)
def test_no_text_turns_what_stands_around_it(mark: str, capsys: pytest.CaptureFixture[str]) -> None:
    written, text = f"\\u{ord(mark):04x}", f"Mara {mark}dias"
    say(text)
    remark(text)
    print_error(text)
    with ConsoleProgress() as progress:
        progress.begin(text)
        progress.end(text)
    out.print(table(text, ("name", text), [["a", text]]))
    shown = capsys.readouterr()
    assert mark not in shown.out + shown.err
    assert shown.out.splitlines()[0] == f"Mara {written}dias"
    assert (shown.out.count(written), shown.err.count(written)) == (4, 4)


def test_programs_get_the_text_itself(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(TURNING)
    assert capsys.readouterr().out == f'"{TURNING}"\n'


def test_markup_is_shown_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    say("[red]a[/red] [/] \x1b[31m")
    remark("[red]b[/red] [/] \x1b[31m")
    progress: Progress = ConsoleProgress()
    progress.begin("[bold]c")
    progress.end("[/] \x1b[31m")
    shown = capsys.readouterr()
    assert shown.out == "[red]a[/red] [/] \\x1b[31m\n"
    assert shown.err.startswith("[red]b[/red] [/] \\x1b[31m\n  [bold]c: [/] \\x1b[31m (")


def drawn(width: int, terminal: bool, rows: list[list[object]], one_line: bool) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=terminal, no_color=True, highlight=False)
    console.print(table("[x] \x1b", ("id", "hops", "text"), rows, one_line))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("one_line", [False, True])
def test_a_narrow_table_keeps_its_ids_whole(one_line: bool) -> None:
    identifier = "question-0123456789abcdef"
    lines = drawn(60, False, [[identifier, 2, "words " * 40 + "[/] \x1b[31m end"]], one_line)
    assert lines[0].strip() == r"[x] \x1b"
    assert any(identifier in line for line in lines)
    # Nothing is cut where no terminal bounds the line.
    assert " ".join(" ".join(line[len(identifier) + 8 :] for line in lines[2:]).split()) == (
        "words " * 40 + r"[/] \x1b[31m end"
    )


def test_numbers_stand_on_the_right_and_nothing_is_printed_for_none() -> None:
    lines = drawn(60, False, [["a", 2, None], ["b", 100, "x"]], one_line=False)
    assert [line.rstrip() for line in lines[2:]] == ["a      2", "b    100  x"]


@pytest.mark.campaign
@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda v: st.lists(v) | st.dictionaries(st.text(), v))
)
def test_json_comes_back_as_it_was(value: object) -> None:
    for encoding in ("utf-8", "ascii"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="surrogatepass")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            print_json(value)
        stream.seek(0)
        written = stream.read()
        assert json.loads(written) == value
        assert not (CONTROLS - {"\n"}) & set(written)


def test_what_an_encoding_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    write_in_any_encoding()
    say("😀 e\u0301")
    stream.seek(0)
    assert stream.read() == "\\U0001f600 e\\u0301\n"


def test_calls_of_a_model_are_told_while_no_step_ends(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    progress = ConsoleProgress(lambda: now)
    budget = Budget()
    with report_spending(budget, progress):
        progress.begin("claims", 56)
        for second in range(1, 25):
            now = float(second)
            budget.settle(budget.reserve(Usage(1, 1), budget.price), Usage(1, 1))
        progress.step("links", 2)
        now = 35.0
        progress.advance()
        progress.end("done")
        now = 60.0
        budget.settle(budget.reserve(Usage(1, 1), budget.price), Usage())
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "  claims: 0/56, 5 calls (5 s)",
        "  claims: 0/56, 15 calls (15 s)",
        "  claims, links: 1/2 (35 s)",
        "  claims: done (35.0 s)",
        "models: 25 calls, 24 tokens in, 24 out; kept answers cost nothing",
    ]


def test_without_a_terminal_a_long_task_is_told_of_after_five_seconds_and_then_every_ten(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0

    def clock() -> float:
        return now

    progress = ConsoleProgress(clock)
    progress.begin("claims", 1200)
    for second in range(25):
        now = float(second)
        progress.advance(40)
    progress.step("writing", 3)
    now = 31.0
    progress.advance()
    progress.end("done")
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "  claims: 240/1,200 (5 s)",
        "  claims: 640/1,200 (15 s)",
        "  claims, writing: 1/3 (31 s)",
        "  claims: done (31.0 s)",
    ]


def test_without_a_terminal_a_task_that_counts_nothing_is_told_of_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "LOOK_SECONDS", 0.001)
    now, looks = 0.0, 0

    def clock() -> float:
        nonlocal looks
        looks += now > 0
        return now

    with ConsoleProgress(clock) as progress:
        progress.begin("resolution")
        progress.step("closure")
        now = 6.0
        # The second look comes after what the first one led to.
        while looks < 2:
            sleep(0.001)
        progress.end("done")
    told = capsys.readouterr().err.splitlines()
    assert told == ["  resolution, closure: at work (6 s)", "  resolution: done (6.0 s)"]
