"""Corpora."""

from fastapi import APIRouter

from services.datasets.statistics import DatasetStatistics
from services.datasets.statistics import read_statistics as read_figures
from services.evaluate.graph_quality import GraphQuality, measure_built
from services.web.api.parameters import CorpusName
from services.web.api.resources import Reading, Shared
from services.web.views import corpora
from services.web.views.corpora import CorpusDetail, CorpusSummary
from services.web.views.cursors import require_known

router = APIRouter(tags=["corpora"])


@router.get("/corpora")
async def list_corpora(graph: Reading) -> tuple[CorpusSummary, ...]:
    """Every corpus with the numbers of its parts."""
    return await corpora.list_corpora(graph)


@router.get("/corpora/{corpus}")
async def read_corpus(graph: Reading, corpus: CorpusName) -> CorpusDetail:
    """What a corpus was made with, and how far its pipeline is."""
    return await corpora.read_corpus(graph, corpus)


@router.get("/corpora/{corpus}/statistics")
async def read_statistics(shared: Shared, corpus: CorpusName) -> DatasetStatistics:
    """Articles by category, and the kept questions by type, pieces of evidence, first word and answer."""
    await require_known(shared.graph, corpus)
    return await shared.in_thread(read_figures, shared.lent, corpus)


@router.get("/corpora/{corpus}/graph-quality")
async def read_graph_quality(shared: Shared, corpus: CorpusName) -> GraphQuality:
    """Figures on the graph: pairs by distance, need of links, hubs, and what each gate keeps out of paths.

    Every pair of entities is counted, once for each state of the graph: of a large one, 503 says that it
    takes longer than a request may; then ask again.
    """
    await require_known(shared.graph, corpus)
    return await shared.of_graph(corpus, measure_built)
