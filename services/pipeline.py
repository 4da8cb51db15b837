"""The main job: from a corpus in the graph to questions, answers and the difficulty matrix."""

from dataclasses import dataclass, field
from shlex import quote

from kg.corpus import CorpusSettings, open_corpus
from kg.embed.choose import make_embedder
from kg.errors import NothingToDoError
from kg.extract.choose import ExtractorOption, extractor_name, make_extractor
from kg.ledger import Outcome, counts_of, read_ledger, run_stage, stage_key
from kg.llm.open import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.stages.build import BuildOptions, Tools, build_graph
from kg.stages.forgetting import forget_questions
from kg.stages.link_choice import LinksOption, link_finder
from kg.store.graph import Graph
from services.evaluate.write_back import write_matrix
from services.questions.make import make_questions
from services.questions.templates import GENERATOR
from services.rag.run import RunSettings, answer_questions, clear_run
from services.rag.vector import VectorRetriever

QUESTIONS = "questions-1"
RUN = "run-1"
MATRIX = "matrix-1"
"""Versions of what these stages do; a change makes finished corpora redo them."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What the main job depends on besides the articles; `retrieved` is how many chunks a question gets."""

    build: BuildOptions = field(default_factory=BuildOptions)
    retrieved: int = 10


def make_tools(
    embedder: str, settings: Settings, extractor: ExtractorOption = "rules", links: LinksOption = "rules"
) -> Tools:
    """What does the work, by its options; what asks a model spends from one budget.

    Raises:
        SettingsError: no such embedder, or no model is set for what a model is to do.
        EmbeddingError: the embedder can't be loaded.
    """
    budget = role_budget("extract", settings) if "model" in {extractor, links} else None
    return Tools(
        embedder_option=embedder,
        embedder=make_embedder(embedder, settings),
        extractor_name=extractor_name(extractor, settings),
        make_extractor=lambda: make_extractor(extractor, settings, budget),
        link_finder=link_finder(links, settings, budget),
        budget=budget,
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


def run_job(graph: Graph, corpus: str, options: JobOptions, tools: Tools, progress: Progress) -> str:
    """Build, ask, answer and measure, each only as far as something changed; the name of the run."""
    paths = build_graph(graph, corpus, options.build, tools, progress)
    questions = questions_stage(graph, corpus, paths, tools, progress)
    return run_stages(graph, corpus, questions, options.retrieved, tools, progress)


def questions_stage(graph: Graph, corpus: str, paths: Outcome, tools: Tools, progress: Progress) -> Outcome:
    """Questions from the paths of a corpus.

    Raises:
        NothingToDoError: there is no path of any depth, or no question passed the checks. The stage has
            ended by then, so that nothing of earlier paths is left.
    """
    outcome = run_stage(
        graph,
        corpus,
        "questions",
        stage_key(paths.key, QUESTIONS, GENERATOR),
        lambda: make_questions(graph, corpus, tools.embedder, progress),
        lambda: forget_questions(graph, corpus),
        progress,
    )
    if not outcome.counts["kept"]:
        raise _no_question(graph, corpus, int(outcome.counts["drawn"]))
    return outcome


def _no_question(graph: Graph, corpus: str, drawn: int) -> NothingToDoError:
    if drawn:
        found = f"corpus {corpus!r} has no question: of {drawn:,} made from its paths none passed the checks."
    else:
        counts = {line["name"]: counts_of(line) for line in read_ledger(graph, corpus)}
        found = (
            f"corpus {corpus!r} has no path of 2 to 5 hops, so nothing to ask: no fact leads on from "
            f"another (articles {counts['articles']['articles']}, facts {counts['claims']['triples']}, "
            f"entities {counts['resolution']['entities']})."
        )
    return NothingToDoError(
        found, f"Add articles that name the same people and places: kg ingest FILE --corpus {quote(corpus)}"
    )


def run_stages(
    graph: Graph, corpus: str, questions: Outcome, retrieved: int, tools: Tools, progress: Progress
) -> str:
    """A run of single-step RAG over the questions, and its matrix."""
    retriever = VectorRetriever(graph, corpus, retrieved)
    settings = RunSettings(retriever.name, retriever.name, tools.embedder.name, retrieved)
    run = run_stage(
        graph,
        corpus,
        f"run {settings.name}",
        stage_key(questions.key, RUN, settings),
        lambda: answer_questions(graph, corpus, settings, retriever, progress),
        lambda: clear_run(graph, corpus, settings.name),
        progress,
    )
    run_stage(
        graph,
        corpus,
        f"matrix {settings.name}",
        stage_key(run.key, MATRIX),
        lambda: write_matrix(graph, corpus, settings.name, progress),
        lambda: None,
        progress,
    )
    return settings.name
