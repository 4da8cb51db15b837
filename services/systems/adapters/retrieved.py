"""What other libraries' documents say of themselves, as `RetrievedText`."""

from collections.abc import Mapping

from kg.own_system import RetrievedText

_TITLES = ("title", "file_name", "file_path")
_URLS = ("url", "source")


def retrieved_text(text: str, told: Mapping[str, object] | None, score: object = None) -> RetrievedText:
    """A document's text, with what its metadata `told` of it.

    "chunk" is read as the id of one of Hopgrade's chunks, "title", "file_name" or "file_path" as the title,
    and "url" or "source" as the address where it is one.
    """
    known = told or {}
    return RetrievedText(
        text,
        chunk=_first(known, ("chunk",)),
        title=_first(known, _TITLES),
        url=next((url for name in _URLS if "://" in (url := _first(known, (name,)))), ""),
        score=number(score),
    )


def number(value: object) -> float | None:
    """A score as a float; None for anything that is no number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def count(value: object) -> int:
    """A number of tokens; 0 for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _first(known: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := known.get(name), str) and value), "")
