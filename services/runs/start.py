"""Start a run, or go on with it: a system answers the kept questions, and its matrix is written.

Where that is asked for, it answers their prefix questions too, as a stage of its own: the run's answers and
its key stay as they are without them.

A run goes on where it stopped, and with a higher limit where the lower one ended. It is made anew when
anything changed that its answers depend on: the questions, the system, the model, its prompts, how much is
retrieved.

The order in which a run asks, so that its first questions are a fair part of all.

The prefix questions of a run: what each first part of a chain asks for, asked of the same system.

Their answers hang at the run by GAVE_PREFIX: whatever counts the answers that a run GAVE is as it was.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache

from kg.corpus import read_properties, require_corpus
from kg.embed.choose import Embedder
from kg.engine.choose import engine_of
from kg.errors import ModelRefusedError, ModelUnavailableError, NothingToDoError, command
from kg.ids import bare_id, content_hash, run_id
from kg.ledger import Counts, outdate_stages, read_stage, run_stage, stage_key, stages_of
from kg.llm.budget import Budget
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.stages.vectors import embed_for_search
from kg.store.graph import Graph, Row
from services.answers import EXACT_MATCH
from services.evaluate.judge import follow_rule, verdict_source
from services.evaluate.write_back import write_matrix
from services.questions.dataset import dataset_version
from services.rag.answering import answer_pending
from services.rag.graph_search.cache import SnapshotCache
from services.rag.protocol import RagSystem
from services.rag.retrieval.choose import open_retriever
from services.rag.run_options import RunOptions, RunSettings, settle_run
from services.rag.systems import (
    CLOSED_BOOK,
    GoldRetriever,
    open_system,
    read_gold,
    spread_system,
    vector_kinds_of_run,
)
from services.runs.records import delete_run

PREFIXES = "prefixes-1"
"""Version of what the stage does; a change makes it run anew, and ask what is not answered."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """How many prefix questions some questions have, each counted once, and the ids of those to be asked."""

    questions: int
    pending: tuple[str, ...]


NO_PREFIXES = Prefixes(0, ())


def read_prefixes(
    graph: Graph,
    run: str,
    questions: Sequence[str],
    anew: bool,
    covers: Collection[str] | None = None,
    *,
    retry: bool = False,
) -> Prefixes:
    """The prefix questions of these questions, which a run, given by its id, may have answered in part.

    Those that aren't in `covers` are left out; with `anew` no answer counts, with `retry` none that failed.
    """
    rows = graph.rows(
        query("questions/list_pending_prefixes"), run=run, questions=list(questions), retry=retry
    )
    asked = [row for row in rows if covers is None or row["id"] in covers]
    return Prefixes(len(asked), tuple(row["id"] for row in asked if anew or not row["answered"]))


def renew_source(graph: Graph, run: str, source: str) -> None:
    """Forget what a run, given by its id, answered to prefix questions from another source than this."""
    graph.rows(query("answers/delete_prefixes"), run=run, source=source)


def count_prefixes(graph: Graph, run: str) -> Counts:
    """How many answers the run with this id gave to prefix questions, and what came of them."""
    return dict(graph.rows(query("answers/count_answers"), run=run, prefixes=True)[0])


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """A kept question with the group that a limit is balanced over; `bin` is None but for chains."""

    id: str
    kind: str
    hops: int
    bin: int | None
    answered: bool


def balance(questions: Iterable[RunQuestion]) -> list[RunQuestion]:
    """The questions in turn from every kind, depth and bin; within these by a hash of their ids.

    The first n of them are a part of the first n + 1, whatever was answered before.
    """
    groups: defaultdict[tuple[str, int, int], list[RunQuestion]] = defaultdict(list)
    for question in questions:
        groups[question.kind, question.hops, question.bin or 0].append(question)
    placed = [
        (rank, content_hash((*map(str, key), str(rank))), question)
        for key, group in groups.items()
        for rank, question in enumerate(
            sorted(group, key=lambda one: (content_hash([bare_id(one.id)]), one.id))
        )
    ]
    return [question for _, _, question in sorted(placed, key=lambda one: (one[0], one[1], one[2].id))]


def limit_questions(questions: Iterable[RunQuestion], limit: int | None) -> list[RunQuestion]:
    """The questions that a limit leaves, in the order in which they are asked; None leaves all."""
    return balance(questions)[:limit]


RUN = "run-2"
MATRIX = "matrix-2"
"""Versions of what these stages do; a change makes finished runs be made anew."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a start would do: of `questions` so many are `answered`; `anew` tells that older answers of this
    name are deleted first. `prefixes` are their prefix questions, none where they aren't asked for; `cutoff`
    is the last day of what the model was trained on that answers, None where it isn't known or rules do."""

    settings: RunSettings
    key: str
    questions: int
    pending: tuple[str, ...]
    anew: bool
    prefixes: Prefixes = NO_PREFIXES
    cutoff: date | None = None

    @property
    def asks(self) -> bool:
        """Whether anything is left to ask."""
        return bool(self.pending or self.prefixes.pending)

    @property
    def answered(self) -> int:
        """How many of the questions need not be asked."""
        return self.questions - len(self.pending)


