"""What evidence can be clustered by, and what evidence is called that a facet tells nothing of."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from kg.errors import SettingsError

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
