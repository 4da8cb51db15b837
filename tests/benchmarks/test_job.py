"""The job that is timed is the one that users run: a renamed command or count would be noticed here."""

from pathlib import Path

import pytest

from benchmarks.job import drop, run_job
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
