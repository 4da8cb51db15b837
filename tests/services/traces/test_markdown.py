"""Traces as Markdown: whatever a text holds, it stays in its fence."""

import re

from hypothesis import given
from hypothesis import strategies as st

from services.traces.rendered import coded, fenced, trace_markdown
from services.traces.shown import cause_of
from tests.services.traces.made import EVIL, TRACE

TEXTS = st.text(st.sampled_from("`a|\n #"), max_size=30)


@given(TEXTS)
def test_no_line_of_a_text_closes_its_fence(text: str) -> None:
    opening, *inside, closing = fenced(text).split("\n")
    assert "\n".join(inside) == text
    assert opening == f"{closing}text"
    assert not any(line.strip().startswith(closing) for line in inside)


@given(TEXTS)
def test_code_is_one_line_that_no_backtick_ends(text: str) -> None:
    code = coded(text)
    assert "\n" not in code
    if code:
        fence = re.match("`+", code)
        assert fence is not None
        inside = code[len(fence[0]) : -len(fence[0])]
        assert fence[0] not in re.findall("`+", inside)
        assert not re.search(r"(?<!\\)\|", inside)


def test_a_trace_is_written_whole() -> None:
    written = trace_markdown(TRACE)
    assert "# Wrong: `question-1`" in written
    assert f"\n- cause: {coded(cause_of(TRACE))}\n" in written
    assert "- behaviour: `loops, stops early`" in written
    assert "| 3 | `Thing 3 leads to 4` | never seen |  |" in written
    assert "| 2 | `Thing 2 leads to 3` | seen in step 3 | wrong |" in written
    assert "### 4. `search`, `repeated query`" in written
    assert "Rank 2, score 0.5000, **gold: hop 1**: `Title 1` (`chunk-1`)" in written
    # As query, answer and text of a chunk, each in a fence longer than its own.
    assert written.count(f"````text\n{EVIL}\n````") == 3
