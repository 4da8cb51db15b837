"""`kg run gate`: an exit code for CI when a run is worse than a baseline.

`kg run list` and `kg run drop`: the runs of a corpus.

`kg run export`: a run for the tools of others.

`kg run trace`: what a system did for one question, step by step, beside the gold chain.
"""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_questions, complete_runs, whole_id
from cli.console import check_place, lead_on, out, p_text, print_json, remark, say, table, write_whole
from cli.options import MAX_SEED, AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from kg.store.graph import Row
from kg.store.leases import answering_in
from services.answers import EXACT_MATCH
from services.benchmarks.export_run import RunExport, read_run, write_hotpotqa, write_trec
from services.gate import MAX_DROP, Gate, GateCheck, GateRules, check_gate, junit_xml
from services.report.html_values import percent
from services.runs.records import drop_run, list_runs, read_totals
from services.traces.rendered import render_trace
from services.traces.shown import (
    SeenChunk,
    ShownStep,
    ShownTrace,
    behaviour_summary,
    cause_of,
    facts_of,
    find_trace,
    first_sighting,
    gold_marks,
    outcome_of,
    prefix_result,
    remarks_on,
    search_summary,
    step_cost,
)

app = typer.Typer(rich_markup_mode=None)


@app.command("list", epilog="Example: kg run list --json")
def list_(corpus: options.Corpus = None, as_json: options.AsJson = False) -> None:
    """List the runs of a corpus: who answered with what retriever, how much is wrong, at what cost."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = list_runs(session.graph, name)
        totals = read_totals(session.graph, name)
    if as_json:
        print_json(found)
        return
    if not found:
        remark(f"corpus {name!r} has no run yet. Start one: kg run start single-step --corpus {quote(name)}")
        return
    columns = (
        "run, system, retriever, answers by / judge",
        "wrong, chain\nquestions",
        "wrong,\nall kinds",
        "errors",
        "started",
        "cost",
    )
    out.print(table(f"Runs of {name!r}", columns, [_line(row, totals.get(row["name"])) for row in found]))
    say(
        "Wrong: by the run's judge. Chain questions are those of the difficulty matrix, below them the 95 % "
        "interval, by cluster where there are several; all kinds are every question that the run answered.",
        "dim",
    )
    newest = max(found, key=lambda row: str(row["started_at"] or ""))["name"]
    lead_on("Where the newest fails", "run matrix", newest, "--corpus", name)


@app.command(epilog="Example: kg run drop multi-step --corpus ormelund --yes")
def drop(
    name: Annotated[str, typer.Argument(help="The run to delete.", autocompletion=complete_runs)],
    corpus: options.Corpus = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Delete a run with its answers, verdicts and findings; asks first."""
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        known = any(row["name"] == name for row in list_runs(session.graph, found))
        question = f"Delete run {name!r} of corpus {found!r} with everything that came of it?"
        if known and not yes and not typer.confirm(question, err=True):
            remark("kept.")
            raise typer.Exit(1)
        with answering_in(session.graph, found, name) as graph:
            answers = drop_run(graph, found, name)
    if as_json:
        print_json({"dropped": name, "answers": answers})
        return
    remark(f"deleted run {name!r} with {answers:,} answers.")


def _line(row: Row, total: Row | None) -> list[object]:
    answers = row["answers"]
    chains = _wrong(total["errors"], total["n"]) if total else ""
    if total and total["low"] is not None:
        chains += f"\n{percent(total['low'])} to {percent(total['high'])}"
    day = row["started_at"].strftime("%Y-%m-%d\n%H:%M") if row["started_at"] else ""
    state = "" if row["finished_at"] else "\nnot finished"
    cost = "" if row["cost"] is None else f"{row['cost']:.4f}"
    # A system from outside stands for who answers too.
    parts = [row["system"] if row["system"] != row["generator"] else "", row["retriever"]]
    looked = ", ".join(filter(None, parts))
    # Runs of the first versions don't say who answered.
    answers_by = " / ".join(filter(None, (row["generator"], row["judge"] or EXACT_MATCH)))
    by_whom = "\n  ".join(filter(None, (row["name"], looked, answers_by)))
    return [by_whom, chains, _wrong(answers - row["right"], answers), row["errors"], day + state, cost]


def _wrong(wrong: int, answers: int) -> str:
    return f"{percent(wrong / answers)}\n{wrong:,} of {answers:,}" if answers else ""