def plan_run(
    graph: Graph, corpus: str, options: RunOptions, settings: Settings, embedder: Embedder
) -> RunPlan:
    """What a start of a run with these options would do; nothing is changed.

    Raises:
        NothingToDoError: the corpus has no questions.
        SettingsError: an option can't work.
    """
    line = read_stage(graph, corpus, "questions")
    if line is not None and line["state"] != "done":
        raise _no_questions(corpus)
    inside = options.outside is None
    retriever = _retriever_name(graph, corpus, options, embedder)
    dataset = dataset_version(graph, corpus)
    settled = settle_run(options, settings, embedder.name, retriever, dataset)
    # Imported questions need none to be made; they count in the version of the dataset.
    made_by = (RUN, settled) if inside else (RUN, settled, settled.source)
    key = stage_key(line["key"] if line is not None else "", *made_by)
    run = run_id(corpus, settled.name)
    kept = read_properties(graph, run)
    anew = bool(kept) and kept.get("key") != key
    retry = options.retry_failed
    rows = graph.rows(query("questions/list_pending"), corpus=corpus, run=run, retry=retry)
    with_gold = _with_gold(graph, options, [row["id"] for row in rows])
    listed = (
        RunQuestion(**row) for row in rows if _is_covered(options, row["id"]) and row["id"] in with_gold
    )
    chosen = limit_questions(listed, options.question_limit)
    if not chosen:
        raise _no_questions(corpus)
    pending = tuple(one.id for one in chosen if anew or not one.answered)
    prefixes = NO_PREFIXES
    if options.prefixes:
        covers = None if options.outside is None else options.outside.covers
        prefixes = read_prefixes(graph, run, [one.id for one in chosen], anew, covers, retry=retry)
    cutoff = settings.hopgrade_model_cutoff if options.generator == "model" else None
    return RunPlan(settled, key, len(chosen), pending, anew, prefixes, cutoff)


def start_run(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    budget: Budget | None = None,
    plan: RunPlan | None = None,
) -> str:
    """Answer what is not answered yet, write the matrix, and then ask the prefix questions where `options`
    says so; the name of the run. `plan` is what `plan_run` said of it, planned here where it is None.

    Raises:
        NothingToDoError: the corpus has no questions.
        SettingsError: an option can't work.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: a model can't go on; what was answered
            is kept.
    """
    plan = plan or plan_run(graph, corpus, options, settings, embedder)
    name, run = plan.settings.name, run_id(corpus, plan.settings.name)
    if options.retry_failed and not plan.anew:
        _forget_failed(graph, corpus, name)
    if plan.asks:
        # Here, where progress shows, and not by each of those who answer.
        embed_for_search(graph, corpus, vector_kinds_of_run(options), embedder, progress)
    with ExitStack() as opened:
        # Once for both stages that ask, as some copy chunks to get ready; and not at all where none does.
        def open_once() -> RagSystem:
            spec = require_corpus(graph, corpus).embedder
            spread = spread_system(corpus, options, settings, spec, engine_of(settings), plan.key)
            snapshots = SnapshotCache(graph, corpus, settings.hopgrade_cache, progress)
            here = open_system(graph, corpus, options, settings, embedder, budget, snapshots)
            return spread or opened.enter_context(here)

        system = cache(open_once)
        outcome = run_stage(
            graph,
            corpus,
            f"run {name}",
            stage_key(plan.key, options.question_limit, *sorted(options.covers or ())),
            lambda: _answer(graph, corpus, options, plan, system, embedder, progress),
            lambda: _clear(graph, run, plan.key),
            progress,
        )
        run_stage(
            graph,
            corpus,
            f"matrix {name}",
            stage_key(outcome.key, MATRIX),
            lambda: write_matrix(graph, corpus, name, progress),
            lambda: None,
            progress,
        )
        if options.prefixes:
            source = "" if options.outside is None else options.outside.prefix_source
            run_stage(
                graph,
                corpus,
                f"prefixes {name}",
                stage_key(outcome.key, PREFIXES, *filter(None, [source])),
                lambda: _answer_prefixes(graph, corpus, options, name, settings, system, embedder, progress),
                lambda: None,  # they went with the run that they were asked in
                progress,
            )
    if options.rule is not None:
        follow_rule(graph, corpus, name, options.rule, progress)
    return name


