"""A run's figures from the tracks of its answers, counted by hand.

How deep a system gets into a chain, by hand and for any verdicts.

Means and shares with intervals by cluster.
"""

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from services.evaluate.hop_aware import GroupFigures, HopAware, hop_aware, mean, share
from services.evaluate.hop_traces import Depth, Searches, Track, depth_of
from tests.examples import examples

RIGHT = Track(
    kind="chain", query_type="inference", hops=3, cluster="a", right=True, exact=True, f1=1.0, score=2,
    abstained=False, error="", depth=Depth(3, 3), searches=Searches(3, (5, 5, 10), (5, 5, 8), 3, 0),
    faults=(),
)  # fmt: skip
WRONG = replace(
    RIGHT, cluster="b", right=False, exact=False, f1=0.5, score=0, depth=Depth(2, 1),
    searches=Searches(7, (1,) * 7, (1,) * 7, 8, 3), faults=("repeated query", "no call"),
)  # fmt: skip
EARLY = replace(
    WRONG, cluster="c", f1=0.0, score=1, depth=Depth(1, 1), searches=Searches(2, (4, 4), (4, 0), 2, 0),
    faults=(),
)  # fmt: skip


def line(found: HopAware, kind: str, hops: int | None) -> GroupFigures:
    """The line of a kind and depth."""
    (one,) = [one for one in found.groups if (one.group.kind, one.group.hops) == (kind, hops)]
    return one


def test_a_group_by_hand() -> None:
    found = hop_aware("c", "r", [RIGHT, WRONG, EARLY])
    one = line(found, "chain", 3)
    accuracies, depths, steps = one.accuracies, one.depths, one.steps
    assert (one.n, one.clusters) == (3, 3)
    assert accuracies.right.value == accuracies.exact.value == 1 / 3
    assert accuracies.f1.value == 0.5
    assert (accuracies.judged.value, accuracies.scores) == (2 / 3, (1, 1, 1))
    assert (depths.reached.value, depths.unbroken.value) == (2.0, 5 / 3)
    assert (depths.reached_failed.value, depths.unbroken_failed.value) == (1.5, 1.0)
    assert depths.by_depth == {1: 1, 2: 1, 3: 1}
    assert (steps.right.value, steps.wrong.value) == (3.0, 4.5)
    assert steps.by_count == {2: (0, 1), 3: (1, 0), 7: (0, 1)}
    assert (steps.collapsed.value, steps.extended.value) == (1 / 3, 1 / 3)
    assert steps.top_k.n == 12
    assert steps.top_k.value == (5 + 5 + 10 + 7 + 4 + 4) / 12
    assert steps.seen.value == (18 + 7 + 4) / 12
    assert (steps.redundant.n, steps.redundant.value) == (13, 3 / 13)
    assert one.faults.value == 2 / 3
    assert one.fault_kinds == {"no call": 1, "repeated query": 1}


def test_twice_as_many_searches_as_hops_are_not_too_many() -> None:
    at_the_bound = replace(WRONG, searches=Searches(6, (), (), 6, 0))
    assert line(hop_aware("c", "r", [at_the_bound]), "chain", 3).steps.extended.value == 0


def test_kinds_and_depths_stand_apart_and_null_questions_are_no_chains() -> None:
    null = replace(
        RIGHT, kind="null", query_type="null", hops=2, depth=None, searches=Searches(1, (), (), 1, 0)
    )
    found = hop_aware("c", "r", [RIGHT, replace(RIGHT, hops=2), null, replace(null, hops=1)])
    groups = [(one.group.kind, one.group.hops, one.n) for one in found.groups]
    assert groups == [("chain", 2, 1), ("chain", 3, 1), ("chain", None, 2), ("null", None, 2)]
    assert line(found, "null", None).steps.collapsed.n == 0
    assert found.total is not None
    assert found.total.n == 4
    assert found.total.steps.collapsed.n == 2


def test_what_is_not_known_is_said_and_counts_in_nothing() -> None:
    bare = replace(WRONG, score=None, depth=None, searches=None, faults=None, retrieval_reported=False)
    found = hop_aware("my corpus", "r", [bare, replace(bare, error="time-out")])
    one = line(found, "chain", 3)
    assert (one.accuracies.judged.n, one.depths.reached.value, one.steps.right.value) == (0, None, None)
    notes = "\n".join(found.notes)
    assert "kg run judge r --corpus 'my corpus' --scale 0-2" in notes
    assert "--prefixes" in notes
    assert "of 2 answers the system does not list its steps" in notes
    assert "of 2 answers the system does not tell what it retrieved" in notes
    assert one.faults.value is None
    listed = hop_aware("c", "r", [replace(bare, faults=())])
    assert any("of 1 answers no step tells a search" in note for note in listed.notes)
    assert "failed on 1 question," in notes


