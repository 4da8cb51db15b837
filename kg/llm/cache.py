"""Answers of models, kept by what was asked: the same question is not paid for twice.

One SQLite file for all corpora and commands of a user. It is written after each answer, so a killed run
loses only what was under way, and several threads and processes may use it at once.
"""

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit, urlunsplit

from filelock import FileLock

from kg.errors import UserError
from kg.files import is_shared
from kg.llm.protocol import JsonValue, Message, ModelRequest, Usage
from kg.settings import ReasoningEffort, Settings

APPLICATION_ID = 0x4847524C
"""Marks a SQLite file as ours ("HGRL"), so that no other program's file is written into."""

VERSION = 1
BUSY_SECONDS = 60.0
"""How long a writer waits for the other writers."""

_TABLE = """
CREATE TABLE IF NOT EXISTS reply (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,
    text TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    made REAL NOT NULL
) STRICT
"""
_LATER_COLUMNS = ("cached_input_tokens", "reasoning_tokens")
"""Columns that came later, all of them counts. An older Hopgrade, which names the columns that it knows,
leaves them at 0, so the file stays one of the same version."""

_PUT = (
    "INSERT INTO reply (key, model, prompt, text, input_tokens, output_tokens, cached_input_tokens, "
    "reasoning_tokens, made) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
    "model = excluded.model, prompt = excluded.prompt, text = excluded.text, "
    "input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, "
    "cached_input_tokens = excluded.cached_input_tokens, reasoning_tokens = excluded.reasoning_tokens, "
    "made = excluded.made"
)
_GET = (
    "SELECT text, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens FROM reply WHERE key = ?"
)
_GROUPS = (
    "SELECT model, prompt, count(*), sum(input_tokens), sum(output_tokens), sum(cached_input_tokens), "
    "sum(reasoning_tokens), min(made), max(made) FROM reply GROUP BY model, prompt ORDER BY model, prompt"
)
_OUTPUT = (
    "SELECT prompt, avg(output_tokens) FROM reply WHERE model = ? AND output_tokens > 0 GROUP BY prompt "
    "HAVING count(*) >= ?"
)
_COUNT = "SELECT count(*) FROM reply WHERE (?1 IS NULL OR model = ?1) AND (?2 IS NULL OR made < ?2)"
_CLEAR = "DELETE FROM reply WHERE (?1 IS NULL OR model = ?1) AND (?2 IS NULL OR made < ?2)"


@dataclass(frozen=True, slots=True)
class CachedReply:
    """An answer as it came, and what it took then."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class CacheGroup:
    """The answers of one model to one prompt; tokens as the endpoint counted them when they were made.

    `cached_input_tokens` are part of the input, `reasoning_tokens` of the output; see `Usage`.
    """

    model: str
    prompt: str
    replies: int
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    reasoning_tokens: int
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a cache holds; `bytes` are those of its files on disk."""

    replies: int
    bytes: int
    groups: tuple[CacheGroup, ...]


