"""Whether a second judge comes to the same: verdict by verdict, and hypothesis by hypothesis."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.evaluate.statistics.clustered_agreement import clustered_kappa
from services.evaluate.statistics.groups import Floats, Partition
from services.standard.analysis.content import AgreementRow, HypothesisResult, Replication
from services.standard.analysis.measures_table import MeasureTable

ALL = "all"


def replication(
    table: MeasureTable, hypotheses: Sequence[HypothesisResult], draws: int, seed: int
) -> Replication:
    """The agreement of the judges on each system's answers and on all, and the claims that survive both.

    Answers that abstain or failed are left out: their verdict needs no judge, so it shows no agreement.
    """
    first, second = table.verdicts["judge"], table.verdicts["second_judge"]
    rows = [
        _agreement(
            system,
            first[:, [column]],
            second[:, [column]],
            table.silent[:, [column]],
            table.parts,
            draws,
            seed,
        )
        for column, system in enumerate(table.systems)
    ]
    rows.append(_agreement(ALL, first, second, table.silent, table.parts, draws, seed))
    return Replication(
        judge=table.judges["judge"],
        second_judge=table.judges["second_judge"],
        agreement=tuple(rows),
        survived=tuple(one.id for one in hypotheses if one.survives is True),
        lost=tuple(one.id for one in hypotheses if one.survives is False),
    )


def _agreement(
    system: str,
    first: Floats,
    second: Floats,
    silent: NDArray[np.bool_],
    parts: Partition,
    draws: int,
    seed: int,
) -> AgreementRow:
    both = np.isfinite(first) & np.isfinite(second) & ~silent
    said = first[both].astype(np.int8), second[both].astype(np.int8)
    clusters = np.broadcast_to(parts.codes[:, None], first.shape)[both]
    names, codes = np.unique(clusters, return_inverse=True)
    counts = np.bincount(2 * said[0] + said[1], minlength=4).tolist()
    # The same seed for each: a figure does not depend on which systems stand before it.
    found = clustered_kappa(
        said[0].tolist(),
        said[1].tolist(),
        Partition(codes.astype(np.intp), len(names)),
        np.random.default_rng([seed, 2]),
        draws,
    )
    value = None if found is None else found.plain.value
    return AgreementRow(
        system=system,
        n=int(both.sum()),
        unjudged=int((~both & ~silent).sum()),
        both_right=counts[3],
        to_right=counts[1],
        to_wrong=counts[2],
        both_wrong=counts[0],
        kappa=value,
        interval=None if found is None else found.interval,
        why="no answer by both" if found is None else "" if value is not None else "all verdicts alike",
    )
