"""Judged comparisons from Python: begun in a folder, held against their protocol, run, and verified.

Published experiments done anew from Python: MultiHop-RAG's tables, over its own files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kg.connect import open_graph
from kg.embed.choose import embedder_of
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.progress import Progress, Silent
from kg.settings import Settings
from kg.store.leases import answering_in, writing_to
from kg.text.chunks import parse_chunk_size
from services.benchmarks.multihop_rag import CHUNKS, check_experiment
from services.benchmarks.multihop_rag_readers import How, Reproduction, plan_reproduction, reproduce
from services.comparison.beginning import (
    ANSWER_TOKENS,
    EVIDENCE_TOKENS,
    POOL_BY,
    POOL_SIZE,
    SMALLEST,
    FirstOptions,
    begin_standard,
)
from services.comparison.checks import Checked, check_standard
from services.comparison.folder import folder_of
from services.comparison.protocol import Protocol
from services.comparison.protocol_file import read_protocol
from services.comparison.run import CompletedComparison, RunOrder, open_budgets, run_standard
from services.preflight.asking import prepare
from services.preflight.job_needs import comparison_trials, run_needs
from services.python_api.corpus import Corpus
from services.settled_options import DEFAULT_EMBEDDER


@dataclass(frozen=True, slots=True)
class JudgedComparison:
    """A comparison of systems over a corpus, in the folder that holds its protocol and pools."""

    corpus: Corpus
    folder: Path

    def protocol(self) -> Protocol:
        """What is compared, claimed and judged by whom, as standard.yaml in the folder says.

        Raises:
            ProtocolFileError: the file has mistakes; the message lists them.

        >>> first = hopgrade.begin_comparison(corpus, "first", questions=8, pool_size=10)
        >>> [system.name for system in first.protocol().systems][:2]
        ['top-k', 'mmr']
        """
        return read_protocol(self.folder)

    def check(self) -> Checked:
        """What is known before anything is asked: mistakes, power of each hypothesis, requests to models.

        Raises:
            ProtocolFileError: standard.yaml has mistakes.
            CorpusError: there is no such corpus.

        >>> first = hopgrade.begin_comparison(corpus, "first", questions=8, pool_size=10)
        >>> len(first.check().breaches)
        0
        """
        return check_standard(
            self.corpus.graph, self.protocol(), folder_of(self.folder), self.corpus.settings
        )

    def run(
        self, look: int | None = None, *, retry_failed: bool = False, progress: Progress | None = None
    ) -> CompletedComparison:
        """Lock the protocol, let every system answer, let both judges judge, analyse, and write the archive.

        Stopped half-way, the same call goes on where it was. What models will take is told to `progress`, and
        their prompts are tried before. `look` is the number of a planned look; None stands for the last.
        The results are `Ran.results`, with a decision for each hypothesis; the archive is `Ran.archive`.

        Raises:
            ProtocolFileError: standard.yaml has mistakes.
            UserError: the run would break its protocol; the message says where.
            ModelError: a model can't go on; what was answered and judged is kept.

        >>> ran = hopgrade.begin_comparison(corpus, "first", questions=8, pool_size=10).run()
        >>> ran.archive.name
        'first.zip'
        >>> hopgrade.verify_archive(ran.archive).equal
        True
        """
        protocol, settings, quiet = self.protocol(), self.corpus.settings, progress or Silent()
        folder = folder_of(self.folder)
        embedder = embedder_of(self.corpus.graph, self.corpus.name, settings)
        budgets = open_budgets(protocol, settings)
        with answering_in(self.corpus.graph, self.corpus.name, f"standard {protocol.name}") as graph:
            if budgets.answer is not None or budgets.judges:
                calls = check_standard(graph, protocol, folder, settings).calls
                for needs, parts, asked, budget in comparison_trials(protocol, calls, settings, budgets):
                    prepare(needs, partial(dict, parts), asked, quiet, budget)
            order = RunOrder(look, retry_failed)
            return run_standard(graph, protocol, folder, order, settings, embedder, quiet, budgets)


def begin_comparison(
    corpus: Corpus,
    folder: str | Path,
    *,
    name: str | None = None,
    questions: int | None = None,
    seed: int = 0,
    pool_by: str = POOL_BY,
    pool_size: int = POOL_SIZE,
    evidence_tokens: int = EVIDENCE_TOKENS,
    answer_tokens: int = ANSWER_TOKENS,
    model: str | None = None,
    judge: str = "exact",
    second_judge: str = "overlap",
    smallest: float = SMALLEST,
    calibration: int | None = None,
    calibration_run: str | None = None,
    systems: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> JudgedComparison:
    """Draw questions, freeze their pools, and write a protocol to be edited; nothing is asked.

    As the command standard init does it, whose reference tells what each option takes. `systems` are your
    own, by name, with the name of the run that each will make after the lock. What is claimed is yours to
    write: edit the hypotheses in standard.yaml of the folder before `run`.

    Raises:
        SettingsError: an option can't work, or the folder holds a comparison already.
        InputError: the folder can't be written.
        NothingToDoError: the corpus has no questions, or a pool would be empty.

    >>> begun = hopgrade.begin_comparison(corpus, "first", questions=8, pool_size=10)
    >>> begun.protocol().budget.evidence_tokens
    1000
    """
    path = Path(folder)
    options = FirstOptions(
        name=path.resolve().name if name is None else name,
        questions=questions,
        seed=seed,
        pool_by=pool_by,
        pool_size=pool_size,
        evidence_tokens=evidence_tokens,
        answer_tokens=answer_tokens,
        model=model,
        judge=judge,
        second_judge=second_judge,
        smallest=smallest,
        calibration=calibration,
        calibration_run=calibration_run,
        runs=tuple((systems or {}).items()),
    )
    embedder = embedder_of(corpus.graph, corpus.name, corpus.settings)
    with writing_to(corpus.graph, corpus.name) as graph:
        begin_standard(graph, corpus.name, path, options, corpus.settings, embedder, progress or Silent())
    return JudgedComparison(corpus, path)


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
