"""The tables of the comparison of agents: who was right, and whether that can be chance."""

import numpy as np

from benchmarks.agents import AGENT, Question, Result, comparisons, section, share
from kg.llm.protocol import Usage
from services.rag.protocol import RagAnswer, RagQuestion

QUESTIONS = [
    Question(
        RagQuestion(f"q{n}", "Who?", np.zeros(2, np.float32)),
        "Ann Brel",
        ("Brel",),
        "2 hops" if n < 6 else "3 hops",
        f"article-{n // 2}",
        null=n == 11,
    )
    for n in range(12)
]


def result(system: str, texts: list[str], error: str = "") -> Result:
    answers = tuple(
        RagAnswer(one.query.id, text, (), (), (), Usage(), None, 0.1, error=error)
        for one, text in zip(QUESTIONS, texts, strict=True)
    )
    right = tuple(one.is_right(answer) for one, answer in zip(QUESTIONS, answers, strict=True))
    return Result(system, answers, right, 1.2)


def test_right_is_the_gold_answer_or_none_where_there_is_none() -> None:
    abstaining = result("single-step", ["Insufficient information"] * 12)
    knowing = result(AGENT, ["Brel"] * 12)
    failing = result("react", ["Brel"] * 12, error="time-out")
    assert abstaining.right == (False,) * 11 + (True,)
    assert knowing.right == (True,) * 11 + (False,)
    assert not any(failing.right)
    assert share(QUESTIONS, knowing, "2 hops").startswith("1.00, ")
    assert share(QUESTIONS, knowing, "").startswith("0.92, ")


def test_the_agent_is_compared_with_each_other_system_by_cluster() -> None:
    results = [
        result("single-step", ["Cole"] * 12),
        result("react", ["Brel"] * 12),
        result(AGENT, ["Brel"] * 12),
    ]
    found = dict(comparisons(QUESTIONS, results))
    assert list(found) == ["single-step", "react"]
    difference, _, by_cluster, after_holm, naive = found["single-step"]
    assert difference == "+0.92"
    # Six clusters, all in favour: 2 of 64 patterns of signs are as far from 0; naively, 2 of 2,048.
    assert (by_cluster, after_holm, naive) == ("0.0312", "0.0625", "0.0010")
    assert found["react"][0] == "+0.00"
    assert list(comparisons(QUESTIONS, results[:2])) == []
    assert "| all (12) | 0.00" in section("Made", QUESTIONS, results)
