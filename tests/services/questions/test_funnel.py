"""The funnel's sentences and its order."""

import pytest

from kg.stages.path_finding import Pool
from services.questions.filters.choose import CLOSED_BOOK, FILTERS
from services.questions.funnel import Column, Tally, composed_columns, in_order, shortage, tally, why_few
from services.questions.generate import ENDS_RIGHT, WRITTEN


def tallied(kept: int, **fell: int) -> Tally:
    found = Tally()
    found.add("kept", None, kept)
    for name, number in fell.items():
        found.add("rejected", name.replace("_", " "), number)
    return found


@pytest.mark.parametrize(
    ("found", "pool", "why"),
    [
        (
            tallied(131, only_answer=301, solvable=180),
            Pool(612, 0, 0),
            "131 of 200: 612 paths are all that the graph has; most fell at 'only answer' (301)",
        ),
        (
            tallied(1),
            Pool(1, 0, 0),
            "1 of 200: 1 path is all that the graph has",
        ),
        (
            tallied(4, solvable=2, no_shortcut=2),
            Pool(1_788, 1_367, 1),
            "4 of 200: 8 paths are all that the graph has (1,367 more pairs left for others, 1 more pair "
            "without a path that fits); most fell at 'no shortcut' (2)",
        ),
        (
            tallied(2, no_shortcut=1),
            Pool(9, 0, 0, given_up=6),
            "2 of 200: 3 paths are all that the graph has (6 more paths with a fact that other evidence "
            "tells or at which 3 questions fell, or about what was asked about often enough); most fell at "
            "'no shortcut' (1)",
        ),
        (
            tallied(1, **{CLOSED_BOOK: 4}),
            Pool(5, 0, 0),
            "1 of 200: 5 paths are all that the graph has; most fell at 'model: retrieval necessary' (4); "
            "--known keep leaves them in",
        ),
        (
            Tally(),
            Pool(15, 0, 15),
            "0 of 200: the graph has no path to ask about (15 pairs without a path that fits)",
        ),
        (Tally(), Pool(0, 0, 0), "0 of 200: the graph has no two entities that are so many hops apart"),
    ],
)
def test_a_shortage_names_the_graph_or_the_filter(found: Tally, pool: Pool, why: str) -> None:
    assert shortage(found, 200, pool) == why


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
