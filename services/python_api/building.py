"""A corpus made from Python: articles in; graph, questions and the answers of a first run out."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from functools import partial
from pathlib import Path

from kg.connect import open_graph
from kg.corpus import has_nodes
from kg.extract.choose import parse_extractor
from kg.ingest.columns import parse_mapping
from kg.ingest.read import check_files
from kg.progress import Progress, Silent
from kg.settings import Settings
from kg.stages.articles import MIN_TOKENS, ArticleLimits, ingest_articles
from kg.stages.resolution import parse_links
from kg.store.leases import writing_to
from kg.text.chunks import given_size
from services.pipeline import run_job
from services.preflight.asking import prepare
from services.preflight.job_needs import build_needs, question_needs
from services.python_api.corpus import Corpus
from services.questions.choice import parse_kinds, parse_known, parse_worker, question_tools
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
        given_size(chunks, max_chunks),
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
