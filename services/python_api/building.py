"""A corpus made from Python: articles in; graph, questions and the answers of a first run out.

Questions composed from atomic ones; what people say of questions, as files, and how far annotators agree.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kg.connect import open_graph
from kg.corpus import has_nodes
from kg.embed.choose import Embedder, embedder_of
from kg.extract.choose import parse_extractor
from kg.ingest.read import check_files
from kg.ingest.rows import parse_mapping
from kg.llm.roles import role_budget
from kg.progress import Progress, Silent
from kg.settings import Settings
from kg.stages.articles import MIN_TOKENS, ArticleLimits, ingest_articles
from kg.stages.resolution import parse_links
from kg.store.leases import writing_to
from kg.text.chunks import choose_size
from services.pipeline import run_job
from services.preflight.asking import prepare
from services.preflight.job_needs import build_needs, compose_needs, question_needs
from services.python_api.corpus import Corpus
from services.questions.choice import parse_kinds, parse_known, parse_worker, question_tools
from services.questions.composed.estimate import estimate_stage
from services.questions.composed.pipeline import DEPTHS, ComposeSize, parse_across, parse_depths
from services.questions.composed.selection import ComposedFunnel, read_composed_funnel
from services.questions.composed.stage import ComposeJob, compose_stage
from services.questions.review import (
    ReviewReport,
    draw_questions,
    parse_pool,
    read_report,
)
from services.questions.review_files import export_reviews, import_reviews
from services.rag.graph_search.cache import drop_whole
from services.settled_options import GivenOptions, GivenQuestions, estimate_build, prepare_job, settle_options


def run_all(
    files: Sequence[str | Path],
    corpus: str = "default",
    *,
    columns: Mapping[str, str] | None = None,
    min_tokens: int = MIN_TOKENS,
    since: date | None = None,
    until: date | None = None,
    limit: int | None = None,
    chunks: str | None = None,
    max_chunks: int | None = None,
    embedder: str | None = None,
    extractor: str | None = None,
    links: str | None = None,
    concepts: bool | None = None,
    attributed: bool | None = None,
    generator: str | None = None,
    checks: str | None = None,
    prefix_checks: str | None = None,
    kinds: Sequence[str] = (),
    target: int | None = None,
    per_kind: int | None = None,
    known: str | None = None,
    per_depth: int | None = None,
    seed: int | None = None,
    clear: bool = False,
    discard_work: bool = False,
    progress: Progress | None = None,
    settings: Settings | None = None,
) -> Corpus:
    """Read articles into a corpus, build its graph, make questions and let `single-step` answer them.

    As the command run-all does it, whose reference tells what each option takes; None stands for what the
    corpus was made with, or for the default. `columns` tell which column of the files is which field
    ({"title": "headline"}), `since` and `until` the first and the last day of publication. The same call
    after an error, or with more files, goes on from what there is; with `clear`, the corpus and everything
    made from it is deleted first, and nobody is asked. Where more files would delete verdicts by hand or the
    runs of outside systems, `discard_work` has to say that they may go.
    What models will take is told to `progress`, and their prompts are tried before the job asks them.

    Raises:
        InputError: a file can't be read.
        SettingsError: an option names nothing that there is, or no model is set for what one is to do.
        CorpusError: the corpus was made with another embedder, chunking or extractor, or work is at stake.
        NothingToDoError: no path, or no question that passes the checks, came of the articles.
        ModelError: a model can't go on; what was answered is kept.

    >>> with hopgrade.run_all(["articles.jsonl"], "mine", min_tokens=5, target=2) as mine:
    ...     [run.name for run in mine.runs()]
    ['single-step']
    >>> wide = {"concepts": True, "attributed": True, "max_chunks": 4, "prefix_checks": "rules"}
    >>> with hopgrade.run_all(["articles.jsonl"], "mine", clear=True, min_tokens=5, limit=7, **wide) as anew:
    ...     anew.sizes()["articles"]
    7
    """
    paths = [Path(file) for file in files]
    limits = ArticleLimits(min_tokens, most_articles=limit, since=since, until=until)
    fields = parse_mapping([f"{field}={column}" for field, column in (columns or {}).items()])
    check_files(paths, fields)
    given = GivenOptions(
        embedder,
        choose_size(chunks, max_chunks),
        per_depth,
        seed,
        extractor=parse_extractor(extractor) if extractor else None,
        links=parse_links(links) if links else None,
        concepts=concepts,
        attributed=attributed,
        questions=GivenQuestions(
            target=target,
            kinds=parse_kinds(",".join(kinds)) if kinds else None,
            per_kind=per_kind,
            generator=parse_worker(generator) if generator else None,
            checks=parse_worker(checks) if checks else None,
            known=parse_known(known) if known else None,
            prefix_checks=parse_worker(prefix_checks) if prefix_checks else None,
        ),
    )
    chosen, quiet = settings or Settings(), progress or Silent()
    with ExitStack() as opened:
        graph = opened.enter_context(open_graph(chosen, quiet))
        if clear and has_nodes(graph, corpus):
            drop_whole(graph, corpus, chosen.hopgrade_cache)
        with writing_to(graph, corpus) as mine:
            job, tools = prepare_job(mine, corpus, given, chosen)
            ingest_articles(mine, corpus, paths, fields, limits, quiet)
            asking = question_tools(job.questions, chosen, tools.budget)
            settled, _ = settle_options(mine, corpus, given)
            reading = build_needs(settled.extractor, settled.links)
            estimate = partial(estimate_build, mine, corpus, settled, job.build.seed, chosen)
            prepare(reading, lambda: estimate().parts, chosen, quiet, asking.budget)
            prepare(question_needs(job.questions), dict, chosen, quiet, asking.budget)
            run_job(mine, corpus, job, tools, quiet, asking, chosen, discard_work=discard_work)
        opened.pop_all()
    return Corpus(graph, corpus, chosen)


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


def review_sheet(
    corpus: Corpus,
    annotator: str,
    file: str | Path,
    *,
    sample: int | None = None,
    seed: int = 0,
    status: str = "kept",
) -> int:
    """Write questions with their evidence for somebody to decide on, as JSON lines; how many.

    `sample` None stands for all; with one seed every annotator gets the same. `status` "rejected" is for
    those that the filters rejected. Keep, drop or edit goes into `decision`; what others decided isn't shown.

    Raises:
        SettingsError: there is no such status to review.
        InputError: the file can't be written.

    >>> hopgrade.review_sheet(corpus, "ana", "sheet.jsonl", sample=3)
    3
    """
    pool = parse_pool(status)
    queue = draw_questions(corpus.graph, corpus.name, annotator, pool, sample, seed)
    return export_reviews(corpus.graph, corpus.name, annotator, queue, Path(file))


def take_reviews(corpus: Corpus, file: str | Path, annotator: str | None = None) -> int:
    """Take in the decisions of a filled-in sheet, in the name of `annotator` if given; how many.

    Questions follow them at once, as those of the command questions review.

    Raises:
        InputError: a line is no decision on a question of this corpus; then nothing is written.

    >>> written = hopgrade.review_sheet(corpus, "ana", "sheet.jsonl", sample=3)
    >>> hopgrade.take_reviews(corpus, "sheet.jsonl")  # Nobody has filled it in.
    0
    """
    with writing_to(corpus.graph, corpus.name) as mine:
        embed = _embed(lambda: embedder_of(mine, corpus.name, corpus.settings))
        return import_reviews(mine, corpus.name, annotator, Path(file), datetime.now(UTC), embed)


def review_report(corpus: Corpus) -> ReviewReport:
    """Who decided what, Fleiss' kappa over questions that two decided, and which are open.

    >>> hopgrade.review_report(corpus).questions
    0
    """
    return read_report(corpus.graph, corpus.name)


def _embed(open_embedder: Callable[[], Embedder]) -> Callable[[list[str]], NDArray[np.float32]]:
    """An embedder that is loaded when an edit needs it."""
    loaded = cache(open_embedder)
    return lambda texts: loaded().embed_queries(texts)
