"""`kg demo` and `kg run-all`: the main job in one command."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from cli import options
from cli.articles import MaxChunks, remark_on_chunks, try_build
from cli.console import print_json, remark, say
from cli.corpus import Clear, DiscardWork, Yes, clear_corpus
from cli.matrix import matrix_json, print_matrix, read_verdict, why_thin, worst_json
from cli.preflight import preflight
from cli.questions_make import tell_questions
from cli.remarks import remark_on_failures, remark_on_questions, report_spending
from cli.session import Session, open_session
from kg.errors import shown_address
from kg.extract.choose import parse_extractor
from kg.files import bundled_folder
from kg.ids import run_id
from kg.ingest.read import check_files
from kg.ingest.rows import parse_mapping
from kg.ledger import counts_of, read_ledger
from kg.stages.articles import MIN_TOKENS, ArticleLimits, ingest_articles
from kg.stages.resolution import parse_links
from kg.store.leases import writing_to
from kg.text.chunks import choose_size
from services.evaluate.write_back import read_matrix
from services.pipeline import run_job
from services.preflight.job_needs import question_needs
from services.questions.choice import question_tools
from services.report.collect import read_worst_nodes
from services.report.run_facts import read_facts
from services.settled_options import GivenOptions, prepare_job

app = typer.Typer(rich_markup_mode=None)

DEMO_CORPUS = "ormelund"


@dataclass(frozen=True, slots=True)
class _Input:
    """What a job reads."""

    corpus: str
    files: Sequence[Path]
    mapping: Mapping[str, str]
    limits: ArticleLimits


@app.command(epilog="Example: kg demo")
def demo(discard_work: DiscardWork = False, as_json: options.AsJson = False) -> None:
    """Run the main job on the bundled corpus: 51 articles from an invented country; no key, no model."""
    with open_session() as session:
        name = make_bundled(session, discard_work=discard_work)
        _show(session, DEMO_CORPUS, name, as_json)
        if not as_json:
            _print_next_steps(DEMO_CORPUS)


def make_bundled(session: Session, *, discard_work: bool = False) -> str:
    """Run the main job on the bundled corpus; the name of its run."""
    given = _Input(DEMO_CORPUS, [bundled_folder("seed") / "articles"], {}, ArticleLimits())
    return _run(session, given, GivenOptions(), discard_work=discard_work)


@app.command("run-all", epilog="Example: kg run-all articles.jsonl --corpus mine")
def run_all(
    files: options.Files,
    corpus: options.CorpusToFill = "default",
    mapping: options.Map = [],  # noqa: B006
    min_tokens: options.MinTokens = MIN_TOKENS,
    max_tokens: options.MaxTokens = 8_192,
    since: options.Since = None,
    until: options.Until = None,
    limit: options.FirstArticles = None,
    chunks: options.Chunks = None,
    max_chunks: MaxChunks = None,
    embedder: options.EmbedderOption = None,
    extractor: options.Extractor = None,
    links: options.Links = None,
    through_hubs: options.ThroughHubs = None,
    concepts: options.Concepts = None,
    attributed: options.Attributed = None,
    per_depth: options.PerDepth = None,
    seed: options.Seed = None,
    retrieved: options.Retrieved = 10,
    clear: Clear = False,
    yes: Yes = False,
    discard_work: DiscardWork = False,
    engine: options.Engine = None,
    no_preflight: options.NoPreflight = False,
    as_json: options.AsJson = False,
) -> None:
    """Articles in, difficulty matrix out. Stopped half-way, the same command goes on where it was."""
    days = options.day_of(since), options.day_of(until)
    limits = ArticleLimits(min_tokens, max_tokens, limit, *days)
    given = _Input(corpus, files, parse_mapping(mapping), limits)
    options_given = GivenOptions(
        embedder,
        choose_size(chunks, max_chunks),
        per_depth,
        seed,
        retrieved,
        parse_extractor(extractor) if extractor else None,
        parse_links(links) if links else None,
        through_hubs=through_hubs,
        concepts=concepts,
        attributed=attributed,
    )
    check_files(files, given.mapping)
    with open_session(engine) as session:
        if clear:
            clear_corpus(session, corpus, yes)
        name = _run(session, given, options_given, no_preflight=no_preflight, discard_work=discard_work)
        _show(session, corpus, name, as_json)


def _run(
    session: Session,
    given: _Input,
    options_given: GivenOptions,
    *,
    no_preflight: bool = False,
    discard_work: bool = False,
) -> str:
    corpus = given.corpus
    with writing_to(session.graph, corpus) as graph:
        job, tools = prepare_job(graph, corpus, options_given, session.settings)
        remark(f"Corpus {corpus!r} in {shown_address(graph.uri)}")
        remark_on_chunks(job, tools)
        ingest_articles(graph, corpus, given.files, given.mapping, given.limits, session.progress)
        asking = question_tools(job.questions, session.settings, tools.budget)
        with report_spending(asking.budget, session.progress):
            try_build(session, corpus, options_given, tools.budget, skip=no_preflight)
            preflight(
                session.settings,
                question_needs(job.questions),
                dict,  # told when the paths are drawn
                session.progress,
                asking.budget,
                skip=no_preflight,
            )
            name = run_job(
                graph,
                corpus,
                job,
                tools,
                session.progress,
                asking,
                session.settings,
                partial(tell_questions, graph, corpus, job.questions, session.settings),
                discard_work=discard_work,
            )
        remark_on_failures(graph, corpus)
        remark_on_questions(graph, corpus)
        return name


def _show(session: Session, corpus: str, run: str, as_json: bool) -> None:
    matrix = read_matrix(session.graph, corpus, run)
    worst = read_worst_nodes(session.graph, run_id(corpus, run))["entities"]
    ledger = {line["name"]: counts_of(line) for line in read_ledger(session.graph, corpus)}
    thin = why_thin(session.graph, corpus, matrix)
    if as_json:
        print_json(
            {
                "corpus": corpus,
                "run": run,
                "too_few_questions": thin,
                "stages": ledger,
                "matrix": matrix_json(matrix),
                "worst_entities": worst_json(worst),
            }
        )
        return
    first = thin or read_verdict(session.graph, corpus, run)
    say("")
    print_matrix(matrix, run, worst, read_facts(session.graph, corpus, run), first)


def _own_name() -> str:
    """How the reader calls this command: by name where that finds it, else by its path."""
    program = Path(sys.argv[0])
    found = shutil.which("kg")
    if program.name != "kg" or (found is not None and Path(found).samefile(program)):
        return "kg"
    return os.path.relpath(program) if program.is_relative_to(Path.cwd()) else str(program)


DEMO_QUESTION = "Which clinic stocks the product that the Ormelund Medicines Authority issued a warning on?"
"""A question of two hops to which the bundled corpus' graph shows a path."""


def _print_next_steps(corpus: str) -> None:
    kg = _own_name()
    say(
        f'\nAsk:     {kg} ask "{DEMO_QUESTION}" --corpus {corpus}\n'
        f"Look:    {kg} serve --open\n"
        f"Funnel:  {kg} questions funnel --corpus {corpus}\n"
        f"Compare: {kg} run start decomposition --corpus {corpus}\n"
        f"Report:  {kg} run report --html report.html --corpus {corpus}\n"
        f"Browser: {kg} server status tells where, {kg} server password how\n"
        f"Yours:   {kg} run-all articles.jsonl --corpus mine, then {kg} evaluate --help for your own system"
    )
