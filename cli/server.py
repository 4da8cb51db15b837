"""`kg server`: the managed Neo4j.

`kg server cache`: the answers of models that are kept, so that nothing is paid for twice.
"""

import sys
import time
from collections import deque
from dataclasses import asdict
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from cli.console import ConsoleProgress, out, print_json, remark, say, table, visible
from cli.options import MOST, AsJson
from cli.session import read_settings
from kg import server
from kg.errors import NothingToDoError, shown_address
from kg.files import bundled_folder
from kg.llm.cache import response_cache
from kg.server.backup import BackupManifest
from kg.server.configuration import is_served, read_password, style_url
from kg.server.layout import ServerHome, server_home
from kg.server.process import ServerStatus, server_status
from kg.server.startup import backup as write_backup
from kg.server.startup import refuse_own_server
from kg.server.startup import restore as restore_backup

app = typer.Typer(rich_markup_mode=None)

_COLUMNS = ("prompt", "answers", "in", "cached", "out", "thinking")


@app.command(epilog="Example: kg server cache stats --json")
def stats(as_json: AsJson = False) -> None:
    """Show what is kept, by model and prompt, with the tokens that it took.

    Of the tokens in, some came from the endpoint's own cache of prompts; of those out, some went into
    thinking.
    """
    with response_cache(read_settings()) as cache:
        found = cache.stats()
    if as_json:
        print_json({"path": str(cache.path), **asdict(found)})
        return
    for model, groups in groupby(found.groups, lambda group: group.model):
        listed = list(groups)
        rows = [
            (
                group.prompt,
                group.replies,
                group.input_tokens,
                group.cached_input_tokens,
                group.output_tokens,
                group.reasoning_tokens,
            )
            for group in listed
        ]
        first, last = min(group.oldest for group in listed), max(group.newest for group in listed)
        out.print(table(f"Answers of {model}, from {_day(first)} to {_day(last)}", _COLUMNS, rows))
    say(f"{found.replies:,} answers, {found.bytes / 2**20:.1f} MiB in {cache.path}")


