"""Values out of a row of somebody else's file, checked before they are believed."""

from collections.abc import Iterator, Mapping

Cells = Mapping[str, object]


class RowTroubleError(ValueError):
    """Why a row is no question that can be used, as part of a sentence."""


def text(cells: Cells, *names: str) -> str:
    """The first of some columns with text or a number, without blanks at its ends; "" where none has any."""
    for name in names:
        value = cells.get(name)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str | int | float) and str(value).strip():
            return str(value).strip()
    return ""


def required(cells: Cells, *names: str) -> str:
    """The text that a row can't do without.

    Raises:
        RowTroubleError: there is none.
    """
    found = text(cells, *names)
    if not found:
        raise RowTroubleError(f"there is no {' or '.join(names)}")
    return found


def number(cells: Cells, *names: str) -> int:
    """A count of 0 or more; 0 where the row doesn't tell."""
    found = text(cells, *names)
    return int(found) if found.isascii() and found.isdigit() else 0


def texts(value: object) -> tuple[str, ...]:
    """A text as one, or the texts and numbers of a list, each once and none empty."""
    items = value if isinstance(value, list) else [value]
    kept = (str(item).strip() for item in items if isinstance(item, str | int) and not isinstance(item, bool))
    return tuple(dict.fromkeys(item for item in kept if item))


def objects(value: object, what: str) -> Iterator[Cells]:
    """The objects of a list; nothing where there is no list.

    Raises:
        RowTroubleError: it is something else, or holds something else.
    """
    if value is None:
        return
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise RowTroubleError(f"its {what} is not a list of objects")
    yield from value
