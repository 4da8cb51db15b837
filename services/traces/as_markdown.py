"""A trace as Markdown: everything that an article, a model or a user wrote stands in a fence."""

import re
from collections.abc import Iterator

from services.traces.sentences import (
    asked_of,
    behaved_of,
    cause_of,
    facts_of,
    found_of,
    gold_of,
    looked_of,
    outcome_of,
    remarks_on,
    took_of,
)
from services.traces.shown import SeenChunk, ShownStep, ShownTrace

_TICKS = re.compile(r"`+")


def trace_markdown(trace: ShownTrace) -> str:
    """The whole trace: question, outcome, gold chain, and each step with what it saw."""
    return "\n".join(_lines(trace)).rstrip() + "\n"


def fenced(text: str) -> str:
    """The text in a fence that no run of backticks in it can close."""
    fence = "`" * (max((len(run[0]) for run in _TICKS.finditer(text)), default=2) + 1)
    fence = fence if len(fence) >= 3 else "```"
    return f"{fence}text\n{text}\n{fence}"


def coded(text: str) -> str:
    """The text in one line of code that no backtick in it can close, fit for a cell of a table."""
    line = " ".join(text.split())
    if not line:
        return ""
    fence = "`" * (max((len(run[0]) for run in _TICKS.finditer(line)), default=0) + 1)
    blank = " " if line.startswith("`") or line.endswith("`") else ""
    # A bar would end the cell of a table, in code too.
    return f"{fence}{blank}{line}{blank}{fence}".replace("|", "\\|")


def _lines(trace: ShownTrace) -> Iterator[str]:
    yield from (f"# {trace.verdict.capitalize()}: {coded(trace.question)}", "", fenced(trace.text), "")
    yield from (f"- {coded(facts_of(trace))}", f"- answer id: {coded(trace.answer)}")
    yield f"- outcome: {coded(outcome_of(trace))}"
    said = (("cause", cause_of(trace)), ("behaviour", behaved_of(trace)))
    yield from (f"- {label}: {coded(words)}" for label, words in said if words)
    if trace.prompts:
        yield f"- prompts: {', '.join(map(coded, trace.prompts))}"
    yield from ("", "Gold answer:", "", fenced(trace.gold), "")
    others = [one for one in trace.accepted if one != trace.gold]
    if others:
        yield from (f"Also accepted: {', '.join(map(coded, others))}", "")
    yield from ("Answered:", "", fenced(trace.said), "")
    for note in remarks_on(trace):
        yield from (note, "")
    if trace.chain:
        yield from ("## Gold chain", "", "| hop | what it states | evidence | asked up to here |")
        yield "| --- | --- | --- | --- |"
        for hop in trace.chain:
            states = coded(hop.fact or hop.question)
            yield f"| {hop.hop} | {states} | {found_of(hop, trace.told)} | {asked_of(hop)} |"
        yield ""
    yield from ("## Steps", "")
    for step in trace.steps:
        yield from _step_lines(step, trace.told)


def _step_lines(step: ShownStep, told: bool) -> Iterator[str]:
    fault = f", {coded(step.fault)}" if step.fault else ""
    yield from (f"### {step.index}. {coded(step.action)}{fault}", "")
    facts = (took_of(step), looked_of(step, told))
    yield from (f"- {coded(fact)}" for fact in facts if fact)
    if any(facts):
        yield ""
    parts = (("Thought", step.thought), ("Query", step.query), ("Call", step.arguments))
    for label, text in (*parts, ("Came of it", step.observation)):
        if text:
            yield from (f"{label}:", "", fenced(text), "")
    for chunk in step.seen:
        yield from _chunk_lines(chunk)


def _chunk_lines(chunk: SeenChunk) -> Iterator[str]:
    score = "" if chunk.score is None else f", score {chunk.score:.4f}"
    gold = f", **{gold_of(chunk)}**" if chunk.hops else ""
    yield f"Rank {chunk.rank}{score}{gold}: {coded(chunk.title)} ({coded(chunk.chunk)})"
    yield from ("", fenced(chunk.text), "")