@app.command(epilog="Example: kg server cache clear --model some-model --older-than 30")
def clear(
    model: Annotated[
        str | None, typer.Option(help="Only answers of this model. Default: of all.", show_default=False)
    ] = None,
    older_than: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=36_500,
            metavar="DAYS",
            help="Only answers older than so many days.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete kept answers; asks first. What is deleted is paid for again when it is needed again."""
    span = None if older_than is None else timedelta(days=older_than)
    with response_cache(read_settings()) as cache:
        number = cache.count(model, span)
        if number and not yes and not typer.confirm(f"Delete {_answers(number)}?", err=True):
            remark("kept.")
            raise typer.Exit(1)
        deleted = cache.clear(model, span) if number else 0
    if as_json:
        print_json({"deleted": deleted})
        return
    remark(f"deleted {_answers(deleted)}." if deleted else "there was nothing to delete.")


def _answers(number: int) -> str:
    return f"{number:,} answer{'' if number == 1 else 's'}"


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"


_FOLLOW_SECONDS = 0.3


class LogFile(StrEnum):
    """The logs that can be shown."""

    NEO4J = "neo4j"
    CONSOLE = "console"
    DEBUG = "debug"


@app.command(epilog="Example: kg server start --bolt-port 7700")
def start(
    gds: Annotated[
        bool, typer.Option("--gds", help="Load the graph data science plugin (15 MiB more to fetch).")
    ] = False,
    bolt_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Bolt port. Default: 7687 or the next free.")
    ] = None,
    http_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Browser port. Default: 7474 or the next free.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start Neo4j and wait until it answers; the first time, fetch its files (165 MiB).

    Does nothing when it runs already. Other commands start it by themselves.
    """
    settings = read_settings()
    with ConsoleProgress() as progress:
        running = server.ensure_running(settings, progress, gds=gds, bolt_port=bolt_port, http_port=http_port)
    # Queries are answered before Browser is there, and what is printed is to be true.
    guided = is_served(running.guide_url)
    status_now = server_status(settings)
    if as_json and status_now is not None:
        print_json(_facts(status_now))
    elif not as_json:
        say(f"Neo4j {running.version} runs at {running.uri} (pid {running.pid}).")
        say(f"Browser: {running.browser_url} (user {running.username}, password: kg server password)")
        if not guided:
            remark("the guide is not there: it comes with the next start (kg server stop, kg server start).")


@app.command(epilog="Example: kg server stop")
def stop(as_json: AsJson = False) -> None:
    """Stop Neo4j and wait until everything is on disk. The graph stays."""
    with ConsoleProgress() as progress:
        stopped = server.stop(read_settings(), progress)
    if as_json:
        print_json({"stopped": stopped})
    else:
        say("The server is stopped." if stopped else "No server was running.")


@app.command(epilog="Example: kg server status --json")
def status(as_json: AsJson = False) -> None:
    """Show whether Neo4j runs, where, and how big it is. Starts nothing.

    Exit code 1 if it doesn't run, or runs and can't be written.
    """
    settings = read_settings()
    own_uri = settings.neo4j_uri
    found = server_status(settings)
    if as_json:
        facts: dict[str, object] = {"running": False} if found is None else _facts(found)
        print_json({"own_server": own_uri and shown_address(own_uri), **facts})
    else:
        if own_uri is not None:
            say(f"NEO4J_URI is set: kg uses your own Neo4j at {shown_address(own_uri)}.")
        if found is None:
            say("The managed server does not run. Start it: kg server start")
        else:
            out.print(table("", ("managed server", ""), _rows(found)))
            if found.failure:
                remark(f"{found.failure} {found.remedy}")
    if (found is None and own_uri is None) or (found is not None and found.failure):
        raise typer.Exit(1)


@app.command(epilog="Example: kg server guide")
def guide(as_json: AsJson = False) -> None:
    """Say how to play the guide in Neo4j Browser: queries over the graph, in five chapters, and their style.

    Browser plays it by itself after the login.
    """
    settings = read_settings()
    found = server_status(settings)
    if found is None and settings.neo4j_uri is not None:
        raise NothingToDoError(
            "NEO4J_URI is set, and only the managed server carries the guide.",
            f"Paste what you want of {bundled_folder('cypher') / 'browser'} into your own Browser.",
        )
    if found is None:
        raise NothingToDoError("the managed server does not run.", "Start it: kg server start")
    if not is_served(found.guide_url):
        raise NothingToDoError(
            "the server was started by an older kg and has no guide.",
            "Start it anew: kg server stop, then kg server start",
        )
    play, style = f":play {found.guide_url}", f":style {style_url(found.browser_url)}"
    if as_json:
        print_json({"browser_url": found.browser_url, "play": play, "style": style})
        return
    say(f"Open {found.browser_url} (user neo4j, password: kg server password). In its editor:")
    say(play)
    say(style)


@app.command(epilog="Example: kg server logs --follow --file debug")
def logs(
    lines: Annotated[
        int, typer.Option("-n", "--lines", min=1, max=MOST, help="How many of the last lines.")
    ] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    file: Annotated[LogFile, typer.Option(help="Which log.")] = LogFile.NEO4J,
) -> None:
    """Show the end of a log of the last start."""
    path = _log_path(server_home(read_settings()), file)
    if not path.is_file():
        raise NothingToDoError(f"there is no log {path}.", "Start the server first: kg server start")
    position = _write_last(path, lines)
    while follow:
        position = _write_from(path, position)
        time.sleep(_FOLLOW_SECONDS)


@app.command(epilog="Example: kg server reset --yes")
def reset(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Stop Neo4j and delete its store: all corpora, questions and runs in it are gone."""
    settings = read_settings()
    refuse_own_server(settings)
    folder = server_home(settings).folder
    if not yes:
        remark(f"This deletes the whole graph in {folder}.")
        typer.confirm("Delete it?", abort=True, err=True)
    with ConsoleProgress() as progress:
        server.reset(settings, progress)
    say("The store is deleted. The next start makes an empty one with a new password.")


@app.command(epilog="Example: kg server backup hopgrade-store.zip")
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not be there yet.")],
    as_json: AsJson = False,
) -> None:
    """Write the whole store into one file. Neo4j is stopped meanwhile, and started again if it ran.

    The file holds the password too, so only you can read it.
    """
    settings = read_settings()
    with ConsoleProgress() as progress:
        made = write_backup(settings, file, progress)
    if as_json:
        print_json({"file": str(file), **_backup_facts(made)})
    else:
        say(f"{file}: {len(made.files)} files of Neo4j {made.neo4j}. Put it back: kg server restore {file}")


