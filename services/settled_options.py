"""Which options a job runs with: those given, else those that the corpus was made with, else the defaults."""

from dataclasses import dataclass, field, fields, replace

from kg.corpus import read_settings, refuse_other_embedder
from kg.extract.choose import ExtractorOption, extractor_option
from kg.settings import Settings
from kg.stages.build import BuildOptions, Tools
from kg.stages.link_choice import LinksOption
from kg.stages.path_finding import read_path_options
from kg.stages.resolution import HUBS
from kg.stages.resolution_choice import (
    ResolutionChoice,
    read_resolution_choice,
    write_resolution_choice,
)
from kg.store.graph import Graph
from kg.text.chunks import MEDIUM, ChunkSize, parse_chunk_size
from services.pipeline import JobOptions, make_tools, open_for_job
from services.questions.choice import (
    BinsOption,
    KnownOption,
    QuestionChoice,
    WorkerOption,
    read_question_choice,
    write_question_choice,
)
from services.questions.draft import QuestionKind
from services.questions.spans.facets import ClusterFacet

DEFAULT_EMBEDDER = "builtin"


@dataclass(frozen=True, slots=True)
class GivenQuestions:
    """Options of the questions as the user gave them; None stands for the corpus' own."""

    target: int | None = None
    kinds: tuple[QuestionKind, ...] | None = None
    per_kind: int | None = None
    generator: WorkerOption | None = None
    checks: WorkerOption | None = None
    bins: BinsOption | None = None
    span_clusters: int | None = None
    cluster_by: ClusterFacet | None = None
    known: KnownOption | None = None


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """Options as the user gave them; None stands for the corpus' own."""

    embedder: str | None = None
    chunk_size: ChunkSize | None = None
    per_depth: int | None = None
    seed: int | None = None
    retrieved: int = 10
    extractor: ExtractorOption | None = None
    links: LinksOption | None = None
    through_hubs: bool | None = None
    questions: GivenQuestions = field(default_factory=GivenQuestions)


@dataclass(frozen=True, slots=True)
class SettledTools:
    """The options that choose what does the work."""

    embedder: str
    extractor: ExtractorOption
    links: LinksOption


def settle_options(graph: Graph, corpus: str, given: GivenOptions) -> tuple[SettledTools, JobOptions]:
    """The options of what does the work, and those of the job.

    Raises:
        CorpusError: the corpus was made with another embedder, or a drop of it was cut off.
    """
    known, draw = read_settings(graph, corpus), read_path_options(graph, corpus)
    embedder = given.embedder or (known.embedder if known else DEFAULT_EMBEDDER)
    refuse_other_embedder(graph, corpus, embedder)
    size = given.chunk_size or (parse_chunk_size(known.chunking) if known else MEDIUM)
    seed = draw.seed if given.seed is None else given.seed
    resolution = _resolution(graph, corpus, given)
    per_depth = draw.per_depth if given.per_depth is None else given.per_depth
    extractor = given.extractor or (extractor_option(known.extractor) if known else "rules")
    hubs = None if resolution.through_hubs else HUBS
    paths = replace(draw, per_depth=per_depth, seed=seed)
    return SettledTools(embedder, extractor, resolution.links), JobOptions(
        BuildOptions(size, resolution.seed, paths, hubs),
        given.retrieved,
        settle_questions(graph, corpus, given.questions),
    )


def settle_questions(graph: Graph, corpus: str, given: GivenQuestions) -> QuestionChoice:
    """How questions are made: as given, else as before."""
    wanted = {option.name: getattr(given, option.name) for option in fields(GivenQuestions)}
    changed = {name: value for name, value in wanted.items() if value is not None}
    return replace(read_question_choice(graph, corpus), **changed)


def prepare_job(
    graph: Graph, corpus: str, given: GivenOptions, settings: Settings
) -> tuple[JobOptions, Tools]:
    """Settle the options, make what does the work, and make the corpus or make sure that it fits.

    Raises:
        CorpusError: the corpus was made with another embedder, chunking or extractor.
        SettingsError: an option names nothing that there is.
        EmbeddingError: the embedder can't be loaded.
    """
    chosen, job = settle_options(graph, corpus, given)
    tools = make_tools(chosen.embedder, settings, chosen.extractor, chosen.links)
    open_for_job(graph, corpus, job, tools)
    write_resolution_choice(graph, corpus, _resolution(graph, corpus, given))
    write_question_choice(graph, corpus, job.questions)
    return job, tools


def _resolution(graph: Graph, corpus: str, given: GivenOptions) -> ResolutionChoice:
    known = read_resolution_choice(graph, corpus)
    return ResolutionChoice(
        given.links or known.links,
        through_hubs=known.through_hubs if given.through_hubs is None else given.through_hubs,
        seed=known.seed if given.seed is None else given.seed,
    )
