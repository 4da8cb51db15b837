"""Published experiments done anew from Python: MultiHop-RAG's tables, over its own files."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from kg.connect import open_graph
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.progress import Progress, Silent
from kg.settings import Settings
from kg.text.chunks import parse_chunk_size
from services.benchmarks.multihop_rag import CHUNKS, check_experiment
from services.benchmarks.multihop_rag_readers import How, Reproduction, plan_reproduction, reproduce
from services.preflight.asking import prepare
from services.preflight.job_needs import run_needs
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
    chosen, quiet = settings or Settings(), progress or Silent()
    how = How(embedders, rerankers, models, provider, parse_chunk_size(chunks), seed)
    experiment = check_experiment(Path(corpus), Path(questions), limit, seed)

    def trial(asked: Settings, cost: Mapping[str, Estimate], budget: Budget | None) -> None:
        prepare(run_needs(["single-step"]), partial(dict, cost), asked, quiet, budget)

    with open_graph(chosen, quiet) as graph:
        return reproduce(graph, plan_reproduction(graph, chosen, experiment, how, quiet), trial, quiet)