def _answer(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    plan: RunPlan,
    system: Callable[[], RagSystem],
    embedder: Embedder,
    progress: Progress,
) -> Counts:
    run = run_id(corpus, plan.settings.name)
    # A run that was half deleted when a clearing was cut off is whole again only after this.
    _clear(graph, run, plan.key)
    graph.rows(query("runs/write_run"), id=run, corpus=corpus, settings=_record(graph, run, options, plan))
    progress.step(f"run {plan.settings.name}", len(plan.pending))
    try:
        _ask(graph, corpus, options, run, plan.pending, system, embedder, progress)
    except (ModelRefusedError, ModelUnavailableError):
        _drop_unanswered(graph, corpus, plan.settings.name)
        raise
    if verdict_source(graph, corpus, plan.settings.name) == EXACT_MATCH:
        graph.rows(query("answers/settle_answers"), run=run)
    graph.rows(query("runs/finish_run"), id=run)
    return dict(graph.rows(query("answers/count_answers"), run=run, prefixes=False)[0])


def _drop_unanswered(graph: Graph, corpus: str, name: str) -> None:
    """Delete a run that ended before its first answer: nothing of it can be gone on with."""
    counts = graph.rows(query("answers/count_answers"), run=run_id(corpus, name), prefixes=False)[0]
    if not counts["answers"]:
        delete_run(graph, corpus, name)


def _answer_prefixes(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    name: str,
    settings: Settings,
    system: Callable[[], RagSystem],
    embedder: Embedder,
    progress: Progress,
) -> Counts:
    run = run_id(corpus, name)
    if options.outside is not None:
        renew_source(graph, run, options.outside.prefix_source)
    pending = plan_run(graph, corpus, options, settings, embedder).prefixes.pending
    progress.step(f"prefix questions of {name}", len(pending))
    _ask(graph, corpus, options, run, pending, system, embedder, progress)
    return count_prefixes(graph, run)


def _ask(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    run: str,
    pending: Sequence[str],
    system: Callable[[], RagSystem],
    embedder: Embedder,
    progress: Progress,
) -> None:
    a_batch = None if options.outside is None else options.outside.questions_a_batch
    if pending:
        answer_pending(graph, corpus, run, system(), embedder, pending, progress, a_batch)


def _record(graph: Graph, run: str, options: RunOptions, plan: RunPlan) -> Row:
    """What the Run node holds; a limit below what was answered already changes nothing."""
    kept = read_properties(graph, run)
    limit = options.question_limit
    if kept and limit is not None:
        answered = graph.rows(query("answers/count_answers"), run=run, prefixes=False)[0]["answers"]
        limit = kept.get("question_limit") if answered > limit else limit
    return {
        **asdict(plan.settings),
        "key": plan.key,
        "question_limit": limit,
        "model_cutoff": plan.cutoff and plan.cutoff.isoformat(),
    }


def _clear(graph: Graph, run: str, key: str) -> None:
    """Delete a run that was made with other settings."""
    kept = read_properties(graph, run)
    if kept and kept.get("key") != key:
        graph.rows(query("runs/delete_run"), id=run)


def _forget_failed(graph: Graph, corpus: str, name: str) -> None:
    run = run_id(corpus, name)
    answers, prefixes = (
        graph.rows(query("answers/count_answers"), run=run, prefixes=False)[0],
        count_prefixes(graph, run),
    )
    if answers["failed"] or prefixes["failed"]:
        # In this order: a stage that is done would not ask for what was deleted.
        outdate_stages(graph, corpus, 0, stages_of(name))
        graph.rows(query("answers/delete_failed"), run=run)


def _retriever_name(graph: Graph, corpus: str, options: RunOptions, embedder: Embedder) -> str:
    if options.outside is not None:
        return ""
    if options.evidence == "none":
        return CLOSED_BOOK
    if options.evidence == "gold":
        return GoldRetriever(graph).name
    found = options.found_at_most if options.reranks_searches else options.candidates or options.top
    return open_retriever(options.retriever, graph, corpus, embedder, found).name


def _with_gold(graph: Graph, options: RunOptions, questions: Sequence[str]) -> Collection[str]:
    """The questions that can be asked: of a run on gold evidence those that have some."""
    if options.evidence != "gold":
        return questions
    return {question for question, chunks in read_gold(graph, questions).items() if chunks}


def _is_covered(options: RunOptions, question: str) -> bool:
    outside = None if options.outside is None else options.outside.covers
    return all(covers is None or question in covers for covers in (options.covers, outside))


def _no_questions(corpus: str) -> NothingToDoError:
    return NothingToDoError(
        f"corpus {corpus!r} has no kept questions to ask.",
        f"Make some: {command('questions make --corpus', corpus)}, or import some: "
        f"{command('questions import FILE')}",
    )
