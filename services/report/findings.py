"""Every number of a report as a Finding node, so that a query finds what the page shows."""

from dataclasses import fields

from kg.ids import node_id, run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.report.content import Report
from services.report.numbers import Finding, comparison_findings, link_findings, run_findings

_IDENTITY = ("measure", "scope", "aggregate", "other_run", "embedder", "chunking", "about")


def write_findings(graph: Graph, report: Report) -> None:
    """Write a report's findings onto its runs, and delete what an earlier report wrote of them.

    A comparison stands on its first run. What an earlier report said of one of these runs and another that
    is not in this report stays.
    """
    names = [section.facts.name for section in report.runs]
    links = list(link_findings(report.links))
    for section in report.runs:
        name = section.facts.name
        compared = [one for one in report.comparisons if one.first == name]
        found = (*run_findings(section), *links, *comparison_findings(compared))
        graph.rows(
            query("findings/write_findings"),
            corpus=report.corpus,
            run=run_id(report.corpus, name),
            rows=[_row(report.corpus, name, one) for one in found],
            compared=names,
        )


def _row(corpus: str, run: str, finding: Finding) -> Row:
    row: Row = {field.name: getattr(finding, field.name) for field in fields(Finding)}
    interval = row.pop("interval")
    row["id"] = node_id(corpus, "finding", run, *(str(row[name]) for name in _IDENTITY))
    row["low"] = None if interval is None else interval.low
    row["high"] = None if interval is None else interval.high
    return row
