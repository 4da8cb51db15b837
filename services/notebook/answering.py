"""Runs that are started from Python, with the care that the command line takes."""

from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.errors import UserError
from kg.llm.budget import Budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import answering_in
from services.rag.anew import read_loss
from services.rag.run_options import RunOptions
from services.rag.start import plan_run, start_run


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
    embedder = make_embedder(require_corpus(graph, corpus).embedder, settings)
    name = plan_run(graph, corpus, options, settings, embedder).settings.name
    with answering_in(graph, corpus, name) as mine:
        plan = plan_run(mine, corpus, options, settings, embedder)
        if plan.anew and (loss := read_loss(mine, corpus, plan.settings)).verdicts:
            raise UserError(
                f"run {plan.settings.name!r} was made with other settings, and to make it anew would delete "
                f"{loss.answers:,} answers with {loss.verdicts:,} verdicts.",
                "Give this one another name.",
            )
        return start_run(mine, corpus, options, settings, embedder, progress, budget)
