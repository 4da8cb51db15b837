"""Have the managed server running, stopped, empty, copied or restored: one process at a time."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from kg.errors import NothingToDoError, ServerError, StoreFailedError, UserError, command, shown_address
from kg.progress import Progress, Silent
from kg.server import backup as backups
from kg.server.backup import BackupManifest
from kg.server.java import aot_cache, java_home, options_to_use, train_in_background, was_refused
from kg.server.launch import DiagnosedStartError, Launch, wait_until_ready
from kg.server.layout import ServerHome, read_lock, server_cache, server_home, store_disk
from kg.server.ports import BOLT_PORT, HTTP_PORT
from kg.server.process import (
    RunningServer,
    ServerState,
    answers_clients,
    describe,
    end_process,
    failure_of,
    is_ours,
    living_state,
    read_state,
    unrecorded_process,
)
from kg.server.recovery import launch_with_recovery
from kg.settings import Settings
from kg.store.faults import StoreDisk


@dataclass(frozen=True, slots=True)
class _Wish:
    """How the caller wants the server; None means any port."""

    gds: bool
    bolt_port: int | None
    http_port: int | None


def ensure_running(
    settings: Settings,
    progress: Progress,
    *,
    gds: bool = False,
    bolt_port: int | None = None,
    http_port: int | None = None,
) -> RunningServer:
    """The managed server, ready for clients; fetched and started if it isn't running.

    A port given here goes before the settings' one; without either, 7687 and 7474 or the next free ones.
    Of two processes that call this at once, one starts the server and the other finds it.

    Raises:
        UserError: NEO4J_URI is set, or the server runs in another way than asked.
        PortInUseError: a port that was asked for is taken.
        DiskFullError: the server is down, and too little of its disk is free to start it.
        DownloadError: a server file can't be fetched.
        StartError: the server died or did not answer in time.
        ServerError: Java, the password or the home's folder is missing or unusable.
    """
    refuse_own_server(settings)
    home = server_home(settings)
    wish = _Wish(gds, bolt_port or settings.hopgrade_bolt_port, http_port or settings.hopgrade_http_port)
    state = living_state(home)
    if state is not None:
        server = describe(home, state)
        if answers_clients(server):
            return _require_suitable(server, wish)
    home.make_folders()
    home.require_mapped_files()
    with _alone(home, progress):
        state = living_state(home)
        found = _await_start(home, state, wish, progress) if state is not None else None
        if found is not None:
            server = found
        else:
            _end_unrecorded(home)
            backups.finish_restore(home)
            # Its recovery writes, and a server that fills its disk gives up.
            store_disk(settings).require_room()
            from kg.server.download import fetch_files  # noqa: PLC0415 - heavy

            jars = fetch_files(settings, progress, gds)
            progress.begin("Neo4j server")
            server = _start(settings, home, jars, wish)
    progress.end(f"{server.version} ready, {server.uri}, Browser {server.browser_url}")
    return server


def stop(settings: Settings, progress: Progress | None = None) -> bool:
    """Stop the managed server and wait until it has; False if none ran.

    Raises:
        ServerError: it did not stop in time, or may not be stopped.
    """
    home = server_home(settings)
    if not home.folder.is_dir():
        return False
    home.make_folders()
    with _alone(home, progress or Silent()):
        return _stop(home, store_disk(settings))


def reset(settings: Settings, progress: Progress | None = None) -> None:
    """Stop the managed server and delete its store and password. What was in the graph is gone.

    Raises:
        ServerError: it did not stop, or the store can't be deleted.
    """
    home = server_home(settings)
    if not home.folder.is_dir():
        return
    home.make_folders()
    with _alone(home, progress or Silent()):
        _stop(home, store_disk(settings))
        try:
            for unpacked in (home.restoring, home.restore_folder, home.deletion_folder):
                shutil.rmtree(unpacked, ignore_errors=True)
            # Renamed first: a store of which half is deleted must never be opened.
            home.data.rename(home.deletion_folder)
            home.password_file.unlink(missing_ok=True)
            shutil.rmtree(home.deletion_folder)
        except OSError as error:
            raise ServerError(
                f"the store in {home.folder} can't be deleted: {error.strerror or error}.",
                "Delete that folder yourself.",
            ) from error


def backup(settings: Settings, path: Path, progress: Progress) -> BackupManifest:
    """Write the store into one file, the server stopped meanwhile; afterwards it runs again if it ran.

    Raises:
        UserError: NEO4J_URI is set, there is no store, or something is at `path`.
        ServerError: the server does not stop or start, or the file can't be written.
    """
    refuse_own_server(settings)
    backups.refuse_existing(path)
    home = server_home(settings)
    if not home.folder.is_dir():
        raise _no_store(home)
    home.make_folders()
    ran = False
    try:
        with _alone(home, progress):
            ran = _stop(home, store_disk(settings))
            backups.finish_restore(home)
            if not home.system_store.exists():
                raise _no_store(home)
            return backups.write_backup(home, path, progress)
    finally:
        if ran:
            ensure_running(settings, progress)


def restore(settings: Settings, path: Path, progress: Progress, *, overwrite: bool = False) -> BackupManifest:
    """Put the store of a backup into the home, the server stopped; afterwards it runs if it ran before.

    Until the backup is unpacked and checked, what was there stays.

    Raises:
        UserError: NEO4J_URI is set, there is a store and `overwrite` is not given, or the file is no backup
            or of a newer Neo4j.
        DiskFullError: there is no room for both stores.
        ServerError: the server does not stop or start, or the home can't be written.
    """
    refuse_own_server(settings)
    manifest = backups.read_backup_manifest(path)
    home = server_home(settings)
    home.make_folders()
    ran = False
    try:
        with _alone(home, progress):
            if home.system_store.exists() and not overwrite:
                raise UserError(
                    f"{home.folder} holds a store, which this would delete.",
                    "Delete it with --yes, or set HOPGRADE_HOME to another folder.",
                )
            ran = _stop(home, store_disk(settings))
            backups.unpack_backup(home, path, manifest, progress)
            backups.finish_restore(home)
            return manifest
    finally:
        if ran:
            ensure_running(settings, progress)


def _no_store(home: ServerHome) -> NothingToDoError:
    return NothingToDoError(
        f"there is no store in {home.folder}.", f"It is made at the first start: {command('server start')}"
    )


def refuse_own_server(settings: Settings) -> None:
    """Refuse to manage a server while the settings name another one.

    Raises:
        UserError: NEO4J_URI is set.
    """
    if settings.neo4j_uri is not None:
        shown = shown_address(settings.neo4j_uri)
        raise UserError(
            f"NEO4J_URI is set: your own Neo4j at {shown} is used, and none is started.",
            "Unset NEO4J_URI (also in the file .env) to use the managed server.",
        )


def _await_start(
    home: ServerHome, state: ServerState, wish: _Wish, progress: Progress
) -> RunningServer | None:
    """The server that a process began to start, once it is ready; None if it lost its port to a stranger."""
    server = _require_suitable(describe(home, state), wish)
    progress.begin("Neo4j server")
    try:
        wait_until_ready(home, server, lambda: None if is_ours(home, server.pid, state.created) else 0)
    except DiagnosedStartError as error:
        if error.cause != "port" or not error.ended:
            raise
        return None
    return server


def _start(settings: Settings, home: ServerHome, jars: list[Path], wish: _Wish) -> RunningServer:
    lock = read_lock("server")
    cache = server_cache(settings)
    server_jars, gds_jars = jars[: len(lock.files)], jars[len(lock.files) :]
    aot = aot_cache(cache, java_home(), server_jars)
    last = read_state(home)
    plan = Launch(
        version=lock.version,
        jars=tuple(server_jars),
        bolt_port=last.bolt_port if last else BOLT_PORT,
        http_port=last.http_port if last else HTTP_PORT,
        heap=settings.hopgrade_server_heap,
        page_cache=settings.hopgrade_server_page_cache,
        gds_jars=tuple(gds_jars),
        java_options=tuple(options_to_use(aot)),
    )
    try:
        server = launch_with_recovery(home, plan, wish.bolt_port, wish.http_port)
        choked = was_refused(home.console_log.read_text(encoding="utf-8", errors="replace"))
    except DiagnosedStartError as error:
        choked = bool(plan.java_options) and error.ended and error.cause is None
        if not choked:
            raise
        # Nothing known went wrong, so Java may have choked on the cache: now without it.
        without = replace(plan, java_options=())
        server = launch_with_recovery(home, without, wish.bolt_port, wish.http_port)
    if choked:
        aot.unlink(missing_ok=True)
    if settings.hopgrade_server_training:
        train_in_background(cache, aot)
    return server


def _require_suitable(server: RunningServer, wish: _Wish) -> RunningServer:
    differences = [
        f"its {name} port is {port}, not {wished}"
        for name, port, wished in (
            ("Bolt", server.bolt_port, wish.bolt_port),
            ("Browser", server.http_port, wish.http_port),
        )
        if wished not in (None, port)
    ]
    if wish.gds and not server.gds:
        differences.append("it has no graph data science plugin")
    if differences:
        raise UserError(
            f"the server already runs, but {' and '.join(differences)}.",
            f"Stop it first: {command('server stop')}. Then run the same command again.",
        )
    return server


def _stop(home: ServerHome, disk: StoreDisk) -> bool:
    state = living_state(home)
    if state is not None:
        if _database_gave_up(home, state):
            disk.note_failure()
        end_process(state.pid)
        return True
    return _end_unrecorded(home)


def _database_gave_up(home: ServerHome, state: ServerState) -> bool:
    """Whether a server runs whose database gave up, which may have been seen in Browser only."""
    try:
        server = describe(home, state)
    except ServerError:
        # Without its password nobody can ask, and it is to stop all the same.
        return False
    return answers_clients(server) and isinstance(failure_of(server), StoreFailedError)


def _end_unrecorded(home: ServerHome) -> bool:
    # Its ports are unknown and it holds the store: ending it is the only way on.
    process = unrecorded_process(home)
    if process is None:
        return False
    end_process(process.pid)
    return True


@contextmanager
def _alone(home: ServerHome, progress: Progress) -> Iterator[None]:
    lock = FileLock(home.lock_file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress.begin("Waiting for another process at the server")
        lock.acquire()
        progress.end("done")
    try:
        yield
    finally:
        lock.release()
