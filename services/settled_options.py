"""Which options a job runs with: those given, else those that the corpus was made with, else the defaults."""

from dataclasses import dataclass

from kg.corpus import read_settings, refuse_other_embedder
from kg.settings import Settings
from kg.stages.build import BuildOptions, Tools
from kg.stages.path_finding import PathOptions, read_path_options
from kg.store.graph import Graph
from kg.text.chunks import MEDIUM, ChunkSize, parse_chunk_size
from services.pipeline import JobOptions, make_tools, open_for_job

DEFAULT_EMBEDDER = "builtin"


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """Options as the user gave them; None stands for the corpus' own."""

    embedder: str | None = None
    chunk_size: ChunkSize | None = None
    per_depth: int | None = None
    seed: int | None = None
    retrieved: int = 10


def settle_options(graph: Graph, corpus: str, given: GivenOptions) -> tuple[str, JobOptions]:
    """The embedder option and the job's options.

    Raises:
        CorpusError: the corpus was made with another embedder, or a drop of it was cut off.
    """
    known, draw = read_settings(graph, corpus), read_path_options(graph, corpus)
    embedder = given.embedder or (known.embedder if known else DEFAULT_EMBEDDER)
    refuse_other_embedder(graph, corpus, embedder)
    size = given.chunk_size or (parse_chunk_size(known.chunking) if known else MEDIUM)
    seed = draw.seed if given.seed is None else given.seed
    per_depth = draw.per_depth if given.per_depth is None else given.per_depth
    return embedder, JobOptions(BuildOptions(size, seed, PathOptions(per_depth, seed)), given.retrieved)


def prepare_job(
    graph: Graph, corpus: str, given: GivenOptions, settings: Settings
) -> tuple[JobOptions, Tools]:
    """Settle the options, make what does the work, and make the corpus or make sure that it fits.

    Raises:
        CorpusError: the corpus was made with another embedder, chunking or extractor.
        SettingsError: an option names nothing that there is.
        EmbeddingError: the embedder can't be loaded.
    """
    embedder, job = settle_options(graph, corpus, given)
    tools = make_tools(embedder, settings)
    open_for_job(graph, corpus, job, tools)
    return job, tools
