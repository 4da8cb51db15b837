"""The main job over the bundled corpus, as `kg demo` does it; `python -m tests.seed_job CORPUS ENDED`.

It is a process of its own so that tests run meanwhile; the file ENDED appears when it has ended, and holds
what went wrong, nothing if all is well.
"""

import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import psutil
import pytest

from kg.corpus import drop_corpus
from kg.files import bundled_folder
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from services.pipeline import JobOptions, make_tools, open_for_job, run_job
from tests.names import unique_name
from tests.session_server import ServerAddress

ROOT = Path(__file__).parents[1]
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class SeedJob:
    """The corpus that a process makes, the process, and the file that it leaves."""

    corpus: str
    process: int
    file: str

    def ended(self) -> str:
        """The corpus once it is whole."""
        ended = Path(self.file)
        while not ended.exists() and psutil.pid_exists(self.process):
            sleep(LOOK_SECONDS)
        said = ended.read_text(encoding="utf-8") if ended.exists() else "the process was ended from outside"
        if said:
            pytest.fail(f"the job over the bundled corpus failed: {said}")
        return self.corpus


@contextmanager
def seed_job(address: ServerAddress) -> Iterator[SeedJob]:
    """The job, under way; its corpus goes when this ends."""
    corpus = unique_name("seed", "session")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ended"
        with subprocess.Popen(
            [sys.executable, "-m", "tests.seed_job", corpus, str(file)],
            cwd=ROOT,
            env=os.environ | address.environment(),
        ) as process:
            yield SeedJob(corpus, process.pid, str(file))
            process.kill()
    with address.connect() as graph:
        drop_corpus(graph, corpus)


def main() -> None:
    """Make the corpus on the server that the environment names."""
    corpus, ended = sys.argv[1], Path(sys.argv[2])
    said = "it was stopped"
    try:
        _make(corpus)
        said = ""
    except BaseException:
        said = traceback.format_exc()
        raise
    finally:
        whole = ended.with_suffix(".part")
        whole.write_text(said, encoding="utf-8")
        whole.rename(ended)


def _make(corpus: str) -> None:
    environment = os.environ
    address = ServerAddress(
        environment["NEO4J_URI"],
        environment["NEO4J_USERNAME"],
        environment["NEO4J_PASSWORD"],
        environment["NEO4J_DATABASE"],
    )
    job, tools = JobOptions(), make_tools("builtin", Settings())
    with address.connect() as graph:
        open_for_job(graph, corpus, job, tools)
        articles = bundled_folder("seed") / "articles"
        ingest_articles(graph, corpus, [articles], {}, ArticleLimits(), Silent())
        run_job(graph, corpus, job, tools, Silent())


if __name__ == "__main__":
    main()
