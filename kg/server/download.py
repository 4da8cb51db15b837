"""Fetch the files of a lock and make sure that each is exactly what the lock says.

A download lands in a staging folder and moves to its place after its checksum is found right, so a file
in place was whole once. All files are hashed again at each call: 165 MiB take a tenth of a second.
"""

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from http import HTTPStatus
from pathlib import Path

from filelock import FileLock
from jgo.maven import Artifact, MavenContext, PythonResolver
from jgo.util import http
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

from kg.errors import DownloadError
from kg.files import sha256_of
from kg.progress import Progress
from kg.server.layout import Lock, LockedFile, LockName, ServerCache, read_lock, server_cache
from kg.settings import Settings

THREADS = 8
TRIES = 3
TIMEOUT_SECONDS = 30
"""How long one read from the network may stand still."""

_READ_BYTES = 1 << 16


class _BrokenDownloadError(Exception):
    """What came is not what the lock says."""


class _BoundedResolver(PythonResolver):
    """Fetches files without ever writing more than the lock says; jgo's own takes whatever comes."""

    def __init__(self, files: Sequence[LockedFile]) -> None:
        super().__init__()
        self._sizes = {file.name: file.size for file in files}

    def download(self, artifact: Artifact) -> Path | None:
        """Fetch a file from the first repository that has it.

        Raises:
            _BrokenDownloadError: more comes than the lock says.
            RuntimeError: no repository has it.
        """
        limit = self._sizes[artifact.filename]
        place = artifact.cached_path
        if place is None:
            raise RuntimeError("jgo was given no folder")
        for address in artifact.context.remote_repos.values():
            url = f"{address}/{artifact.component.path_prefix.as_posix()}/{artifact.filename}"
            with http.get(url, stream=True, timeout=artifact.context.timeout) as response:
                if response.status_code != HTTPStatus.OK:
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                written = 0
                with place.open("wb") as file:
                    for piece in response.iter_content(_READ_BYTES):
                        written += len(piece)
                        if written > limit:
                            raise _BrokenDownloadError(f"more than {limit} bytes")
                        file.write(piece)
                return place
        raise RuntimeError(f"no repository has {artifact.filename}")


def fetch_files(settings: Settings, progress: Progress, gds: bool = False) -> list[Path]:
    """Make sure that every server file is in the cache and whole; their paths, sorted within a product.

    Files that are missing or damaged are fetched; nothing is when all are there, so it works offline.

    Raises:
        DownloadError: a file can't be fetched, or the cache can't be written.
    """
    cache = server_cache(settings)
    names: tuple[LockName, ...] = ("server", "gds") if gds else ("server",)
    paths: list[Path] = []
    for name in names:
        lock = read_lock(name)
        paths += fetch_lock(lock, cache.jars(name), cache, progress)
    return paths


def fetch_lock(
    lock: Lock,
    folder: Path,
    cache: ServerCache,
    progress: Progress,
    repositories: Mapping[str, str] | None = None,
) -> list[Path]:
    """Make sure that every file of one lock is in `folder` and whole; `repositories` maps names to URLs.

    Raises:
        DownloadError: a file can't be fetched, or the cache can't be written.
    """
    progress.begin(f"{lock.product} {lock.version} files", len(lock.files))
    note = "all there, checked"
    try:
        if wrong_files(lock, folder):
            cache.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(cache.fetch_lock):
                # Another process may have fetched them while this one waited.
                wrong = wrong_files(lock, folder)
                progress.advance(len(lock.files) - len(wrong))
                _fetch(wrong, folder, cache.staging, progress, repositories)
                note = f"{len(wrong)} fetched, all checked"
        else:
            progress.advance(len(lock.files))
    except OSError as error:
        raise DownloadError(
            f"the server's files can't be written to {cache.folder}: {error.strerror or error}.",
            "Free some disk space or set HOPGRADE_CACHE to a folder that can be written.",
        ) from error
    progress.end(f"{len(lock.files)} files, {lock.size / 2**20:.0f} MiB, {note}")
    return [folder / file.name for file in lock.files]


def wrong_files(lock: Lock, folder: Path) -> list[LockedFile]:
    """The files of a lock that are missing in `folder` or differ from it."""
    with ThreadPoolExecutor(THREADS) as threads:
        right = threads.map(lambda file: _is_whole(folder / file.name, file), lock.files)
        return [file for file, whole in zip(lock.files, right, strict=True) if not whole]


def _is_whole(path: Path, file: LockedFile) -> bool:
    try:
        return path.stat().st_size == file.size and sha256_of(path) == file.sha256
    except FileNotFoundError:
        return False


def _fetch(
    files: Sequence[LockedFile],
    folder: Path,
    staging: Path,
    progress: Progress,
    repositories: Mapping[str, str] | None,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(staging, ignore_errors=True)
    context = MavenContext(
        repo_cache=staging,
        local_repos=[],
        remote_repos=None if repositories is None else dict(repositories),
        timeout=TIMEOUT_SECONDS,
        resolver=_BoundedResolver(files),
    )
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="fetch")
    try:
        jobs: dict[Future[None], LockedFile] = {
            threads.submit(_fetch_file, context, file, folder): file for file in files
        }
        for job in as_completed(jobs):
            _raise_failure(job, jobs[job])
            progress.advance()
    finally:
        threads.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(staging, ignore_errors=True)


def _raise_failure(job: Future[None], file: LockedFile) -> None:
    error = job.exception()
    if error is None:
        return
    if isinstance(error, _BrokenDownloadError):
        reason = f"{TRIES} times, what came was not what was expected ({error})"
    else:
        reason = f"{TRIES} tries failed ({type(error).__name__})"
    raise DownloadError(
        f"{file.name} can't be fetched: {reason}.",
        "Check the network (behind a proxy: HTTPS_PROXY; with a private CA: REQUESTS_CA_BUNDLE) and run the "
        "same command again; what was fetched is kept. Or use a Neo4j of your own with NEO4J_URI.",
    ) from error


# jgo raises RuntimeError for a file that no repository has, and ValueError for a malformed answer.
@retry(
    retry=retry_if_exception_type((_BrokenDownloadError, OSError, RuntimeError, ValueError)),
    stop=stop_after_attempt(TRIES),
    wait=wait_exponential(multiplier=0.5, max=8),
    reraise=True,
)
def _fetch_file(context: MavenContext, file: LockedFile, folder: Path) -> None:
    artifact: Artifact = (
        context.project(file.group, file.artifact)
        .at_version(file.version)
        .artifact(classifier=file.classifier, packaging="jar")
    )
    # jgo writes to the final name, and takes any file that stands there as good.
    if artifact.cached_path is not None:
        artifact.cached_path.unlink(missing_ok=True)
    fetched = artifact.resolve()
    size = fetched.stat().st_size
    if size != file.size:
        raise _BrokenDownloadError(f"{size} bytes instead of {file.size}")
    if sha256_of(fetched) != file.sha256:
        raise _BrokenDownloadError("its SHA-256 is wrong")
    fetched.replace(folder / file.name)
