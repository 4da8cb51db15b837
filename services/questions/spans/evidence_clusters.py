"""Which evidence cluster a chunk lies in, by article, claims, communities, place, time or domain.

    articles     the article, by its id
    claims       the component of the mixture over claims that is most probable over the chunk's own: the
                 one with the largest sum of their probabilities, by its id
    communities  the community of entities that its claims and names fall into most often, by its number:
                 "community 0" is the largest; `services.questions.spans.communities`
    place        the region that its article names most often; `services.questions.spans.regions`
    time         the month in which its article was published: "2031-01"
    domain       the category of its article

A chunk of which nothing is told gets the label of `services.questions.spans.facets.UNKNOWN`, such as
"no date".
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.spans.communities import read_communities
from services.questions.spans.facets import UNKNOWN, ClusterFacet
from services.questions.spans.regions import Named, Place, regions_of_articles, says_stands_there, says_where

ReadLabels = Callable[[Sequence[str]], Mapping[str, str]]
"""The labels of those of some chunks that have one, by id."""


def read_chunk_clusters(graph: Graph, corpus: str, by: ClusterFacet, chunks: Sequence[str]) -> dict[str, str]:
    """The label of the cluster of each of some chunks of a corpus, by id."""
    return open_chunk_clusters(graph, corpus, by)(chunks)


def open_chunk_clusters(
    graph: Graph, corpus: str, by: ClusterFacet
) -> Callable[[Sequence[str]], dict[str, str]]:
    """What gives the labels of chunks as `read_chunk_clusters` does, for a corpus as it is now.

    What is worked out over the whole corpus, its communities or its regions, is worked out once.
    """
    read = _READERS[by](graph, corpus)

    def labels(chunks: Sequence[str]) -> dict[str, str]:
        known = read(list(dict.fromkeys(chunks)))
        return {chunk: known.get(chunk) or UNKNOWN[by] for chunk in chunks}

    return labels


def _by_article(column: str) -> Callable[[Graph, str], ReadLabels]:
    def open_reader(graph: Graph, _: str) -> ReadLabels:
        def read(chunks: Sequence[str]) -> dict[str, str]:
            rows = graph.read_in_batches(query("spans/read_article_facets"), chunks)
            return {row["chunk"]: row[column] for row in rows}

        return read

    return open_reader


def _by_claims(graph: Graph, _: str) -> ReadLabels:
    def read(chunks: Sequence[str]) -> dict[str, str]:
        rows = graph.read_in_batches(query("spans/read_claim_clusters"), chunks)
        return {row["chunk"]: row["cluster"] for row in rows}

    return read


def _by_communities(graph: Graph, corpus: str) -> ReadLabels:
    communities = read_communities(graph, corpus)

    def read(chunks: Sequence[str]) -> dict[str, str]:
        found = {}
        for row in graph.read_in_batches(query("spans/read_chunk_entities"), chunks):
            votes: Counter[int] = Counter()
            for entity in row["entities"]:
                if entity["id"] in communities:
                    votes[communities[entity["id"]]] += entity["times"]
            if votes:
                largest = min(votes, key=lambda number: (-votes[number], number))
                found[row["chunk"]] = f"community {largest}"
        return found

    return read


def _by_place(graph: Graph, corpus: str) -> ReadLabels:
    places = [
        Place(
            row["id"],
            row["name"],
            row["type"],
            Counter(fact["object"] for fact in row["facts"] if says_where(fact["predicate"])),
        )
        for row in graph.stream(query("spans/read_places"), corpus=corpus)
        if _is_place(row)
    ]
    named = (
        Named(row["article"], row["place"], row["times"])
        for row in graph.stream(query("spans/read_named_places"), corpus=corpus)
    )
    regions = regions_of_articles(places, named)

    def read(chunks: Sequence[str]) -> dict[str, str]:
        rows = graph.read_in_batches(query("spans/read_article_facets"), chunks)
        return {row["chunk"]: regions[row["article"]] for row in rows if row["article"] in regions}

    return read


def _is_place(row: Row) -> bool:
    """Whether a row of `spans/read_places` is beyond doubt, or facts treat it as a place."""
    where = any(says_where(fact["predicate"]) for fact in row["facts"])
    return where or not row["doubted"] or any(map(says_stands_there, row["said_of"]))


_READERS: Mapping[ClusterFacet, Callable[[Graph, str], ReadLabels]] = MappingProxyType(
    {
        "articles": _by_article("article"),
        "claims": _by_claims,
        "communities": _by_communities,
        "place": _by_place,
        "time": _by_article("month"),
        "domain": _by_article("category"),
    }
)
