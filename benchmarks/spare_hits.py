"""What a vector index gives up when it is asked for no spare hits: `python -m benchmarks.spare_hits`.

neo4j-graphrag's VectorRetriever is asked for more and more passages of the development sets (HOPGRADE_SHARED,
or ../shared beside the checkout); the first ten are kept. Beside it stand our `vector`, with the same vectors
in the same database, and the exact ten nearest. `same` is the share of the exact ten that were found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from benchmarks.retrieval_speed import SHARED
from kg.connect import open_graph
from kg.embed.choose import make_embedder
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from services.benchmarks.contenders import Ground, article_ranking, ground_for, open_contender
from services.benchmarks.retrieval import gold_groups
from services.benchmarks.retrieval_sets import ONE_CHUNK, development_sets, prepare_set
from services.settled_options import DEFAULT_EMBEDDER
from services.statistics.rankings import all_gold, found_at, recall

KEPT = 10
ASKED = (10, 30, 110, 410)


def main() -> None:
    """A table for each set."""
    settings = Settings()
    embedder = make_embedder(DEFAULT_EMBEDDER, settings)
    with open_graph(settings, Silent()) as graph:
        for files in development_sets([SHARED]):
            ready = prepare_set(graph, settings, files, DEFAULT_EMBEDDER, ONE_CHUNK, Silent())
            ground = Ground(graph, settings, ready.corpus, ready.passages, embedder, KEPT)
            questions = [one.question.text for one in ready.questions]
            gold = [gold_groups(one) for one in ready.questions]
            articles = {passage.chunk: passage.article for passage in ready.passages}
            rows = list(graph.stream(query("search/read_chunks"), corpus=ready.corpus))
            ids = np.array([row["id"] for row in rows])
            vectors = np.stack([row["vector"].to_native() for row in rows])
            likeness = embedder.embed_queries(questions) @ vectors.T
            exact = [list(map(str, ids[order[:KEPT]])) for order in np.argsort(-likeness, kind="stable")]
            print(f"{files.name}: {len(rows):,} passages, {len(questions)} questions")
            print(f"  {'':<24}{'same':>8}{'recall@5':>10}{'all gold@10':>13}")
            _line("exact", exact, exact, gold, articles)
            own = open_contender("vector", ground)
            _line("vector", [own(text) for text in questions], exact, gold, articles)
            with ground_for(ground, ["graphrag-vector"]):
                for asked in ASKED:
                    rank = open_contender("graphrag-vector", replace(ground, limit=asked))
                    _line(
                        f"graphrag-vector, {asked}",
                        [rank(text)[:KEPT] for text in questions],
                        exact,
                        gold,
                        articles,
                    )
            print(flush=True)


def _line(
    name: str,
    rankings: Sequence[Sequence[str]],
    exact: Sequence[Sequence[str]],
    gold: Sequence[Sequence[Sequence[str]]],
    articles: Mapping[str, str],
) -> None:
    same = fmean(len(set(one) & set(best)) / KEPT for one, best in zip(rankings, exact, strict=True))
    found = [
        found_at(article_ranking(one, articles), groups) for one, groups in zip(rankings, gold, strict=True)
    ]
    recalled = fmean(recall(ranks, 5) for ranks in found)
    whole = fmean(all_gold(ranks, KEPT) for ranks in found)
    print(f"  {name:<24}{same:>8.3f}{recalled:>10.3f}{whole:>13.3f}", flush=True)


if __name__ == "__main__":
    main()
