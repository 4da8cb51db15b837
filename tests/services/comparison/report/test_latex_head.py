"""The comment at the head of the tables for a paper is one line, whatever the results hold."""

from dataclasses import replace

import pytest

from services.comparison.analysis.analyse import analyse
from services.comparison.report.renderers import render_latex
from tests.services.comparison.made_comparison import made_comparison


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85", "\v", "\f", "\x00"])
def test_nothing_ends_the_comment(end: str) -> None:
    results = replace(analyse(made_comparison()), protocol_hash=rf"0{end}\input{{x}}")
    first, second, *_ = render_latex(results).splitlines()
    assert first.startswith("% Tables of the judged comparison small, protocol 0")
    assert first.endswith(r"\input{x}.")
    assert second.startswith("% Needs ")
