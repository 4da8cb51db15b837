"""Cells of the matrix: their colours, marks and where they lead."""

from services.web.pages.run_pages import difference_rows, rate_rows
from services.web.views.runs import CellDifference, CellView, Place


def test_a_cell_is_coloured_marked_and_leads_to_its_questions() -> None:
    cells = {
        (3, 2): CellView(3, 2, 8, 2, 0.25, 0.1, 0.5),
        (None, None): CellView(None, None, 40, 40, 1.0, None, None),
        (2, 1): CellView(2, 1, 0, 0, None, None, None),
    }
    rows = dict(rate_rows("mine", "ours", cells, "theirs").rows)
    cell = rows["3 hops"][1]
    assert cell is not None
    assert (cell.figure, cell.notes, cell.colour, cell.small) == (
        "25%",
        ("2 of 8", "10\u201350%"),
        "on-heat-2",
        True,
    )
    assert cell.address == ("/c/mine/questions?kind=chain&hops=3&bin=2&run=ours&with=theirs&outcome=answered")
    total = rows["all"][4]
    assert total is not None
    assert (total.colour, total.notes, total.small) == ("on-heat-9", ("40 of 40",), False)
    assert rows["2 hops"][0] is None
    assert rows["5 hops"] == (None,) * 5


def test_a_difference_has_a_side_and_a_strength() -> None:
    found: dict[Place, CellDifference] = {
        (2, 1): CellDifference(2, 1, -0.28, False),
        (2, 2): CellDifference(2, 2, 0.9, True),
        (2, 3): CellDifference(2, 3, 0.04, False),
        (2, 4): CellDifference(2, 4, None, False),
    }
    cells = dict(difference_rows("mine", "a", "b", found).rows)["2 hops"]
    shown = [cell and (cell.figure, cell.colour, cell.small) for cell in cells]
    assert shown == [
        ("\u221228", "better-3", False),
        ("+90", "worse-5", True),
        ("+4", "same", False),
        None,
        None,
    ]
    assert cells[0] is not None
    assert cells[0].address.endswith("run=a&with=b&outcome=differs")
