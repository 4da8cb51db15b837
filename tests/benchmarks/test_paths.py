"""`python -m benchmarks.paths` on small graphs: every engine beside the others, and memory by block size.

Weights that put gold first.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.listwise import Choice, fit_weights
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


def choices(count: int, seed: int = 0) -> list[Choice]:
    """Questions whose gold is the candidate with most of the first feature less a tenth of the second."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        features = random.normal(size=(8, 3))
        gold = np.zeros(8, dtype=np.bool_)
        gold[np.argmax(features @ np.array([1.0, -0.1, 0.0]))] = True
        made.append(Choice(features, gold, 1.0))
    return made


def test_the_weights_follow_what_decides() -> None:
    weights = fit_weights(choices(60), penalty=1e-3)
    assert weights[0] > 0 > weights[1]
    assert abs(weights[2]) < 0.2 * weights[0]
    unseen = choices(100, seed=1)
    right = [one.gold[np.argmax(one.features @ weights)] for one in unseen]
    assert np.mean(right) > 0.9


def test_a_question_without_a_choice_says_nothing() -> None:
    usual = choices(20)
    nothing = Choice(np.ones((3, 3)), np.zeros(3, dtype=np.bool_), 1.0)
    everything = Choice(np.ones((3, 3)), np.ones(3, dtype=np.bool_), 1.0)
    both = fit_weights([*usual, nothing, everything], 1e-3)
    assert both.tolist() == pytest.approx(fit_weights(usual, 1e-3).tolist())


def test_a_question_counts_by_its_weight() -> None:
    for_first = Choice(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([True, False]), 1.0)
    for_second = Choice(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([False, True]), 0.1)
    weights = fit_weights([for_first, for_second], 1e-2)
    assert weights[0] > 0 > weights[1]
