"""Time the selectors of evidence, and what gold they show: `python -m benchmarks.selectors --corpus NAME`.

Uses the graph that `kg` uses; the corpus must have questions. Pools are the first --pool chunks of a
retriever. For each budget a line a selector, and below the genetic one without each part of its fitness, and
with fewer and more generations. `clusters` is Cluster Recall, `hops` the share of hops with gold evidence
that is shown, `all` that of questions with all of it; `tokens` what is spent of the budget, `ms` CPU time of
choosing for a question.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from time import process_time
from typing import get_args

import numpy as np

from kg.connect import open_graph
from kg.embed.choose import embedder_of
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.datasets.source import open_dataset
from services.questions.spans.evidence_clusters import read_chunk_clusters
from services.questions.spans.facets import ClusterFacet
from services.rag.answering import rag_questions
from services.rag.graph_search.cache import SnapshotCache
from services.rag.graph_search.search import prepare_graph, search_graph
from services.rag.protocol import RagQuestion
from services.rag.retrieval.choose import RETRIEVERS, open_retriever
from services.rag.retrieval.pool import WALKED, pool_index, pool_of
from services.rag.selection import DEFAULT, SELECTORS, Pool, SelectionBudget, Selector, genetic

BUDGETS = "512,1024"
FACETS: tuple[ClusterFacet, ...] = get_args(ClusterFacet)


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its pool, and the gold that no selector sees: chunks by hop, clusters by chunk."""

    question: RagQuestion
    pool: Pool
    hops: Mapping[int, frozenset[str]]
    clusters: Mapping[str, str]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--retriever", default="hybrid", choices=RETRIEVERS)
    parser.add_argument("--clusters", default="claims", choices=FACETS)
    parser.add_argument("--pool", type=int, default=100)
    parser.add_argument("--budgets", default=BUDGETS)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        cases = read_cases(
            graph,
            settings,
            given.corpus,
            given.retriever,
            given.clusters,
            given.pool,
            given.questions,
            given.seed,
        )
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}")
    print(
        f"{len(cases):,} questions, pools of {given.pool} by {given.retriever}, clusters by {given.clusters}"
    )
    for budget in map(int, given.budgets.split(",")):
        print(f"\n{f'{budget:,} tokens':<24}{'clusters':>9}{'hops':>7}{'all':>7}{'tokens':>8}{'ms':>7}")
        for name, selector in (*((name, one.select) for name, one in SELECTORS.items()), *ablations()):
            print(f"{name:<24}{line_of(cases, selector, budget)}", flush=True)


def ablations() -> Iterator[tuple[str, Selector]]:
    """The genetic selector without each part, and with other lengths of breeding."""
    for part in ("clusters", "hops", "similarity", "redundancy"):
        settings = replace(DEFAULT, weights=replace(DEFAULT.weights, **{part: 0.0}))
        yield f"  without {part}", partial(genetic, settings=settings)
    for generations in (0, 10, 50):
        yield (
            f"  {generations} generations",
            partial(genetic, settings=replace(DEFAULT, generations=generations)),
        )


def line_of(cases: Sequence[Case], selector: Selector, budget: int) -> str:
    """What a selector shows of the gold, over all questions."""
    began = process_time()
    chosen = [selector(case.pool, SelectionBudget(budget, at)) for at, case in enumerate(cases)]
    milliseconds = (process_time() - began) / len(cases) * 1_000
    clusters, hops, whole = [], [], []
    for case, places in zip(cases, chosen, strict=True):
        shown = {case.pool.chunks[place] for place in places}
        found = [bool(gold & shown) for gold in case.hops.values()]
        hops.append(fmean(found))
        whole.append(all(found))
        gold = frozenset[str]().union(*case.hops.values())
        wanted = {case.clusters[chunk] for chunk in gold}
        clusters.append(len({case.clusters[chunk] for chunk in gold & shown}) / len(wanted))
    spent = fmean(float(case.pool.tokens[at].sum()) / budget for case, at in zip(cases, chosen, strict=True))
    return f"{fmean(clusters):>9.3f}{fmean(hops):>7.3f}{fmean(whole):>7.3f}{spent:>8.2f}{milliseconds:>7.1f}"


def read_cases(
    graph: Graph,
    settings: Settings,
    corpus: str,
    retriever: str,
    facet: ClusterFacet,
    size: int,
    count: int,
    seed: int,
) -> list[Case]:
    """Some questions that have gold evidence, drawn by `seed`, with their pools."""
    embedder = embedder_of(graph, corpus, settings)
    gold: dict[str, dict[int, set[str]]] = {}
    for row in open_dataset(graph, corpus, {}, 0).question_rows():
        hops = defaultdict[int, set[str]](set)
        for one in row["gold"]:
            hops[one["hop"]].add(one["chunk"])
        if hops:
            gold[row["question"]["id"]] = hops
    ids = np.random.default_rng(seed).permutation(sorted(gold))[:count].tolist()
    question = rag_questions(graph.rows(query("questions/read_queries"), ids=ids), embedder)
    snapshots = SnapshotCache(graph, corpus, settings.hopgrade_cache)
    snapshot = snapshots.current()
    prepared = prepare_graph(snapshot)
    clusters = read_chunk_clusters(graph, corpus, facet, snapshot.chunks.ids)
    index = pool_index(snapshot, prepared, snapshot.chunks.ids, clusters)
    pools = open_retriever(retriever, graph, corpus, embedder, size, snapshots).retrieve(question)
    walks = search_graph(snapshot, prepared, question, embedder.embed, WALKED)
    return [
        Case(
            question=one,
            pool=pool_of(
                index, one, [(hit.chunk, hit.score) for hit in pool], {hit.chunk: hit.score for hit in walk}
            ),
            hops={hop: frozenset(chunks) for hop, chunks in gold[one.id].items()},
            clusters=clusters,
        )
        for one, pool, walk in zip(question, pools, walks, strict=True)
    ]


if __name__ == "__main__":
    main()
