"""`kg standard repeat`: a folder to run a comparison again from, out of its archive."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import print_json, say
from cli.options import AsJson
from services.standard.hashing import protocol_hash
from services.standard.repeating import repeat_standard

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg standard repeat selectors.zip again")
def repeat(
    archive: Annotated[
        Path,
        typer.Argument(metavar="NAME.zip", help="The archive of a judged comparison.", show_default=False),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where it is to be run again.")],
    as_json: AsJson = False,
) -> None:
    """Write the protocol and the pools of an archive into a folder, to run the comparison again.

    That needs a corpus of the same name, with the same version of the questions; kg standard check says
    whether there is one.
    """
    protocol = repeat_standard(archive, folder)
    if as_json:
        print_json({"standard": protocol.name, "hash": protocol_hash(protocol), "folder": str(folder)})
        return
    say(f"Comparison {protocol.name!r} on corpus {protocol.dataset.corpus!r}: its protocol and pools.")
    say(f"Written: {folder}")
    say(f"Next: kg standard check {quote(str(folder))}")
