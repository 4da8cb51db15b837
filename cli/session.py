"""What commands that work on the graph begin with: settings, progress and an open graph."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from getpass import getuser

from pydantic import ValidationError

from cli.console import ConsoleProgress, remark
from kg.connect import open_graph
from kg.corpus import own_corpora, require_corpus
from kg.engine.choose import make_engine
from kg.errors import CorpusError, SettingsError
from kg.settings import EnvFile, Settings, read_env_file
from kg.store.graph import Graph


@dataclass(frozen=True, slots=True)
class Session:
    """An open graph with the settings behind it and where progress goes."""

    settings: Settings
    graph: Graph
    progress: ConsoleProgress


@contextmanager
def open_session(engine: str | None = None) -> Iterator[Session]:
    """Connect to the graph, starting the managed server when it is down; `engine` is as the user gave it.

    Raises:
        SettingsError: there is no such engine, or the package that it needs is not installed.
    """
    settings = read_settings()
    if engine is not None:
        settings = settings.model_copy(update={"hopgrade_engine": make_engine(engine).name})
    with ConsoleProgress() as progress, open_graph(settings, progress) as graph:
        try:
            yield Session(settings, graph, progress)
        except KeyboardInterrupt as stop:
            if stop.args:
                remark(f"{stop}")
            raise


def read_settings() -> Settings:
    """The settings from the environment.

    Raises:
        SettingsError: one of them has a value that can't work.
    """
    try:
        found = Settings()
        env_file = read_env_file()
    except ValidationError as error:
        # The input stands in the error for numbers and sizes only: secrets are taken as they are.
        wrong = (f"{str(one['loc'][-1]).upper()}={one['input']!r} ({one['msg']})" for one in error.errors())
        raise SettingsError(
            f"a setting in the environment can't be used: {'; '.join(wrong)}.",
            "See the list in docs/reference/settings.md.",
        ) from error
    if env_file is not None:
        _name_file(env_file)
    return found


@cache
def _name_file(file: EnvFile) -> None:
    """Say once that a file of the working folder decides something: it may be somebody else's folder."""
    remark(f"settings from {file.path}: {', '.join(file.names)}")
    if file.withheld:
        secrets = ", ".join(file.withheld)
        remark(f"not sent to an address in that file: {secrets} of the environment. Put what it needs there.")


def existing_corpus(graph: Graph, given: str | None) -> str:
    """The corpus that was named or is the only one, for commands that need what is in it.

    Raises:
        CorpusError: there is none of that name, or none was named and there is not exactly one.
    """
    name = choose_corpus(graph, given)
    require_corpus(graph, name)
    return name


def choose_corpus(graph: Graph, given: str | None) -> str:
    """The corpus that was named, or the only one that there is, settings of sweeps aside.

    Raises:
        CorpusError: none was named and there is not exactly one.
    """
    if given is not None:
        return given
    names = own_corpora(graph)
    if len(names) == 1:
        return names[0]
    if not names:
        raise CorpusError(
            "there is no corpus yet.", "Make one: kg demo, or kg corpus ingest FILE --corpus NAME."
        )
    raise CorpusError(
        f"there are {len(names)} corpora: {', '.join(map(repr, names))}.", "Say which one: --corpus NAME."
    )


def user_name() -> str:
    """Who runs the command, empty where that has no name: a container may run under a number."""
    try:
        return getuser()
    except (OSError, KeyError):
        return ""
