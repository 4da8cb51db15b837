"""A table's cells as plain text, for formats that have one line a cell."""

from services.report.html_values import DASH, Entry, Row, TableView, visible


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
