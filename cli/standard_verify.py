"""`kg standard verify`: every figure of an archive computed anew."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli.console import ConsoleProgress, out, print_json, remark, say, table
from cli.options import AsJson
from kg import __version__
from services.standard.verify import Check, Verified, verify_archive

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg standard verify first/first.zip")
def verify(
    archive: Annotated[
        Path,
        typer.Argument(metavar="NAME.zip", help="Archive that kg standard run wrote.", show_default=False),
    ],
    as_json: AsJson = False,
) -> None:
    """Compute every figure of an archive anew, without a graph; say equal, or where not.

    Judges by rules judge again from the texts; what a model said is taken as it is in the archive. Exit code
    1 where something differs.
    """
    with ConsoleProgress() as progress:
        progress.begin(f"verify {archive.name}")
        found = verify_archive(archive, progress.step)
        progress.end("equal" if found.equal else "not equal")
    if as_json:
        print_json({**asdict(found), "equal": found.equal})
    else:
        _print_verified(found)
    if not found.equal:
        raise typer.Exit(1)


def _print_verified(found: Verified) -> None:
    say(f"Comparison {found.standard!r}, protocol {found.protocol}", "bold")
    columns = ("computed anew", "over", "")
    out.print(
        table(
            f"{found.archive}, by hopgrade {found.written_by}", columns, [_line(one) for one in found.checks]
        )
    )
    if found.equal:
        say("Verify: equal")
        return
    say("Verify: NOT EQUAL")
    for check in found.checks:
        for one in check.differences:
            remark(f"differs: {one}")
        if check.more:
            remark(f"and {check.more:,} more in {check.name}")
    if found.written_by != __version__:
        remark(
            f"It was written by hopgrade {found.written_by}, and this is {__version__}, which may compute or "
            "lay out some of it otherwise: verify with the version that wrote it."
        )


def _line(check: Check) -> list[object]:
    differing = len(check.differences) + check.more
    return [check.name, check.examined, "equal" if check.equal else f"{differing:,} differ"]
