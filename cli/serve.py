"""`kg serve`: the API and the web page."""

import os
import secrets
import socket
import stat
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from cli.console import err, fast_imports, print_json, remark, say
from cli.options import AsJson
from cli.session import open_session, read_settings
from kg.errors import PortInUseError, SettingsError
from kg.server.ports import choose_port, owner_of
from kg.server.process import server_status
from kg.settings import Settings

app = typer.Typer(rich_markup_mode=None)

PORT = 8700
LOOPBACK = "127.0.0.1"
LEAST_TOKEN = 16
EVERY_ADDRESS = {"0.0.0.0": LOOPBACK, "::": "[::1]"}  # noqa: S104 - recognised here, never a default
"""What listens at every address of this machine, and how this machine itself reaches it."""
LONGEST_TOKEN_FILE = 4_096
"""Bytes of a file that can be a token."""
OTHERS_READ_OR_WRITE = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
WAITING = 128
"""Connections that the system holds until they are taken up."""


@app.command(epilog="Example: kg serve --open")
def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 127.0.0.1 is reached from this machine only.")
    ] = LOOPBACK,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help=f"Port. Default: {PORT} or the next free.", show_default=False),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token, which only its owner may read.", show_default=False),
    ] = None,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token",
            help="Answer every program of this machine, without a token; models are not asked then.",
        ),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Another name that the server is reached by, such as that of a proxy with TLS; repeatable.",
            show_default=False,
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Log each request in a terminal too, as lines of JSON.")
    ] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the page, and Neo4j Browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve the web page and the API, on this machine only, until Ctrl-C.

    Open the link that is printed: it logs a browser in, once, within ten minutes. The page itself takes the
    token as well. The API is below it at /api, described by /api/openapi.json; scripts send the token as
    "Authorization: Bearer TOKEN". A token is made at each start, unless --token-file or HOPGRADE_API_TOKEN
    gives one. Requests are logged on standard error as lines of JSON; in a terminal only faults are told,
    unless --verbose is given.
    """
    # FastAPI takes a second to load, which other commands should not pay.
    with fast_imports():
        from services.web.api.access import Access, is_loopback  # noqa: PLC0415
        from services.web.api.app import create_app  # noqa: PLC0415
        from services.web.api.serving import leave_threads_behind, server_to_stop  # noqa: PLC0415

    settings = read_settings()
    if no_token and not is_loopback(host):
        raise SettingsError(
            f"without a token whoever reaches {host} could read the graph.", "Leave out --no-token."
        )
    if no_token and token_file is not None:
        raise SettingsError("--no-token and --token-file exclude each other.", "Give one of them.")
    given = None if no_token else _choose_token(token_file, settings)
    made = None if no_token or given is not None else secrets.token_urlsafe(32)
    # What is wrong with the server or with NEO4J_URI is told before anything listens.
    with open_session():
        pass
    names = frozenset(name.lower() for name in (host, *(allow_host or ())))
    access = Access(given or made, names, host in EVERY_ADDRESS)
    app = create_app(settings, access)
    only_faults = err.is_terminal and not verbose
    with (
        _listening(host, port) as listening,
        server_to_stop(app, only_faults=only_faults) as server,
    ):
        address = f"http://{_host_in_address(host)}:{listening.getsockname()[1]}"
        link = "" if no_token else f"{address}{access.login.link}"
        _tell(address, link, made, as_json)
        if open_:
            _open(link or address, settings)
        server.run(sockets=[listening])
        remark("stopped.")
        leave_threads_behind()


def _choose_token(file: Path | None, settings: Settings) -> str | None:
    """The token of the file, else that of the environment; None where there is neither.

    Raises:
        SettingsError: it is too short to be safe, or its file can't be used.
    """
    setting = settings.hopgrade_api_token
    given = setting.get_secret_value() if setting else None
    chosen = given if file is None else _read_token(file)
    if chosen is not None and (len(chosen) < LEAST_TOKEN or not chosen.isascii() or not chosen.isprintable()):
        raise SettingsError(
            f"a token has at least {LEAST_TOKEN} printable ASCII characters.",
            "Leave it out, and one is made.",
        )
    return chosen


def _read_token(file: Path) -> str:
    """What a file holds, without blanks around it.

    Raises:
        SettingsError: it can't be read, others than its owner can read or write it, or it holds more than a
            token.
    """
    try:
        with file.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            found = stream.read(LONGEST_TOKEN_FILE + 1)
    except OSError as error:
        raise SettingsError(
            f"the file of the token can't be read: {error.strerror or error}.", "Name one with --token-file."
        ) from error
    # Windows has no such bits: each file has all of them there.
    if os.name == "posix" and mode & OTHERS_READ_OR_WRITE:
        raise SettingsError(
            f"others can read or write the file of the token (its mode is {stat.S_IMODE(mode):03o}).",
            "Let only its owner: chmod 600 FILE",
        )
    if len(found) > LONGEST_TOKEN_FILE:
        raise SettingsError("the file of the token holds more than a token.", "Name one with --token-file.")
    return found.decode("utf-8", errors="replace").strip()


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens, so that whoever reads the address can connect at once.

    Raises:
        PortInUseError: the port is taken.
        SettingsError: this machine has no such address.
    """
    chosen = choose_port("the page", port, PORT, "--port")
    try:
        family, _, _, _, where = socket.getaddrinfo(host, chosen, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise SettingsError(f"{host!r} is no address to listen on.", "Use 127.0.0.1 or 0.0.0.0.") from error
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(where)
        listening.listen(WAITING)
    except OSError as error:
        listening.close()
        raise PortInUseError(
            f"{host} can't be listened on at port {chosen} ({error.strerror}; {owner_of(chosen)}).",
            "Name another with --port, or another --host.",
        ) from error
    return listening


def _host_in_address(host: str) -> str:
    """The host as it stands in an address that this machine can open: IPv6 in brackets."""
    return EVERY_ADDRESS.get(host, f"[{host}]" if ":" in host else host)


def _tell(address: str, link: str, made_token: str | None, as_json: bool) -> None:
    if as_json:
        told = {"link": link, "token": made_token}
        print_json({"url": address, "api": f"{address}/api", **{k: v for k, v in told.items() if v}})
        return
    say(f"Page:  {address}")
    if link:
        say(f"Log in, once and within ten minutes: {link}")
    say(f"API:   {address}/api/openapi.json")
    if made_token is not None:
        say(f"Token: {made_token}")


def _open(address: str, settings: Settings) -> None:
    managed = server_status(settings) if settings.neo4j_uri is None else None
    for url in (address, *([managed.browser_url] if managed else [])):
        if not webbrowser.open(url):
            remark(f"no browser could be opened; go to {url}")
