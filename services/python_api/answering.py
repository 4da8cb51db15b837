"""What Python asks of a corpus, with the care that the command takes: a run's questions, or one alone."""

from kg.embed.choose import embedder_of
from kg.errors import UserError
from kg.llm.budget import Budget
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import answering_in
from services.preflight.asking import prepare_run
from services.rag.ask import AskResult, open_asker
from services.rag.graph_search.cache import SnapshotCache
from services.rag.run_options import RunOptions, check_limits, parse_system
from services.runs.records import read_loss
from services.runs.start import plan_run, start_run


def answer_questions(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    progress: Progress,
    budget: Budget | None = None,
) -> str:
    """Let a system answer what it has not answered yet, and write the matrix; the name of the run.

    Raises:
        UserError: the run would be made anew, and verdicts stand on its answers; or see `start_run`.
    """
    embedder = embedder_of(graph, corpus, settings)
    name = plan_run(graph, corpus, options, settings, embedder).settings.name
    with answering_in(graph, corpus, name) as mine:
        plan = plan_run(mine, corpus, options, settings, embedder)
        if plan.anew and (loss := read_loss(mine, corpus, plan.settings)).verdicts:
            raise UserError(
                f"run {plan.settings.name!r} was made with other settings, and to make it anew would delete "
                f"{loss.answers:,} answers with {loss.verdicts:,} verdicts.",
                "Give this one another name.",
            )
        prepare_run(mine, corpus, options, plan, settings, embedder, progress, budget)
        return start_run(mine, corpus, options, settings, embedder, progress, budget, plan)


def plan_options(
    system: str,
    model: str | None,
    retriever: str,
    top: int = 10,
    limit: int | None = None,
    reranker: str | None = None,
    candidates: int | None = None,
) -> RunOptions:
    """What every way to let a system answer has in common; without a `model` the rules answer.

    Raises:
        SettingsError: there is no such system.
    """
    return RunOptions(
        system=parse_system(system),
        generator="rules" if model is None else "model",
        retriever=retriever,
        top=top,
        question_limit=limit,
        reranker=reranker,
        candidates=candidates,
    )


def ask_question(
    graph: Graph, corpus: str, question: str, options: RunOptions, settings: Settings
) -> AskResult:
    """One question to the system of some options; see `services.rag.ask.Asker.ask`.

    Raises:
        NothingToDoError: the corpus has no vectors yet.
        SettingsError: an option can't work, or no model is set.
        ModelError: the model can't go on.
    """
    check_limits(options)
    embedder = embedder_of(graph, corpus, settings)
    budget = role_budget("answer", settings) if options.generator == "model" else None
    snapshots = SnapshotCache(graph, corpus, settings.hopgrade_cache)
    with open_asker(graph, corpus, options, settings, embedder, budget, snapshots) as asker:
        return asker.ask(question)
