"""Questions composed from atomic ones, from Python."""

from collections.abc import Sequence
from functools import partial

from kg.embed.choose import embedder_of
from kg.llm.roles import role_budget
from kg.progress import Progress, Silent
from kg.store.leases import writing_to
from services.preflight.asking import prepare
from services.preflight.job_needs import compose_needs
from services.python_api.corpus import Corpus
from services.questions.choice import parse_worker
from services.questions.composed.estimate import estimate_stage
from services.questions.composed.pipeline import DEPTHS, ComposeSize, parse_across, parse_depths
from services.questions.composed.selection import ComposedFunnel, read_composed_funnel
from services.questions.composed.stage import ComposeJob, compose_stage

USUAL = ComposeSize()


def compose_questions(
    corpus: Corpus,
    *,
    generator: str = "rules",
    hops: Sequence[int] = DEPTHS,
    per_hops: int = USUAL.per_hops,
    chunks: int | None = None,
    across: str = USUAL.across,
    max_domain_share: float = USUAL.max_domain_share,
    seed: int = 0,
    again: bool = False,
    progress: Progress | None = None,
) -> ComposedFunnel:
    """Compose sequential and parallel questions of 2, 3 and 4 hops from atomic ones; where they fell.

    As the command questions compose does it, whose reference tells what each option takes. They come beside
    the questions that the corpus has; with other options, those composed before are deleted with what was
    answered to them. What models will take is told to `progress`, and their prompts are tried before.

    Raises:
        SettingsError: an option can't work, or no model is set for a role.
        NothingToDoError: the corpus' graph isn't built yet.
        UserError: a model fails one of our prompts; with HOPGRADE_PREFLIGHT=false none is tried.
        ModelError: a model can't go on; the same call goes on from there.

    >>> with hopgrade.run_all(["articles.jsonl"], "mine", min_tokens=5, target=2) as mine:
    ...     made = hopgrade.compose_questions(mine, hops=[2], per_hops=2)
    >>> made.atoms.kept > 0, 0 < sum(column.kept for column in made.columns) <= 4
    (True, True)
    """
    worker, settings, quiet = parse_worker(generator), corpus.settings, progress or Silent()
    depths = parse_depths(map(str, hops))
    wanted = ComposeSize(depths, per_hops, max_domain_share, seed, chunks, parse_across(across))
    budget = role_budget("generate", settings) if worker == "model" else None
    with writing_to(corpus.graph, corpus.name) as graph:
        embedder = embedder_of(graph, corpus.name, settings)
        job = ComposeJob(graph, corpus.name, wanted, worker, settings, embedder, quiet, budget)
        if worker == "model":
            prepare(compose_needs(), partial(estimate_stage, job), settings, quiet, budget)
        compose_stage(job, again)
    return read_composed_funnel(corpus.graph, corpus.name)
