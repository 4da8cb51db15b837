"""Claims."""

from fastapi import APIRouter

from services.api.parameters import CorpusName, Cursor, Id, Limit, OptionalId
from services.api.resources import Reading
from services.views import claims as claims_view
from services.views.claims import ClaimDetail, ClaimFilters, ClaimSummary
from services.views.cursors import Slice

claims_router = APIRouter(prefix="/corpora/{corpus}", tags=["claims"])


@claims_router.get("/claims")
async def list_claims(
    graph: Reading,
    corpus: CorpusName,
    article: OptionalId = "",
    entity: OptionalId = "",
    verified: bool | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[ClaimSummary]:
    """Claims, also those of one article, about one entity, or verified ones only."""
    return await claims_view.list_claims(
        graph, corpus, ClaimFilters(article, entity, verified), cursor, limit
    )


@claims_router.get("/claims/{claim}")
async def read_claim(graph: Reading, corpus: CorpusName, claim: Id) -> ClaimDetail:
    """A claim with its triples and the chunks that hold its sentence."""
    return await claims_view.read_claim(graph, corpus, claim)
