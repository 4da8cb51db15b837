"""`kg run trace`: what a system did for one question, step by step, beside the gold chain."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli.completion import complete_questions, complete_runs, whole_id
from cli.console import check_place, out, print_json, remark, say, table, write_whole
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from services.traces.read import find_trace
from services.traces.rendered import render_trace
from services.traces.shown import (
    SeenChunk,
    ShownStep,
    ShownTrace,
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

app = typer.Typer(rich_markup_mode=None)

CHUNKS_SHOWN = 3
"""So many chunks of a step are listed, and gold ones besides."""


@app.command(epilog="Example: kg run trace question-0c3dadb6988e607a multi-step --html trace.html")
def trace(
    answer: Annotated[
        str,
        typer.Argument(
            help="Id of an answer or a question, or as much of it as no other has; see kg questions list.",
            autocompletion=complete_questions,
        ),
    ],
    run: Annotated[
        str | None,
        typer.Argument(
            help="The run, where several answered the question.",
            show_default=False,
            autocompletion=complete_runs,
        ),
    ] = None,
    corpus: Corpus = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Draw what the system did beside the gold chain, as a page of its own.",
            show_default=False,
        ),
    ] = None,
    all_chunks: Annotated[
        bool, typer.Option("--all", help="List every chunk that a step saw, with its text.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a system did for one question: steps, what each saw of the gold chain, and why it failed.

    Without the name of a run, the id of a question is enough where only one run answered it.
    """
    if html is not None:
        check_place(html, "--html")
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        kind = "answer" if answer.startswith("answer-") else "question"
        found = find_trace(session.graph, name, whole_id(session.graph, kind, answer, name), run or "")
    if html is not None:
        write_whole(html, render_trace(found), "--html")
        remark(f"drawing written: {html}")
    if as_json:
        print_json({"corpus": name, **asdict(found), "verdict": found.verdict})
    elif html is None:
        _show(found, all_chunks)


def _show(found: ShownTrace, all_chunks: bool) -> None:
    say(found.text, "bold")
    say(f"{facts_of(found)}; {found.answer}", "dim")
    others = [one for one in found.accepted if one != found.gold]
    say(f"Gold answer: {found.gold or '(none)'}" + (f" (or {', '.join(others)})" if others else ""))
    say(f"Answered:    {found.said or '(no answer)'}")
    say(f"Outcome:     {outcome_of(found)}")
    for label, words in (("Cause:", cause_of(found)), ("Behaviour:", behaved_of(found))):
        if words:
            say(f"{label:<12} {words}")
    for note in remarks_on(found):
        remark(f"note: {note}")
    if found.chain:
        out.print()
        columns = ["hop", "what it states", "evidence"]
        asked = any(hop.right is not None for hop in found.chain)
        rows = [
            [
                hop.hop,
                hop.fact or hop.question,
                found_of(hop, found.told),
                *([asked_of(hop)] if asked else []),
            ]
            for hop in found.chain
        ]
        out.print(table("Gold chain", [*columns, "asked up to here"] if asked else columns, rows))
    for step in found.steps:
        out.print()
        _show_step(step, found.told, all_chunks)


def _show_step(step: ShownStep, told: bool, all_chunks: bool) -> None:
    fault = f" [{step.fault}]" if step.fault else ""
    took = took_of(step)
    say(f"Step {step.index}: {step.action}{fault}" + (f" ({took})" if took else ""), "bold")
    said = (
        ("thought", step.thought),
        ("query", step.query),
        ("call", step.arguments),
        ("saw", looked_of(step, told)),
    )
    for label, text in said:
        if text:
            _say_lines(label, text)
    if step.observation and (not step.retrieves or step.fault or all_chunks):
        _say_lines("came", step.observation)
    chosen = step.seen if all_chunks else _chosen(step.seen)
    if chosen:
        rows = [
            [
                one.rank,
                "" if one.score is None else f"{one.score:.3f}",
                gold_of(one),
                f"{one.title}\n{one.text}" if all_chunks else one.title,
            ]
            for one in chosen
        ]
        out.print(table("", ["rank", "score", "gold", "article"], rows))
        if len(chosen) < len(step.seen):
            say(f"  and {len(step.seen) - len(chosen)} chunks more: --all", "dim")


def _say_lines(label: str, text: str) -> None:
    """A labelled text; further lines stand under its first."""
    for number, line in enumerate(text.splitlines() or [""]):
        say(f"  {label + ':' if number == 0 else '':<8} {line}")


def _chosen(seen: Iterable[SeenChunk]) -> list[SeenChunk]:
    return [one for one in seen if one.rank <= CHUNKS_SHOWN or one.hops]
