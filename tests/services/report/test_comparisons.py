"""Comparisons of runs: the same data give the same figures, in whatever order runs and answers come."""

from services.evaluate.run_answers import GivenAnswer
from services.report.comparisons import compare_runs


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
