"""Which servers can run the statements of `cypher/`."""

import re

from kg.errors import StoreTooOldError

LEAST_VERSION = (2026, 1)
"""Vector search with filters (SEARCH ... WHERE in Cypher 25) came with it."""


def refuse_old(version: str, uri: str) -> None:
    """Make sure that a version, such as "2026.08.1", is new enough.

    Raises:
        StoreTooOldError: it is older than `LEAST_VERSION`, or not Neo4j's.
    """
    if version_numbers(version) < LEAST_VERSION:
        least = ".".join(f"{part:02}" for part in LEAST_VERSION)
        raise StoreTooOldError(
            f"Neo4j at {uri} is version {version}, and filtered vector search needs {least} or newer.",
            "Use a newer server, or unset NEO4J_URI to let Hopgrade start its own.",
        )


def version_numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: "2026.08.1-SNAPSHOT" -> (2026, 8, 1)."""
    return tuple(int(part) for part in re.findall(r"\d+", version.split("-", maxsplit=1)[0]))
