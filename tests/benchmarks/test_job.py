"""The job that is timed is the one that users run: a renamed command or count would be noticed here.

`python -m benchmarks.readers`: its tables, and what it says where something is absent.
"""

from pathlib import Path

import pytest

from benchmarks.job import drop, run_job
from benchmarks.reader_answers import Answer
from benchmarks.readers import read_hand_written, seed_tables, table
from kg.corpus import list_corpora
from kg.store.graph import Graph
from tests import small_world


@pytest.mark.campaign
@pytest.mark.usefixtures("kg_environment")
def test_the_job_is_run_measured_and_dropped(graph: Graph, corpus: str, tmp_path: Path) -> None:
    size = str(small_world.OPTIONS.build.chunk_size)
    articles = small_world.write_articles(tmp_path, ["rovers", "owner", "founder"])
    found = run_job(corpus, [articles], "--min-tokens", "1", "--chunks", size, "--per-depth", "3")
    assert found.peak_mib > 0
    assert found.count("chunks", "chunks") > 0
    assert found.count("questions", "kept") > 0
    drop(corpus)
    assert corpus not in {row["name"] for row in list_corpora(graph)}


def test_without_the_corpus_there_is_a_line(graph: Graph) -> None:
    (line,) = seed_tables(graph, "nowhere", "vector", 3)
    assert "'nowhere'" in line
    assert "kg demo" in line


def test_questions_by_hand_have_kinds_and_other_answers() -> None:
    found = read_hand_written()
    assert {one.type for one in found} == {"inference", "comparison", "temporal", "null"}
    assert "Dunmarrow University" in found[0].accepted
    assert all(one.gold or one.type == "null" for one in found)


def test_a_row_has_every_share() -> None:
    text = table("Title", {"vector": [Answer("null", "", "Insufficient information.", "1")]})
    assert text.splitlines()[-1] == "| vector | null | 1 | 1.00 | 0.21 to 1.00 | 0.00 | 0.00 | 1 |"