@app.command(epilog="Example: kg run export single-step --trec exported --corpus news")
def export(
    run: Annotated[str, typer.Argument(help="The run.", show_default=False, autocompletion=complete_runs)],
    corpus: Corpus = None,
    trec: Annotated[
        Path | None,
        typer.Option(
            "--trec",
            metavar="DIR",
            help="Write rankings, judgements and answers into this folder.",
            show_default=False,
        ),
    ] = None,
    hotpotqa: Annotated[
        Path | None,
        typer.Option(
            "--hotpotqa", metavar="FILE", help="Write HotpotQA's prediction file.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run's rankings as TREC run and qrels files, and its answers by the ids of their set.

    The folder gets chunks.run, chunks.qrels, articles.run, articles.qrels and answers.jsonl; files of these
    names in it are replaced. Questions that were made here go by our ids. kg evaluate answers reads
    answers.jsonl, so that a run which a new corpus build deletes can come back.
    """
    if trec is None and hotpotqa is None:
        raise SettingsError("nothing is to be exported.", "Give --trec DIR, --hotpotqa FILE, or both.")
    exported: RunExport | None = None
    predictions = 0
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        rows = read_run(session.graph, name, run)
        try:
            if trec is not None:
                exported = write_trec(session.graph, rows, name, run, trec)
            if hotpotqa is not None:
                predictions = write_hotpotqa(session.graph, rows, hotpotqa)
        except OSError as error:
            raise SettingsError(
                f"{error.filename} can't be written: {error.strerror}.", "Give another place."
            ) from error
    files = [str(path) for path in (*(exported.files if exported else ()), *([hotpotqa] if hotpotqa else ()))]
    overlapping = dict(exported.overlapping) if exported else {}
    if as_json:
        print_json({"run": run, "answers": len(rows), "files": files, "overlapping": overlapping})
        return
    for file in files:
        say(file)
    if hotpotqa is not None and not predictions:
        remark("note: the prediction file is empty: no question of this run was imported.")
    for level, number in overlapping.items():
        if number:
            remark(
                f"note: in {number:,} questions one {level} holds two pieces of evidence that differ; "
                "TREC's files count one of them a rank."
            )


_VERDICTS = {"pass": "passes", "noise": "chance?", "worse": "worse"}


@app.command(epilog="Example: kg run gate ours --baseline single-step --max-drop .03 --junit gate.xml")
def gate(
    run: Annotated[
        str, typer.Argument(help="The run to judge.", show_default=False, autocompletion=complete_runs)
    ],
    baseline: Annotated[
        str,
        typer.Option(
            help="The run that it must not fall behind.", show_default=False, autocompletion=complete_runs
        ),
    ],
    corpus: Corpus = None,
    max_drop: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Drop in accuracy, 0 to 1, that is allowed.")
    ] = MAX_DROP,
    per_depth: Annotated[
        bool, typer.Option("--per-depth", help="Check every depth too, not only all questions together.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on a larger drop even where it could be chance.")
    ] = False,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Write the checks as JUnit XML.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the sign-flips.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fail, with exit code 1, when a run is worse than a baseline beyond chance; for CI.

    Compares the questions that both answered; those that share the article with the answer count as one
    cluster. A drop that is larger than allowed but could be chance passes with a warning.
    """
    if junit is not None:
        check_place(junit, "--junit")
    rules = GateRules(max_drop, per_depth, strict, seed)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = check_gate(session.graph, name, run, baseline, rules)
    if junit is not None:
        write_whole(junit, junit_xml(found), "--junit")
        remark(f"JUnit written: {junit}")
    if as_json:
        print_json({**asdict(found), "passed": found.passed, "warnings": found.warnings})
    else:
        _print_gate(found)
        lead_on("Where they differ", "run report", baseline, run, "--corpus", name)
    if not found.passed:
        raise typer.Exit(1)


def _print_gate(found: Gate) -> None:
    columns = ("", "n", "baseline", "run", "drop [95 %]", "p", "verdict")
    title = f"Accuracy of run {found.run!r} beside baseline {found.baseline!r}"
    out.print(table(title, columns, [_gate_line(check) for check in found.checks]))
    say(found.tested, "dim")
    for note in found.notes:
        say(note, "dim")
    for warning in found.warnings:
        remark(f"warning: {warning}")
    if found.passed:
        say("Gate: pass")
        return
    say("Gate: FAIL")
    for check in found.checks:
        if not check.passed:
            remark(f"failed: {check.why}")


def _gate_line(check: GateCheck) -> list[object]:
    spread = check.interval
    drop = f"{check.drop:+.3f}" + (f" [{spread.low:+.3f}, {spread.high:+.3f}]" if spread else "")
    shares = (f"{share:.3f}" for share in (check.baseline_accuracy, check.accuracy))
    return [check.scope, check.n, *shares, drop, p_text(check.p_value), _VERDICTS[check.verdict]]


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
        # The keys of version 0.1 stay beside what they are called now.
        former = {
            "said": found.answer_text,
            "told": found.retrieval_reported,
            "steps_told": found.steps_reported,
        }
        print_json({"corpus": name, **asdict(found), **former, "verdict": found.verdict})
    elif html is None:
        _show(found, all_chunks)


def _show(found: ShownTrace, all_chunks: bool) -> None:
    say(found.text, "bold")
    say(f"{facts_of(found)}; {found.answer}", "dim")
    others = [one for one in found.accepted if one != found.gold]
    say(f"Gold answer: {found.gold or '(none)'}" + (f" (or {', '.join(others)})" if others else ""))
    say(f"Answered:    {found.answer_text or '(no answer)'}")
    say(f"Outcome:     {outcome_of(found)}")
    for label, words in (("Cause:", cause_of(found)), ("Behaviour:", behaviour_summary(found))):
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
                first_sighting(hop, found.retrieval_reported),
                *([prefix_result(hop)] if asked else []),
            ]
            for hop in found.chain
        ]
        out.print(table("Gold chain", [*columns, "asked up to here"] if asked else columns, rows))
    for step in found.steps:
        out.print()
        _show_step(step, found.retrieval_reported, all_chunks)


def _show_step(step: ShownStep, told: bool, all_chunks: bool) -> None:
    fault = f" [{step.fault}]" if step.fault else ""
    took = step_cost(step)
    say(f"Step {step.index}: {step.action}{fault}" + (f" ({took})" if took else ""), "bold")
    said = (
        ("thought", step.thought),
        ("query", step.query),
        ("call", step.arguments),
        ("saw", search_summary(step, told)),
    )
    for label, text in said:
        if text:
            _say_lines(label, text)
    if step.observation and (not step.retrieves or step.fault or all_chunks):
        _say_lines("came", step.observation)
    chosen = step.seen if all_chunks else _chunks_to_show(step.seen)
    if chosen:
        rows = [
            [
                one.rank,
                "" if one.score is None else f"{one.score:.3f}",
                gold_marks(one),
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


def _chunks_to_show(seen: Iterable[SeenChunk]) -> list[SeenChunk]:
    return [one for one in seen if one.rank <= CHUNKS_SHOWN or one.hops]
