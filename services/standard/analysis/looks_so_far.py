"""The tables of the looks before this one: the first questions of the same table."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from services.evaluate.statistics.groups import Partition
from services.standard.analysis.measures_table import MeasureTable
from services.standard.archive import Look
from services.standard.protocol import Inference


def tables_so_far(table: MeasureTable, look: Look, inference: Inference) -> Iterator[MeasureTable]:
    """The table at each look up to this one, itself the last; `services.standard.looks` tells the order.

    Questions stand in the order in which clusters were drawn, so that those of an earlier look are the first
    whole clusters which held its share of all planned questions.
    """
    for share in inference.looks[: look.number - 1]:
        yield _first(table, ceil(share * look.planned))
    yield table


def _first(table: MeasureTable, needed: int) -> MeasureTable:
    codes = table.parts.codes
    end = min(needed, len(codes))
    while end < len(codes) and codes[end] == codes[end - 1]:
        end += 1
    # Clusters are numbered in the order of the questions.
    return replace(
        table,
        questions=table.questions[:end],
        parts=Partition(codes[:end], int(codes[:end].max()) + 1),
        values={key: values[:end] for key, values in table.values.items()},
        verdicts={role: values[:end] for role, values in table.verdicts.items()},
        silent=table.silent[:end],
    )
