"""Shares of wrong answers by how many borders of clusters the evidence crosses, as tables."""

from services.questions.spans.facets import FACET_NAMES
from services.report.html_values import Column, Entry, Row, TableView, none, plural
from services.standard.analysis.content import CrossingRow, Results
from services.standard.report.written import share, share_range


def crossing_tables(results: Results) -> tuple[TableView, ...]:
    """A table for each facet that questions were told by."""
    facets = dict.fromkeys(one.facet for one in results.crossings)
    return tuple(
        _table(facet, [one for one in results.crossings if one.facet == facet], folded=place > 0)
        for place, facet in enumerate(facets)
    )


def _table(facet: str, rows: list[CrossingRow], folded: bool) -> TableView:
    numbers = sorted({one.crossings for one in rows})
    found = {(one.system, one.crossings): one for one in rows}
    return TableView(
        f"Share of wrong answers, by borders between {_several(facet)} that the hops cross",
        "system",
        tuple(Column(plural(number, "border")) for number in numbers),
        tuple(
            Row(system, tuple(_cell(found[system, number]) for number in numbers))
            for system in dict.fromkeys(one.system for one in rows)
        ),
        (f"{_crossing(rows)} By the first judge, with 95% intervals by cluster.",),
        folded=folded,
    )


def _crossing(rows: list[CrossingRow]) -> str:
    """How many questions cross a border; a system without a verdict on some has fewer of them."""
    most: dict[int, int] = {}
    for one in rows:
        most[one.crossings] = max(one.n, most.get(one.crossings, 0))
    of_all, across = sum(most.values()), sum(n for number, n in most.items() if number)
    told = f" ({share(across / of_all)})" if of_all else ""
    return f"{across:,} of {plural(of_all, 'question')}{told} cross at least one."


def _several(facet: str) -> str:
    return next((names[1] for known, names in FACET_NAMES.items() if known == facet), facet)


def _cell(one: CrossingRow) -> Entry:
    if one.rate is None:
        return none("no verdict")
    span = "one cluster, no interval" if one.interval is None else share_range(one.interval)
    return Entry(share(one.rate), (span, f"{one.errors:,} of {one.n:,}"), small=one.small)
