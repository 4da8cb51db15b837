"""`kg run list` and `kg run drop`: the runs of a corpus."""

from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.console import out, print_json, remark, table
from cli.session import existing_corpus, open_session
from kg.store.graph import Row
from kg.store.leases import answering_in
from services.evaluate.answers import EXACT_MATCH
from services.rag.runs import drop_run, list_runs

app = typer.Typer(rich_markup_mode=None)


@app.command("list", epilog="Example: kg run list --json")
def list_(corpus: options.Corpus = None, as_json: options.AsJson = False) -> None:
    """List the runs of a corpus: who answered, how many questions, how many right, at what cost."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = list_runs(session.graph, name)
    if as_json:
        print_json(found)
        return
    if not found:
        remark(f"corpus {name!r} has no run yet. Start one: kg run start single-step --corpus {quote(name)}")
        return
    columns = ("run, answered by / judged by", "answers", "right", "errors", "started", "cost")
    out.print(table(f"Runs of {name!r}", columns, [_line(row) for row in found]))


@app.command(epilog="Example: kg run drop multi-step --corpus ormelund --yes")
def drop(
    name: Annotated[str, typer.Argument(help="The run to delete.")],
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


def _line(row: Row) -> list[object]:
    answers = row["answers"]
    share = f"{row['right'] / answers:.1%}" if answers else ""
    day = row["started_at"].strftime("%Y-%m-%d %H:%M") if row["started_at"] else ""
    state = "" if row["finished_at"] else "\nnot finished"
    cost = "" if row["cost"] is None else f"{row['cost']:.4f}"
    by_whom = f"{row['name']}\n  {row['generator']} / {row['judge'] or EXACT_MATCH}"
    return [by_whom, answers, share, row["errors"], day + state, cost]
