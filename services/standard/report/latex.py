"""The tables of a judged comparison for a paper: LaTeX with booktabs, nothing else needed.

Text is UTF-8. Letters of other scripts need an engine that knows them (XeLaTeX, LuaLaTeX).
"""

import re
from collections.abc import Iterator

from services.report.html_values import TableView, visible
from services.standard.analysis.content import Results
from services.standard.report.plain_tables import header_texts, note_texts, row_texts
from services.standard.report.sections import protocol_of, sections

_WRITTEN = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
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
_SPECIAL = re.compile("|".join(map(re.escape, _WRITTEN)))


def render_latex(results: Results) -> str:
    r"""Every table of the report, to be \input where booktabs is loaded; the same results, the same text."""
    return "\n".join(_lines(results)) + "\n"


def escape(text: str) -> str:
    """Text that LaTeX prints as it stands, in one line."""
    return _SPECIAL.sub(lambda match: _WRITTEN[match[0]], " ".join(visible(text).split()))


def _lines(results: Results) -> Iterator[str]:
    name = protocol_of(results).name
    yield f"% Tables of the judged comparison {' '.join(name.split())}, protocol {results.protocol_hash}."
    yield r"% Needs \usepackage{booktabs}; wide tables may need \small or a landscape page."
    for section in sections(results):
        for number, view in enumerate(section.tables, start=1):
            yield from _table(view, f"tab:{section.id}-{number}")


def _table(view: TableView, label: str) -> Iterator[str]:
    columns = "l" + "".join("r" if column.number else "l" for column in view.columns)
    yield ""
    yield r"\begin{table}[ht]"
    yield r"\centering"
    yield rf"\caption{{{escape(' '.join((f'{view.caption}.', *note_texts(view))))}}}"
    yield rf"\label{{{label}}}"
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield _row(header_texts(view))
    yield r"\midrule"
    for row in view.rows:
        if row.total:
            yield r"\midrule"
        yield _row(row_texts(row))
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _row(cells: list[str]) -> str:
    return rf"{' & '.join(escape(cell) for cell in cells)} \\"
