"""`kg questions import`: questions of another set, with their evidence in the corpus."""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import print_json, remark, say
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.model import Reject
from kg.store.leases import writing_to
from services.benchmarks.import_questions import Imported, import_questions
from services.benchmarks.question_files import FORMATS
from services.questions.hand_work import read_hand_work

SHOWN = 5
"""How many rows and pieces of evidence are named; `kg corpus rejects` lists all."""


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The question file, or the folder of a BEIR set.", show_default=False
        ),
    ],
    corpus: Corpus = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"One of: {', '.join(FORMATS)}. Default: told from the content.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import questions of another set, and find their evidence among the chunks of a corpus.

    Ids of the set are kept. Runs ask imported questions beside those that were made; making questions anew
    leaves them. Rows that can't be used and evidence that is not in the corpus are listed with file and line.
    """
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        embedder = make_embedder(require_corpus(session.graph, name).embedder, session.settings)
        with writing_to(session.graph, name) as graph:
            found = import_questions(graph, name, file, form or "", embedder, session.progress)
        runs = read_hand_work(session.graph, name).runs
    if as_json:
        print_json({"corpus": name, **asdict(found)})
        return
    _tell(name, found)
    if runs:
        remark(
            f"note: the questions have a new version; runs on older ones ({', '.join(runs)}) are made anew "
            "when they are started again under the same name."
        )


def _tell(corpus: str, found: Imported) -> None:
    types = ", ".join(f"{name} {number:,}" for name, number in sorted(found.types.items()))
    say(f"corpus {corpus!r}: {found.questions:,} questions imported as {found.form} ({types}).")
    with_gold = found.questions - found.without
    say(
        f"Evidence: {found.whole:,} of {with_gold:,} questions whole, {found.lost:,} without any of theirs; "
        f"{found.without:,} questions name none."
    )
    if found.pieces:
        ways = ", ".join(f"{way} {number:,}" for way, number in sorted(found.pieces.items()))
        say(f"Found by: {ways}.", "dim")
    _list("rows set aside", found.rejects, corpus)
    _list("pieces of evidence not found", found.unmatched, corpus)
    say(
        f"Version {found.dataset}. The difficulty matrix has no cell for imported questions: they follow no "
        "path of the graph.",
        "dim",
    )
    say("Ask them: kg run start; look at them: kg questions list --kind imported", "dim")


def _list(what: str, remarks: tuple[Reject, ...], corpus: str) -> None:
    if not remarks:
        return
    remark(f"note: {len(remarks):,} {what}:")
    for one in remarks[:SHOWN]:
        remark(f"  {one.place}: {one.reason}")
    if len(remarks) > SHOWN:
        remark(f"  ... all of them: kg corpus rejects --corpus {quote(corpus)}")


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("import", epilog="Example: kg questions import MultiHopRAG.json --corpus news")(import_)
