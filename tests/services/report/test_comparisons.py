"""Comparisons of runs: the same data give the same figures, in whatever order runs and answers come."""

from dataclasses import replace

import pytest

from services.evaluate.run_analysis import GivenAnswer
from services.report.comparisons import choose_ceilings, compare_ceilings, compare_runs, repeated_runs
from tests.services.report.reports import make_facts


def _answers(every: int) -> list[GivenAnswer]:
    return [
        GivenAnswer(
            question=f"question-{number:03d}",
            kind="chain",
            query_type="inference",
            hops=2 + number % 4,
            right=number % every == 0,
            exact_match=False,
            answer_match=False,
            holds_key=False,
            any_word=False,
            f1=0.0,
            abstained=False,
            error="",
            judged_by="exact match",
            seconds=0.0,
            input_tokens=0,
            output_tokens=0,
            cost=None,
            hops_found=(),
            first_lost=None,
            broken_by=None,
            cluster=f"article-{number % 37}",
        )
        for number in range(400)
    ]


def test_figures_hang_neither_on_the_order_of_the_runs_nor_on_that_of_their_answers() -> None:
    one, other = _answers(3), _answers(5)
    there = compare_runs({"one": one, "other": other}, seed=0)
    assert there == compare_runs({"one": one[::-1], "other": other[::-1]}, seed=0)
    back = compare_runs({"other": other, "one": one}, seed=0)
    assert [it.scope for it in there] == ["all", "2 hops", "3 hops", "4 hops", "5 hops"]
    for forth, turned in zip(there, back, strict=True):
        assert (turned.first, turned.second) == ("other", "one")
        assert turned.difference == -forth.difference
        assert forth.interval is not None
        assert turned.interval is not None
        assert (turned.interval.low, turned.interval.high) == (-forth.interval.high, -forth.interval.low)
        assert (turned.p_value, turned.p_holm) == (forth.p_value, forth.p_holm)


def test_a_question_is_unsteady_where_runs_differ_by_hand() -> None:
    runs = {"s-seed-0": _given("rrww"), "s-seed-1": _given("rwrw"), "other": _given("wwww")}
    (found,) = repeated_runs(runs, {"s-seed-0": "s", "s-seed-1": "s", "other": ""})
    assert (found.name, found.runs) == ("s", ("s-seed-0", "s-seed-1"))
    assert (found.unsteady.hits, found.unsteady.n) == (2, 4)
    assert found.accuracy.mean == pytest.approx(0.5)


def _given(right: str, kind: str = "chain") -> list[GivenAnswer]:
    """A question a letter, r for right, in clusters of two."""
    return [
        replace(one, right=letter == "r", kind=kind, question=f"{kind}-{at}", cluster=f"article-{at // 2}")
        for at, (one, letter) in enumerate(zip(_answers(2), right, strict=False))
    ]


def test_what_is_lost_in_retrieval_and_in_reading_adds_up_to_what_is_wrong() -> None:
    """By hand: of 8 questions the system gets 3, gold evidence 6, memory 1; null questions have no gold."""
    system = [*_given("rrrwwwww"), *_given("rr", "null"), *_given("w", "comparison")]
    gold, memory = _given("rrwrrrrw"), [*_given("wwwwwrww"), *_given("rr", "null")]
    found = compare_ceilings(system, ("m", memory), ("g", gold), seed=0)
    assert found is not None
    assert found.from_memory is not None
    assert found.from_gold is not None
    assert found.reading is not None
    assert found.retrieval is not None
    rates = (found.from_memory, found.system, found.from_gold, found.reading)
    assert [(rate.hits, rate.n) for rate in rates] == [(1, 8), (3, 8), (6, 8), (2, 8)]
    assert found.retrieval.difference == pytest.approx(3 / 8)
    assert found.retrieval.difference + 2 / 8 == pytest.approx(1 - 3 / 8)
    # Differences by cluster: 0 0, -1 +1, +1 +1, +1 0; sums 0, 0, 2, 1 about a mean of 3/8, so residuals
    # -3/4, -3/4, 5/4, 1/4 with squares of 11/4 in all, and a CR2 variance of 4/3 * 11/4 / 64.
    assert found.retrieval.standard_error == pytest.approx((4 / 3 * 2.75 / 64) ** 0.5)
    assert found.retrieval.interval is not None
    assert found.retrieval.interval.high == pytest.approx(1.0)
    only = compare_ceilings(system, ("m", memory), ("", None), seed=0)
    assert only is not None
    assert (only.system.n, only.from_gold, only.retrieval, only.reading) == (8, None, None, None)
    assert compare_ceilings(system, ("", None), ("", None), seed=0) is None


def test_ceilings_are_of_the_model_behind_the_name_and_of_one_judge() -> None:
    """A system of one's own that says its model has those of that model, by whoever serves it."""
    rows = [
        {"name": name, "system": "single-step", "generator": generator, "judge": judge, "evidence": evidence}
        for name, generator, judge, evidence in (
            ("a", "gpt-4", "gpt-4", "gold"),
            ("b", "openai/gpt-x", "gpt-4o", "gold"),
            ("c", "gpt-x", "gpt-4", "gold"),
            ("d", "azure/gpt-x", "gpt-4o", "none"),
        )
    ]
    own = make_facts("own", system="endpoint https://a.example", generator="gpt-x", judge="gpt-4o")
    assert choose_ceilings(own, rows) == ("b", "d")
    assert choose_ceilings(replace(own, judge="gpt-4o, revised by hand"), rows) == ("b", "d")
    assert choose_ceilings(replace(own, judge="gpt-4"), rows) == ("c", "")
    assert choose_ceilings(replace(own, generator=""), rows) == ("", "")
