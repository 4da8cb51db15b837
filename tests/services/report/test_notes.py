"""What is said where an interval and the adjusted p-value seem to contradict each other."""

import pytest

from services.report.notes import several_tests_note
from services.statistics.intervals import Interval

ABOVE, ACROSS = Interval(0.01, 0.3), Interval(-0.1, 0.3)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("all", ABOVE, True), ("2 hops", ACROSS, False)], ""),
        ([("all", ABOVE, True), ("2 hops", None, False)], ""),
        ([("all", ACROSS, False), ("2 hops", ABOVE, False), ("3 hops", ABOVE, True)], "2 hops"),
        ([("all", Interval(-0.3, -0.01), False), ("2 hops", ABOVE, False)], "all, 2 hops"),
    ],
)
def test_rows_are_named_that_are_shown_only_alone(
    rows: list[tuple[str, Interval | None, bool]], told: str
) -> None:
    note = several_tests_note(rows)
    assert note.partition(":")[0] == told
    assert ("Holm" in note) == bool(told)
