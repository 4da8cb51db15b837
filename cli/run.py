"""`kg run`: RAG systems that answer the questions of a corpus."""

import typer

app = typer.Typer(
    name="run",
    help="Let RAG systems answer the questions of a corpus; judge, report and compare.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def group() -> None:
    """Let RAG systems answer the questions of a corpus; judge, report and compare."""
