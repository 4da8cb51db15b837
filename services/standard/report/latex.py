"""The tables of a judged comparison for a paper: LaTeX with booktabs, and longtable for those of many rows.

Text is UTF-8. Letters of other scripts need an engine that knows them (XeLaTeX, LuaLaTeX).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from services.report.html_values import Entry, TableView, visible
from services.standard.analysis.content import Results
from services.standard.report.plain_tables import cell_text, header_texts, note_texts
from services.standard.report.sections import protocol_of, sections

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
"""More columns than this are set in smaller type; more rows than that don't fit a page."""
_SPECIAL = re.compile("|".join(map(re.escape, _WRITTEN)))


def render_latex(results: Results) -> str:
    r"""Every table of the report, to be \input; the same results give the same text."""
    return "\n".join(_lines(results)) + "\n"


def escape(text: str) -> str:
    """Text that LaTeX prints as it stands, in one line."""
    return _SPECIAL.sub(lambda match: _WRITTEN[match[0]], " ".join(visible(text).split()))


def _lines(results: Results) -> Iterator[str]:
    name = protocol_of(results).name
    yield f"% Tables of the judged comparison {' '.join(name.split())}, protocol {results.protocol_hash}."
    yield r"% Needs \usepackage{booktabs,longtable}; the widest tables may need a landscape page."
    for section in sections(results):
        for number, view in enumerate(section.tables, start=1):
            yield from _table(view, f"tab:{section.id}-{number}")


def _table(view: TableView, label: str) -> Iterator[str]:
    columns = "l" + "".join("r" if column.number else "l" for column in view.columns)
    size = r"\footnotesize" if len(view.columns) > _WIDE else r"\small"
    short, full = escape(str(view.caption)), escape(" ".join((f"{view.caption}.", *note_texts(view))))
    caption = rf"\caption[{short}]{{{full}}}\label{{{label}}}"
    body = [r"\midrule", *_body(view), r"\bottomrule"]
    yield ""
    if len(view.rows) > _PAGE:
        yield rf"{{{size}"
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield rf"{caption} \\"
        yield from (r"\toprule", _head(view), r"\endhead", *body, r"\end{longtable}", "}")
        return
    yield from (r"\begin{table}[ht]", r"\centering", size, caption, rf"\begin{{tabular}}{{{columns}}}")
    yield from (r"\toprule", _head(view), *body, r"\end{tabular}", r"\end{table}")


def _body(view: TableView) -> Iterator[str]:
    for row in view.rows:
        if row.total:
            yield r"\midrule"
        cells = [
            _cell(entry, "r" if column.number else "l")
            for entry, column in zip(row.entries, view.columns, strict=True)
        ]
        yield rf"{' & '.join([escape(str(row.header)), *cells])} \\"


def _cell(entry: Entry, side: str) -> str:
    """A cell with its notes below it, which keeps tables narrow."""
    text = escape(cell_text(replace(entry, notes=())))
    if entry.undefined or not entry.notes:
        return text
    # A break would take a star or bracket that follows it for its own.
    lines = r"\\\relax ".join([text, *(escape(str(note)) for note in entry.notes)])
    return rf"\shortstack[{side}]{{{lines}}}"


def _head(view: TableView) -> str:
    return rf"{' & '.join(escape(label) for label in header_texts(view))} \\"