@app.command(epilog="Example: kg server restore hopgrade-store.zip --yes")
def restore(
    file: Annotated[Path, typer.Argument(help="A file that kg server backup wrote.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete the store that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a store back from a backup, which is unpacked and checked before another one goes."""
    settings = read_settings()
    with ConsoleProgress() as progress:
        found = restore_backup(settings, file, progress, overwrite=yes)
    if as_json:
        print_json({"file": str(file), **_backup_facts(found)})
    else:
        say(f"The store is that of {file}: {len(found.files)} files of Neo4j {found.neo4j}.")


@app.command(epilog="Example: kg server password | xclip")
def password(as_json: AsJson = False) -> None:
    """Print the password of user neo4j, and nothing else."""
    settings = read_settings()
    home = server_home(settings)
    if not home.password_file.is_file() and not home.system_store.exists():
        raise NothingToDoError("there is no password yet.", "It is made at the first start: kg server start")
    found = read_password(home)
    if as_json:
        print_json({"username": "neo4j", "password": found})
    else:
        sys.stdout.write(found + "\n")


def _facts(found: ServerStatus) -> dict[str, object]:
    return {"running": True, **asdict(found)}


def _backup_facts(manifest: BackupManifest) -> dict[str, object]:
    return {"neo4j": manifest.neo4j, "files": len(manifest.files), "bytes": manifest.bytes}


def _rows(found: ServerStatus) -> list[tuple[str, str]]:
    hours, seconds = divmod(round(found.uptime_seconds), 3600)
    return [
        ("state", "ready" if found.ready else "failed" if found.failure else "starting"),
        ("version", f"Neo4j Community {found.version}"),
        ("Bolt", found.uri),
        ("Browser", found.browser_url),
        ("guide", f":play {found.guide_url}"),
        ("graph data science", "loaded" if found.gds else "not loaded"),
        ("pid", str(found.pid)),
        ("up", f"{hours} h {seconds // 60} min {seconds % 60} s"),
        ("memory", f"{found.memory_bytes / 2**20:.0f} MiB"),
        ("store", f"{found.store_bytes / 2**20:.1f} MiB"),
        ("home", str(found.home)),
    ]


def _log_path(home: ServerHome, file: LogFile) -> Path:
    paths = {LogFile.NEO4J: home.neo4j_log, LogFile.CONSOLE: home.console_log, LogFile.DEBUG: home.debug_log}
    return paths[file]


def _write_last(path: Path, count: int) -> int:
    with path.open("rb") as stream:
        last = deque(stream, maxlen=count)
        _write(b"".join(last))
        return stream.tell()


def _write_from(path: Path, position: int) -> int:
    try:
        with path.open("rb") as stream:
            # A new start writes a new, shorter file.
            stream.seek(position if path.stat().st_size >= position else 0)
            _write(stream.read())
            return stream.tell()
    except FileNotFoundError:
        return 0


def _write(log: bytes) -> None:
    # A statement that the server logs may hold what an article holds.
    sys.stdout.write(visible(log.decode("utf-8", errors="replace")))
    sys.stdout.flush()
