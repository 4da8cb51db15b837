"""What was answered once is there again: after a kill, in threads and processes, until it is cleared."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import UserError
from kg.llm.cache import APPLICATION_ID, CachedReply, ResponseCache
from kg.llm.protocol import Message, ModelRequest, Schema, Usage
from tests.examples import examples
from tests.kg.llm.asked import SCHEMA, URL, request

WRITER = """
import sys
from pathlib import Path
from kg.llm.cache import ResponseCache
from kg.llm.protocol import Usage
cache = ResponseCache(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    cache.store(f"{sys.argv[2]}-{number}", "an answer " * 50, Usage(10, 5), "m", "p@1")
    print(number, flush=True)
"""

OLDER = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = 1;
CREATE TABLE reply (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, text TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, made REAL NOT NULL
) STRICT;
INSERT INTO reply VALUES ('old', 'm', 'p@1', 'text', 3, 2, 0);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "responses.sqlite"


def key(asked: ModelRequest | None = None, url: str = URL, model: str = "some-model") -> str:
    return ResponseCache.key(url, model, asked or request())


def test_an_answer_is_found_again_by_another_process_of_the_user(path: Path) -> None:
    with ResponseCache(path) as cache:
        assert cache.get(key()) is None
        cache.store(key(), '{"claims": ["Größe: 3 m²"]}', Usage(120, 30), "some-model", "write-claims@1")
    with ResponseCache(path) as again:
        assert again.get(key()) == CachedReply('{"claims": ["Größe: 3 m²"]}', Usage(120, 30))


@pytest.mark.parametrize(
    "other",
    [
        key(request("What is denied?")),
        key(request(messages=(Message("user", "You read."), Message("user", "What is stated?")))),
        key(request(schema=None)),
        key(request(schema=Schema("facts", SCHEMA.definition))),
        key(request(schema=Schema("claims", {"type": "array"}))),
        key(request(temperature=0.5)),
        key(request(seed=1)),
        key(request(max_output_tokens=99)),
        key(model="another-model"),
        key(url="https://models.example/v2"),
    ],
)
def test_what_changes_the_answer_changes_the_key(other: str) -> None:
    assert other != key()


def test_what_does_not_change_the_answer_keeps_the_key() -> None:
    reordered = Schema(
        "claims", {name: SCHEMA.definition[name] for name in reversed(list(SCHEMA.definition))}
    )
    assert key(request(schema=reordered)) == key()
    assert key(request(prompt="write-claims@2")) == key()
    assert key(request(temperature=0)) == key(request(temperature=0.0))
    assert key(url="https://someone:secret@MODELS.example/v1/?key=secret") == key()


def test_thinking_and_fields_of_the_users_own_change_the_key_only_where_there_are_any() -> None:
    assert ResponseCache.key(URL, "some-model", request(), None, {}) == key()
    others = [
        ResponseCache.key(URL, "some-model", request(), "off"),
        ResponseCache.key(URL, "some-model", request(), "low"),
        ResponseCache.key(URL, "some-model", request(), None, {"top_k": 1}),
    ]
    assert len({key(), *others}) == 4


def test_a_file_from_before_some_counts_is_used_on(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.executescript(OLDER)
    connection.close()
    took = Usage(9, 8, 7, 6)
    with ResponseCache(path) as cache:
        assert cache.get("old") == CachedReply("text", Usage(3, 2))
        cache.store("new", "text", took, "m", "p@1")
        assert cache.get("new") == CachedReply("text", took)
        (group,) = cache.stats().groups
        assert (group.input_tokens, group.cached_input_tokens, group.reasoning_tokens) == (12, 7, 6)
        assert cache.output_by_prompt("m", 2) == {"p@1": 5.0}
        assert cache.output_by_prompt("m", 3) == {}
    # What an older Hopgrade writes stays readable.
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO reply (key, model, prompt, text, input_tokens, output_tokens, made) "
                           "VALUES ('last', 'm', 'p@1', 'text', 1, 1, 0)")  # fmt: skip
    connection.close()
    with ResponseCache(path) as again:
        assert again.get("last") == CachedReply("text", Usage(1, 1))


@given(
    st.lists(st.text(max_size=3), min_size=1, max_size=3),
    st.lists(st.text(max_size=3), min_size=1, max_size=3),
)
def test_texts_never_run_into_each_other(one: list[str], other: list[str]) -> None:
    keys = {key(request(messages=tuple(Message("user", text) for text in texts))) for texts in (one, other)}
    assert len(keys) == (1 if one == other else 2)


@settings(max_examples=20)
@given(st.lists(st.text(), min_size=1, max_size=20))
def test_any_text_comes_back(texts: list[str]) -> None:
    with TemporaryDirectory() as folder, ResponseCache(Path(folder) / "responses.sqlite") as cache:
        for number, text in enumerate(texts):
            cache.store(str(number), text, Usage(), "m", "p@1")
        assert [cache.get(str(number)) for number in range(len(texts))] == [
            CachedReply(text, Usage()) for text in texts
        ]


def test_half_a_character_from_a_model_is_no_reason_to_stop(path: Path) -> None:
    with ResponseCache(path) as cache:
        cache.store("k", "half \ud83d", Usage(), "m", "p@1")
        assert cache.get("k") == CachedReply("half ?", Usage())


def test_several_processes_and_threads_write_at_once(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, "20"], stdout=subprocess.DEVNULL)
        for name in ("a", "b")
    ]
    with ResponseCache(path) as cache, ThreadPoolExecutor(4) as threads:

        def put(number: int) -> None:
            cache.store(f"t-{number}", "text", Usage(1, 1), "m", "p@1")

        list(threads.map(put, range(40)))
        assert [writer.wait(600) for writer in writers] == [0, 0]
        assert cache.stats().replies == 80


def test_what_was_put_survives_a_kill(path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "a", "100000"], stdout=subprocess.PIPE, encoding="ascii"
    )
    assert writer.stdout is not None
    kept = [int(writer.stdout.readline()) for _ in range(30)][-1]
    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate()
    with ResponseCache(path) as cache:
        assert all(cache.get(f"a-{number}") is not None for number in range(kept + 1))


def _truncated(path: Path) -> None:
    with ResponseCache(path) as cache:
        for number in range(200):
            cache.store(str(number), "x" * 500, Usage(), "m", "p@1")
    path.write_bytes(path.read_bytes()[:6000])


def _overwritten(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"these are my notes, no database\n" * 400)


def _foreign(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()


def _newer(path: Path) -> None:
    _foreign(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize("damage", [_truncated, _overwritten, _foreign, _newer])
def test_a_file_that_is_damaged_or_another_program_s_is_told_and_left_alone(
    path: Path, damage: "object"
) -> None:
    assert callable(damage)
    damage(path)
    before = path.read_bytes()
    with ResponseCache(path) as cache:
        for attempt in (cache.stats, cache.clear, lambda: cache.get("199"), lambda: _put(cache)):
            with pytest.raises(UserError, match=r"responses\.sqlite, can't be used") as caught:
                attempt()
            assert "move it away" in caught.value.remedy
    assert path.read_bytes() == before


def _put(cache: ResponseCache) -> None:
    cache.store("new", "x", Usage(), "m", "p@1")


def test_a_folder_where_the_file_should_be_is_told(path: Path) -> None:
    path.mkdir(parents=True)
    with ResponseCache(path) as cache, pytest.raises(UserError, match="can't be used"):
        cache.get("k")


def test_only_the_user_can_read_it(path: Path) -> None:
    with ResponseCache(path) as cache:
        _put(cache)
        files = [path, *path.parent.glob("*.sqlite-*")]
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_looking_makes_no_file(path: Path) -> None:
    with ResponseCache(path) as cache:
        assert cache.stats().replies == cache.count() == cache.clear() == 0
    assert not path.parent.exists()


def _three_days(path: Path) -> ResponseCache:
    """One answer a day on days 0, 1 and 2; it is day 3."""
    days = iter([0.0, 1.0, 2.0])
    with ResponseCache(path, clock=lambda: next(days) * 86_400) as cache:
        cache.store("a", "x" * 10_000, Usage(100, 10), "m1", "p@1")
        cache.store("b", "x", Usage(200, 20), "m1", "p@1")
        cache.store("c", "x", Usage(300, 30), "m2", "p@1")
    return ResponseCache(path, clock=lambda: 3 * 86_400.0)


def test_stats_add_up_by_model_and_prompt(path: Path) -> None:
    with _three_days(path) as cache:
        found = cache.stats()
    first, second = found.groups
    assert found.replies == 3
    assert found.bytes > 10_000
    assert (first.model, first.prompt, first.replies) == ("m1", "p@1", 2)
    assert (first.input_tokens, first.output_tokens) == (300, 30)
    assert (first.newest - first.oldest) == timedelta(days=1)
    assert (second.model, second.replies, second.oldest) == ("m2", 1, second.newest)


@examples("model, days, left")
def test_clear_deletes_what_was_named_and_counts_it(
    path: Path, model: str | None, days: int | None, left: str
) -> None:
    older_than = None if days is None else timedelta(days=days)
    with _three_days(path) as cache:
        expected = 3 - len(left)
        assert cache.count(model, older_than) == expected
        assert cache.clear(model, older_than) == expected
        assert "".join(key for key in "abc" if cache.get(key)) == left


def test_clear_gives_the_space_back(path: Path) -> None:
    with _three_days(path) as cache:
        full = cache.stats().bytes
        cache.clear()
        assert cache.stats().bytes < full
