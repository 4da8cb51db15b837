r"""A report as text: Markdown with pipes, LaTeX with booktabs, and longtable for tables of many rows.

Text is UTF-8. Letters of other scripts need an engine that knows them (XeLaTeX, LuaLaTeX). The columns of a
LaTeX table are as wide as they come where a line holds them, else in shares of it; widths are counted in
characters, of which a line of LaTeX's article holds some 70 in \small and 80 in \footnotesize.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import ceil, floor
from typing import TypeAlias

from markupsafe import Markup

from services.evaluate.hop_aware import comparison_notes
from services.report import html_summary
from services.report.content import Report, RunSection
from services.report.html_comparisons import pair_views
from services.report.html_overview import overview
from services.report.html_runs import closing_tables, run_tables, side_by_side_tables
from services.report.html_values import DASH, Entry, Row, TableView, visible


def _plain(text: str | Markup) -> str:
    """A text without its markup, with what is not seen written out."""
    return visible(text.striptags() if isinstance(text, Markup) else text)


def verdict_lines(run: RunSection) -> list[str]:
    """How often a run is wrong and where it fails first, as the page begins, a sentence a line."""
    return [_plain(sentence) for sentence in html_summary.run_sentences(run)]


def cell_text(entry: Entry) -> str:
    """A cell with its notes in brackets; a dash and the reason where there is no value; * for few answers."""
    text = _plain(entry.text)
    if entry.undefined:
        return f"{DASH} {text}"
    mark = "*" if entry.small else ""
    notes = "; ".join(_plain(note) for note in entry.notes)
    return f"{text}{mark} ({notes})" if notes else f"{text}{mark}"


def header_texts(view: TableView) -> list[str]:
    """The header of each column, that of the rows first."""
    return [view.corner, *(_plain(column.label) for column in view.columns)]


def row_texts(row: Row) -> list[str]:
    """The cells of a row, its own header first."""
    return [_plain(row.header), *(cell_text(entry) for entry in row.entries)]


def note_texts(view: TableView) -> list[str]:
    """What stands below a table, and what the mark of small numbers means where it occurs."""
    notes = [_plain(note) for note in view.notes]
    return [*notes, "* fewer than 20 answers."] if view.marked else notes


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


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it stands, in one line."""
    return _LATEX_SPECIAL.sub(lambda match: _WRITTEN[match[0]], " ".join(visible(text).split()))


def latex_table(view: TableView, label: str) -> Iterator[str]:
    r"""The lines of a table for LaTeX, to be \input; it needs the packages array, booktabs and longtable."""
    size, room = _SIZES[len(view.columns) > _WIDE]
    sides = ["l", *("r" if column.number else "l" for column in view.columns)]
    rows = [[(_plain(row.header),), *map(_cell_lines, row.entries)] for row in view.rows]
    heads = header_texts(view)
    shares = column_shares(
        [[head, *(line for row in rows for line in row[at])] for at, head in enumerate(heads)], room
    )
    columns = column_form(shares, sides)
    short, full = (
        escape_latex(_plain(view.caption)),
        escape_latex(" ".join((f"{_plain(view.caption)}.", *note_texts(view)))),
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
    notes = () if entry.undefined else tuple(_plain(note) for note in entry.notes)
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


def escape_markdown(text: str) -> str:
    """Text that no reader of Markdown takes for markup, in one line."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def markdown_table(view: TableView) -> Iterator[str]:
    """The lines of a table in Markdown, its caption above and its notes below."""
    yield f"\n**{escape_markdown(_plain(view.caption))}**\n"
    yield _markdown_row(header_texts(view))
    yield f"| --- | {' | '.join('---:' if column.number else '---' for column in view.columns)} |"
    for row in view.rows:
        yield _markdown_row(row_texts(row))
    for note in note_texts(view):
        yield f"\n{escape_markdown(note)}"


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"


def render_report_markdown(report: Report) -> str:
    """The report on runs as Markdown: what the page says, and its tables, without drawings."""
    lines = [f"# Where it fails: {escape_markdown(report.corpus)}"]
    for heading, sentences, tables in _report_parts(report):
        lines.append(f"\n## {escape_markdown(heading)}")
        lines += [f"\n{escape_markdown(_plain(sentence))}" for sentence in sentences]
        for view in tables:
            lines += markdown_table(view)
    lines += (
        ["\n## Notes\n", *(f"- {escape_markdown(note)}" for note in report.notes)] if report.notes else []
    )
    return "\n".join(lines) + "\n"


def render_report_latex(report: Report) -> str:
    r"""Every table of the report on runs, to be \input."""
    lines = [
        " ".join(visible(f"% Tables of the report on runs over the corpus {report.corpus}.").split()),
        r"% Needs \usepackage{array,booktabs,longtable}; wide tables break their cells to fit the line.",
    ]
    for part, (_, _, tables) in enumerate(_report_parts(report), start=1):
        for number, view in enumerate(tables, start=1):
            lines += latex_table(view, f"tab:report-{part}-{number}")
    return "\n".join(lines) + "\n"


def _report_parts(report: Report) -> Iterator[tuple[str, Sequence[str | Markup], Sequence[TableView]]]:
    if tables := side_by_side_tables(report.runs):
        yield "All runs side by side", [html_summary.headline(report)], tables
    analyses = [run.analysis for run in report.runs if run.analysis is not None]
    if seen := overview("glance", analyses):
        yield "Hop by hop", comparison_notes([one.hops for one in analyses]), seen.tables
    for pair in pair_views(report.comparisons):
        yield _plain(pair.heading), pair.sentences, [pair.table]
    for run in report.runs:
        told = [html_summary.facts_sentence(run), *html_summary.run_sentences(run)]
        yield f"Run {run.facts.name}", told, list(chain.from_iterable(run_tables(run).values()))
    for heading, tables in closing_tables(report).items():
        if tables:
            yield heading, (), tables
