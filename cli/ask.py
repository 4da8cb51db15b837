"""`kg ask`: one question, answered in the open."""

from dataclasses import asdict
from typing import Annotated

import typer

from cli import options
from cli.console import out, print_json, say, table
from cli.session import choose_corpus, open_session
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.errors import SettingsError
from services.rag.ask import Asking
from services.rag.ask import ask as ask_graph
from services.rag.protocol import Step
from services.rag.retrieval.choose import DEFAULT, RETRIEVERS
from services.rag.run_options import SYSTEMS, parse_system

SHOWN_CHARACTERS = 160


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    corpus: options.Corpus = None,
    system: Annotated[
        str, typer.Option("--system", help=f"RAG system: {', '.join(SYSTEMS)}.")
    ] = "single-step",
    retriever: Annotated[str, typer.Option(help=f"Who looks for chunks: {', '.join(RETRIEVERS)}.")] = DEFAULT,
    retrieved: options.Retrieved = 10,
    as_json: options.AsJson = False,
) -> None:
    """Answer a question from a corpus by rules; show the steps, the chunks read and a path to the answer."""
    if not question.strip():
        raise SettingsError("the question is empty.", 'Ask one: kg ask "Who owns the club?"')
    chosen = parse_system(system)
    with open_session() as session:
        name = choose_corpus(session.graph, corpus)
        known = require_corpus(session.graph, name)
        embedder = make_embedder(known.embedder, session.settings)
        asking = ask_graph(
            session.graph, name, question, embedder, retrieved, session.settings, chosen, retriever
        )
    if as_json:
        print_json(asdict(asking))
        return
    _print(asking)


def _print(asking: Asking) -> None:
    say(asking.reading.answer, "bold")
    if asking.reading.sentence:
        say(f"read in: {asking.reading.sentence}")
    if asking.path:
        say("\nPath", "bold")
        for step in asking.path:
            say(f"  {step.subject} -> {step.predicate} -> {step.object}")
    if len(asking.steps) > 2:
        say("\nSteps", "bold")
        for taken in asking.steps:
            say(_step_line(taken))
    if not asking.hits:
        say("\nNo chunk was found for this question; another --retriever may find some.")
        return
    rows = [
        [rank, f"{hit.score:.3f}", passage.title, _beginning(passage.text)]
        for rank, (hit, passage) in enumerate(zip(asking.hits, asking.passages, strict=True), start=1)
    ]
    out.print()
    out.print(table("Retrieved chunks", ("rank", "score", "article", "text"), rows, one_line=True))
    say(f"Answered by the rules reader {asking.generator}: a baseline without a model.", "dim")


def _step_line(step: Step) -> str:
    """A step in a line: what it asked, and what came of it."""
    came = " | ".join(step.observation.splitlines())
    return f"  {step.index} {step.action}: {_beginning(step.query)} -> {came}"


def _beginning(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN_CHARACTERS else plain[:SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " ..."


def register(app: typer.Typer) -> None:
    """Add this command to the tree."""
    app.command(epilog='Example: kg ask "Who coaches the Mariners?" --corpus ormelund')(ask)
