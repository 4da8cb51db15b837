"""The small world, opened as `hopgrade.open_corpus` opens it, with a second run."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest

from kg.settings import Settings
from kg.store.graph import Graph
from services.python_api.corpus import Corpus
from services.runs.records import drop_run
from tests.conftest import ServerAddress

mpl.use("Agg")

KEPT = "single-step"
"""The run that the small world has, and that other tests read."""


@pytest.fixture(scope="session")
def settings(server_address: ServerAddress, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings that lead to the session's server and to nothing of the user's."""
    given = {name.lower(): value for name, value in server_address.environment().items()}
    home = tmp_path_factory.mktemp("notebook")
    ours = {"hopgrade_home": home, "hopgrade_preflight": False}
    return Settings.model_validate(Settings().model_dump() | given | ours)


@pytest.fixture(scope="module")
def valley(graph: Graph, small_corpus: str, settings: Settings) -> Iterator[Corpus]:
    """The small world with the runs single-step and multi-step."""
    corpus = Corpus(graph, small_corpus, settings)
    corpus.start_run("multi-step", top=1)
    yield corpus
    for run in corpus.runs():
        if run.name != KEPT:
            drop_run(graph, small_corpus, run.name)
