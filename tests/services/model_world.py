"""The small world with an article that gives orders, its paths drawn, and `kg` with a scripted model."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from kg.progress import Silent
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.pipeline import open_for_job
from tests.scripted_endpoint import SILENCE_SECONDS, Endpoint
from tests.services.scripted_roles import INJECTION
from tests.small_world import ARTICLES, OPTIONS, tools

ANSWERER, JUDGE, STRICT = "answerer", "judge", "strict"
MODELS = ("model", ANSWERER, JUDGE, STRICT)


def build_world(graph: Graph, corpus: str) -> None:
    """Articles, facts and paths; no question yet."""
    open_for_job(graph, corpus, OPTIONS, tools())
    rows = [
        {"id": name, "title": name.capitalize(), "body": f"{body} {INJECTION}"}
        for name, body in ARTICLES.items()
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "articles.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())


def model_environment(endpoint: Endpoint, home: Path) -> dict[str, str]:
    """The variables with which `kg` asks the endpoint, a model of its own for each role."""
    return {
        **endpoint.environment(),
        "HOPGRADE_MODEL_TIMEOUT_SECONDS": str(SILENCE_SECONDS),
        "HOPGRADE_ANSWER_MODEL": ANSWERER,
        "HOPGRADE_JUDGE_MODEL": JUDGE,
        "HOPGRADE_MODEL_PRICES": json.dumps({ANSWERER: [1_000_000, 1_000_000]}),
        "HOPGRADE_PREFLIGHT": "false",
        "HOPGRADE_HOME": str(home / "home"),
        "HOPGRADE_CACHE": str(home / "cache"),
        "COLUMNS": "300",
    }
