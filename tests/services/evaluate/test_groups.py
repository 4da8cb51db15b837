"""Groups of questions that share evidence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from services.evaluate.groups import effective_groups, evidence_groups, group_sizes

EVIDENCE = st.dictionaries(
    st.text("qrst", min_size=1, max_size=3), st.sets(st.sampled_from("ABCDEFGHIJ"), max_size=3), max_size=20
)


def test_questions_are_joined_over_others() -> None:
    evidence = {"q1": ["A", "B"], "q2": ["C"], "q3": ["B", "D"], "q4": ["D"], "q5": []}
    assert evidence_groups(evidence) == {"q1": "q1", "q2": "q2", "q3": "q1", "q4": "q1", "q5": "q5"}


def test_questions_without_evidence_are_not_joined() -> None:
    assert evidence_groups({"q1": [], "q2": []}) == {"q1": "q1", "q2": "q2"}


@settings(deadline=None)
@given(EVIDENCE)
def test_groups_are_the_connected_components(evidence: dict[str, set[str]]) -> None:
    questions = sorted(evidence)
    shares = np.array(
        [[bool(evidence[a] & evidence[b]) for b in questions] for a in questions], dtype=np.int8
    )
    groups = evidence_groups(evidence)
    if not questions:
        assert groups == {}
        return
    number, labels = connected_components(csr_array(shares), directed=False)
    assert len(set(groups.values())) == number
    for question, label in zip(questions, labels, strict=True):
        members = [q for q, other in zip(questions, labels, strict=True) if other == label]
        assert groups[question] == min(members)


@settings(deadline=None)
@given(EVIDENCE)
def test_groups_do_not_depend_on_order(evidence: dict[str, set[str]]) -> None:
    backwards = {question: sorted(evidence[question], reverse=True) for question in reversed(evidence)}
    assert evidence_groups(backwards) == evidence_groups(evidence)


def test_a_giant_group_is_worth_one() -> None:
    groups = {f"q{i}": "giant" for i in range(290)} | {f"r{i}": f"r{i}" for i in range(10)}
    sizes = group_sizes(groups)
    assert (sizes.questions, sizes.groups, sizes.largest) == (300, 11, 290)
    assert sizes.effective == pytest.approx(300**2 / (290**2 + 10))
    assert round(sizes.effective, 2) == 1.07


def test_no_questions() -> None:
    sizes = group_sizes({})
    assert (sizes.questions, sizes.groups, sizes.largest, sizes.effective) == (0, 0, 0, 0.0)


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_effective_groups_are_at_most_the_groups(sizes: list[int]) -> None:
    assert 1 <= effective_groups(sizes) <= len(sizes) + 1e-9


def test_a_long_chain_of_shared_articles_is_one_group() -> None:
    evidence = {f"q{i:05}": [f"a{i}", f"a{i + 1}"] for i in range(20_000)}
    assert set(evidence_groups(evidence).values()) == {"q00000"}
    assert set(evidence_groups(dict(reversed(evidence.items()))).values()) == {"q00000"}
