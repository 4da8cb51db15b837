"""What evidence can be clustered by, and what evidence is called that a facet tells nothing of.

Which share of the questions of a corpus crosses geographic, temporal, domain and other borders.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from kg.errors import SettingsError
from kg.queries import query
from kg.store.graph import Graph, Row

ClusterFacet = Literal["articles", "claims", "communities", "place", "time", "domain"]
"""What the evidence is clustered by: its article, the mixture over claims, communities of entities, or what
the articles say of place, month and domain."""

FACETS: tuple[ClusterFacet, ...] = get_args(ClusterFacet)

BORDERS: Mapping[ClusterFacet, str] = MappingProxyType(
    {"place": "geographic", "time": "temporal", "domain": "domain"}
)
"""What a border between two clusters of the facets that articles give is called."""

FACET_NAMES: Mapping[ClusterFacet, tuple[str, str]] = MappingProxyType(
    {
        "articles": ("article", "articles"),
        "claims": ("cluster of claims", "clusters of claims"),
        "communities": ("community", "communities"),
        "place": ("region", "regions"),
        "time": ("month", "months"),
        "domain": ("domain", "domains"),
    }
)
"""What one cluster of a facet is called, and several."""

UNKNOWN: Mapping[ClusterFacet, str] = MappingProxyType(
    {
        "articles": "no article",
        "claims": "no claim",
        "communities": "no community",
        "place": "no place",
        "time": "no date",
        "domain": "no category",
    }
)
"""The label of a chunk of which a facet tells nothing. Such chunks are of unknown clusters, not of one."""


def parse_facet(text: str) -> ClusterFacet:
    """What to cluster evidence by.

    Raises:
        SettingsError: there is no such facet.
    """
    for facet in FACETS:
        if text.strip() == facet:
            return facet
    raise SettingsError(
        f"{text.strip()!r} is nothing to cluster evidence by.", f"Use one of: {', '.join(FACETS)}."
    )


ORDER: tuple[ClusterFacet, ...] = (*BORDERS, *(facet for facet in FACETS if facet not in BORDERS))
"""Borders that articles themselves tell first."""


@dataclass(frozen=True, slots=True)
class BorderShare:
    """Of the questions of which a facet tells the clusters, how many cross how many of their borders.

    `by_crossings` maps a number of crossings, from 0 on, to a number of questions.
    """

    facet: ClusterFacet
    questions: int
    crossing: int
    by_crossings: Mapping[int, int]

    @property
    def share(self) -> float | None:
        """The share that crosses a border at all; None where the facet tells nothing."""
        return self.crossing / self.questions if self.questions else None

    @property
    def border(self) -> str:
        """What its borders are called: "geographic"."""
        return border_name(self.facet)


def border_name(facet: ClusterFacet) -> str:
    """What the borders of a facet are called: "geographic", or "claims" for clusters of claims."""
    return BORDERS.get(facet, facet)


def read_border_shares(graph: Graph, corpus: str) -> tuple[BorderShare, ...]:
    """The shares of the kept questions of a corpus, of the facets that tell something."""
    return border_shares(graph.rows(query("questions/count_spans"), corpus=corpus, facets=list(ORDER)))


def border_shares(rows: Iterable[Row]) -> tuple[BorderShare, ...]:
    """The same from the rows of `questions/count_spans`."""
    counted: dict[ClusterFacet, dict[int, int]] = {facet: {} for facet in ORDER}
    for row in rows:
        numbers = counted[row["facet"]]
        numbers[row["crossings"]] = numbers.get(row["crossings"], 0) + row["questions"]
    return tuple(
        BorderShare(
            facet,
            sum(numbers.values()),
            sum(number for crossings, number in numbers.items() if crossings),
            dict(sorted(numbers.items())),
        )
        for facet, numbers in counted.items()
        if numbers
    )


def shares_json(shares: Sequence[BorderShare]) -> list[dict[str, object]]:
    """The shares as plain values."""
    return [
        {
            "facet": one.facet,
            "border": one.border,
            "questions": one.questions,
            "crossing": one.crossing,
            "share": one.share,
            "by_crossings": {str(crossings): number for crossings, number in one.by_crossings.items()},
        }
        for one in shares
    ]
