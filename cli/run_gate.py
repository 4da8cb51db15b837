"""`kg run gate`: an exit code for CI when a run is worse than a baseline."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli.console import check_place, out, p_text, print_json, remark, say, table, write_whole
from cli.options import MAX_SEED, AsJson, Corpus
from cli.session import existing_corpus, open_session
from services.gate import MAX_DROP, Gate, GateCheck, GateRules, check_gate, junit_xml

app = typer.Typer(rich_markup_mode=None)

_VERDICTS = {"pass": "passes", "noise": "chance?", "worse": "worse"}


@app.command(epilog="Example: kg run gate ours --baseline single-step --max-drop .03 --junit gate.xml")
def gate(
    run: Annotated[str, typer.Argument(help="The run to judge.", show_default=False)],
    baseline: Annotated[str, typer.Option(help="The run that it must not fall behind.", show_default=False)],
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
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of bootstrap and sign-flips.")] = 0,
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
    if not found.passed:
        raise typer.Exit(1)


def _print_gate(found: Gate) -> None:
    columns = ("", "n", "baseline", "run", "drop [95 %]", "p", "verdict")
    title = f"Accuracy of run {found.run!r} beside baseline {found.baseline!r}"
    out.print(table(title, columns, [_line(check) for check in found.checks]))
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


def _line(check: GateCheck) -> list[object]:
    spread = check.interval
    drop = f"{check.drop:+.3f}" + (f" [{spread.low:+.3f}, {spread.high:+.3f}]" if spread else "")
    shares = (f"{share:.3f}" for share in (check.baseline_accuracy, check.accuracy))
    return [check.scope, check.n, *shares, drop, p_text(check.p_value), _VERDICTS[check.verdict]]
