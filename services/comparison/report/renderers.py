r"""What a terminal shows of a judged comparison: what came of it, and the tables that matter most.

The report of a judged comparison as one page, which opens anywhere and asks nothing of a network.

The tables of a judged comparison for a paper: LaTeX with booktabs, and longtable for those of many rows.

Text is UTF-8. Letters of other scripts need an engine that knows them (XeLaTeX, LuaLaTeX).

How wide the columns of a LaTeX table are: as they come where a line holds them, else in shares of it.

Widths are counted in characters, of which a line of LaTeX's article holds some 70 in \small and 80 in
\footnotesize.

The report of a judged comparison as Markdown, with tables in pipes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import TypeAlias

from jinja2 import Environment

from services.comparison.analysis.content import Results
from services.comparison.refusals import moment
from services.comparison.report.forest import CAPTION, forest_plot
from services.comparison.report.sections import Section, protocol_of, sections
from services.comparison.report.written import cell_text, header_texts, note_texts, row_texts
from services.report.html_environment import page_environment, style_hash, style_values
from services.report.html_values import Entry, TableView, name, visible
from services.report.svg import figure

_TEMPLATES = Path(__file__).parent / "templates"


def render_html(results: Results) -> str:
    """The report as an HTML document in UTF-8; the same results give the same text."""
    protocol = protocol_of(results)
    made = sections(results)
    return (
        _environment()
        .get_template("standard.html")
        .render(
            **style_values(),
            style_hash=style_hash(),
            title=f"{protocol.name}: a judged comparison on {protocol.dataset.corpus}",
            name=name(protocol.name),
            corpus=name(protocol.dataset.corpus),
            results=results,
            version=results.version,
            locked=f"{moment(results.locked_at).astimezone(UTC):%Y-%m-%d %H:%M}",
            summary=made[0],
            sections=made[1:],
            plot=figure("forest", forest_plot(results.hypotheses)),
            plot_caption=CAPTION,
        )
    )


@cache
def _environment() -> Environment:
    return page_environment(_TEMPLATES)


GAP = 3
"""Characters that the space between two columns takes."""
LONGEST_WORD = 16
"""A longer word, such as a hash, may be broken after every so many characters."""
_DIGITS = 1_000


def column_shares(columns: Sequence[Sequence[str]], room: int) -> tuple[float, ...] | None:
    """The share of the line for each column, from the lines of text in its cells; None where all fit.

    Each column has room for its longest word, up to LONGEST_WORD, if that can be; what is left goes to those
    that have the longest lines to break.
    """
    longest = [max((len(line) for line in column), default=0) for column in columns]
    if sum(longest) + GAP * len(columns) <= room:
        return None
    words = [min(LONGEST_WORD, max(map(len, " ".join(column).split()), default=0)) for column in columns]
    wanted = [line - word for line, word in zip(longest, words, strict=True)]
    left = max(0, room - sum(words) - GAP * len(columns))
    each = left / sum(wanted) if any(wanted) else 0.0
    widths = [word + GAP + each * more for word, more in zip(words, wanted, strict=True)]
    return tuple(floor(_DIGITS * width / sum(widths)) / _DIGITS for width in widths)


def row_height(cells: Sequence[Sequence[str]], shares: Sequence[float] | None, room: int) -> int:
    """How many lines a row takes, about, from the lines of text in its cells."""
    if shares is None:
        return max(map(len, cells))
    widths = [max(1.0, share * room - GAP) for share in shares]
    return max(
        sum(ceil(len(line) / width) for line in cell) for cell, width in zip(cells, widths, strict=True)
    )


def column_form(shares: Sequence[float] | None, sides: Sequence[str]) -> str:
    """The columns as `tabular` wants them: l and r, or paragraphs of these shares that are ragged so."""
    if shares is None:
        return "".join(sides)
    ragged = {"l": r"\raggedright", "r": r"\raggedleft"}
    return "".join(
        rf">{{{ragged[side]}\arraybackslash}}p{{\dimexpr{share:.3f}\linewidth-2\tabcolsep\relax}}"
        for share, side in zip(shares, sides, strict=True)
    )


Lines: TypeAlias = tuple[str, ...]

_WRITTEN = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "[": "{[}",
    "]": "{]}",
    "`": r"\textasciigrave{}",
    "--": "-{}-",
    "?`": r"?{}\textasciigrave{}",
    "!`": r"!{}\textasciigrave{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "\u2212": "$-$",
    "\u00b1": r"$\pm$",
    "\u2014": "---",
    "\u2013": "--",
    "\u2190": r"$\leftarrow$",
    "\u2192": r"$\rightarrow$",
    "\u03b1": r"$\alpha$",
}
_WIDE, _PAGE = 4, 40
"""More columns than this are set in smaller type; more lines than that don't fit a page."""
_SIZES = ((r"\small", 70), (r"\footnotesize", 80))
"""The type of narrow and of wide tables, and how many of its characters a line holds."""
_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _WRITTEN)))


