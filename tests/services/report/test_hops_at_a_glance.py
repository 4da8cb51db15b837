"""Which run fails at which hop by which cause, at a glance, and how wide it searches."""

import re

from services.evaluate.causes import Attribution, Cause
from services.evaluate.diagnose import AttributionFigures, Diagnosis, attribution_figures
from services.evaluate.hop_aware import comparison_notes, hop_aware
from services.evaluate.hop_traces import Searches, Track
from services.evaluate.run_analysis import RunAnalysis
from services.report.html import render_analysis
from services.report.html_overview import failing_sentence, failure_chart, overview, top_k_chart
from services.report.svg import WIDTH
from tests.services.report.pages import read_page

FAILED: tuple[tuple[Cause, int | None], ...] = (
    ("retrieval", 2), ("retrieval", 2), ("reasoning", 2), ("planning", 3), ("answer form", None),
)  # fmt: skip


def diagnosis(number: int, cause: Cause | None, hop: int | None, kind: str = "chain") -> Diagnosis:
    failure = Attribution(cause, hop, "") if cause is not None else None
    return Diagnosis(
        f"a{number}", f"q{number}", kind, "inference" if kind == "chain" else kind, 3, f"c{number}",
        failure is None, failure, (), (), {},
    )  # fmt: skip


def failures(*places: tuple[Cause | None, int | None]) -> AttributionFigures:
    return attribution_figures("r", [diagnosis(number, *place) for number, place in enumerate(places)])


def track(number: int, top_k: tuple[int | None, ...], kind: str = "chain", right: bool = False) -> Track:
    return Track(
        kind=kind, query_type="inference" if kind == "chain" else kind, hops=3, cluster=f"c{number}",
        right=right, exact=right, f1=float(right), score=None, abstained=False, error="", depth=None,
        searches=Searches(len(top_k), top_k, (1,) * len(top_k), len(top_k), 0), faults=(),
    )  # fmt: skip


def analysis(run: str = "r", tracks: int = 5) -> RunAnalysis:
    searched = [track(number, (5, 10)) for number in range(tracks)]
    return RunAnalysis(hop_aware("c", run, searched), failures(*FAILED))


def test_the_hop_and_cause_of_most_failures_are_said() -> None:
    assert failing_sentence(failures(*FAILED).total) == (
        "5 failures in 5 answers; most often at hop 2 by retrieval: 2, which is 40% of them."
    )
    tied = failures(("retrieval", 1), ("reasoning", 2), (None, None)).total
    assert failing_sentence(tied).endswith("no hop and cause is more frequent than all others.")
    assert failing_sentence(failures(("error", None)).total).endswith("at which hop is not known of any.")


def test_bars_are_as_long_as_the_failures_and_none_is_left_out() -> None:
    drawing = failure_chart("r", failures(*FAILED).total)
    bars = [
        (round(float(width)), paint)
        for width, paint in re.findall(r'width="([\d.]+)"[^>]*class="([\w-]+) part"', drawing.shapes)
    ]
    longest = round(WIDTH - 52 - 34)
    assert bars == [
        (round(longest * 2 / 3), "hop-3"), (round(longest / 3), "reasoning"), (round(longest / 3), "hop-1"),
        (round(longest / 3), "hop-5"),
    ]  # fmt: skip
    assert drawing.desc == (
        "Hop 1, 0 failures. Hop 2, 3 failures: retrieval 2, reasoning 1. Hop 3, 1 failure: planning 1. "
        "No hop, 1 failure: answer form 1."
    )


def test_top_k_is_a_mean_for_the_first_search_the_second_and_so_on() -> None:
    found = hop_aware("c", "r", [track(1, (5, None, 8)), track(2, (10, 4))])
    assert found.total is not None
    means = found.total.steps.top_k_by_search
    assert {number: (one.n, one.value) for number, one in means.items()} == {
        1: (2, 7.5),
        2: (1, 4),
        3: (1, 8),
    }
    drawing = top_k_chart("Top-k", [("r", means), ("quiet", {})])
    assert drawing.desc == "r: search 1 7.5, search 2 4.0, search 3 8.0. quiet: top-k not known."
    assert drawing.shapes.count("<circle") == 3


def test_a_run_that_tells_no_top_k_has_no_drawing_of_it() -> None:
    silent = RunAnalysis(hop_aware("c", "r", [track(1, (None,))]), failures(("retrieval", 1)))
    found = overview("o", [silent])
    assert found is not None
    assert found.top_k is None
    assert overview("o", [RunAnalysis(hop_aware("c", "r", []), failures())]) is None


def test_runs_over_other_questions_are_not_to_be_compared() -> None:
    one, other, longer = (analysis(*given).hops for given in (("a",), ("b",), ("c", 6)))
    assert comparison_notes([one, other]) == comparison_notes([one]) == ()
    (note,) = comparison_notes([one, longer])
    assert "a 5, c 6" in note


def test_causes_are_grouped_as_accuracies_are() -> None:
    answers = [
        diagnosis(1, "reasoning", None, kind="null"), diagnosis(2, "retrieval", 1, kind="bridge"),
        diagnosis(3, "retrieval", 1),
    ]  # fmt: skip
    groups = [(one.group.kind, one.group.hops) for one in attribution_figures("r", answers).groups]
    tracks = [track(1, (), kind="null"), track(2, (), kind="bridge"), track(3, ())]
    assert groups == [(one.group.kind, one.group.hops) for one in hop_aware("c", "r", tracks).groups]
    assert groups == [("chain", 3), ("bridge", 3), ("null", None)]


def test_the_page_begins_with_what_fails_where() -> None:
    html = render_analysis("c", [analysis("first"), analysis("second")])
    page = read_page(html)
    assert page is not None
    assert html.index("most often fails at") < html.index("How often right")
    assert html.count("hop 2, retrieval") == 2
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)
