"""How figures are written in the report of a judged comparison.

A table's cells as plain text, for formats that have one line a cell.
"""

from services.report.html_values import (
    DASH,
    Entry,
    Row,
    TableView,
    none,
    p_text,
    points,
    points_range,
    visible,
    whole,
)
from services.statistics.intervals import Interval


def cell_text(entry: Entry) -> str:
    """A cell with its notes in brackets; a dash and the reason where there is no value; * for few answers."""
    text = visible(str(entry.text))
    if entry.undefined:
        return f"{DASH} {text}"
    mark = "*" if entry.small else ""
    notes = "; ".join(visible(str(note)) for note in entry.notes)
    return f"{text}{mark} ({notes})" if notes else f"{text}{mark}"


def header_texts(view: TableView) -> list[str]:
    """The header of each column, that of the rows first."""
    return [view.corner, *(visible(str(column.label)) for column in view.columns)]


def row_texts(row: Row) -> list[str]:
    """The cells of a row, its own header first."""
    return [visible(str(row.header)), *(cell_text(entry) for entry in row.entries)]


def note_texts(view: TableView) -> list[str]:
    """What stands below a table, and what the mark of small numbers means where it occurs."""
    notes = [visible(str(note)) for note in view.notes]
    return [*notes, "* fewer than 20 answers."] if view.marked else notes


JUDGE_WORDS = {"judge": "judge", "second_judge": "second judge", "none": "no judge"}
"""How a role is called in the report."""


def share(value: float) -> str:
    """A share in per cent with one decimal place."""
    return f"{100 * value:.1f}%"


def share_range(interval: Interval) -> str:
    """An interval of a share."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"


def share_entry(value: float | None, notes: tuple[str, ...] = (), why: str = "undefined") -> Entry:
    """A share in a table, or why there is none."""
    return none(why) if value is None else Entry(share(value), notes)


def points_entry(value: float | None, interval: Interval | None = None, why: str = "undefined") -> Entry:
    """A difference in percentage points with its interval, or why there is none."""
    if value is None:
        return none(why)
    return Entry(points(value), () if interval is None else (points_range(interval),))


def range_entry(interval: Interval | None, why: str = "undefined") -> Entry:
    """An interval of a difference in percentage points, or why there is none."""
    return none(why) if interval is None else Entry(points_range(interval))


def p_entry(p: float | None, notes: tuple[str, ...] = (), why: str = "undefined") -> Entry:
    """A p-value in a table, or why there is none."""
    return none(why) if p is None else Entry(p_text(p), notes)


def count_entry(number: float | None, why: str = "undefined") -> Entry:
    """A count in a table, or why there is none."""
    return none(why) if number is None else Entry(whole(number))
