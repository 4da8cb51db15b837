"""An open corpus: its questions, runs and paths.

Runs that are started from Python, with the care that the command line takes.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kg.connect import open_graph
from kg.corpus import list_corpora, own_corpora, require_corpus
from kg.errors import CorpusError, NothingToDoError
from kg.llm.roles import role_budget
from kg.progress import Progress, Silent
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import answering_in, reading_whole
from services.benchmarks.sweep import SweepRow, pending_links, plan_settings, sweep, sweep_costs
from services.datasets.contamination import Contamination, read_contamination, read_set
from services.datasets.description import DatasetStatistics, read_statistics
from services.external.adapters.adapt import adapt
from services.external.calls import Patience
from services.external.outside_system import external_callable
from services.preflight.asking import prepare
from services.preflight.job_needs import sweep_needs
from services.python_api.questions import (
    Question,
    answer_questions,
    ask_question,
    check_choice,
    iterate_questions,
    plan_options,
    read_path_graph,
    read_question,
)
from services.python_api.runs import Run, run_of
from services.rag.ask import AskResult
from services.rag.retrieval.choose import DEFAULT
from services.rag.run_options import RETRIEVER, RunOptions, parse_evidence, repeat_options
from services.report.content import report_json
from services.report.make import make_report
from services.runs.records import drop_run, list_runs

if TYPE_CHECKING:
    import networkx as nx

    from services.evaluate.graph_quality import GraphQuality


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus in an open graph. Use as a context manager, or call `close`."""

    graph: Graph
    name: str
    settings: Settings

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """The name."""
        return f"<Corpus {self.name!r}>"

    def close(self) -> None:
        """Give the connections back."""
        self.graph.close()

    def sizes(self) -> dict[str, int]:
        """How many articles, chunks, entities and kept questions there are.

        >>> corpus.sizes()["articles"]
        8
        """
        (row,) = [row for row in list_corpora(self.graph) if row["name"] == self.name]
        return {key: row[key] for key in ("articles", "chunks", "entities", "questions")}

    def statistics(self) -> DatasetStatistics:
        """Its articles by category, and its kept questions by type, evidence, first word and answer.

        >>> figures = corpus.statistics()
        >>> figures.total.articles == corpus.sizes()["articles"]
        True
        """
        return read_statistics(self.graph, self.name)

    def graph_quality(self) -> "GraphQuality":
        """Pairs by distance and their need of links, hubs, and how many facts each gate keeps out of paths.

        Raises:
            NothingToDoError: the graph isn't built, or is being built anew.

        >>> found = corpus.graph_quality()
        >>> found.path_edges > 0, found.gates[0].keys() == {"gate", "facts", "alone"}
        (True, True)
        """
        from services.evaluate.graph_quality import measure_built  # noqa: PLC0415  scipy takes a while

        return measure_built(self.graph, self.name)

    def contamination(
        self, files: Sequence[str | Path] = (), cutoff: date | None = None, show: int = 5
    ) -> Contamination:
        """What a model could have known before it read the articles.

        Articles up to the day `cutoff`, by default HOPGRADE_MODEL_CUTOFF; what runs that read nothing got
        right, by cell of the difficulty matrix; and how like the questions are to those of published sets in
        `files`, with the `show` pairs most alike of each.

        Raises:
            InputError: a file can't be read, or has no known form.
            NothingToDoError: the corpus, or a file, has no question.

        >>> from datetime import date
        >>> known = corpus.contamination(cutoff=date(2031, 1, 1)).age
        >>> known.dated + known.undated == corpus.sizes()["articles"]
        True
        """
        sets = [read_set(Path(file)) for file in files]
        return read_contamination(self.graph, self.name, self.settings, cutoff, sets, Silent(), show)

    def sweep(
        self,
        system: str = "single-step",
        embedders: Sequence[str] = (),
        chunks: Sequence[str] = (),
        tops: Sequence[int] = (10,),
        model: str | None = None,
        retriever: str = RETRIEVER,
        limit: int | None = None,
        progress: Progress | None = None,
        *,
        reranker: str | None = None,
        candidates: int | None = None,
    ) -> list[SweepRow]:
        """Answer the kept chain questions anew under other embedders, chunk sizes and numbers of chunks.

        Every pair of an embedder and a size of `chunks` ("small", "128-256/50"; by default
        the corpus' own) gets a corpus of its own, which stays. A row for each setting, number of chunks and
        depth, compared with the first one's. `reranker` and `candidates` are those of `start_run`.

        Raises:
            NothingToDoError: the corpus has no kept chain question.
            SettingsError: an option can't work.
            UserError: a model fails one of our prompts; with HOPGRADE_PREFLIGHT=false none is tried.
            ModelError: a model can't go on; the same call goes on from there.

        >>> rows = corpus.sweep(tops=[1, 10], limit=4, reranker="lexical")
        >>> [(row.top, row.error.n) for row in rows if row.hops is None]
        [(1, 4), (10, 4)]
        """
        settings = self._answering(model)
        options = plan_options(
            system, model, retriever, limit=limit, reranker=reranker, candidates=candidates
        )
        budget = None if model is None else role_budget("answer", settings)
        chosen = plan_settings(self.graph, self.name, embedders, chunks)
        quiet = progress or Silent()
        if needs := sweep_needs(options, pending_links(self.graph, self.name, chosen)):
            costs = partial(sweep_costs, self.graph, self.name, chosen, tops, options, settings)
            prepare(needs, costs, settings, quiet, budget)
        return sweep(self.graph, self.name, chosen, tops, options, settings, quiet, budget)

    def report(self, runs: Sequence[str] = (), seed: int = 0) -> dict[str, object]:
        """What a report tells of runs, by default of all, as maps, lists, numbers and strings.

        Beside accuracy it holds on what right answers rest, silences, cost, ceilings, repeats, judges and
        comparisons; `seed` is that of the sign flips.

        Raises:
            NothingToDoError: there is no run, or none of such a name.

        >>> told = corpus.report(["single-step", "multi-step"])
        >>> len(told["runs"])
        2
        """
        with reading_whole(self.graph, self.name) as mine:
            return report_json(make_report(mine, self.name, runs, Silent(), seed))

    def questions(
        self,
        hops: Sequence[int] = (),
        kinds: Sequence[str] = (),
        status: str = "kept",
        limit: int | None = None,
    ) -> Iterator[Question]:
        """The questions, chains first, by depth, kind and difficulty; without `hops` or `kinds` of any.

        `status` is "kept" or "rejected"; `limit` None stands for all.

        Raises:
            SettingsError: no question has such a kind or status.

        >>> for question in corpus.questions(hops=[2], kinds=["chain"], limit=1):
        ...     print(question.hops, len({piece.hop for piece in question.evidence}))
        2 2
        """
        check_choice(kinds, status)
        return iterate_questions(self.graph, self.name, hops, kinds, status, limit)

    def question(self, id_: str) -> Question:
        """The question of this id.

        Raises:
            NothingToDoError: there is none.

        >>> first = next(corpus.questions())
        >>> corpus.question(first.id) == first
        True
        """
        return read_question(self.graph, id_)

    def path(self, path: "str | Question") -> "nx.DiGraph[str]":
        """A hop path by its id, or the one behind a question, as a networkx graph; needs the extra notebook.

        Nodes are entities with `name`, `type` and `index`; edges are facts with `hop`, `predicate`,
        `sentence`, `title` and more, in the direction of the fact.

        Raises:
            NothingToDoError: there is no such path, or the question has none.
            SettingsError: networkx is not installed.

        >>> path = corpus.path(next(corpus.questions(hops=[3], kinds=["chain"])))
        >>> path.number_of_nodes(), path.number_of_edges()
        (4, 3)
        """
        id_ = path if isinstance(path, str) else path.path
        if not id_:
            raise NothingToDoError("this question has no path.", "Chain questions have one: kinds=['chain'].")
        return read_path_graph(self.graph, self.name, id_)

    def ask(
        self,
        question: str,
        system: str = "single-step",
        retriever: str = DEFAULT,
        top: int = 10,
        model: str | None = None,
        *,
        reranker: str | None = None,
        candidates: int | None = None,
    ) -> AskResult:
        """Let a system answer a question, as `ask` does: the answer, what was read, steps and a path to it.

        By rules, or with `model` by that model. Each step of `path` is a fact of the graph with who is
        reported to have said so (`attributed_to`, empty where the article says it itself). Nothing is stored.

        Raises:
            NothingToDoError: the corpus has no vectors yet.
            SettingsError: an option can't work.
            ModelError: the model can't go on.

        >>> asking = corpus.ask("Which club does Mira Tolland play for?")
        >>> asking.reading.answer, [step.predicate for step in asking.path]
        ('Ostby Rovers', ['plays for'])
        """
        options = plan_options(system, model, retriever, top, reranker=reranker, candidates=candidates)
        return ask_question(self.graph, self.name, question, options, self._answering(model))

    def runs(self) -> list[Run]:
        """The runs, by name.

        >>> [run.name for run in corpus.runs()]
        ['multi-step', 'single-step']
        """
        return [run_of(self.graph, self.name, self.settings, row) for row in list_runs(self.graph, self.name)]

    def run(self, name: str) -> Run:
        """The run of this name.

        Raises:
            NothingToDoError: there is none; the message lists those that there are.

        >>> corpus.run("single-step").system
        'single-step'
        """
        runs = self.runs()
        for run in runs:
            if run.name == name:
                return run
        known = ", ".join(repr(run.name) for run in runs) or "none yet"
        raise NothingToDoError(
            f"corpus {self.name!r} has no run {name!r} (found: {known}).",
            'Start one: corpus.start_run("single-step")',
        )

    def start_run(
        self,
        system: str,
        name: str = "",
        model: str | None = None,
        retriever: str = RETRIEVER,
        top: int = 10,
        limit: int | None = None,
        progress: Progress | None = None,
        *,
        reranker: str | None = None,
        candidates: int | None = None,
        evidence: str = "retrieved",
        evidence_tokens: int | None = None,
        seed: int = 0,
        temperature: float = 0.0,
        repeats: str = "",
        prefixes: bool = False,
        most_iterations: int | None = None,
    ) -> Run:
        """Let a RAG system answer the kept questions, as `run start` does; what is answered already stays.

        With `model`, that model answers instead of the rules. `reranker` ("cross-encoder") leaves the best
        `top` of the `candidates` that a search finds; `evidence` "gold" gives the system the chunks that
        support a question in place of what it would find, "none" lets it answer from memory. At most
        `evidence_tokens` tokens of text are read for a question. The model is asked with `seed` and
        `temperature`; runs that differ in the seed only have a name in common, `repeats`, behind which each
        has its seed in its own ("drawn-seed-0"), and a report tells how far they vary. With `prefixes` the
        questions' first hops are asked too, after them; an agent searches, or goes round, at most
        `most_iterations` times. A run of the same name whose settings differ is made anew.

        Raises:
            NothingToDoError: the corpus has no questions.
            SettingsError: an option can't work.
            UserError: the model fails one of our prompts; with HOPGRADE_PREFLIGHT=false none is tried.
            ModelError: a model can't go on; what was answered is kept, and the same call goes on.

        >>> corpus.start_run("single-step", top=3, limit=2, name="short").answers
        2
        >>> corpus.start_run("single-step", reranker="lexical", candidates=20, top=6, limit=2).name
        'single-step-reranked'
        >>> corpus.start_run("react", prefixes=True, most_iterations=2, limit=2, name="hops").answers
        2
        """
        settings = self._answering(model)
        options = replace(
            plan_options(system, model, retriever, top, limit, reranker, candidates),
            name=name,
            evidence=parse_evidence(evidence),
            evidence_tokens=evidence_tokens,
            seed=seed,
            temperature=temperature or None,
            prefixes=prefixes,
            most_iterations=most_iterations,
        )
        if repeats:
            (options,) = repeat_options(replace(options, name=repeats), 1, settings)
        budget = None if model is None else role_budget("answer", settings)
        return self.run(
            answer_questions(self.graph, self.name, options, settings, progress or Silent(), budget)
        )

    def _answering(self, model: str | None) -> Settings:
        return self.settings.model_copy(update={} if model is None else {"hopgrade_answer_model": model})

    def evaluate(
        self,
        system: object,
        name: str,
        limit: int | None = None,
        concurrency: int = 8,
        timeout_seconds: float = 120.0,
        retries: int = 3,
        anew: bool = False,
        retry_failed: bool = False,
        model: str = "",
        progress: Progress | None = None,
    ) -> Run:
        """Let a system of one's own answer the kept questions, as a run of this name.

        `system` is a function from a question's text to an answer (see `hopgrade.OwnSystem`), which may be a
        coroutine function, or an object of a library that has an adapter. Several questions are asked at
        once, in threads; what it raises is an error of that answer. What a function of the same name answered
        already stays, because a changed one can't be told from it: give the run another name, or ask all
        `anew`. With `retry_failed`, what failed before is asked again. `model` names the model that it works
        with: reports set what this model does with gold evidence, and with none, beside the run.

        Raises:
            NothingToDoError: the corpus has no questions.
            SettingsError: this is nothing that can be asked, or the name can't be one.

        >>> def ours(question: str) -> hopgrade.OwnAnswer:
        ...     found = hopgrade.RetrievedText("Mira Tolland plays for the Ostby Rovers.")
        ...     return hopgrade.OwnAnswer("Kaldmere", retrieved=(found,))
        >>> corpus.evaluate(ours, "ours", limit=3).answers
        3
        """
        asked = adapt(system)
        target = f"{type(system).__module__}:{getattr(system, '__qualname__', type(system).__qualname__)}"
        patience = Patience(concurrency, timeout_seconds, retries, stops=not retry_failed)
        outside = external_callable(target, asked, patience, model)
        if anew and any(run.name == name for run in self.runs()):
            with answering_in(self.graph, self.name, name) as mine:
                drop_run(mine, self.name, name)
        options = RunOptions(name=name, outside=outside, question_limit=limit, retry_failed=retry_failed)
        return self.run(answer_questions(self.graph, self.name, options, self.settings, progress or Silent()))


