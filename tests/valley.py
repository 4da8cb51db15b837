"""Short articles by chance from the valley that the scripted reader knows."""

import json
import random
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

from kg.extract.model import ModelExtractor
from kg.llm.budget import Budget
from kg.llm.protocol import Model
from kg.llm.roles import open_model
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.stages.build import BuildOptions, Tools
from kg.stages.path_finding import PathOptions
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize
from services.pipeline import JobOptions, open_for_job
from tests.scripted_reader import FIRMS, PERSONS, TOWNS
from tests.small_world import tools as rule_tools

OPTIONS = BuildOptions(ChunkSize(16, 48, 8), seed=0, paths=PathOptions(per_depth=30, seed=0))

_MODEL = "scripted"


def bodies(count: int, seed: int = 0) -> list[str]:
    """Articles of up to fifteen sentences, with opinions, questions, denials and doubtful claims."""
    dice = random.Random(seed)
    return [_body(dice, number) for number in range(count)]


def _body(dice: random.Random, number: int) -> str:
    sentences = [f"{FIRMS[number % len(FIRMS)]} opened in {1800 + number}."]
    for _ in range(14 if number % 5 == 0 else dice.randint(2, 4)):
        person, firm, town = dice.choice(PERSONS), dice.choice(FIRMS), dice.choice(TOWNS)
        kinds = (
            f"{person} founded {firm}.",
            f"{person} leads {firm}.",
            f"{firm} is based in {town}.",
            f"{person} was born in {town}.",
            f"{person} never founded {firm}.",
            f"It was a sad day for {town}.",
            f"{person} perhaps leads {firm}.",
            f"Who leads {firm}?",
        )
        sentences.append(dice.choice(kinds))
    return " ".join(dict.fromkeys(sentences))


def extractor(settings: Settings, budget: Budget | None = None, articles_at_once: int = 12) -> ModelExtractor:
    """The model's extractor, whose pauses between tries take no time."""

    def opened() -> AbstractContextManager[Model]:
        return open_model("extract", settings, budget, sleep=lambda _: None)

    return ModelExtractor(_MODEL, opened, articles_at_once)


def tools(settings: Settings, budget: Budget | None = None) -> Tools:
    """What builds a graph with the model."""
    name = extractor(settings).name
    return Tools("builtin", rule_tools().embedder, name, lambda: extractor(settings, budget))


def ingest(graph: Graph, corpus: str, texts: list[str], used: Tools) -> None:
    """Put articles into a corpus, from a file."""
    open_for_job(graph, corpus, JobOptions(OPTIONS), used)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "valley.jsonl"
        rows = [{"id": str(n), "title": f"News {n}", "body": body} for n, body in enumerate(texts)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())
