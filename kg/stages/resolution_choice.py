"""What a corpus remembers of how its entities are resolved."""

from dataclasses import dataclass

from kg.corpus import corpus_id
from kg.queries import query
from kg.stages.link_choice import LinksOption, parse_links
from kg.store.graph import Graph


@dataclass(frozen=True, slots=True)
class ResolutionChoice:
    """Who looks for links in context, whether paths may go through hubs, and the seed of the clusters.

    The paths of a corpus keep a seed of their own, so that another draw leaves its links as they are.
    """

    links: LinksOption = "rules"
    through_hubs: bool = False
    seed: int = 0


def read_resolution_choice(graph: Graph, corpus: str) -> ResolutionChoice:
    """What was chosen for a corpus last; the defaults where nothing was."""
    found = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))
    kept = found[0]["settings"] if found else {}
    return ResolutionChoice(
        parse_links(kept.get("links") or "rules"),
        through_hubs=bool(kept.get("through_hubs")),
        seed=int(kept.get("resolution_seed") or 0),
    )


def write_resolution_choice(graph: Graph, corpus: str, choice: ResolutionChoice) -> None:
    """Remember the choice for later builds; what is chosen already is not written again."""
    if choice != read_resolution_choice(graph, corpus):
        kept = {"links": choice.links, "through_hubs": choice.through_hubs, "resolution_seed": choice.seed}
        graph.rows(query("corpus/write_resolution"), id=corpus_id(corpus), choice=kept)
