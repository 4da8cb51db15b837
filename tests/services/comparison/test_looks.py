"""A look is after whole clusters, which don't change with what came of the questions."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import UserError
from services.comparison.records import Question
from services.comparison.sampling import chosen_look, questions_at
from tests.services.comparison.made_comparison import made_protocol, made_questions


def _questions(clusters: Sequence[int]) -> tuple[Question, ...]:
    some = made_questions()[0]
    return tuple(
        replace(some, id=f"question-{number:03d}", cluster=f"cluster-{cluster}")
        for number, cluster in enumerate(clusters)
    )


def _ids(questions: Sequence[Question]) -> set[str]:
    return {question.id for question in questions}


@given(
    clusters=st.lists(st.integers(0, 8), min_size=2, max_size=40),
    seed=st.integers(0, 99),
)
def test_a_look_is_whole_clusters_and_the_beginning_of_the_next(clusters: list[int], seed: int) -> None:
    protocol = made_protocol(inference={"looks": [0.3, 0.6, 1.0]}, seeds={"sample": seed})
    questions = _questions(clusters)
    looks = [questions_at(protocol, questions, look) for look in (1, 2, 3)]
    for look, share in zip(looks, (0.3, 0.6, 1.0), strict=True):
        assert len(look) >= share * len(questions)
        seen = {question.cluster for question in look}
        assert _ids(look) == {question.id for question in questions if question.cluster in seen}
        # The last cluster was needed.
        last = [question for question in look if question.cluster == look[-1].cluster]
        assert len(look) - len(last) < share * len(questions)
    assert looks[1][: len(looks[0])] == looks[0]
    assert looks[2][: len(looks[1])] == looks[1]
    assert _ids(looks[2]) == _ids(questions)
    assert questions_at(protocol, questions[::-1], 1) == looks[0]


def test_the_seed_draws_the_clusters() -> None:
    questions = _questions([number // 2 for number in range(40)])
    drawn = {
        questions_at(made_protocol(seeds={"sample": seed}), questions, 1)[0].cluster for seed in range(20)
    }
    assert len(drawn) > 1


def test_a_look_that_is_not_planned_is_refused() -> None:
    protocol = made_protocol()
    assert (chosen_look(protocol, None), chosen_look(protocol, 1)) == (2, 1)
    for number in (0, 3):
        with pytest.raises(UserError, match=f"plans 2 looks, and {number} is none"):
            chosen_look(protocol, number)
