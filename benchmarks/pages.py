"""Tables of a benchmark in Markdown, and their place in a page of the documentation."""

import re
from collections.abc import Sequence
from pathlib import Path


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, a line for each row."""
    shown = [[cell.replace("|", "\\|") for cell in row] for row in (columns, *rows)]
    lines = (shown[0], ["---"] * len(columns), *shown[1:])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_between(page: Path, name: str, text: str) -> None:
    """Put the text between <!-- name --> and <!-- /name -->.

    Raises:
        SystemExit: the page has no such comments.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page.name} has no place for {name}: write {begin} and {end} where it belongs.")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def table_rows(page: Path, name: str) -> list[list[str]]:
    """The cells of the table that stands between <!-- name --> and <!-- /name -->, without its head."""
    text = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.replace("\\|", "|") for cell in re.split(r"(?<!\\) \| ", line[2:-2])] for line in lines[2:]]
