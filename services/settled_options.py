"""Which options a job runs with: those given, else those that the corpus was made with, else the defaults.

What models would take to bring a corpus up to date, before anything is sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from kg.corpus import read_settings, refuse_other_embedder
from kg.extract.choose import ExtractorOption, extractor_option
from kg.llm.protocol import Estimate, Model
from kg.llm.roles import open_model
from kg.progress import Progress, Silent
from kg.queries import query
from kg.resolve.bonds import Corrections
from kg.resolve.cluster_context import EntityCard, Fact, FoundLinks
from kg.resolve.model_links import estimate_links, expected_links
from kg.settings import Settings
from kg.stages.build import BuildOptions, Tools
from kg.stages.extraction import count_sentences, estimate_extraction
from kg.stages.path_finding import read_path_options
from kg.stages.resolution import (
    LinksOption,
    ResolutionChoice,
    read_resolution_choice,
    write_resolution_choice,
)
from kg.stages.resolution_corrections import read_corrections
from kg.stages.resolution_links import cluster_corpus, facts_of, find_links
from kg.stages.resolution_names import merge_names, read_names, read_triples
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
from services.questions.draft import QuestionKind, Wording
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
    wording: Wording | None = None
    least_confidence: float | None = None
    prefix_checks: WorkerOption | None = None


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
    concepts: bool | None = None
    attributed: bool | None = None
    questions: GivenQuestions = field(default_factory=GivenQuestions)


@dataclass(frozen=True, slots=True)
class SettledTools:
    """The options that choose what does the work, and whether paths may go through noun phrases."""

    embedder: str
    extractor: ExtractorOption
    links: LinksOption
    concepts: bool = False


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
    recorded = extractor_option(known.extractor) if known else None
    extractor = given.extractor or recorded or "rules"
    # A corpus that begins with any noun phrase as an end is read by a model that is told so, and stays so.
    if extractor == "model" and (recorded == "model-concepts" if known else resolution.concepts):
        extractor = "model-concepts"
    paths = replace(draw, per_depth=per_depth, seed=seed)
    return SettledTools(embedder, extractor, resolution.links, resolution.concepts), JobOptions(
        BuildOptions(size, resolution.seed, paths, resolution.edges),
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
        concepts=known.concepts if given.concepts is None else given.concepts,
        attributed=known.attributed if given.attributed is None else given.attributed,
    )


@dataclass(frozen=True, slots=True)
class BuildEstimate:
    """What reading claims and finding links would take; None where no model does it.

    `links_expected` says that the figure for links is an expectation from the number of sentences, because
    the claims in which links are looked for are not read yet.
    """

    claims: Estimate | None
    links: Estimate | None
    links_expected: bool = False

    @property
    def parts(self) -> dict[str, Estimate]:
        """What each step that a model does would take, by its name."""
        found = {"claims": self.claims, "links": self.links}
        return {step: part for step, part in found.items() if part is not None}


def estimate_build(
    graph: Graph, corpus: str, chosen: SettledTools, seed: int, settings: Settings
) -> BuildEstimate:
    """What a build of the corpus would spend on models; nothing is sent and nothing is written.

    Raises:
        SettingsError: a model is to work, and none is set.
    """
    if (chosen.extractor, chosen.links) == ("rules", "rules"):
        return BuildEstimate(None, None)
    with open_model("extract", settings) as model:
        claims = estimate_extraction(graph, corpus, model) if chosen.extractor != "rules" else None
        if chosen.links != "model":
            return BuildEstimate(claims, None)
        links = _links(graph, corpus, seed, model, chosen.concepts)
        if links is not None:
            return BuildEstimate(claims, links)
        return BuildEstimate(
            claims, expected_links(model, count_sentences(graph, corpus)), links_expected=True
        )


def _links(graph: Graph, corpus: str, seed: int, model: Model, concepts: bool) -> Estimate | None:
    """None where articles are still to be read or claims have no vectors yet: clusters come from those."""
    if graph.rows(query("articles/list_pending"), corpus=corpus, mark="extracted"):
        return None
    triples = read_triples(graph, corpus)
    names = read_names(graph, corpus, triples)
    corrections = Corrections(read_corrections(graph, corpus), names.types)
    merged = merge_names(corpus, names, corrections.bonds, corrections.apart)
    finder = _Estimating(model)
    facts, clustered = facts_of(merged, triples), cluster_corpus(graph, corpus, seed)
    find_links(finder, merged, facts, clustered, Silent(), concepts=concepts)
    return finder.estimate


@dataclass(slots=True)
class _Estimating:
    """Looks like a finder, but only counts what the model would be asked."""

    model: Model
    estimate: Estimate | None = None
    name: str = "estimate"

    def find(
        self,
        clusters: Mapping[str, Sequence[Fact]],
        cards: Mapping[str, EntityCard],
        claim_texts: Mapping[str, str],
        progress: Progress,
    ) -> FoundLinks:
        """No link; the estimate is kept."""
        if clusters:
            self.estimate = estimate_links(self.model, clusters, cards, claim_texts)
        return FoundLinks((), ())
