"""What `kg graph paths` shows in a terminal: numbers by depth, a path in words, its hops as a table."""

from collections.abc import Sequence

from rich.table import Table

from cli.console import table
from kg.store.graph import Row


def number_table(
    title: str, labels: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[object]]
) -> Table:
    """A table whose first columns are labels and whose others are numbers, with thousands apart."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    shown = table(title, (*labels, *numbers), cells)
    for column in shown.columns[len(labels) :]:
        column.justify = "right"
    return shown


def about_path(path: Row) -> str:
    """A path in words: its length, how many others there are, what it needs."""
    alternatives, fitting = path["alternatives"], path["fitting"]
    choice = "the only shortest path" if alternatives == 1 else f"one of {alternatives:,} shortest paths"
    if fitting < alternatives:
        choice += f" ({fitting:,} of them fit)"
    needs = [
        what
        for what, needed in (
            ("crosses articles", path["crosses_articles"]),
            ("needs an exact link", path["uses_exact"]),
            ("needs a link by context", path["uses_context"]),
            ("saved by hand", path.get("saved")),
        )
        if needed
    ]
    return ", ".join([f"{path['hops']} hops", choice, *needs])


def hop_table(title: str, hops: Sequence[Row]) -> Table:
    """What the hops of a path say, and where; which way they are walked where one goes against its edge."""
    backwards = any(hop["reversed"] for hop in hops)
    rows = [
        [
            index,
            hop["link"],
            f"{hop['subject']} | {hop['predicate']} | {hop['object']}",
            *(["against" if hop["reversed"] else "along"] if backwards else []),
            hop["sentence"],
            ", ".join(filter(None, (hop["title"], hop["source"]))),
        ]
        for index, hop in enumerate(hops, start=1)
    ]
    walked = ["walked"] if backwards else []
    return table(title, ("hop", "link", "fact", *walked, "sentence", "article"), rows)
