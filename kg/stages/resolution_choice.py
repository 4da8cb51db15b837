"""What a corpus remembers of how its entities are resolved."""

from dataclasses import asdict, dataclass

from kg.corpus import corpus_id
from kg.queries import query
from kg.stages.link_choice import LinksOption, parse_links
from kg.store.graph import Graph


@dataclass(frozen=True, slots=True)
class ResolutionChoice:
    """Who looks for links in context, and whether paths may go through hubs."""

    links: LinksOption = "rules"
    through_hubs: bool = False


def read_resolution_choice(graph: Graph, corpus: str) -> ResolutionChoice:
    """What was chosen for a corpus last; the defaults where nothing was."""
    found = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))
    kept = found[0]["settings"] if found else {}
    return ResolutionChoice(
        parse_links(kept.get("links") or "rules"), through_hubs=bool(kept.get("through_hubs"))
    )


def write_resolution_choice(graph: Graph, corpus: str, choice: ResolutionChoice) -> None:
    """Remember the choice for later builds; what is chosen already is not written again."""
    if choice != read_resolution_choice(graph, corpus):
        graph.rows(query("corpus/write_resolution"), id=corpus_id(corpus), choice=asdict(choice))
