"""A trace as Markdown: everything that an article, a model or a user wrote stands in a fence.

A trace as one page: what the system did, drawn beside the gold chain, then step by step.

A single file without scripts that opens anywhere and asks nothing of a network.

What a system did beside the gold chain: hops on the left, steps on the right, lines where it saw a hop.

A hop whose evidence no step saw has a dashed edge and no line; a step that went wrong has a dashed edge too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from kg import __version__
from services.report.html_environment import DAY, NIGHT, page_environment, sheet_hash
from services.report.svg import WIDTH, Drawing, box, element, figure, fitted, group, text, text_width
from services.traces import shown
from services.traces.shown import (
    GoldHop,
    SeenChunk,
    ShownStep,
    ShownTrace,
    behaviour_summary,
    best_ranks,
    cause_of,
    describe_drawing,
    facts_of,
    first_sighting,
    gold_marks,
    outcome_of,
    prefix_result,
    remarks_on,
    search_summary,
    step_cost,
)

HOPS_WIDE = 124.0
STEPS_LEFT = 178.0
MOST_COLOURS = 5
"""Hops farther on share the colour of this one."""

_SIZE = 11.0
_LEADING = 14.0
_PADDING = 7.0
_GAP = 10.0
_HEAD = 24.0
_BADGE = 14.0


@dataclass(frozen=True, slots=True)
class _PlacedBox:
    """A box with its place; `middle` is where a line meets it."""

    top: float
    height: float
    shapes: Markup

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


def chain_drawing(trace: ShownTrace) -> Drawing:
    """The drawing of a trace, `services.report.svg.WIDTH` units wide."""
    steps: dict[int, _PlacedBox] = {}
    below = _HEAD
    for step in trace.steps:
        steps[step.index] = _step_box(step, below)
        below = steps[step.index].bottom + _GAP
    answer = _card(
        STEPS_LEFT, below, WIDTH - STEPS_LEFT, f"answer: {trace.verdict}",
        trace.error or trace.answer_text, 3, "card said right" if trace.correct else "card said",
    )  # fmt: skip
    hops: dict[int, _PlacedBox] = {}
    left = _HEAD
    for hop in trace.chain:
        # Beside the step that saw it first, where there is room: lines then run level.
        beside = steps[hop.first_seen].top if hop.first_seen in steps else left
        hops[hop.hop] = _hop_box(hop, max(left, beside), trace.retrieval_reported)
        left = hops[hop.hop].bottom + _GAP
    gold = _card(0.5, max(left, answer.top), HOPS_WIDE, "gold answer", trace.gold, 4, "card expected")
    lines = [
        _line(hops[hop.hop], steps[step.index], first=hop.first_seen == step.index)
        for step in trace.steps
        for hop in trace.chain
        if hop.hop in step.gold
    ]
    heads = [
        text(0, 13, "gold chain", "label strong", "start"),
        text(
            STEPS_LEFT, 13, f"what {fitted(trace.system or trace.run, 12, 110)} did", "label strong", "start"
        ),
    ]
    boxes = [placed.shapes for placed in (*hops.values(), *steps.values(), answer, gold)]
    return Drawing(
        title=f"What {trace.run} did beside the gold chain",
        desc=describe_drawing(trace),
        height=max(answer.bottom, gold.bottom) + 2,
        shapes=group([*heads, *lines, *boxes]),
    )


def hop_class(hop: int) -> str:
    """The class of a hop's colour."""
    return f"hop-{min(max(hop, 1), MOST_COLOURS)}"


def _hop_box(hop: GoldHop, top: float, reported: bool) -> _PlacedBox:
    words = hop.fact or hop.question or ", ".join(one.title for one in hop.evidence)
    seen = hop.first_seen is not None
    # "seen in step 12" and "never seen" are too wide for a box of this width.
    found = f"step {hop.first_seen}" if seen else "unseen" if reported and hop.evidence else "not known"
    placed = _card(
        0.5, top, HOPS_WIDE, f"hop {hop.hop}, {found}", words, 4, "card gold" if seen else "card gold lost"
    )
    mark = box(0.5, top, 4, placed.height, class_=f"mark {hop_class(hop.hop)}")
    return _PlacedBox(top, placed.height, placed.shapes + mark)


