"""The funnel's sentences and its order."""

import pytest

from kg.stages.path_finding import Pool
from services.questions.filters.choose import CLOSED_BOOK, FILTERS
from services.questions.funnel import Column, Tally, composed_columns, in_order, shortage, tally, why_few
from services.questions.generate import ENDS_RIGHT, WRITTEN
from tests.examples import examples


def tallied(kept: int, **fell: int) -> Tally:
    found = Tally()
    found.add("kept", None, kept)
    for name, number in fell.items():
        found.add("rejected", name.replace("_", " "), number)
    return found


@examples("kept, fell, pool, why")
def test_a_shortage_names_the_graph_or_the_filter(
    kept: int, fell: dict[str, int], pool: tuple[int, ...], why: str
) -> None:
    assert shortage(tallied(kept, **fell), 200, Pool(*pool)) == why


def test_what_is_known_by_heart_is_counted_apart() -> None:
    """Of ten three are kept and four known: three of six that were not."""
    rows = [
        {"kind": "sequential", "hops": 2, "status": "kept", "rejected_by": None, "questions": 3},
        {"kind": "sequential", "hops": 2, "status": "rejected", "rejected_by": CLOSED_BOOK, "questions": 4},
        {"kind": "sequential", "hops": 2, "status": "rejected", "rejected_by": "only answer", "questions": 3},
    ]
    (column,) = composed_columns(tally(rows))
    assert (column.by_heart, column.kept_of_drawn, column.kept_of_unknown) == (4, 0.3, 0.5)
    (nothing,) = composed_columns(tally([rows[1]]))
    assert (nothing.kept_of_drawn, nothing.kept_of_unknown) == (0.0, None)


def test_filters_stand_in_the_order_in_which_questions_meet_them() -> None:
    given = [*reversed(FILTERS), "of an older version", ENDS_RIGHT, WRITTEN]
    assert in_order(given) == [WRITTEN, ENDS_RIGHT, *FILTERS, "of an older version"]


def test_chains_are_counted_by_depth_and_other_kinds_as_one() -> None:
    def row(kind: str, hops: int, status: str, questions: int) -> dict[str, object]:
        by = "solvable" if status == "rejected" else None
        return {"kind": kind, "hops": hops, "status": status, "rejected_by": by, "questions": questions}

    found = tally(
        [
            row("chain", 2, "kept", 3),
            row("chain", 2, "dropped", 1),
            row("chain", 3, "rejected", 2),
            row("null", 2, "kept", 1),
            row("null", 4, "kept", 5),
        ]
    )
    assert found.keys() == {("chain", 2), ("chain", 3), ("null", None)}
    assert (found["chain", 2].kept, found["chain", 2].dropped, found["chain", 2].drawn) == (3, 1, 4)
    assert found["chain", 3].fell == {"solvable": 2}
    assert found["null", None].kept == 6


@pytest.mark.parametrize(("filter_", "models"), [("checkable facts", True), ("no shortcut", False)])
def test_what_helps_against_few_questions_goes_by_where_they_fell(filter_: str, models: bool) -> None:
    columns = [
        Column("chain", 2, 50, {filter_: 40, "only answer": 8}, 0, 2, 200),
        Column("comparison", None, 30, {}, 0, 0, 200),
        Column("null", None, 30, {}, 0, 26, 200),
    ]
    lines = why_few(columns)
    assert lines[0].startswith(
        f"2 of the 50 paths that were drawn gave a question. Most fell at {filter_!r} (40)"
    )
    assert ("--extractor model" in " ".join(lines)) is models
    assert lines[-1] == "Questions of other kinds are kept too, outside the matrix: null 26."
