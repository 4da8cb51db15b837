"""What whoever runs the process asks: whether it lives, whether it can work, what it has done."""

from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from kg import __version__
from services.web.api.middleware import Metrics
from services.web.api.resources import Reading, Shared

router = APIRouter(tags=["operations"])


@dataclass(frozen=True, slots=True)
class Health:
    """That the process answers, and what it is."""

    status: Literal["ok"]
    version: str


@router.get("/health")
async def health() -> Health:
    """Whether the process answers; it asks nobody else."""
    return Health("ok", __version__)


@router.get("/ready")
async def ready(graph: Reading) -> Health:
    """Whether Neo4j answers too; 503 while it does not."""
    await graph.ping()
    return Health("ok", __version__)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Metrics for Prometheus.", "content": {"text/plain": {}}}},
)
async def metrics(request: Request, shared: Shared) -> Response:
    """Requests, how long they took, and jobs, for Prometheus."""
    kept: Metrics = request.app.state.metrics
    for state, number in shared.jobs.counts().items():
        kept.jobs.labels(state).set(number)
    return Response(generate_latest(kept.registry), media_type=CONTENT_TYPE_LATEST)
