"""The sentences that a reader meets first say what the figures say, and no more."""

from dataclasses import replace

from services.evaluate.matrix import Judged, difficulty_matrix
from services.report.content import HopLoss, Report, RunSection
from services.report.html_comparisons import pair_views, verdict
from services.report.html_summary import cautions, headline, run_sentences
from tests.services.report.reports import (
    empty_report,
    empty_run,
    make_comparison,
    make_facts,
    make_report,
)


def run_of(errors: dict[tuple[int, int], int], a_cell: int = 20) -> RunSection:
    """A run with so many errors in some cells of so many answers; every answer is a cluster of its own."""
    rows = [
        Judged(f"q{hops}{bin_}{n}", hops, bin_, 0.1 * bin_, n < wrong, f"a{hops}{bin_}{n}")
        for (hops, bin_), wrong in errors.items()
        for n in range(a_cell)
    ]
    return replace(empty_run(), facts=make_facts("it", errors=0), matrix=difficulty_matrix(rows))


def plain(sentences: list[str]) -> str:
    """Sentences without markup, as one text."""
    text = " ".join(sentences)
    for tag in ("<bdi>", "</bdi>", "<strong>", "</strong>"):
        text = text.replace(tag, "")
    return text


def test_it_says_how_often_a_run_is_wrong_and_where_first_and_most() -> None:
    run = run_of({(2, 1): 4, (2, 4): 12, (3, 1): 8, (3, 4): 20})
    said = plain([str(one) for one in run_sentences(run)])
    assert "it is wrong on 55% of 80 chain questions" in said
    assert "first wrong on more than half at 2 hops, far (60% of 20" in said
    assert "fails most at 3 hops, far (100% of 20" in said
    assert "error" not in said.replace("fails", "")


def test_a_run_that_is_seldom_wrong_has_no_first_failing_cell() -> None:
    said = plain([str(one) for one in run_sentences(run_of({(2, 1): 1, (2, 2): 3}))])
    assert "more than half" not in said
    assert "fails most at 2 hops, Q2 (15% of 20" in said


def test_small_cells_are_never_called_the_worst() -> None:
    run = run_of({(2, 1): 19, (2, 2): 0}, a_cell=19)
    said = plain([str(one) for one in run_sentences(run)])
    assert "No cell of its matrix has 20 answers or more." in said
    assert "fails most" not in said


def test_where_chains_break_is_told_in_shares_of_all_wrong_answers() -> None:
    losses = (HopLoss(2, 10, (1, 4), 5, 0, 0), HopLoss(3, 10, (1, 3, 1), 4, 1, 0))
    run = replace(run_of({(2, 1): 10, (3, 1): 10}), losses=losses)
    said = plain([str(one) for one in run_sentences(run)])
    assert "50% lack the evidence of a hop and 45% have all of it" in said
    assert "lost most often at hop 2." in said


def test_cautions_name_small_cells_and_few_clusters_once_for_runs_that_share_them() -> None:
    runs = tuple(
        replace(one, facts=make_facts(name))
        for name, one in (("a", run_of({(2, 1): 4})), ("b", run_of({(2, 1): 9})))
    )
    report = Report("c", "1", "v-1", (), "depth", runs, (), (), ())
    said = [plain([str(one)]) for one in cautions(report)]
    assert said[0].startswith("a and b: 15 of 16 cells have fewer than 20 answers")
    assert "20 questions fall into 20 clusters" in said[1]
    assert not any("does not mean" in one for one in said)


def test_without_runs_there_is_nothing_to_judge_and_nothing_to_warn_of() -> None:
    assert "No run is in this report" in str(headline(empty_report()))
    assert cautions(empty_report()) == []
    assert "answered no chain question" in str(run_sentences(empty_run())[0])


def test_differences_are_told_with_their_side_and_only_when_shown() -> None:
    better = plain([str(verdict(make_comparison("a", "b", "all", 0.071, True)))])
    assert (
        "Shown to differ. On 624 questions b gives 7.1 percentage points more right answers than a" in better
    )
    worse = plain([str(verdict(make_comparison("a", "b", "all", -0.071, True)))])
    assert "b gives 7.1 percentage points fewer right answers than a" in worse
    open_ = plain([str(verdict(make_comparison("a", "b", "all", 0.02, False)))])
    assert open_.startswith("Not shown to differ.")
    equal = plain([str(verdict(make_comparison("a", "b", "all", 0.0, False)))])
    assert "a and b are right equally often" in equal


def test_a_pair_tells_what_the_test_without_clusters_would_have_claimed() -> None:
    pairs = pair_views(make_report(3).comparisons)
    assert len(pairs) == 3
    said = plain([str(one) for one in pairs[0].sentences])
    assert "the difference is shown at 2 hops" in said
    assert "would have claimed a difference at 3 hops, 4 hops, 5 hops" in said


def test_what_only_holm_keeps_from_being_shown_is_not_blamed_on_clusters() -> None:
    one = replace(make_comparison("a", "b", "all", 0.05, False), p_value=0.03, p_holm=0.2, naive_p=0.008)
    said = plain([str(sentence) for sentence in pair_views([one])[0].sentences])
    assert "Looked at alone, all would be shown" in said
    assert "counts the same news twice" not in said
