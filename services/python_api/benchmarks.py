"""Published experiments done anew from Python: MultiHop-RAG's tables, over its own files."""

from collections.abc import Sequence
from pathlib import Path

from kg.connect import open_graph
from kg.progress import Progress, Silent
from kg.settings import Settings
from kg.text.chunks import parse_chunk_size
from services.benchmarks.embedders import NO_RERANKER
from services.benchmarks.multihop_rag import CHUNKS, check_experiment, open_experiment, rank_all
from services.benchmarks.multihop_rag_readers import (
    Reproduction,
    plan_readers,
    read_all,
    readers_budget,
    reading_costs,
    reading_tasks,
    reproduction,
)
from services.evaluate.prior_knowledge import tell_cutoff
from services.preflight.asking import prepare
from services.preflight.job_needs import run_needs
from services.rag.rerank import make_reranker
from services.settled_options import DEFAULT_EMBEDDER


def multihop_rag(
    corpus: str | Path,
    questions: str | Path,
    *,
    embedders: Sequence[str] = (DEFAULT_EMBEDDER,),
    rerankers: Sequence[str] = ("lexical",),
    models: Sequence[str] = (),
    provider: str | None = None,
    chunks: str = str(CHUNKS),
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    settings: Settings | None = None,
) -> Reproduction:
    """Reproduce tables 5 and 6 and figure 3 of MultiHop-RAG from its files, corpus.json and MultiHopRAG.json.

    Every embedder is measured without and with every reranker; what the best of them retrieved, and the
    ground-truth evidence, is read by each of `models`, or by the rules where neither a model nor a provider
    is named. With a limit so many queries are asked, of all types alike. The articles become a corpus of
    their own, and replies are kept, so that the same call goes on where it was stopped.

    Raises:
        InputError: a file is missing or is none of MultiHop-RAG's.
        SettingsError: an option can't work, or a model can't be asked.
        NothingToDoError: no query has evidence among the articles.
        UserError: a model fails our prompt; with HOPGRADE_PREFLIGHT=false it isn't tried.
        ModelError: a model can't go on; what was answered is kept.

    >>> made = hopgrade.multihop_rag("corpus.json", "MultiHopRAG.json")
    >>> [cell.reranker for cell in made.cells], made.readers == (made.accuracy[0].reader,)
    (['none', 'lexical'], True)
    """
    size, chosen, quiet = parse_chunk_size(chunks), settings or Settings(), progress or Silent()
    experiment = check_experiment(Path(corpus), Path(questions), limit, seed)
    readers = plan_readers(chosen, models, provider)
    budget = readers_budget(readers)
    used = {NO_RERANKER: None, **{one: make_reranker(one, chosen) for one in rerankers if one != NO_RERANKER}}
    with open_graph(chosen, quiet) as graph:
        ground = open_experiment(graph, chosen, experiment, embedders[0], size, quiet)
        ranking = rank_all(graph, chosen, ground, embedders, used, size, seed, quiet)
        tasks = reading_tasks(graph, ground, ranking)
        costs = reading_costs(readers, tasks)
        if costs:
            tell_cutoff(graph, ground.ready.corpus, chosen.hopgrade_model_cutoff, quiet)
        for one in (reader for reader in readers if reader.name in costs):
            cost = {f"answers of {one.name}": costs[one.name]}
            prepare(run_needs(["single-step"]), cost.copy, one.settings, quiet, budget)
        found = read_all(readers, tasks, budget, quiet)
    return reproduction(ground, ranking, found, size, seed)