class ResponseCache:
    """The file with the answers; opened, and made where it is missing, at the first use.

    Every method raises UserError where the file can't be opened, read or written.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None
        self._shared: bool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def key(
        endpoint_url: str,
        model: str,
        request: ModelRequest,
        reasoning: ReasoningEffort | None = None,
        extra_body: Mapping[str, JsonValue] | None = None,
    ) -> str:
        """The SHA-256 over all that can change the answer: neither credentials nor the prompt's name.

        Room for thinking is not in it: what is kept is whole, and would be the same in more room.
        """
        schema = request.schema
        asked: dict[str, object] = {
            "endpoint": _without_credentials(endpoint_url),
            "model": model,
            "messages": [_message_fields(message) for message in request.messages],
            "schema": None if schema is None else [schema.name, schema.definition],
            "temperature": float(request.temperature),
            "max_output_tokens": request.max_output_tokens,
            "seed": request.seed,
        }
        # Only where there are any, so that the keys of requests without them stay as they were.
        if request.tools:
            asked["tools"] = [[tool.name, tool.about, tool.parameters] for tool in request.tools]
        if request.stops:
            asked["stops"] = request.stops
        if request.with_thinking:
            asked["with_thinking"] = True
        if reasoning is not None:
            asked["reasoning"] = reasoning
        if extra_body:
            asked["extra_body"] = extra_body
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode("ascii")).hexdigest()

    def get(self, key: str) -> CachedReply | None:
        """The answer that was kept under a key."""
        with self._connection() as connection:
            found = connection.execute(_GET, (key,)).fetchone()
        return None if found is None else CachedReply(found[0], Usage(*found[1:]))

    def store(self, key: str, text: str, usage: Usage, model: str, prompt: str) -> None:
        """Keep an answer; on disk when this returns. A later answer under the same key replaces it."""
        # A lone surrogate, which JSON may hold, has no place in SQLite's text.
        clean = text.encode("utf-8", "replace").decode("utf-8")
        took = usage.input_tokens, usage.output_tokens, usage.cached_input_tokens, usage.reasoning_tokens
        with self._connection() as connection:
            connection.execute(_PUT, (key, model, prompt, clean, *took, self._clock()))

    def output_by_prompt(self, model: str, least: int) -> Mapping[str, float]:
        """The mean tokens of a model's answers by prompt, of prompts with at least so many answers."""
        if not self.path.exists():
            return {}
        with self._connection() as connection:
            return dict(connection.execute(_OUTPUT, (model, least)).fetchall())

    def stats(self) -> CacheStats:
        """What is in the cache; a missing file is an empty cache and stays missing."""
        if not self.path.exists():
            return CacheStats(0, 0, ())
        with self._connection() as connection:
            rows = connection.execute(_GROUPS)
            groups = tuple(
                CacheGroup(
                    model, prompt, replies, given, made, cached, thought, _moment(oldest), _moment(newest)
                )
                for model, prompt, replies, given, made, cached, thought, oldest, newest in rows
            )
        return CacheStats(sum(group.replies for group in groups), _size(self.path), groups)

    def count(self, model: str | None = None, older_than: timedelta | None = None) -> int:
        """How many answers `clear` would delete; no condition means all of them."""
        if not self.path.exists():
            return 0
        with self._connection() as connection:
            return int(connection.execute(_COUNT, (model, self._before(older_than))).fetchone()[0])

    def clear(self, model: str | None = None, older_than: timedelta | None = None) -> int:
        """Delete the answers of a model, those older than a span, or all; how many there were."""
        if not self.path.exists():
            return 0
        with self._connection() as connection:
            deleted = connection.execute(_CLEAR, (model, self._before(older_than))).rowcount
            # Giving the space back needs the file alone; where others use it, the next clear does it.
            with suppress(sqlite3.OperationalError):
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return deleted

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _before(self, older_than: timedelta | None) -> float | None:
        return None if older_than is None else self._clock() - older_than.total_seconds()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        # One connection, used by one thread at a time: a look-up takes microseconds, a model seconds.
        with self._lock:
            try:
                if self._shared is None:
                    self._shared = is_shared(self.path.parent)
                if self._shared:
                    # A network file system shows what another machine wrote to those who open a file anew.
                    with _alone(self.path), closing(_open(self.path, shared=True)) as connection:
                        yield connection
                    return
                if self._opened is None:
                    with _alone(self.path):
                        self._opened = _open(self.path, shared=False)
                yield self._opened
            except (sqlite3.Error, OSError) as error:
                raise UserError(
                    f"the cache of models' answers, {self.path}, can't be used: {error}.",
                    "If the disk is full or the folder closed, mend that; if the file is damaged, move it "
                    "away: answers that are missing are asked for, and paid for, again.",
                ) from error


def response_cache(settings: Settings) -> ResponseCache:
    """The user's cache, beside the store: unlike fetched files, its answers have cost money."""
    return ResponseCache(settings.hopgrade_home.expanduser().absolute() / "responses.sqlite")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others from opening the file meanwhile."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # SQLite does not queue processes that turn on its write-ahead log in the same moment; this lock does.
    with FileLock(path.with_suffix(".lock")):
        yield


def _open(path: Path, *, shared: bool) -> sqlite3.Connection:
    # Answers quote articles: nobody else is to read them.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, shared=shared)
    except (sqlite3.Error, UserError):
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, *, shared: bool) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if (application, version) != (APPLICATION_ID, VERSION):
        if application == APPLICATION_ID:
            raise sqlite3.DatabaseError(f"another version of Hopgrade made it (format {version})")
        if tables or application or version:
            raise sqlite3.DatabaseError("another program made it")
    # The write-ahead log is agreed on in memory: of two machines each would lose what the other one writes.
    # With it a kill loses nothing; a power cut may lose the last answers, never the file.
    journal, synchronous = ("DELETE", "FULL") if shared else ("WAL", "NORMAL")
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    if not tables:
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"
        connection.executescript(f"BEGIN; {_TABLE}; {marks}; COMMIT")
    there = {row[1] for row in connection.execute("PRAGMA table_info(reply)")}
    for column in _LATER_COLUMNS:
        if column not in there:
            connection.execute(f"ALTER TABLE reply ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")


def _message_fields(message: Message) -> list[object]:
    """What a message says; calls stand in it only where there are any."""
    calls = [[call.id, call.name, call.arguments] for call in message.calls]
    return [message.role, message.content, *([calls, message.answers] if calls or message.answers else [])]


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme.lower(), place, parts.path.rstrip("/"), "", ""))


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _size(path: Path) -> int:
    total = 0
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            total += path.with_name(path.name + suffix).stat().st_size
    return total
