"""When two searches are the same: the same words and filters, whatever their case and punctuation."""

import unicodedata
from dataclasses import astuple

from services.rag.protocol import Filters


def same_search(tool: str, query: str, filters: Filters | None = None) -> str:
    """A text that is the same for the same search; how many chunks are wanted makes no other search of it."""
    return repr((tool, _words(query), _folded(filters or Filters())))


def _words(text: str) -> str:
    """The words in small letters: punctuation and accents' ways of writing make no difference."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(one if one.isalnum() else " " for one in plain).split())


def _folded(filters: Filters) -> tuple[object, ...]:
    return tuple(
        tuple(sorted(one.casefold() for one in value)) if isinstance(value, tuple) else value
        for value in astuple(filters)
    )
