"""Which evidence cluster a chunk lies in, by article, claims, communities, place, time or domain.

    articles     the article, by its id
    claims       the component of the mixture over claims that is most probable over the chunk's own: the
                 one with the largest sum of their probabilities, by its id
    communities  the community of entities that its claims and names fall into most often, by its number:
                 "community 0" is the largest; `services.questions.spans.communities`
    place        the region that its article names most often; `services.questions.spans.evidence_clusters`
    time         the month in which its article was published: "2031-01"
    domain       the category of its article

A chunk of which nothing is told gets the label of `services.questions.spans.facets.UNKNOWN`, such as
"no date".

The region that an article is about: the place that it names most, lifted to what that lies in.

A place lies where most facts say that it lies. A region must divide the corpus: what more than half of the
articles name, themselves or by a place within it, as the country of a national paper, is too broad. So a
place counts for the broadest place around it that is not, and a broad place only where an article names no
other. Of places that are named equally often the first by name is taken.

An extractor takes a person or a product for a place now and then. What some texts take for something else
is a place only where facts treat it as one: it lies somewhere, or somebody lives or something stands there.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.spans.communities import read_communities
from services.questions.spans.facets import UNKNOWN, ClusterFacet

BROAD = 0.5
"""The share of articles beyond which a place is too broad for a region."""

BUILDING = "FAC"
"""The type of places that are named for where they stand, and are no region themselves."""

_LIES_IN = re.compile(
    r"(?:is |was |are |were )?(?:located|situated|set|found) (?:in|on|within|inside)"
    r"|(?:is |was )?(?:a |an |the )?(?:\w+ )?(?:part|district|suburb|quarter|borough|capital|province|region|"
    r"county|state|city|town|village|municipality) (?:of|in)"
    r"|(?:lies|lie|lay|stands|stood|sits|is|was) (?:in|within|inside)"
)

_STANDS_THERE = re.compile(
    r"(?:is |was |are |were )?(?:located|situated|based|headquartered|set|held|born|buried|found) "
    r"(?:in|on|at|near)"
    r"|(?:lies|lie|lay|stands|stood|sits|sat|lives|live|lived|rises|rose|is|was|are|were) (?:in|on|at|near)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place with where facts say that it lies: how many say so of each other place, by id."""

    id: str
    name: str
    type: str
    within: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Named:
    """An article names a place so many times."""

    article: str
    place: str
    times: int


def says_where(predicate: str) -> bool:
    """Whether a predicate between two places says that the first lies in the second."""
    return _LIES_IN.fullmatch(" ".join(predicate.lower().split())) is not None


def says_stands_there(predicate: str) -> bool:
    """Whether a predicate says that its subject is at its object, which so is a place."""
    words = " ".join(predicate.lower().split())
    return says_where(words) or _STANDS_THERE.fullmatch(words) is not None


def regions_of_articles(places: Iterable[Place], named: Iterable[Named]) -> dict[str, str]:
    """The name of the region of each article that names a place which can be one."""
    by_id = {place.id: place for place in places}
    around = {id_: _ancestors(by_id, id_) for id_ in by_id}
    times: dict[str, Counter[str]] = defaultdict(Counter)
    for one in named:
        if one.place in by_id:
            times[one.article][one.place] += one.times
    broad = _broad(times, around)
    lifted = {id_: _lift(by_id, id_, around[id_], broad) for id_ in by_id}
    regions = {}
    for article, counted in times.items():
        votes: Counter[tuple[bool, str]] = Counter()
        for place, number in counted.items():
            region = lifted[place]
            if region is not None:
                votes[region in broad, by_id[region].name] += number
        if votes:
            regions[article] = min(votes, key=lambda vote: (vote[0], -votes[vote], vote[1]))[1]
    return regions


def _ancestors(places: Mapping[str, Place], id_: str) -> list[str]:
    """What a place lies in, from the nearest on; facts that go round in a circle end it."""
    found: list[str] = []
    here = id_
    while within := {one: n for one, n in places[here].within.items() if one in places}:
        here = min(within, key=lambda one: (-within[one], places[one].name, one))
        if here == id_ or here in found:
            break
        found.append(here)
    return found


def _broad(times: Mapping[str, Mapping[str, int]], around: Mapping[str, list[str]]) -> set[str]:
    reached: Counter[str] = Counter()
    for counted in times.values():
        reached.update({one for place in counted for one in (place, *around[place])})
    return {place for place, articles in reached.items() if articles > BROAD * len(times)}


def _lift(places: Mapping[str, Place], id_: str, around: list[str], broad: set[str]) -> str | None:
    """The broadest region around a place that is not too broad; None for a building that stands nowhere."""
    chain = [one for one in (id_, *around) if places[one].type != BUILDING]
    narrow = [one for one in chain if one not in broad]
    return narrow[-1] if narrow else chain[0] if chain else None


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