def _step_box(step: ShownStep, top: float) -> _PlacedBox:
    said = (step.query if step.retrieves else step.observation) or step.observation
    ranks = best_ranks(step)
    card = _card(
        STEPS_LEFT, top, WIDTH - STEPS_LEFT, f"{step.index} {step.action}",
        f"{step.fault}: {said}" if step.fault else said, 3,
        "card step fault" if step.fault else "card step", foot=_BADGE + 6 if ranks else 0,
    )  # fmt: skip
    return _PlacedBox(top, card.height, card.shapes + _badges(ranks, card.bottom - _BADGE - 6))


def _badges(ranks: Sequence[tuple[int, int]], top: float) -> Markup:
    """Which hops a step saw, and how far up; how many more there are where the room ends."""
    left, shapes = STEPS_LEFT + _PADDING, []
    for number, (hop, rank) in enumerate(ranks):
        words = f"hop {hop} at {rank}"
        width = text_width(words, 10) + 2
        if left + width > WIDTH - (4 if number + 1 == len(ranks) else 26):
            shapes.append(text(left, top + 10.5, f"+{len(ranks) - number}", "badge", "start"))
            break
        shapes.append(box(left, top, width, _BADGE, rx=3, class_=f"mark {hop_class(hop)}"))
        shapes.append(text(left + width / 2, top + 10.5, words, f"badge {hop_class(hop)}-ink"))
        left += width + 4
    return group(shapes)


def _card(
    x: float, top: float, width: float, head: str, words: str, most_lines: int, class_: str, foot: float = 0
) -> _PlacedBox:
    """A box with a head, some lines of words, and room for a foot."""
    room = width - 2 * _PADDING
    rows = wrap_words(words, _SIZE, room, most_lines)
    height = 2 * _PADDING + _LEADING * (1 + len(rows)) - 4 + foot
    shapes = [
        box(x, top, width - 0.5, height, rx=5, class_=class_),
        text(x + _PADDING, top + _PADDING + 8, fitted(head, _SIZE, room), "small strong", "start"),
        *(
            text(x + _PADDING, top + _PADDING + 8 + _LEADING * n, row, "small", "start")
            for n, row in enumerate(rows, start=1)
        ),
    ]
    return _PlacedBox(top, height, group(shapes))


def _line(hop: _PlacedBox, step: _PlacedBox, first: bool) -> Markup:
    left, right = HOPS_WIDE + 0.5, STEPS_LEFT
    bend = (left + right) / 2
    corners = ((bend, hop.middle), (bend, step.middle), (right, step.middle))
    curve = ", ".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    return element(
        "path", d=f"M{left:.1f} {hop.middle:.1f} C{curve}", class_="thread first" if first else "thread"
    )


def wrap_words(words: str, size: float, width: float, most_lines: int) -> list[str]:
    """The words in lines that fit the width; the last one ends with an ellipsis where more would come."""
    rows: list[str] = []
    rest = words.split()
    while rest and len(rows) < most_lines:
        if len(rows) == most_lines - 1:
            rows.append(fitted(" ".join(rest), size, width))
            break
        row = rest.pop(0)
        while rest and text_width(f"{row} {rest[0]}", size) <= width:
            row = f"{row} {rest.pop(0)}"
        rows.append(fitted(row, size, width))
    return rows


_TEMPLATES = Path(__file__).parent / "templates"


def render_trace(trace: ShownTrace) -> str:
    """The trace as an HTML document in UTF-8; the same trace gives the same text."""
    templates, style = _environment(), _style_values()
    return templates.get_template("trace.html").render(
        **style,
        trace=trace,
        words=shown,
        drawing=figure("chain", chain_drawing(trace)),
        prefixes=any(hop.right is not None for hop in trace.chain),
        style_hash=sheet_hash(templates, "trace.css", style),
        version=__version__,
    )


