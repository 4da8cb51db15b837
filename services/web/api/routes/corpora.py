"""Corpora."""

from fastapi import APIRouter

from services.web.api.parameters import CorpusName
from services.web.api.resources import Reading
from services.web.views import corpora
from services.web.views.corpora import CorpusDetail, CorpusSummary

router = APIRouter(tags=["corpora"])


@router.get("/corpora")
async def list_corpora(graph: Reading) -> tuple[CorpusSummary, ...]:
    """Every corpus with the numbers of its parts."""
    return await corpora.list_corpora(graph)


@router.get("/corpora/{corpus}")
async def read_corpus(graph: Reading, corpus: CorpusName) -> CorpusDetail:
    """What a corpus was made with, and how far its pipeline is."""
    return await corpora.read_corpus(graph, corpus)
