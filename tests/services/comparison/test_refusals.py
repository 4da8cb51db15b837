"""What breaks the protocol is found, counted, and told with an example; what keeps it is let through."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import ValidationError

from kg.errors import SettingsError
from services.comparison.beginning import FirstOptions, check_options
from services.comparison.locking import Lock
from services.comparison.records import Answer, Shown
from services.comparison.refusals import (
    Breach,
    RefusedError,
    Unseen,
    answer_breaches,
    judge_breaches,
    missing_breaches,
    record_breaches,
    refuse,
    unseen_breaches,
)
from tests.examples import examples
from tests.services.comparison.made_comparison import (
    LOCKED_AT,
    made_answer,
    made_chunks,
    made_pool,
    made_protocol,
    made_questions,
    made_run,
)

LOCK = Lock("0" * 64, LOCKED_AT, "0.1.0")


def _breaches(change: Callable[[Answer], Answer]) -> list[Breach]:
    """Of the answers of "good", the last two changed."""
    answers = [made_answer("good", question) for question in made_questions()]
    changed = [*answers[:-2], *map(change, answers[-2:])]
    tokens = {chunk.id: chunk.tokens for chunk in made_chunks().values()}
    return list(answer_breaches(made_protocol(), "good", zip(made_pool(), changed, strict=True), tokens))


def test_answers_within_the_protocol_are_let_through() -> None:
    assert _breaches(lambda answer: answer) == []


def test_evidence_from_another_pool_is_refused() -> None:
    elsewhere = Shown("chunk-05a", 3, 1)
    (found,) = _breaches(lambda answer: replace(answer, evidence=(*answer.evidence, elsewhere)))
    assert (found.system, found.rule) == ("good", "pool")
    assert found.found == (
        "2 of 12 answers show chunks that are not in the pool of their question (question-10 shows chunk-05a)"
    )


def test_a_passed_budget_is_refused_whatever_the_answer_says_of_it() -> None:
    pools = {pool.question: pool for pool in made_pool()}

    def all_of_it(answer: Answer) -> Answer:
        chunks = [chunk for chunk, _ in pools[answer.question].chunks]
        shown = tuple(Shown(chunk, rank, 1) for rank, chunk in enumerate(chunks, start=1))
        return replace(answer, evidence=shown, evidence_tokens=1)

    (found,) = _breaches(all_of_it)
    assert found.rule == "budget"
    assert found.found.startswith("2 of 12 answers show more than 64 tokens of evidence (question-10 with ")


def test_the_same_chunk_twice_costs_once() -> None:
    def twice(answer: Answer) -> Answer:
        return replace(answer, evidence=answer.evidence * 3)

    assert _breaches(twice) == []


def test_a_long_answer_is_refused() -> None:
    (found,) = _breaches(lambda answer: replace(answer, text="one two three four five six seven eight nine"))
    assert found.rule == "answer cap"
    assert "2 of 12 answers are longer than 8 tokens (question-10 with 9)" in found.found


@examples("changes, rule, told")
def test_the_record_of_a_run_is_held_to_the_protocol(
    changes: dict[str, object], rule: str, told: str
) -> None:
    assert list(record_breaches(made_protocol(), LOCK, made_run("good"))) == []
    (found,) = record_breaches(made_protocol(), LOCK, made_run("good", **changes))
    assert found.rule == rule
    assert found.run == "small/good"
    assert told in found.found


def test_a_system_from_outside_has_its_own_generator_and_prompts() -> None:
    outside = made_run("good", ours=False, answered_here=False, generator="their-model", prompts=("theirs",))
    assert list(record_breaches(made_protocol(), LOCK, outside)) == []


@pytest.mark.parametrize("judge", ["openai/gpt-x", "azure/GPT-x", "gpt-x-2026-08-06"])
def test_a_model_is_one_whoever_serves_it(judge: str) -> None:
    generator, by = {"kind": "model", "name": "gpt-x"}, {"kind": "model", "name": judge}
    (found,) = judge_breaches(made_protocol(generator=generator, judge=by))
    assert found.rule == "judge"
    with pytest.raises(ValidationError, match="judge and second_judge are the same"):
        made_protocol(judge={"kind": "model", "name": "gpt-x"}, second_judge=by)
    for options in (
        FirstOptions(name="a", judge="gpt-x", second_judge=judge),
        FirstOptions(name="a", model="gpt-x", second_judge=judge),
    ):
        with pytest.raises(SettingsError, match=r"both judges|its own answers"):
            check_options(options)


def test_a_judge_does_not_judge_his_own_answers() -> None:
    by_model = made_protocol(
        generator={"kind": "model", "name": "model-a"}, judge={"kind": "model", "name": "model-a"}
    )
    (found,) = judge_breaches(by_model)
    assert found.found == "its answers are written by model-a, which is the judge"
    second = made_protocol(second_judge={"kind": "model", "name": "model-b"})
    brought = made_run("poor", ours=False, answered_here=False, generator="model-b")
    assert list(judge_breaches(second)) == []
    (found,) = judge_breaches(second, [made_run("good"), brought])
    assert (found.system, found.rule, found.run) == ("poor", "judge", brought.run)


def test_questions_without_an_answer_are_counted() -> None:
    (found,) = missing_breaches("good", ["a", "b", "c"], frozenset("a"))
    assert found.found == "2 of 3 questions have no answer (for example b)"
    assert list(missing_breaches("good", ["a"], frozenset("ab"))) == []


def test_evidence_that_nobody_can_check_is_refused() -> None:
    told, foreign = unseen_breaches("good", 5, Unseen(frozenset("ba"), {"c": 3}))
    assert told.found == "2 of 5 answers don't tell what they were given (for example a)"
    assert foreign.found == "1 of 5 answers show texts that are in no chunk of the corpus (c shows 3)"


def test_a_refusal_names_every_breach() -> None:
    refuse("small", [])
    with pytest.raises(RefusedError, match=r"standard 'small' refuses .*good: a; poor: b") as refused:
        refuse("small", [Breach("good", "pool", "a"), Breach("poor", "budget", "b")])
    assert refused.value.exit_code == 2
    assert [breach.rule for breach in refused.value.breaches] == ["pool", "budget"]
    assert "Delete the run (kg run drop RUN) and make it again" in refused.value.remedy


def test_a_refusal_names_the_runs_to_delete() -> None:
    own = {"systems": [{"name": "good", "run": "my run"}, {"name": "poor", "selector": "top-k"}]}
    answer = replace(made_answer("good", made_questions()[0]), text=" ".join("abcdefghi"))
    (long,) = answer_breaches(made_protocol(**own), "good", [(made_pool()[0], answer)], {})
    one = RefusedError("small", (long, long))
    two = RefusedError("small", (long, Breach("b", "pool", "x", "b")))
    assert "Delete the run (kg run drop 'my run') and make it again" in one.remedy
    assert "Delete the runs (kg run drop 'my run'; kg run drop b) and make them again" in two.remedy
