"""Temporal: the order of two dated facts or of two reports, and whether two sources agree."""

from collections.abc import Iterator

from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.kinds.agreement import AGREEMENT_BUNDLES, agreement_candidates
from services.questions.kinds.event_order import ORDER_BUNDLES, order_candidates
from services.questions.kinds.report_order import REPORT_BUNDLES, report_candidates
from services.questions.kinds.spread import spread

BUNDLES = (*ORDER_BUNDLES, *REPORT_BUNDLES, *AGREEMENT_BUNDLES)


def temporals(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Draft]:
    """Up to `limit` temporal questions; forms take turns, each answer is as frequent as its opposite."""
    candidates = [
        *order_candidates(graph, corpus, seed),
        *report_candidates(graph, corpus, limit, seed),
        *agreement_candidates(graph, corpus, limit, seed),
    ]
    yield from spread(candidates, BUNDLES, limit)
