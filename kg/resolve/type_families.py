"""Which entity types can belong to one thing, and which type a thing gets from several votes."""

from collections.abc import Mapping
from typing import get_args

from kg.model import LITERAL_TYPES, EntityType

VAGUE_TYPES: frozenset[EntityType] = frozenset({"MISC", "CONCEPT"})
PLACE_TYPES: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC"})
_ORDER: dict[EntityType, int] = {kind: index for index, kind in enumerate(get_args(EntityType))}


def family(kind: EntityType) -> str:
    """The group within which types may be one thing; empty for a vague type, which fits any name."""
    if kind in VAGUE_TYPES:
        return ""
    return "place" if kind in PLACE_TYPES else kind


def compatible(one: EntityType, other: EntityType) -> bool:
    """Whether two names of these types can be one thing; dates and numbers fit only their own type."""
    if one in LITERAL_TYPES or other in LITERAL_TYPES:
        return one == other
    families = {family(one), family(other)} - {""}
    return len(families) <= 1


def voted_type(counts: Mapping[EntityType, int]) -> EntityType:
    """The type with most votes; a vague type wins only alone, MISC only without CONCEPT; ties go by
    the order of `EntityType`."""
    for losers in (VAGUE_TYPES, frozenset[EntityType]({"MISC"}), frozenset[EntityType]()):
        running = [kind for kind in counts if kind not in losers]
        if running:
            return min(running, key=lambda kind: (-counts[kind], _ORDER[kind]))
    return "MISC"
