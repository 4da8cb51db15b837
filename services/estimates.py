"""What models would take to bring a corpus up to date, before anything is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.llm.open import open_model
from kg.llm.protocol import Estimate, Model
from kg.progress import Progress, Silent
from kg.queries import query
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.corrections import Corrections
from kg.resolve.model_links import estimate_links, expected_links
from kg.settings import Settings
from kg.stages.extraction import count_sentences, estimate_extraction
from kg.stages.resolution_corrections import read_corrections
from kg.stages.resolution_links import RuleFound, cluster_corpus, facts_of, find_links
from kg.stages.resolution_names import merge_names, read_names
from kg.store.graph import Graph
from services.settled_options import SettledTools


@dataclass(frozen=True, slots=True)
class BuildEstimate:
    """What reading claims and finding links would take; None where no model does it.

    `links_expected` says that the figure for links is an expectation from the number of sentences, because
    the claims in which links are looked for are not read yet.
    """

    claims: Estimate | None
    links: Estimate | None
    links_expected: bool = False


def estimate_build(
    graph: Graph, corpus: str, chosen: SettledTools, seed: int, settings: Settings
) -> BuildEstimate:
    """What a build of the corpus would spend on models; nothing is sent and nothing is written.

    Raises:
        SettingsError: a model is to work, and none is set.
    """
    if "model" not in {chosen.extractor, chosen.links}:
        return BuildEstimate(None, None)
    with open_model("extract", settings) as model:
        claims = estimate_extraction(graph, corpus, model) if chosen.extractor == "model" else None
        if chosen.links != "model":
            return BuildEstimate(claims, None)
        links = _links(graph, corpus, seed, model)
        if links is not None:
            return BuildEstimate(claims, links)
        return BuildEstimate(
            claims, expected_links(model, count_sentences(graph, corpus)), links_expected=True
        )


def _links(graph: Graph, corpus: str, seed: int, model: Model) -> Estimate | None:
    """None where articles are still to be read or claims have no vectors yet: clusters come from those."""
    if graph.rows(query("claims/list_unread"), corpus=corpus):
        return None
    triples = graph.rows(query("resolve/read_triples"), corpus=corpus)
    names = read_names(graph, corpus, triples)
    corrections = Corrections(read_corrections(graph, corpus), names.types)
    merged = merge_names(corpus, names, corrections.bonds, corrections.apart)
    finder = _Estimating(model)
    find_links(finder, merged, facts_of(merged, triples), cluster_corpus(graph, corpus, seed), Silent())
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
    ) -> RuleFound:
        """No link; the estimate is kept."""
        if clusters:
            self.estimate = estimate_links(self.model, clusters, cards, claim_texts)
        return RuleFound(())
