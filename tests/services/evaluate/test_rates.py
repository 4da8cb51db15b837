"""Error rates of nodes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from services.evaluate.rates import NodeRate, error_rates


def test_worked_example() -> None:
    wrong = {"q1": True, "q2": False, "q3": True}
    questions_of = {"chunk2": ["q1", "q2"], "chunk1": ["q3"], "chunk3": [], "chunk4": ["q9"]}
    assert error_rates(wrong, questions_of) == [
        NodeRate("chunk1", answers=1, errors=1, error_rate=1.0),
        NodeRate("chunk2", answers=2, errors=1, error_rate=0.5),
        NodeRate("chunk3", answers=0, errors=0, error_rate=None),
        NodeRate("chunk4", answers=0, errors=0, error_rate=None),
    ]


def test_a_question_that_touches_a_node_twice_counts_once() -> None:
    (rate,) = error_rates({"q1": True, "q2": False}, {"entity": ["q1", "q1", "q1", "q2"]})
    assert (rate.answers, rate.errors, rate.error_rate) == (2, 1, 0.5)


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(0, 9).map(str), st.booleans()),
    st.dictionaries(st.text("ab", max_size=3), st.lists(st.integers(0, 12).map(str))),
)
def test_rates_are_shares_of_judged_questions(
    wrong: dict[str, bool], questions_of: dict[str, list[str]]
) -> None:
    rates = error_rates(wrong, questions_of)
    assert [rate.id for rate in rates] == sorted(questions_of)
    for rate in rates:
        judged = set(questions_of[rate.id]) & set(wrong)
        assert rate.answers == len(judged)
        assert rate.errors == len({question for question in judged if wrong[question]})
        assert (rate.error_rate is None) == (not judged)
        assert rate.error_rate is None or rate.error_rate == rate.errors / rate.answers
