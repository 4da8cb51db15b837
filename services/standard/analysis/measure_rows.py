"""The mean of every measure of every system, with what the clusters leave of its certainty."""

from collections.abc import Iterator

from services.evaluate.statistics.clustered_means import clustered_means
from services.evaluate.statistics.clustered_rates import rate_intervals
from services.standard.analysis.content import MeasureRow
from services.standard.analysis.measures_table import MEASURES, MeasureTable, roles_of

METHOD = "score interval by cluster"
"""How the interval of a mean is made: `services.evaluate.statistics.clustered_rates`."""


def measure_rows(table: MeasureTable) -> tuple[MeasureRow, ...]:
    """A row for each measure, judge and system, in this order."""
    return tuple(_rows(table))


def _rows(table: MeasureTable) -> Iterator[MeasureRow]:
    for measure in MEASURES:
        for role in roles_of(measure):
            means = clustered_means(table.values[role, measure], table.parts, least=0.0, most=1.0)
            found = rate_intervals(means)
            for column, system in enumerate(table.systems):
                one = found.column(column)
                yield MeasureRow(
                    system=system,
                    measure=measure,
                    role=role,
                    judge=table.judges[role],
                    n=one.n,
                    undefined=len(table.questions) - one.n,
                    clusters=one.clusters,
                    mean=one.mean,
                    interval=one.interval,
                    method=METHOD,
                    design_effect=one.design_effect,
                    effective_n=one.effective_n,
                    naive=one.naive_interval,
                )