def open_corpus(name: str | None = None, settings: Settings | None = None) -> Corpus:
    """Open a corpus by its name, or the only one that there is; starts the managed server when it is down.

    `settings` are those of the environment unless given.

    Raises:
        CorpusError: there is none of that name, or none was named and there is not exactly one.
        StoreUnavailableError, ServerError: no Neo4j answers.

    >>> with hopgrade.open_corpus("valley") as opened:
    ...     opened.name == corpus.name
    True
    """
    chosen = settings or Settings()
    with ExitStack() as opened:
        graph = opened.enter_context(open_graph(chosen, Silent()))
        found = _only(graph) if name is None else name
        require_corpus(graph, found)
        opened.pop_all()
    return Corpus(graph, found, chosen)


def corpora(settings: Settings | None = None) -> list[str]:
    """The names of all corpora in the graph.

    >>> corpus.name in hopgrade.corpora()
    True
    """
    with open_graph(settings or Settings(), Silent()) as graph:
        return [row["name"] for row in list_corpora(graph)]


def _only(graph: Graph) -> str:
    names = own_corpora(graph)
    if len(names) == 1:
        return names[0]
    found = ", ".join(map(repr, names)) or "none yet"
    raise CorpusError(f"there is not exactly one corpus (found: {found}).", "Name one: open_corpus(NAME).")
