"""`kg run report` and `kg run matrix`: what runs show, as tables, as a page, as JSON."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated

import typer

from cli.console import print_json, remark
from cli.matrix import matrix
from cli.options import MAX_SEED, AsJson, Corpus
from cli.report_tables import print_report
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from services.report.as_json import report_json
from services.report.html import render_html
from services.report.make import make_report


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...", help="Names of runs. Default: all of the corpus.", show_default=False
        ),
    ] = None,
    corpus: Corpus = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page that needs no network.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of bootstrap and sign-flips.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Report on runs: where they fail, why, and whether they differ; its numbers go into the graph too."""
    if html is not None:
        _check_place(html)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        made = make_report(session.graph, name, runs or [], session.progress, seed)
    if html is not None:
        _write_whole(html, render_html(made))
        remark(f"Page written: {html}")
    if as_json:
        print_json(report_json(made))
    elif html is None:
        print_report(made)


def _check_place(path: Path) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise SettingsError(
            f"no file can be written at {path}.", "Give a file in a folder that exists: --html report.html"
        )


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that at its name there is always the old one or the whole new one."""
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.absolute().parent, prefix=f".{path.name}.", delete=False
        ) as unfinished:
            unfinished.write(text)
        temporary = Path(unfinished.name)
        # What the temporary file grants nobody is what a new file of this user's would grant.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise SettingsError(
            f"{path} can't be written: {error.strerror}.", "Give another file: --html FILE"
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
    app.command(epilog="Example: kg run report single-step decomposition --html report.html")(report)
    app.command(epilog="Example: kg run matrix single-step --corpus ormelund")(matrix)