def render_latex(results: Results) -> str:
    r"""Every table of the report, to be \input; the same results give the same text."""
    return "\n".join(_latex_lines(results)) + "\n"


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it stands, in one line."""
    return _LATEX_SPECIAL.sub(lambda match: _WRITTEN[match[0]], " ".join(visible(text).split()))


def _latex_lines(results: Results) -> Iterator[str]:
    name = protocol_of(results).name
    head = f"% Tables of the judged comparison {name}, protocol {results.protocol_hash}."
    # A line end in it would end the comment, and what follows would be read as LaTeX.
    yield " ".join(visible(head).split())
    yield r"% Needs \usepackage{array,booktabs,longtable}; wide tables break their cells to fit the line."
    for section in sections(results):
        for number, view in enumerate(section.tables, start=1):
            yield from _latex_table(view, f"tab:{section.id}-{number}")


def _latex_table(view: TableView, label: str) -> Iterator[str]:
    size, room = _SIZES[len(view.columns) > _WIDE]
    sides = ["l", *("r" if column.number else "l" for column in view.columns)]
    rows = [[(visible(str(row.header)),), *map(_cell_lines, row.entries)] for row in view.rows]
    heads = header_texts(view)
    shares = column_shares(
        [[head, *(line for row in rows for line in row[at])] for at, head in enumerate(heads)], room
    )
    columns = column_form(shares, sides)
    short, full = (
        escape_latex(str(view.caption)),
        escape_latex(" ".join((f"{view.caption}.", *note_texts(view)))),
    )
    caption = rf"\caption[{short}]{{{full}}}\label{{{label}}}"
    head = rf"{' & '.join(map(escape_latex, heads))} \\"
    body = [r"\midrule", *_body(view, rows, None if shares else sides), r"\bottomrule"]
    yield ""
    if sum(row_height(row, shares, room) for row in rows) > _PAGE:
        yield rf"{{{size}"
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield rf"{caption} \\"
        yield from (r"\toprule", head, r"\endhead", *body, r"\end{longtable}", "}")
        return
    yield from (r"\begin{table}[ht]", r"\centering", size, caption, rf"\begin{{tabular}}{{{columns}}}")
    yield from (r"\toprule", head, *body, r"\end{tabular}", r"\end{table}")


def _body(view: TableView, rows: Sequence[Sequence[Lines]], sides: Sequence[str] | None) -> Iterator[str]:
    """The rows; `sides` are those of columns that can't break a line by themselves."""
    for number, (row, cells) in enumerate(zip(view.rows, rows, strict=True)):
        if row.total:
            yield r"\midrule"
        elif number and sides is None:
            yield r"\addlinespace"
        written = (_cell(lines, sides[at] if sides else None) for at, lines in enumerate(cells))
        yield rf"{' & '.join(written)} \\"


def _cell_lines(entry: Entry) -> Lines:
    """A cell and below it its notes, which keeps tables narrow."""
    notes = () if entry.undefined else tuple(visible(str(note)) for note in entry.notes)
    return (cell_text(replace(entry, notes=())), *notes)


def _cell(lines: Lines, side: str | None) -> str:
    written = [" ".join(map(_breakable, line.split())) for line in lines]
    if len(written) == 1:
        return written[0]
    if side is None:
        return r"\newline ".join(written)
    # A break would take a star or bracket that follows it for its own.
    below = r"\\\relax ".join(written)
    return rf"\shortstack[{side}]{{{below}}}"


def _breakable(word: str) -> str:
    if len(word) <= LONGEST_WORD:
        return escape_latex(word)
    parts = (word[start : start + LONGEST_WORD] for start in range(0, len(word), LONGEST_WORD))
    return r"\allowbreak{}".join(map(escape_latex, parts))


_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#&~$]|:(?=//)|(?<=www)\.)")
"""Marks of Markdown, of formulas in it, and what turns an address into a link by itself."""


def render_markdown(results: Results) -> str:
    """The whole report; the same results give the same text."""
    return "\n".join(_markdown_lines(results)) + "\n"


def escape_markdown(text: str) -> str:
    """Text that no reader of Markdown takes for markup, in one line."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def _markdown_lines(results: Results) -> Iterator[str]:
    protocol = protocol_of(results)
    name, corpus = escape_markdown(protocol.name), escape_markdown(protocol.dataset.corpus)
    yield f"# {name}: a judged comparison on {corpus}"
    for section in sections(results):
        yield from _markdown_section(section)


def _markdown_section(section: Section) -> Iterator[str]:
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
        yield from _markdown_table(view)


def _markdown_table(view: TableView) -> Iterator[str]:
    yield f"\n**{escape_markdown(str(view.caption))}**\n"
    yield _markdown_row(header_texts(view))
    yield f"| --- | {' | '.join('---:' if column.number else '---' for column in view.columns)} |"
    for row in view.rows:
        yield _markdown_row(row_texts(row))
    for note in note_texts(view):
        yield f"\n{escape_markdown(note)}"


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"


SHOWN = ("summary", "measures", "naive", "calibration", "replication", "limits", "repeat")
"""The sections that fit a terminal; the others are in the page and in Markdown."""


def text_sections(results: Results) -> tuple[Section, ...]:
    """The sections for a terminal, without folded tables and without definitions."""
    return tuple(
        Section(
            section.id,
            section.heading,
            section.sentences,
            () if section.id == "measures" else section.points,
            section.commands,
            tuple(view for view in section.tables if _fits(view)),
        )
        for section in sections(results)
        if section.id in SHOWN
    )


def _fits(view: TableView) -> bool:
    return not view.folded and len(view.columns) < 8