def _style_values() -> dict[str, object]:
    return {"day": DAY.variables(), "night": NIGHT.variables(), "hop_colours": range(1, MOST_COLOURS + 1)}


@cache
def _environment() -> Environment:
    return page_environment(_TEMPLATES)


_TICKS = re.compile(r"`+")


def trace_markdown(trace: ShownTrace) -> str:
    """The whole trace: question, outcome, gold chain, and each step with what it saw."""
    return "\n".join(_lines(trace)).rstrip() + "\n"


def code_block(text: str) -> str:
    """The text in a fence that no run of backticks in it can close."""
    fence = "`" * (max((len(run[0]) for run in _TICKS.finditer(text)), default=2) + 1)
    fence = fence if len(fence) >= 3 else "```"
    return f"{fence}text\n{text}\n{fence}"


def inline_code(text: str) -> str:
    """The text in one line of code that no backtick in it can close, fit for a cell of a table."""
    line = " ".join(text.split())
    if not line:
        return ""
    fence = "`" * (max((len(run[0]) for run in _TICKS.finditer(line)), default=0) + 1)
    blank = " " if line.startswith("`") or line.endswith("`") else ""
    # A bar would end the cell of a table, in code too.
    return f"{fence}{blank}{line}{blank}{fence}".replace("|", "\\|")


def _lines(trace: ShownTrace) -> Iterator[str]:
    yield from (
        f"# {trace.verdict.capitalize()}: {inline_code(trace.question)}",
        "",
        code_block(trace.text),
        "",
    )
    yield from (f"- {inline_code(facts_of(trace))}", f"- answer id: {inline_code(trace.answer)}")
    yield f"- outcome: {inline_code(outcome_of(trace))}"
    said = (("cause", cause_of(trace)), ("behaviour", behaviour_summary(trace)))
    yield from (f"- {label}: {inline_code(words)}" for label, words in said if words)
    if trace.prompts:
        yield f"- prompts: {', '.join(map(inline_code, trace.prompts))}"
    yield from ("", "Gold answer:", "", code_block(trace.gold), "")
    others = [one for one in trace.accepted if one != trace.gold]
    if others:
        yield from (f"Also accepted: {', '.join(map(inline_code, others))}", "")
    yield from ("Answered:", "", code_block(trace.answer_text), "")
    for note in remarks_on(trace):
        yield from (note, "")
    if trace.chain:
        yield from ("## Gold chain", "", "| hop | what it states | evidence | asked up to here |")
        yield "| --- | --- | --- | --- |"
        for hop in trace.chain:
            sighting = first_sighting(hop, trace.retrieval_reported)
            cells = (str(hop.hop), inline_code(hop.fact or hop.question), sighting, prefix_result(hop))
            yield f"| {' | '.join(cells)} |"
        yield ""
    yield from ("## Steps", "")
    for step in trace.steps:
        yield from _step_lines(step, trace.retrieval_reported)


def _step_lines(step: ShownStep, reported: bool) -> Iterator[str]:
    fault = f", {inline_code(step.fault)}" if step.fault else ""
    yield from (f"### {step.index}. {inline_code(step.action)}{fault}", "")
    facts = (step_cost(step), search_summary(step, reported))
    yield from (f"- {inline_code(fact)}" for fact in facts if fact)
    if any(facts):
        yield ""
    parts = (("Thought", step.thought), ("Query", step.query), ("Call", step.arguments))
    for label, said in (*parts, ("Came of it", step.observation)):
        if said:
            yield from (f"{label}:", "", code_block(said), "")
    for chunk in step.seen:
        yield from _chunk_lines(chunk)


def _chunk_lines(chunk: SeenChunk) -> Iterator[str]:
    score = "" if chunk.score is None else f", score {chunk.score:.4f}"
    gold = f", **{gold_marks(chunk)}**" if chunk.hops else ""
    yield f"Rank {chunk.rank}{score}{gold}: {inline_code(chunk.title)} ({inline_code(chunk.chunk)})"
    yield from ("", code_block(chunk.text), "")
