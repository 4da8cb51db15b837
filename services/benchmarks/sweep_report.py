"""A sweep as people read it: one sentence on which setting does best, tables, and the same as Markdown."""

from collections.abc import Iterator, Sequence
from math import inf

from services.benchmarks.sweep import SweepRow
from services.report.content import Rate
from services.report.html_matrix import matrix_table
from services.report.html_soundness import rate_entry
from services.report.html_values import Column, Row, TableView, p_text, percent, signed
from services.report.written import escape_markdown, markdown_table

BY_SETTING = "Wrong answers to chain questions by setting"
SHARES = ("wrong", "all found", "wrong if found", "wrong if not")
HOW_TO_READ = (
    "all found: the share of questions all of whose evidence was retrieved. Changes are from the first row, "
    "and split into what goes with more or less being found, and the rest. Each matrix goes by its setting's "
    "own distances."
)


def whole_rows(rows: Sequence[SweepRow]) -> list[SweepRow]:
    """The rows over all depths, one a setting and number of chunks."""
    return [row for row in rows if row.hops is None]


def sweep_verdict(rows: Sequence[SweepRow]) -> str:
    """Which setting is wrong least often, and whether that is more than chance against the first, in a
    sentence; the p of several settings is not corrected for their number."""
    whole = whole_rows(rows)
    first, best = whole[0], min(whole, key=lambda row: inf if row.error.rate is None else row.error.rate)
    if best.error.rate is None or first.error.rate is None:
        return "No question was answered under all settings."
    wrong = f"{percent(best.error.rate)} of {best.error.n:,} answers"
    name = setting_name(best, rows)
    if len(whole) == 1:
        return f"With {name} {wrong} are wrong."
    if best is first:
        return f"No setting is wrong less often than the first, {name}: {wrong}."
    beginning = (
        f"{name} is wrong least often: {wrong}, against {percent(first.error.rate)} with "
        f"{setting_name(first, rows)}"
    )
    test = best.change.test if best.change else None
    if test is None:
        return f"{beginning}; there are too few clusters of questions for a test."
    return f"{beginning} (p {p_text(test.p_value)} by cluster, one of {len(whole) - 1:,} comparisons)."


def sweep_views(rows: Sequence[SweepRow]) -> tuple[TableView, ...]:
    """The shares by setting with what changes them, by depth, and each setting's difficulty matrix."""
    whole = whole_rows(rows)
    shares = TableView(
        BY_SETTING,
        "setting",
        tuple(map(Column, SHARES)),
        tuple(Row(setting_name(row, rows), tuple(map(rate_entry, shares_of(row)))) for row in whole),
        (*change_sentences(rows), HOW_TO_READ),
    )
    matrices = (
        matrix_table(row.matrix, f"Error rates, {setting_name(row, rows)}")
        for row in whole
        if row.matrix is not None
    )
    return (shares, *matrices)


def sweep_markdown(corpus: str, rows: Sequence[SweepRow]) -> str:
    """The sweep as Markdown: its verdict, its shares, what changes them, and each setting's matrix."""
    lines = (line for view in sweep_views(rows) for line in markdown_table(view))
    head = (f"# Sweep of {escape_markdown(corpus)}", "", escape_markdown(sweep_verdict(rows)))
    return "\n".join((*head, *lines)) + "\n"


def change_sentences(rows: Sequence[SweepRow]) -> Iterator[str]:
    """What each setting changes against the first, a sentence each."""
    for row in whole_rows(rows)[1:]:
        if row.change is not None and row.by_retrieval is not None and row.by_reasoning is not None:
            interval, test = row.change.interval, row.change.test
            about = f" ({signed(interval.low)} to {signed(interval.high)} by cluster)" if interval else ""
            p = f", p {p_text(test.p_value)}" if test else ""
            parts = f"{signed(row.by_retrieval)}, by reasoning {signed(row.by_reasoning)}"
            yield (
                f"{setting_name(row, rows)}: errors change by {signed(row.change.difference)}{about}{p}; by "
                f"what is retrieved {parts}."
            )


def setting_name(row: SweepRow, rows: Sequence[SweepRow]) -> str:
    """What tells a setting from the others: the embedder only where there are several."""
    several = len({one.embedder for one in rows}) > 1
    return f"{row.embedder}, {row.chunking}, top {row.top}" if several else f"{row.chunking}, top {row.top}"


def shares_of(row: SweepRow) -> tuple[Rate, ...]:
    """The rates of a row, in the order of SHARES."""
    return row.error, row.found, row.error_found, row.error_missed
