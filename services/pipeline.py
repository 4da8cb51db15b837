"""The main job: from a corpus in the graph to questions, answers and the difficulty matrix."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kg.corpus import CorpusSettings, open_corpus
from kg.embed.choose import SpreadEmbedder, make_embedder
from kg.engine.choose import engine_of
from kg.errors import NothingToDoError, command
from kg.extract.choose import ExtractorOption, extractor_name, make_extractor
from kg.ledger import Outcome, counts_of, read_ledger, read_stage, run_stage, stage_key
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.stages.build import BuildOptions, Tools, build_graph, draws_anew
from kg.stages.path_finding import forget_questions
from kg.stages.resolution import LinksOption, link_finder
from kg.store.graph import Graph
from services.questions.choice import QuestionChoice, QuestionJob, QuestionTools
from services.questions.hand_work import require_consent
from services.questions.make import make_questions
from services.rag.run_options import RunOptions
from services.runs.start import start_run

QUESTIONS = "questions-18"
"""The version of what this stage does; a change makes finished corpora redo it."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What the main job depends on besides the articles; `retrieved` is how many chunks a question gets."""

    build: BuildOptions = field(default_factory=BuildOptions)
    retrieved: int = 10
    questions: QuestionChoice = field(default_factory=QuestionChoice)


def make_tools(
    embedder: str, settings: Settings, extractor: ExtractorOption = "rules", links: LinksOption = "rules"
) -> Tools:
    """What does the work, by its options; what asks a model spends from one budget.

    Raises:
        SettingsError: no such embedder or engine, or no model is set for what a model is to do.
        EmbeddingError: the embedder can't be loaded.
    """
    engine = engine_of(settings)
    budget = role_budget("extract", settings) if extractor != "rules" or links == "model" else None
    return Tools(
        embedder_option=embedder,
        embedder=SpreadEmbedder(make_embedder(embedder, settings), embedder, engine),
        extractor_name=extractor_name(extractor, settings),
        make_extractor=lambda: make_extractor(extractor, settings, budget, engine),
        link_finder=link_finder(links, settings, budget),
        budget=budget,
        engine=engine,
    )


def open_for_job(graph: Graph, corpus: str, options: JobOptions, tools: Tools) -> CorpusSettings:
    """Make the corpus, or make sure that these options fit what it was made with.

    Raises:
        CorpusError: it was made with another embedder, chunking or extractor.
    """
    return open_corpus(
        graph,
        corpus,
        CorpusSettings(
            embedder=tools.embedder_option,
            vectors=tools.embedder.name,
            dimensions=tools.embedder.dimensions,
            chunking=str(options.build.chunk_size),
            extractor=tools.extractor_name,
        ),
    )


def run_job(
    graph: Graph,
    corpus: str,
    options: JobOptions,
    tools: Tools,
    progress: Progress,
    asking: QuestionTools | None = None,
    settings: Settings | None = None,
    before_questions: Callable[[], None] = lambda: None,
    *,
    discard_work: bool = False,
) -> str:
    """Build, ask, answer and measure, each only as far as something changed; the name of the run.

    `asking` makes the questions; by default the rules do. `settings` are by default those of the environment.
    `before_questions` is called when the paths are drawn, before any question is asked for. With
    `discard_work` verdicts by hand and runs of outside systems may be deleted for it.

    Raises:
        CorpusError: something changed, such work would be deleted, and nobody said that it may be.
    """
    if not discard_work:
        require_consent_to_build(graph, corpus, options.build, tools)
    paths = build_graph(graph, corpus, options.build, tools, progress)
    asking = asking or QuestionTools()
    draw = options.build.paths
    job = QuestionJob(graph, corpus, options.questions, draw, asking, tools.embedder, progress, tools.engine)
    before_questions()
    if not discard_work and makes_questions_anew(job, paths):
        require_consent(graph, corpus, "questions")
    questions_stage(job, paths)
    run = RunOptions(system="single-step", top=options.retrieved)
    return start_run(graph, corpus, run, settings or Settings(), tools.embedder, progress)


def require_consent_to_build(
    graph: Graph, corpus: str, options: BuildOptions, tools: Tools, *, anyhow: bool = False
) -> None:
    """Refuse a build that draws paths anew where verdicts by hand or outside answers would go with them.

    `anyhow` says that it does so whatever the options are, as where failed requests are tried again.

    Raises:
        CorpusError: there are such; nothing is changed.
    """
    if anyhow or draws_anew(graph, corpus, options, tools):
        require_consent(graph, corpus, "graph")


def questions_key(job: QuestionJob, paths: Outcome) -> str:
    """The key of the questions stage: with another one it makes them anew."""
    choice = job.choice
    bound = (job.tools.paths_a_question,) if job.tools.by_model else ()
    return stage_key(paths.key, QUESTIONS, choice, job.tools.writer, job.tools.checks, *choice.wishes, *bound)


def makes_questions_anew(job: QuestionJob, paths: Outcome) -> bool:
    """Whether the questions stage deletes questions that it made with another key, and the runs on them."""
    line = read_stage(job.graph, job.corpus, "questions")
    return line is not None and line["key"] != questions_key(job, paths)


def questions_stage(job: QuestionJob, paths: Outcome) -> Outcome:
    """Questions from the paths of a corpus.

    Raises:
        NothingToDoError: there is no path of any depth, or no question passed the filters. The stage has
            ended by then, so that nothing of earlier paths is left.
        ModelError: a model is to write or to check, and can't go on.
    """
    outcome = run_stage(
        job.graph,
        job.corpus,
        "questions",
        questions_key(job, paths),
        lambda: make_questions(job),
        lambda: forget_questions(job.graph, job.corpus),
        job.progress,
    )
    if not outcome.counts["kept"]:
        raise _no_question(job.graph, job.corpus, int(outcome.counts["drawn"]))
    return outcome


def _no_question(graph: Graph, corpus: str, drawn: int) -> NothingToDoError:
    if drawn:
        found = f"corpus {corpus!r} has no question: of {drawn:,} that were made none passed the filters."
    else:
        counts = {line["name"]: counts_of(line) for line in read_ledger(graph, corpus)}
        found = (
            f"corpus {corpus!r} has no path of 2 to 5 hops, so nothing to ask: no fact leads on from "
            f"another (articles {counts['articles']['articles']}, facts {counts['claims']['triples']}, "
            f"entities {counts['resolution']['entities']})."
        )
    return NothingToDoError(
        found,
        "Add articles that name the same people and places: "
        f"{command('corpus ingest FILE --corpus', corpus)}",
    )
