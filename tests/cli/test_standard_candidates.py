"""`kg standard candidates`, and a system of one's own that takes part in a comparison."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.store.graph import Graph
from kg.text.tokens import count_tokens
from tests.cli.conftest import Built, Kg
from tests.services.comparison.small_standard import forget

MODULE = """
import json
from pathlib import Path

ROWS = {{row["question"]: row for row in map(json.loads, Path({path!r}).read_text().splitlines())}}


def answer(question):
    row = ROWS[question]
    return {{"answer": "Vell", "retrieved": [row["candidates"][0]["chunk"]]}}
"""


@pytest.fixture
def corpus(graph: Graph, built: Built) -> Iterator[str]:
    """The small world, without what was run in it here."""
    yield built.corpus
    forget(graph, built.corpus)


@pytest.mark.campaign
def test_a_system_of_ones_own_takes_part(
    kg: Kg, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    begun = kg(
        *("standard", "init", "own", "--corpus", corpus, "--name", "own", "--system", "mine=test-mine"),
        *("--questions", "8", "--pool-size", "6", "--evidence-tokens", "256"),
    )
    assert begun.code == 0, begun.err
    module = "own_over_pools"
    callable_ = ("evaluate", "callable", f"{module}:answer", "--no-report", "--standard", "own")
    asks = (*callable_, "--corpus", corpus)

    taken = kg("standard", "candidates", "own", "--out", "own/standard.yaml")
    assert taken.code == 2
    assert "is a file of the comparison" in taken.err
    written = kg("standard", "candidates", "own", "--json")
    assert written.code == 0, written.err
    assert written.json == {"file": "own/candidates.jsonl", "questions": 8}
    rows = [json.loads(line) for line in Path("own/candidates.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    for row in rows:
        assert set(row) == {"id", "question", "evidence_tokens", "answer_tokens", "candidates"}
        assert (row["evidence_tokens"], len(row["candidates"])) == (256, 6)
        assert all(one["chunk"] and one["tokens"] == count_tokens(one["text"]) for one in row["candidates"])

    Path(f"{module}.py").write_text(MODULE.format(path="own/candidates.jsonl"), encoding="utf-8")
    early = kg(*asks)
    assert early.code == 2
    assert "not locked yet" in early.err
    assert "names no run 'another'; its runs are test-mine" in kg(*asks, "--name", "another").err

    assert (
        kg("run", "start", "single-step", "--name", "test-mine", "--limit", "1", "--corpus", corpus).code == 0
    )
    locked = kg("standard", "run", "own")
    assert locked.code == 2
    refused = kg(*asks)
    assert refused.code == 2
    assert "run 'test-mine' was begun at" in refused.err
    assert "kg run drop" in refused.err
    assert kg("run", "drop", "test-mine", "--yes", "--corpus", corpus).code == 0
    locked = kg("standard", "run", "own")
    assert locked.code == 2
    assert "has no run 'test-mine'" in locked.err
    asked = kg(*asks, "--json")
    assert asked.code == 0, asked.err
    assert (asked.json["run"], asked.json["answers"]) == ("test-mine", 8)
    ran = kg("standard", "run", "own", "--json")
    assert ran.code == 0, ran.err
    assert "mine" in {one["system"] for one in ran.json["hypotheses"]}
    assert kg("standard", "verify", "own/own.zip").code == 0

    protocol = Path("own/standard.yaml")
    protocol.write_text(protocol.read_text("utf-8").replace("smallest: 0.05", "smallest: 0.06", 1), "utf-8")
    assert "changed since" in kg(*asks).err
    assert kg(*callable_, "--corpus", "no-such").code == 2


def test_pools_that_were_changed_are_handed_to_nobody(kg: Kg, corpus: str, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    kg("standard", "init", str(folder), "--corpus", corpus, "--questions", "3", "--pool-size", "4")
    protocol = folder / "standard.yaml"
    text = protocol.read_text("utf-8")
    start = text.index("hash: ", text.index("pool:")) + len("hash: ")
    protocol.write_text(f"{text[:start]}{'ab' * 32}{text[start + 64 :]}", "utf-8")
    ended = kg("standard", "candidates", str(folder))
    assert ended.code == 2
    assert "pool.jsonl.gz holds other pools, of hash" in ended.err
    assert not (folder / "candidates.jsonl").exists()
    assert not list(folder.glob(".candidates*"))
