"""`kg standard list`: the judged comparisons of a corpus, and what came of them."""

from dataclasses import asdict
from shlex import quote

import typer

from cli import options
from cli.console import out, print_json, say, table
from cli.session import existing_corpus, open_session
from kg.queries import query
from services.report.html_values import plural
from services.views.standards import StandardSummary, summary_of_row

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("comparison", "systems", "questions", "decided", "survive both", "locked")


@app.command("list", epilog="Example: kg standard list --corpus ormelund")
def list_(corpus: options.Corpus = None, as_json: options.AsJson = False) -> None:
    """List the comparisons that were locked on a corpus, with how their hypotheses were decided.

    One that was begun and not locked yet is known to its folder alone.
    """
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        rows = session.graph.rows(query("views/list_standards"), corpus=found, name="")
    listed = [summary_of_row(row) for row in rows]
    if as_json:
        print_json([asdict(one) for one in listed])
    elif listed:
        out.print(table(f"Judged comparisons on {found}", COLUMNS, [_row(one) for one in listed]))
    else:
        say(f"No comparison is locked on corpus {found!r} yet.")
        say(f"Begin one: kg standard init FOLDER --corpus {quote(found)}")


def _row(one: StandardSummary) -> tuple[object, ...]:
    return (
        one.name,
        ", ".join(one.systems),
        "" if one.questions is None else f"{one.questions:,} in {plural(one.clusters or 0, 'cluster')}",
        _decided(one),
        "" if one.survived is None else one.survived,
        one.locked_at[:16].replace("T", " "),
    )


def _decided(one: StandardSummary) -> str:
    if one.state != "analysed":
        return "not run yet" if one.state == "locked" else "written by another version"
    decided = ", ".join(f"{count} {decision}" for decision, count in one.decisions.items())
    early = one.look is not None and one.looks is not None and one.look < one.looks
    return f"{decided}; look {one.look} of {one.looks}" if early else decided
