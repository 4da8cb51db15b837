"""`kg corpus status`: the ledger of a corpus."""

from shlex import quote

import typer

from cli.console import out, print_json, say, table
from cli.options import AsJson, Corpus
from cli.session import choose_corpus, open_session
from kg.corpus import require_corpus
from kg.errors import command
from kg.ledger import counts_of, describe, making_command, missing_stages, read_ledger
from kg.queries import query

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg corpus status --corpus ormelund")
def status(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Show which stages of a corpus ran, in which state they are, and what came of them."""
    with open_session() as session:
        name = choose_corpus(session.graph, corpus)
        known = require_corpus(session.graph, name)
        lines = read_ledger(session.graph, name)
        pending = session.graph.rows(query("articles/list_pending"), corpus=name, mark="chunked")
    if as_json:
        print_json({"corpus": name, "settings": known, "stages": lines, "articles_to_build": len(pending)})
        return
    rows = [[line["name"], line["state"], line.get("seconds"), describe(counts_of(line))] for line in lines]
    out.print(table(f"Corpus {name!r}", ("stage", "state", "seconds", "counts"), rows))
    if any(line["state"] != "done" for line in lines):
        say(
            "What is not done is at work now, was cut off, or was made from what has changed since. "
            f"Go on with kg corpus build --corpus {quote(name)}, then the command that asked: kg run-all or "
            "kg demo."
        )
    elif pending and any(line["name"] == "chunks" for line in lines):
        came = (
            "1 article came since and is"
            if len(pending) == 1
            else f"{len(pending):,} articles came since and are"
        )
        say(f"{came} not in the graph yet. Next: {command('corpus build --corpus', name)}")
    elif missing := missing_stages(line["name"] for line in lines):
        say(f"Next: {making_command(missing[0], name)}")
    say(
        f"vectors by {known.vectors}, chunks of {known.chunking} tokens, claims by {known.extractor}",
        "dim",
    )
