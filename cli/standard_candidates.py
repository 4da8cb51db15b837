"""`kg standard candidates`: what a system of one's own may show, as a file to work from."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import check_place, print_json, say, write_parts
from cli.options import AsJson
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from services.standard.folder import LOCK_FILE, POOL_FILE, PROTOCOL_FILE, folder_of
from services.standard.handing_out import candidate_lines
from services.standard.protocol_file import read_protocol

app = typer.Typer(rich_markup_mode=None)

FILE = "candidates.jsonl"


@app.command(epilog="Example: kg standard candidates first --out candidates.jsonl")
def candidates(
    folder: Annotated[
        Path,
        typer.Argument(metavar="[FOLDER]", help="Folder of the comparison, as made by kg standard init."),
    ] = Path("standard"),
    file: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help=f"Where it is written. Default: FOLDER/{FILE}.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write each question with the texts that a system may show for it, for a system of your own.

    A line of JSON a question: id, question, candidates (chunk, title, text, tokens; best first), and the
    limits of evidence and answer in tokens. The gold is not in it.
    """
    protocol = read_protocol(folder)
    path = file or folder_of(folder) / FILE
    check_place(path, "--out")
    own = (PROTOCOL_FILE, POOL_FILE, LOCK_FILE)
    if path.resolve() in {(folder_of(folder) / name).resolve() for name in own}:
        raise SettingsError(f"{path} is a file of the comparison.", "Give another file: --out FILE")
    with open_session() as session:
        existing_corpus(session.graph, protocol.dataset.corpus)
        progress = session.progress
        progress.begin("candidates")
        count = write_parts(path, candidate_lines(session.graph, folder), "--out")
        progress.end(f"{count:,} questions")
    if as_json:
        print_json({"file": str(path), "questions": count})
        return
    say(f"Written: {path}, {count:,} questions")
    runs = [system.run for system in protocol.systems if system.run is not None]
    if not runs:
        say("The protocol names no run of yours: list it as a system with name and run before the lock.")
        return
    say(
        f"Next: lock with kg standard run {quote(str(folder))}, answer, then kg evaluate answers ANSWERS "
        f"--standard {quote(str(folder))} --name {quote(runs[0])} --corpus {quote(protocol.dataset.corpus)}"
    )
