"""Frozen pools: one file and one hash for the same pools, and nothing else is taken for them."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from services.comparison.archive_rows import MOST_LINE_BYTES
from services.comparison.pool import PoolMethod, Pools, chunks_of, pool_hash, read_pool, write_pool
from services.comparison.records import Candidates

DRAWN = PoolMethod("hybrid", 20)
POOLS = [
    Candidates("question-2", (("chunk-b", 0.5), ("chunk-a", -0.25))),
    Candidates("question-1", (("chunk-a", 1.0),)),
]
HEAD = b'{"retriever":"hybrid","size":20}\n'
_TEXTS = st.text(st.characters(codec="utf-8"), min_size=1)
_SCORES = st.floats(-1e6, 1e6).map(lambda score: round(score, 6))


def test_pools_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl.gz"
    assert write_pool(path, DRAWN, POOLS) == pool_hash(DRAWN, POOLS)
    assert read_pool(path) == Pools(DRAWN, {pool.question: pool for pool in POOLS})
    assert chunks_of(read_pool(path).of) == {"chunk-a", "chunk-b"}


def test_the_file_is_lines_of_json_in_the_order_of_the_questions(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl.gz"
    write_pool(path, DRAWN, POOLS)
    assert gzip.decompress(path.read_bytes()).decode() == (
        '{"retriever":"hybrid","size":20}\n'
        '{"chunks":[["chunk-a",1.0]],"question":"question-1"}\n'
        '{"chunks":[["chunk-b",0.5],["chunk-a",-0.25]],"question":"question-2"}\n'
    )


def test_the_same_pools_make_the_same_bytes(tmp_path: Path) -> None:
    write_pool(tmp_path / "one", DRAWN, POOLS)
    write_pool(tmp_path / "other", DRAWN, reversed(POOLS))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@given(st.dictionaries(_TEXTS, st.lists(st.tuples(_TEXTS, _SCORES), max_size=4), max_size=4))
def test_hash_and_rows_survive_the_file(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[tuple[str, float]]]
) -> None:
    path = tmp_path_factory.mktemp("pool") / "pool.jsonl.gz"
    pools = [Candidates(question, tuple(chunks)) for question, chunks in rows.items()]
    digest = write_pool(path, DRAWN, pools)
    found = read_pool(path)
    assert pool_hash(DRAWN, found.of.values()) == digest
    assert found.of == {pool.question: pool for pool in pools}


@pytest.mark.parametrize(
    "other",
    [
        [POOLS[0]],
        [POOLS[0], Candidates("question-1", (("chunk-a", 0.99),))],
        [POOLS[1], Candidates("question-2", tuple(reversed(POOLS[0].chunks)))],
    ],
)
def test_another_pool_has_another_hash(other: list[Candidates]) -> None:
    assert pool_hash(DRAWN, other) != pool_hash(DRAWN, POOLS)


@pytest.mark.parametrize("other", [PoolMethod("vector", 20), PoolMethod("hybrid", 21)])
def test_the_same_pools_drawn_otherwise_have_another_hash(other: PoolMethod) -> None:
    assert pool_hash(other, POOLS) != pool_hash(DRAWN, POOLS)


def test_two_pools_of_a_question_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two pools of question 'question-1'"):
        write_pool(tmp_path / "pool", DRAWN, [POOLS[1], POOLS[1]])
    path = tmp_path / "twice"
    path.write_bytes(gzip.compress(HEAD + b'{"chunks":[],"question":"q"}\n' * 2))
    with pytest.raises(InputError, match="twice:3: a second pool"):
        read_pool(path)


@pytest.mark.parametrize(
    "data",
    [
        b"no gzip",
        gzip.compress(HEAD + b'{"chunks":[],"question":"q"}\n')[:-9],
        gzip.compress(HEAD + b"{\n"),
        gzip.compress(HEAD + b'{"chunks":[["a"]],"question":"q"}\n'),
        gzip.compress(HEAD + b'{"chunks":[["a",true]],"question":"q"}\n'),
        gzip.compress(HEAD + b'{"chunks":{},"question":"q"}\n'),
        gzip.compress(HEAD + b"[]\n"),
        gzip.compress(HEAD + b'{"chunks":[["a",NaN]],"question":"q"}\n'),
        gzip.compress(HEAD + b'{"chunks":[["a",-Infinity]],"question":"q"}\n'),
        gzip.compress(HEAD + b'{"chunks":[["a",1e999]],"question":"q"}\n'),
        gzip.compress(HEAD + b'{"chunks":[["a",1' + b"0" * 400 + b']],"question":"q"}\n'),
        gzip.compress(HEAD + b'{"chunks":[["a",1' + b"0" * 5_000 + b']],"question":"q"}\n'),
        gzip.compress(HEAD + b"[" * 100_000 + b"\n"),
        gzip.compress(HEAD + b'{"chunks":[],"question":"q","question":"r"}\n'),
        gzip.compress(HEAD + b" " * (MOST_LINE_BYTES + 1)),
        gzip.compress(b""),
        gzip.compress(b'{"chunks":[],"question":"q"}\n'),
        gzip.compress(b'{"retriever":"hybrid","size":true}\n'),
        gzip.compress(b'{"retriever":"hybrid","seed":1,"size":20}\n'),
    ],
    ids=(
        "not packed",
        "cut off",
        "half an object",
        "no score",
        "a true score",
        "no list",
        "a list",
        "NaN",
        "infinity",
        "more than a float",
        "more than a float, whole",
        "too many digits",
        "too deep",
        "two names",
        "too long a line",
        "nothing",
        "nobody drew them",
        "a true size",
        "more than how they were drawn",
    ),
)
def test_what_are_no_pools_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "pool.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"pool\.jsonl\.gz"):
        read_pool(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_pool(tmp_path / "none")


@pytest.mark.parametrize(
    ("bound", "said"),
    [("MOST_LOOKED_UP_BYTES", "unpacks to over 5,000 bytes"), ("MOST_HELD_ROWS", "over 5,000 questions")],
)
def test_a_small_file_of_many_pools_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, said: str
) -> None:
    path = tmp_path / "pool.jsonl.gz"
    rows = b"".join(b'{"chunks":[],"question":"%d"}\n' % number for number in range(5_001))
    path.write_bytes(gzip.compress(HEAD + rows))
    assert len(read_pool(path).of) == 5_001
    monkeypatch.setattr(f"services.comparison.pool.{bound}", 5_000)
    with pytest.raises(InputError, match=said) as caught:
        read_pool(path)
    assert caught.value.exit_code == 2
    assert caught.value.remedy
