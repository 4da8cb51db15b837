"""What right answers rest on, silences, risk against coverage, and cost: each figure worked out by hand."""

import numpy as np
import pytest

from services.evaluate.run_analysis import GivenAnswer
from services.report.soundness import answer_grounds, answer_silences, cost_points
from services.statistics.clustered_means import share_interval


def given(
    question: str,
    right: bool = True,
    hops_found: tuple[bool, ...] = (),
    *,
    kind: str = "chain",
    hops: int = 2,
    place: int | None = 1,
    cluster: str = "",
    cited: tuple[bool, ...] = (),
    abstained: bool = False,
    error: str = "",
    confidence: float | None = None,
    tokens: int = 0,
    cost: float | None = None,
    told: bool = True,
) -> GivenAnswer:
    return GivenAnswer(
        question=question, kind=kind, query_type="inference", hops=hops, right=right, exact_match=right,
        answer_match=right, holds_key=right, any_word=right, f1=float(right), abstained=abstained,
        error=error, judged_by="exact match", seconds=0.5, input_tokens=tokens, output_tokens=0, cost=cost,
        hops_found=hops_found, first_lost=None, broken_by=None, cluster=cluster or question,
        retrieval_reported=told, bin=place, hops_cited=cited, confidence=confidence,
    )  # fmt: skip


YES, NO = True, False


def test_right_answers_fall_into_three_by_how_many_hops_have_evidence() -> None:
    answers = [
        given("a", hops_found=(YES, YES), cluster="x", cited=(YES, NO)),
        given("b", hops_found=(YES, NO), cluster="x"),
        given("c", hops_found=(NO, NO), cluster="y", place=4),
        given("d", hops_found=(YES, YES, NO), cluster="y", hops=3, place=2),
        given("e", hops_found=(YES,), kind="comparison", place=None),
        # None of these counts: wrong, null, failed, and of a system that keeps what it retrieved to itself.
        given("f", right=False, hops_found=(NO, NO)),
        given("g", hops_found=(NO,), kind="null", abstained=True),
        given("h", right=False, hops_found=(NO, NO), error="time-out"),
        given("i", hops_found=(), told=False),
    ]
    found = {(one.by, one.hops, one.bin): one for one in answer_grounds(answers)}
    told = {key: (one.every, one.some, one.none, one.unfounded.rate) for key, one in found.items()}
    assert told == {
        ("retrieved", None, None): (2, 2, 1, 3 / 5),
        ("retrieved", 2, None): (1, 1, 1, 2 / 3),
        ("retrieved", 2, 1): (1, 1, 0, 1 / 2),
        ("retrieved", 2, 4): (0, 0, 1, 1.0),
        ("retrieved", 3, None): (0, 1, 0, 1.0),
        ("retrieved", 3, 2): (0, 1, 0, 1.0),
        ("cited", None, None): (0, 1, 0, 1.0),
        ("cited", 2, None): (0, 1, 0, 1.0),
        ("cited", 2, 1): (0, 1, 0, 1.0),
    }
    by_cluster = share_interval([NO, YES, YES, YES, NO], ["x", "x", "y", "y", "e"])
    assert found["retrieved", None, None].unfounded.interval == by_cluster
    assert answer_grounds(answers[5:]) == ()


def test_false_answers_and_false_silences_each_have_their_own_questions() -> None:
    answers = [
        given("a", kind="null", abstained=True),
        given("b", right=False, kind="null"),
        # Judged right in words that the rule doesn't know for an abstention.
        given("c", kind="null"),
        given("d", right=False, kind="null", error="time-out"),
        given("e"),
        given("f", right=False),
        given("g", right=False, abstained=True),
        given("h", right=False, error="time-out"),
    ]
    found = answer_silences(answers)
    assert found is not None
    rates = (found.false_answers, found.false_silences, found.coverage, found.risk)
    # Answered: b, c, e and f, of which b and f are wrong.
    assert [(rate.hits, rate.n) for rate in rates] == [(1, 3), (1, 3), (4, 8), (2, 4)]
    assert [(point.confidence, point.coverage, point.risk) for point in found.curve] == [(None, 0.5, 0.5)]
    assert found.area is None
    assert answer_silences([]) is None


def test_risk_falls_with_coverage_where_the_surest_answers_are_right() -> None:
    answers = [
        given("a", confidence=0.9),
        given("b", confidence=0.8),
        given("c", right=False, confidence=0.8),
        given("d", right=False, confidence=0.2),
        given("e", right=False, abstained=True),
    ]
    found = answer_silences(answers)
    assert found is not None
    curve = [(point.confidence, point.coverage, point.risk) for point in found.curve]
    assert curve == [(0.9, 1 / 5, 0.0), (0.8, 3 / 5, 1 / 3), (0.2, 4 / 5, 1 / 2)]
    # The four answers have the risks 0, 1/3, 1/3 and 1/2 at their points.
    assert found.area == pytest.approx(np.mean([0, 1 / 3, 1 / 3, 1 / 2]))


def test_a_run_is_beaten_by_one_that_is_as_accurate_for_less() -> None:
    def run(rights: str, tokens: int, cost: float | None) -> list[GivenAnswer]:
        return [
            given(f"q{place}", right == "+", tokens=tokens, cost=cost) for place, right in enumerate(rights)
        ]

    points = cost_points(
        {
            "small": run("+---", 10, 0.001),
            "large": run("+++-", 200, 0.004),
            "wasteful": run("++--", 300, 0.002),
            # Its fifth question is asked of no other run, and doesn't count.
            "free": run("+----", 10, None),
        }
    )
    rows = [(one.run, one.accuracy.hits, one.tokens, one.money) for one in points]
    assert rows == [
        ("free", 1, 10_000, None), ("small", 1, 10_000, 1.0), ("large", 3, 200_000, 4.0),
        ("wasteful", 2, 300_000, 2.0),
    ]  # fmt: skip
    assert {one.accuracy.n for one in points} == {4}
    assert {one.seconds for one in points} == {500.0}
    beaten = {one.run: (one.beaten_in_tokens, one.beaten_in_money) for one in points}
    # "free" and "small" are alike in tokens, so neither beats the other; what costs more is beaten in money
    # only by what is as accurate.
    assert beaten == {"free": ("", ""), "small": ("", ""), "large": ("", ""), "wasteful": ("large", "")}
    assert cost_points({"one": run("+", 1, None)[:0], "two": run("+", 1, None)}) == ()
    assert cost_points({}) == ()
