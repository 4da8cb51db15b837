"""Downloads from a small Maven repository on loopback that fails in the ways that networks do."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tenacity import wait_none

from kg.errors import DownloadError
from kg.progress import Silent
from kg.server import download
from kg.server.download import fetch_files, fetch_lock, wrong_files
from kg.server.layout import Lock, LockedFile, ServerCache
from kg.settings import Settings
from tests.kg.server.conftest import settings_for

CONTENT = {f"part{number}": bytes([number]) * (2000 + number) for number in range(12)}
LOCK = Lock(
    "Test product",
    "1",
    tuple(
        LockedFile("org.test", name, "1", "", len(content), hashlib.sha256(content).hexdigest())
        for name, content in sorted(CONTENT.items())
    ),
)
Fault = Callable[[BaseHTTPRequestHandler, bytes], None]


@dataclass
class Repository:
    """`faults` are the answers to the first requests for an artifact; `asked` counts requests for jars."""

    url: str = ""
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)


def whole(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def cut_off(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True


def cut_off_unnoticed(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    whole(handler, content[: len(content) // 2])


def damaged(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    whole(handler, content[:100] + b"?" + content[101:])


def server_error(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    handler.send_error(503)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other without a pause."""
    monkeypatch.setattr(download._fetch_file.retry, "wait", wait_none())


@pytest.fixture
def repository() -> Iterator[Repository]:
    state = Repository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            artifact = self.path.split("/")[-3]
            if not self.path.endswith(".jar"):
                self.send_error(404)
                return
            state.asked[artifact] += 1
            faults = state.faults.get(artifact, [])
            answer = faults.pop(0) if faults else whole
            answer(self, CONTENT[artifact])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path) -> ServerCache:
    return ServerCache(tmp_path / "cache")


def fetch(cache: ServerCache, repository: Repository) -> Path:
    folder = cache.folder / "jars"
    fetch_lock(LOCK, folder, cache, Silent(), {"test": repository.url})
    return folder


def test_all_files_come_once_and_a_second_time_none(cache: ServerCache, repository: Repository) -> None:
    folder = fetch(cache, repository)
    assert {path.name for path in folder.iterdir()} == {file.name for file in LOCK.files}
    fetch(cache, repository)
    assert repository.asked == Counter(CONTENT.keys())


@pytest.mark.parametrize("fault", [cut_off, cut_off_unnoticed, damaged, server_error])
def test_a_bad_download_is_noticed_and_repeated(
    cache: ServerCache, repository: Repository, fault: Fault
) -> None:
    repository.faults = {"part3": [fault, fault]}
    folder = fetch(cache, repository)
    assert (folder / "part3-1.jar").read_bytes() == CONTENT["part3"]
    assert repository.asked["part3"] == 3


@pytest.mark.parametrize("fault", [cut_off, damaged, server_error])
def test_a_file_that_never_comes_whole_is_not_kept(
    cache: ServerCache, repository: Repository, fault: Fault
) -> None:
    repository.faults = {"part3": [fault] * 3}
    with pytest.raises(DownloadError, match=r"part3-1\.jar.*run the same command again"):
        fetch(cache, repository)
    folder = cache.folder / "jars"
    assert not (folder / "part3-1.jar").exists()
    assert not cache.staging.exists()
    fetch(cache, repository)
    assert wrong_files(LOCK, folder) == []
    assert repository.asked["part3"] == 4


@pytest.mark.campaign
@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-7]),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
    ],
    ids=["truncated", "flipped", "empty", "deleted"],
)
def test_a_file_that_is_harmed_in_the_cache_is_mended(
    cache: ServerCache, repository: Repository, harm: Callable[[Path], object]
) -> None:
    folder = fetch(cache, repository)
    harm(folder / "part5-1.jar")
    fetch(cache, repository)
    assert (folder / "part5-1.jar").read_bytes() == CONTENT["part5"]
    assert repository.asked == Counter(CONTENT.keys()) + Counter(["part5"])


def test_what_a_killed_download_left_is_not_taken(cache: ServerCache, repository: Repository) -> None:
    half = cache.staging / "org" / "test" / "part3" / "1" / "part3-1.jar"
    half.parent.mkdir(parents=True)
    half.write_bytes(CONTENT["part3"][:10])
    folder = fetch(cache, repository)
    assert (folder / "part3-1.jar").read_bytes() == CONTENT["part3"]


def test_callers_at_the_same_time_share_one_download(cache: ServerCache, repository: Repository) -> None:
    threads = [threading.Thread(target=fetch, args=(cache, repository)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert repository.asked == Counter(CONTENT.keys())
    assert wrong_files(LOCK, cache.folder / "jars") == []


def test_a_complete_cache_needs_no_network(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch_files(settings, Silent())
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert len(fetch_files(settings, Silent())) == 226


def test_without_a_network_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match=r"can't be fetched.*HTTPS_PROXY.*NEO4J_URI"):
        fetch_files(settings_for(tmp_path / "home", hopgrade_cache=tmp_path / "cache"), Silent())


def test_a_cache_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(DownloadError, match="HOPGRADE_CACHE"):
        fetch_files(settings_for(tmp_path / "home", hopgrade_cache=tmp_path / "cache"), Silent())


@pytest.mark.campaign
def test_no_more_is_taken_than_the_lock_says(cache: ServerCache, repository: Repository) -> None:
    sent: list[int] = []
    closed = threading.Semaphore(0)

    def endless(handler: BaseHTTPRequestHandler, content: bytes) -> None:
        # Without a length, so that nothing but the lock says when it should end.
        handler.send_response(200)
        handler.end_headers()
        written = 0
        try:
            while written < 64 << 20:
                written += handler.wfile.write(content)
        except OSError:
            pass
        sent.append(written)
        closed.release()
        handler.close_connection = True

    repository.faults = {"part3": [endless] * 3}
    with pytest.raises(DownloadError, match=r"part3-1\.jar.*more than 2003 bytes"):
        fetch(cache, repository)
    # The server may learn of the end of a connection after the client has said what was wrong.
    assert all(closed.acquire(timeout=600) for _ in range(3))
    assert max(sent) < 64 << 20
