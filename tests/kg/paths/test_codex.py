"""CoDEx-S, a graph of 32,888 facts that people know: its pairs at each distance, and a sample of them."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.triples import table_of_file
from kg.paths.edges import EdgeTable
from kg.paths.sample import draw_sample
from kg.paths.sparse import SparseEngine
from kg.paths.spread import Caps, DrawRules, limits_for
from kg.paths.walk import DEPTHS

PAIRS = {2: 254_155, 3: 215_785, 4: 63_819, 5: 23_214}


@pytest.fixture(scope="module")
def table(shared_data: Path) -> EdgeTable:
    path = shared_data / "codex" / "codex-s_train.txt"
    if not path.is_file():
        pytest.skip(f"no CoDEx-S at {path}")
    return table_of_file(path, "codex-s")


def test_its_pairs_are_counted_and_sampled(table: EdgeTable) -> None:
    limits = next(limits_for(400, Caps()))
    sample = draw_sample(SparseEngine(table), 400, DrawRules())
    assert sample.pairs == PAIRS
    for depth in DEPTHS:
        taken = [drawn for drawn in sample.drawn if drawn.pair.hops == depth]
        assert len({drawn.pair for drawn in taken}) == len(taken) == 400
        starts, ends = (Counter(drawn.pair[i] for drawn in taken) for i in (0, 1))
        middles = Counter(arc.head for drawn in taken for arc in drawn.choice.arcs[:-1])
        facts = Counter((arc.tail, arc.head) for drawn in taken for arc in drawn.choice.arcs)
        assert max(starts.values()) <= limits.start
        assert max(ends.values()) <= limits.end
        assert max(middles.values()) <= limits.middle
        assert max(facts.values()) <= limits.fact
