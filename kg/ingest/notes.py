"""What a reader changed or left out in an article that it kept."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader could not take as it stood; the article at `place` is kept all the same."""

    place: str
    reason: str
