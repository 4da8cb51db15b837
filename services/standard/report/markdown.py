"""The report of a judged comparison as Markdown, with tables in pipes."""

import re
from collections.abc import Iterator

from services.report.html_values import TableView, visible
from services.standard.analysis.content import Results
from services.standard.report.sections import Section, protocol_of, sections
from services.standard.report.written import header_texts, note_texts, row_texts

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#&~$]|:(?=//)|(?<=www)\.)")
"""Marks of Markdown, of formulas in it, and what turns an address into a link by itself."""


def render_markdown(results: Results) -> str:
    """The whole report; the same results give the same text."""
    return "\n".join(_lines_markdown(results)) + "\n"


def escape_markdown(text: str) -> str:
    """Text that no reader of Markdown takes for markup, in one line."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def _lines_markdown(results: Results) -> Iterator[str]:
    protocol = protocol_of(results)
    yield f"# {escape_markdown(protocol.name)}: a judged comparison on {escape_markdown(protocol.dataset.corpus)}"
    for section in sections(results):
        yield from _section_markdown(section)


def _section_markdown(section: Section) -> Iterator[str]:
    yield f"\n## {escape_markdown(section.heading)}"
    for sentence in section.sentences:
        yield f"\n{escape_markdown(sentence)}"
    if section.points:
        yield ""
    for point in section.points:
        yield f"- {escape_markdown(point)}"
    if section.commands:
        yield "\n```sh"
        yield from section.commands
        yield "```"
    for view in section.tables:
        yield from _table_markdown(view)


def _table_markdown(view: TableView) -> Iterator[str]:
    yield f"\n**{escape_markdown(str(view.caption))}**\n"
    yield _row_markdown(header_texts(view))
    yield f"| --- | {' | '.join('---:' if column.number else '---' for column in view.columns)} |"
    for row in view.rows:
        yield _row_markdown(row_texts(row))
    for note in note_texts(view):
        yield f"\n{escape_markdown(note)}"


def _row_markdown(cells: list[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"
