"""`python -m benchmarks.paths` on small graphs: every engine beside the others, and memory by block size."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ServerAddress

ROOT = Path(__file__).resolve().parents[2]


def bench(*arguments: str, environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.paths", *arguments, "--json"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.usefixtures("graph")
def test_a_ring_of_seven_has_seven_pairs_at_each_distance(
    server_address: ServerAddress, tmp_path: Path
) -> None:
    ring = tmp_path / "ring.txt"
    ring.write_text("".join(f"{i}\tnext\t{(i + 1) % 7}\n" for i in range(7)), encoding="utf-8")
    document = bench("--triples", str(ring), "--seconds", "0.2", environment=server_address.environment())
    results = document["results"]
    assert [result["engine"] for result in results] == ["sparse", "cypher", "networkx", "grade"]
    assert all(result["pairs"] == {"2": 7, "3": 7, "4": 7, "5": 7} for result in results[:3])
    assert results[0]["times_the_first"] == {"wall": 1.0, "cpu": 1.0}
    # How long each took is a matter of the machine: a stall of the first makes the others 0.0 times as slow.
    assert all(result["times_the_first"].keys() == {"wall", "cpu"} for result in results)


@pytest.mark.campaign
def test_peak_memory_is_shown_for_each_block_size() -> None:
    document = bench("--synthetic", "2000", "--blocks", "1,64", environment={})
    small, large = document["memory"]
    assert (small["block"], large["block"]) == (1, 64)
    assert small["pairs"] == large["pairs"] > 0, "the block size changes nothing but memory"
    assert small["edges"] == large["edges"] > 1900, "some loops are left out"
    assert small["peak_mib"] >= small["table_peak_mib"] > 0
