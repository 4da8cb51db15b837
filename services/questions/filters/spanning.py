"""Does the evidence lie in as many clusters as were asked for?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.spans.evidence_clusters import open_chunk_clusters
from services.questions.spans.facets import ClusterFacet
from services.questions.spans.question_spans import span_of

SPANS_CLUSTERS = "spans clusters"


@dataclass(frozen=True, slots=True)
class SpansClusters:
    """The evidence can't be had from fewer than `least` clusters, whichever chunk shows a hop.

    Questions that nothing in the corpus answers pass: no cluster has their evidence.
    """

    by: ClusterFacet
    least: int
    labels: Callable[[Sequence[str]], Mapping[str, str]]
    name: str = SPANS_CLUSTERS

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        labels = self.labels([chunk for draft in drafts for chunk in draft.chunks])
        return [self._verdict(draft, labels) for draft in drafts]

    def _verdict(self, draft: Draft, labels: Mapping[str, str]) -> Verdict:
        if draft.kind == "null":
            return PASS
        span = span_of([fact.chunks for fact in draft.facts], self.by, labels)
        if span is None:
            return fail(f"the corpus doesn't tell its clusters by {self.by}")
        if span.clusters < self.least:
            lies = "1 cluster" if span.clusters == 1 else f"{span.clusters} clusters"
            return fail(f"its evidence lies in {lies}; {self.least} are needed")
        return PASS


def spans_clusters(graph: Graph, corpus: str, by: ClusterFacet, least: int) -> tuple[SpansClusters, ...]:
    """The filter for a corpus as its graph is now; none where one cluster is enough."""
    return (SpansClusters(by, least, open_chunk_clusters(graph, corpus, by)),) if least > 1 else ()
