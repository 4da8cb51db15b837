"""The main job over the bundled corpus, as `kg demo` does it; `python -m tests.seed_job CORPUS`.

It is a process of its own so that other tests run meanwhile.
"""

import os
import sys

from kg.bundled_files import bundled_folder
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.articles import LengthLimits, ingest_articles
from kg.store.graph import Graph
from services.pipeline import JobOptions, make_tools, open_for_job, run_job


def main() -> None:
    """Make the corpus on the server that the environment names."""
    corpus, environment = sys.argv[1], os.environ
    job, tools = JobOptions(), make_tools("builtin", Settings())
    with Graph.connect(
        environment["NEO4J_URI"],
        environment["NEO4J_USERNAME"],
        environment["NEO4J_PASSWORD"],
        environment["NEO4J_DATABASE"],
    ) as graph:
        open_for_job(graph, corpus, job, tools)
        articles = bundled_folder("seed") / "articles"
        ingest_articles(graph, corpus, [articles], {}, LengthLimits(), Silent())
        run_job(graph, corpus, job, tools, Silent())


if __name__ == "__main__":
    main()