def test_false_citations_and_answers_without_anything_read_are_counted_and_said() -> None:
    found = hop_aware(
        "c", "r", [replace(RIGHT, unread=True), replace(WRONG, miscited=True, unread=True), EARLY]
    )
    accuracies = line(found, "chain", 3).accuracies
    assert (accuracies.miscited, accuracies.unread) == (1, 2)
    notes = "\n".join(found.notes)
    assert "1 of 3 answers cite a passage that was never shown" in notes
    assert "2 of 3 answers were given with no passage read, 1 of them right" in notes


def test_prefixes_that_were_asked_in_part_are_told() -> None:
    found = hop_aware("c", "r", [RIGHT, replace(RIGHT, depth=None)])
    assert any("1 of 2 questions" in note for note in found.notes)
    assert line(found, "chain", 3).depths.reached.n == 1


def test_a_run_without_answers_has_no_figures() -> None:
    found = hop_aware("c", "r", [])
    assert (found.groups, found.total, found.answers) == ((), None, 0)


def test_questions_with_an_unfit_prefix_question_are_told_apart_from_those_not_asked() -> None:
    unfit = replace(WRONG, depth=None, unfit=True)
    found = hop_aware("c", "r", [RIGHT, unfit])
    assert line(found, "chain", 3).depths.reached.value == 3
    (told,) = [note for note in found.notes if "prefix question" in note]
    assert "of 1 of 2 questions a prefix question did not pass the filters" in told


@examples("hops, right, prefixes, depth")
def test_worked_examples(hops: int, right: bool, prefixes: dict[int, bool], depth: tuple[Any, ...]) -> None:
    assert depth_of(hops, right, prefixes) == Depth(*depth)


@pytest.mark.parametrize("prefixes", [{}, {1: True}, {2: True}])
def test_a_prefix_that_was_not_asked_leaves_the_depth_unknown(prefixes: dict[int, bool]) -> None:
    assert depth_of(3, True, prefixes) is None


def test_a_question_of_one_hop_has_no_depth() -> None:
    assert depth_of(1, True, {}) is None


@given(st.lists(st.booleans(), min_size=2, max_size=6))
def test_unbroken_is_never_deeper_than_reached(verdicts: list[bool]) -> None:
    prefixes = dict(enumerate(verdicts[:-1], start=1))
    found = depth_of(len(verdicts), verdicts[-1], prefixes)
    assert found is not None
    assert 0 <= found.unbroken <= found.reached <= len(verdicts)
    assert (found.reached == len(verdicts)) == verdicts[-1]
    assert (found.unbroken == len(verdicts)) == all(verdicts)


def test_an_interval_by_hand() -> None:
    # Two clusters of two: means 2, deviations of their sums -2 and 2, v = 2 / 1 * 8 / 16 = 1.
    found = mean([1, 1, 3, 3], ["a", "a", "b", "b"])
    half = float(t.ppf(0.975, 1))
    assert (found.n, found.value) == (4, 2.0)
    assert found.interval is not None
    assert found.interval.low == 0.0  # 2 - 12.7 is cut
    assert found.interval.high == pytest.approx(2 + half)


def test_lone_answers_give_the_interval_of_a_plain_mean() -> None:
    values = [0.0, 1.0, 2.0, 5.0, 7.0, 3.0]
    found = mean(values, [str(number) for number in range(6)], low=-100)
    half = float(t.ppf(0.975, 5)) * float(np.std(values, ddof=1)) / sqrt(6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((3 - half, 3 + half))


def test_answers_that_stand_and_fall_together_say_less() -> None:
    values = [1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 2.0, 2.0, 2.0]
    together = mean(values, list("aaabbbccc"))
    alone = mean(values, list("abcdefghi"))
    assert together.interval is not None
    assert alone.interval is not None
    assert together.interval.high - together.interval.low > alone.interval.high - alone.interval.low


def test_nothing_is_made_up_without_values_or_with_one_cluster() -> None:
    assert (mean([], []).value, mean([], []).interval) == (None, None)
    assert mean([1, 2], ["a", "a"]).interval is None
    assert share([], []).value is None


def test_few_answers_are_marked() -> None:
    assert share([True] * 19, ["a"] * 19).small
    assert not share([True] * 20, ["a"] * 20).small


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcde")), min_size=1, max_size=30),
)
def test_an_interval_holds_its_mean_within_the_bounds(pairs: list[tuple[float, str]]) -> None:
    found = mean([value for value, _ in pairs], [cluster for _, cluster in pairs], high=1.0)
    assert found.value is not None
    if found.interval is not None:
        assert 0 <= found.interval.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.interval.high <= 1
