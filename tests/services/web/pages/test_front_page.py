"""What the overview says of several runs: which is in front, what it is compared with, what to do next."""

from services.web.pages.front_pages import run_cards
from services.web.pages.parameters import RunRow, by_wholeness
from services.web.views.runs import CellView


def run(name: str, answers: int, *, finished: bool = True) -> RunRow:
    return RunRow(name, "single-step", "vector-10", "extractive-4", "answer match", answers, "", finished)


def total(n: int, errors: int) -> CellView:
    return CellView(None, None, n, errors, errors / n, None, None)


RUNS = (
    run("running", 3, finished=False),
    run("standard/one", 60),
    run("graph", 1_000),
    run("limited", 150),
    run("vector", 1_000),
)
TOTALS = {
    "standard/one": total(40, 10),
    "graph": total(800, 400),
    "limited": total(96, 24),
    "vector": total(790, 632),
}


def test_a_run_is_compared_with_one_that_answered_about_as_many_questions() -> None:
    cards = {card.run.name: card for card in run_cards(RUNS, TOTALS)}
    assert {name: card.before for name, card in cards.items()} == {
        "running": "",
        "standard/one": "",
        "graph": "vector",
        "limited": "",
        "vector": "",
    }
    assert cards["graph"].change == "30.0 percentage points more right answers than"
    assert cards["limited"].change == ""


def test_runs_of_few_questions_come_last_and_one_that_still_goes_on_first() -> None:
    assert [card.run.name for card in run_cards(RUNS, TOTALS)] == [
        "running",
        "graph",
        "vector",
        "standard/one",
        "limited",
    ]


def test_runs_are_parted_by_how_many_questions_they_answered() -> None:
    whole, others = by_wholeness(RUNS)
    assert [one.name for one in whole] == ["graph", "vector"]
    assert [one.name for one in others] == ["running", "standard/one", "limited"]
    assert by_wholeness(()) == ([], [])
