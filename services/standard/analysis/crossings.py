"""Error rates by how many borders of clusters a question's evidence crosses."""

from collections.abc import Iterator
from typing import get_args

import numpy as np

from services.evaluate.matrix import SMALL
from services.evaluate.statistics.clustered_means import clustered_means
from services.evaluate.statistics.clustered_rates import rate_intervals
from services.evaluate.statistics.groups import Partition
from services.standard.analysis.content import CrossingRow
from services.standard.analysis.measures_table import MeasureTable
from services.standard.protocol import ClusterFacet


def crossing_rows(table: MeasureTable) -> tuple[CrossingRow, ...]:
    """Each system's share of wrong answers, by the first judge, for each facet and number of crossings.

    Questions of which a facet says nothing, and answers without a verdict, are left out.
    """
    return tuple(_rows(table))


def _rows(table: MeasureTable) -> Iterator[CrossingRow]:
    wrong = 1.0 - table.values["judge", "accuracy"]
    for facet in get_args(ClusterFacet):
        crossed = np.array([question.crossings.get(facet, -1) for question in table.questions])
        for number in np.unique(crossed[crossed >= 0]).tolist():
            chosen = crossed == number
            codes, parts = np.unique(table.parts.codes[chosen], return_inverse=True)
            clusters = Partition(parts.astype(np.intp), len(codes))
            found = rate_intervals(clustered_means(wrong[chosen], clusters, least=0.0, most=1.0))
            for column, system in enumerate(table.systems):
                one = found.column(column)
                yield CrossingRow(
                    system=system,
                    facet=facet,
                    crossings=number,
                    n=one.n,
                    errors=round((one.mean or 0.0) * one.n),
                    rate=one.mean,
                    clusters=one.clusters,
                    interval=one.interval,
                    small=one.n < SMALL,
                )
