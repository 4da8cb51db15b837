"""`kg run gate`: an exit code for CI when a run is worse than a baseline.

`kg run list` and `kg run drop`: the runs of a corpus.

`kg run export`: a run for the tools of others.
"""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_runs
from cli.console import check_place, lead_on, out, p_text, print_json, remark, say, table, write_whole
from cli.options import MAX_SEED, AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from kg.store.graph import Row
from kg.store.leases import answering_in
from services.answers import EXACT_MATCH
from services.benchmarks.export_run import Exported, read_run, write_hotpotqa, write_trec
from services.gate import MAX_DROP, Gate, GateCheck, GateRules, check_gate, junit_xml
from services.report.html_values import percent
from services.runs.records import drop_run, list_runs, read_totals

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
    exported: Exported | None = None
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
