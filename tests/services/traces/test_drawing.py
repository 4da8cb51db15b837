"""The drawing of a trace and its page: what they show, say in words, and never let through.

Traces as Markdown: whatever a text holds, it stays in its fence.
"""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

from hypothesis import given
from hypothesis import strategies as st

from services.report.svg import WIDTH, figure, text_width
from services.traces.rendered import (
    chain_drawing,
    code_block,
    inline_code,
    render_trace,
    trace_markdown,
    wrap_words,
)
from services.traces.shown import (
    ShownTrace,
    behaviour_summary,
    cause_of,
    describe_drawing,
    outcome_of,
    search_summary,
)
from tests.examples import examples
from tests.services.traces.made import EVIL, STEPS, TRACE, chunk, hop, step


def drawn(trace: ShownTrace) -> Element:
    return fromstring(str(figure("chain", chain_drawing(trace))))


def of_class(root: Element, *names: str) -> list[Element]:
    return [one for one in root.iter() if set(names) <= set(one.get("class", "").split())]


def test_lines_join_hops_to_the_steps_that_saw_them() -> None:
    root = drawn(TRACE)
    # Hop 1 was seen in steps 2 and 3, hop 2 in step 3, hop 3 in none.
    assert len(of_class(root, "thread")) == 3
    assert len(of_class(root, "thread", "first")) == 2
    assert len(of_class(root, "card", "lost")) == 1
    assert len(of_class(root, "card", "fault")) == 1
    badges = [one.text for one in of_class(root, "badge")]
    assert badges == ["hop 1 at 2", "hop 1 at 2", "hop 2 at 1"]


def test_nothing_is_drawn_outside_or_over_another_box() -> None:
    drawing = chain_drawing(TRACE)
    boxes = [
        tuple(float(one.get(key, "")) for key in ("x", "y", "width", "height"))
        for one in of_class(fromstring(str(figure("chain", drawing))), "card")
    ]
    assert all(x >= 0 and x + w <= WIDTH and y + h <= drawing.height for x, y, w, h in boxes)
    for lane in ({x for x, *_ in boxes if x < 100}, {x for x, *_ in boxes if x > 100}):
        spans = sorted((y, y + h) for x, y, _, h in boxes if x in lane)
        assert all(end < begin for (_, end), (begin, _) in pairwise(spans))


def test_more_hops_than_fit_are_counted() -> None:
    seen = tuple(chunk(n, str(n), n) for n in range(1, 6))
    many = replace(
        TRACE,
        steps=(step(1, "search", retrieves=True, seen=seen),),
        chain=tuple(hop(n, 1) for n in range(1, 6)),
    )
    badges = [one.text or "" for one in of_class(drawn(many), "badge")]
    assert badges[-1] == f"+{5 - (len(badges) - 1)}"


def test_a_trace_of_nothing_can_be_drawn() -> None:
    empty = replace(TRACE, steps=(), chain=(), answer_text="", gold="", correct=True)
    assert chain_drawing(empty).height > 0
    assert "The system told no step." in render_trace(empty)


def test_words_say_what_the_drawing_shows() -> None:
    assert TRACE.failure is not None
    failed = replace(TRACE, failure=replace(TRACE.failure, why="no step asked for hop 3"))
    assert describe_drawing(failed) == (
        "The gold chain has 3 hops; the system took 5 steps; the evidence of hop 1: seen in step 2; the "
        "evidence of hop 2: seen in step 3; the evidence of hop 3: never seen; step 4, search: repeated "
        "query. The answer is wrong, judged by exact match. Cause: planning at hop 3: no "
        "step asked for hop 3. Behaviour: loops, stops early."
    )
    right = replace(TRACE, correct=True, failure=None, behaviours=())
    assert describe_drawing(right).endswith("The answer is right, judged by exact match.")
    assert cause_of(right) == behaviour_summary(right) == ""
    assert (
        search_summary(STEPS[2])
        == "2 chunks, top-k 2, only source: The Courier, hop 1 at rank 2, hop 2 at rank 1"
    )
    assert search_summary(STEPS[4]) == ""


@examples("changes, told")
def test_the_outcome_in_words(changes: dict[str, object], told: str) -> None:
    assert outcome_of(replace(TRACE, **changes)) == told  # type: ignore[arg-type]


def test_lines_fit_and_the_last_one_tells_that_more_would_come() -> None:
    rows = wrap_words("one two three four five six seven eight nine", 11, 80, 3)
    assert len(rows) == 3
    assert rows[-1].endswith("…")
    assert all(text_width(row, 11) <= 80 for row in rows)
    assert wrap_words("short", 11, 80, 3) == ["short"]


def test_the_page_runs_nothing_and_asks_nothing_of_a_network() -> None:
    page = render_trace(TRACE)
    assert EVIL not in page
    assert "<script" not in page
    assert re.findall(r"(?:src|href)\s*=", page) == []
    assert "default-src 'none'" in page
    assert page == render_trace(TRACE)


def test_the_page_says_all_without_the_drawing() -> None:
    page = render_trace(TRACE)
    for told in (
        "Seen in step 2",
        "Never seen",
        "repeated query",
        "top-k 3",
        "gold: hop 1",
        "Title 8",
        "start",
    ):
        assert told in page
    assert "Asked up to here, it answered wrong." in page
    assert page.count("Asked up to here") == 2
    assert page.count("The first hop that failed: planning.") == 1
    assert "<dd>loops, stops early</dd>" in page
    right = render_trace(replace(TRACE, correct=True, failure=None, behaviours=()))
    assert "<dt>Cause" not in right
    assert "<dt>Behaviour" not in right


TEXTS = st.text(st.sampled_from("`a|\n #"), max_size=30)


@given(TEXTS)
def test_no_line_of_a_text_closes_its_fence(text: str) -> None:
    opening, *inside, closing = code_block(text).split("\n")
    assert "\n".join(inside) == text
    assert opening == f"{closing}text"
    assert not any(line.strip().startswith(closing) for line in inside)


@given(TEXTS)
def test_code_is_one_line_that_no_backtick_ends(text: str) -> None:
    code = inline_code(text)
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
    assert f"\n- cause: {inline_code(cause_of(TRACE))}\n" in written
    assert "- behaviour: `loops, stops early`" in written
    assert "| 3 | `Thing 3 leads to 4` | never seen |  |" in written
    assert "| 2 | `Thing 2 leads to 3` | seen in step 3 | wrong |" in written
    assert "### 4. `search`, `repeated query`" in written
    assert "Rank 2, score 0.5000, **gold: hop 1**: `Title 1` (`chunk-1`)" in written
    # As query, answer and text of a chunk, each in a fence longer than its own.
    assert written.count(f"````text\n{EVIL}\n````") == 3
