"""The table of an agent that seeks goals: by query type, how often right, content, and after how long."""

from collections.abc import Sequence

from services.evaluate.goal_seeking_table import ALL, GoalRow
from services.report.html_hop_aware import mean_entry, share_entry
from services.report.html_values import Column, Entry, Row, TableView, name, whole


def goal_tables(rows: Sequence[GoalRow], of: str = "") -> tuple[TableView, ...]:
    """The table, none for a system that seeks no goals; `of` is added to its caption."""
    if not rows:
        return ()
    columns = ("answers", "accuracy", "goals achieved", "accuracy where achieved", "iterations", "errors")
    found = TableView(
        f"Goals by query type{of}",
        "query type",
        tuple(map(Column, columns)),
        tuple(Row(name(row.query_type), _figures(row), total=row.query_type == ALL) for row in rows),
        (
            "A goal is achieved where the agent\u2019s own evaluator was content with its answer; whether "
            "that is right, the accuracy tells.",
        ),
    )
    return (found,)


def _figures(row: GoalRow) -> tuple[Entry, ...]:
    return (
        Entry(whole(row.accuracy.n), small=row.accuracy.small),
        share_entry(row.accuracy),
        share_entry(row.achieved),
        share_entry(row.right_when_achieved, "none achieved"),
        mean_entry(row.iterations),
        Entry(whole(row.errors)),
    )
