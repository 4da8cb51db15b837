"""Systems that answer at once, later, never, in a coroutine, or break: every question ends with an answer."""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Awaitable
from dataclasses import replace

import pytest

from kg.errors import ModelRefusedError
from kg.own_system import OwnAnswer, OwnSystem, Reply
from services.external.calls import NumberedAnswers, Patience, TryAgainError, open_calls

QUESTIONS = [f"question {number}" for number in range(20)]
ONE = Patience(concurrency=1, timeout_seconds=5, retries=0)


def ask(system: OwnSystem, questions: list[str], patience: Patience) -> list[OwnAnswer]:
    """What a system answers."""
    with open_calls(system, patience) as calls:
        return calls.ask(questions)


def test_answers_come_in_order_and_no_more_are_asked_at_once_than_allowed() -> None:
    under_way, most = 0, 0
    lock, full = threading.Lock(), threading.Barrier(4, timeout=600)

    def system(question: str, /) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        full.wait()
        with lock:
            under_way -= 1
        return question.upper()

    found = ask(system, QUESTIONS, Patience(4, 10, 0))
    assert [answer.text for answer in found] == [question.upper() for question in QUESTIONS]
    assert most == 4
    assert all(answer.seconds is not None for answer in found)


def test_coroutines_share_one_loop() -> None:
    loops = set()

    async def system(question: str, /) -> Reply:
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return {"answer": question, "seconds": 3}

    found = ask(system, QUESTIONS, Patience(4, 5, 0))
    assert [answer.text for answer in found] == QUESTIONS
    assert [answer.seconds for answer in found] == [3.0] * len(QUESTIONS)
    assert len(loops) == 1


def test_an_error_is_kept_as_the_answers_and_stops_no_other() -> None:
    def system(question: str, /) -> Reply:
        match question:
            case "raise":
                raise ValueError("no\nluck")
            case "odd":
                return {"result": 1}
            case _:
                return question

    found = ask(system, ["one", "raise", "odd", "two"], ONE)
    assert [answer.error for answer in found] == [
        "",
        "ValueError: no luck",
        'unreadable reply: it has no "answer" (its fields: result)',
        "",
    ]
    assert [answer.text for answer in found] == ["one", "", "", "two"]


@pytest.mark.parametrize("passing", [TryAgainError("HTTP 503", 0.0), ConnectionError(), TimeoutError()])
def test_what_may_pass_is_tried_again(passing: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.external.calls._BACK_OFF", lambda _: 0.0)
    tries: Counter[str] = Counter()

    def system(question: str, /) -> str:
        tries[question] += 1
        if question == "never" or tries[question] < 3:
            raise passing
        return "there"

    found = ask(system, ["third", "never"], Patience(2, 5, 2))
    assert found[0].text == "there"
    assert found[1].error.endswith("(3 tries)")
    assert tries == {"third": 3, "never": 3}


def test_a_late_answer_is_an_error_and_a_late_coroutine_is_cancelled() -> None:
    released, cancelled = threading.Event(), threading.Event()

    async def waiting() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "too late"

    def system(question: str, /) -> Reply | Awaitable[Reply]:
        if question == "coroutine":
            return waiting()
        released.wait(600)
        return "too late"

    try:
        found = ask(system, ["thread", "coroutine"], Patience(2, 0.05, 0))
    finally:
        released.set()
    assert [answer.error for answer in found] == ["no answer within 0.05 s"] * 2
    assert cancelled.wait(600)


def test_an_answer_is_handed_over_while_others_are_waited_for() -> None:
    """The last answer comes once the others are told."""
    told: list[str] = []
    others_told = threading.Event()

    def system(question: str, /) -> str:
        if question == QUESTIONS[-1]:
            others_told.wait(600)
        return question.upper()

    def take(answers: NumberedAnswers) -> None:
        told.extend(answer.text for _, answer in answers)
        if len(told) >= len(QUESTIONS) - 1:
            others_told.set()

    with open_calls(system, Patience(1, 600, 0)) as calls:
        replace(calls, hand_over_seconds=0.0).stream(QUESTIONS, take)
    assert told == [question.upper() for question in QUESTIONS]


def test_a_fast_systems_answers_are_handed_over_at_once() -> None:
    parts: list[int] = []
    with open_calls(str.upper, Patience(4, 600, 0)) as calls:
        replace(calls, hand_over_seconds=600.0).stream(QUESTIONS, lambda answers: parts.append(len(answers)))
    assert parts == [len(QUESTIONS)]


@pytest.mark.parametrize("stopped_at", ["waiting", "taking"])
def test_ctrl_c_loses_no_answer(stopped_at: str) -> None:
    """Ctrl-C comes when all but one have answered, or while what came is written."""
    told: list[str] = []
    ended = threading.Event()

    def system(question: str, /) -> str:
        if question == QUESTIONS[-1]:
            if stopped_at == "waiting":
                signal.pthread_kill(main_thread, signal.SIGINT)
            ended.wait(600)
        return question

    def take(answers: NumberedAnswers) -> None:
        if stopped_at == "taking" and not told:
            told.append("begun")
            raise KeyboardInterrupt
        told.extend(answer.text for _, answer in answers)

    main_thread = threading.main_thread().ident or 0
    seconds = 0.0 if stopped_at == "taking" else 600.0
    try:
        with open_calls(system, Patience(1, 600, 0)) as calls, pytest.raises(KeyboardInterrupt):
            replace(calls, hand_over_seconds=seconds).stream(QUESTIONS, take)
    finally:
        ended.set()
    assert told[-1] in QUESTIONS
    if stopped_at == "waiting":
        assert told == QUESTIONS[:-1]


def test_what_came_before_an_error_of_ours_is_handed_over() -> None:
    told: list[str] = []

    def system(question: str, /) -> str:
        if question == QUESTIONS[3]:
            raise ModelRefusedError("The endpoint refuses the requests.", "Check the key.")
        return question

    with open_calls(system, ONE) as calls, pytest.raises(ModelRefusedError):
        calls.stream(QUESTIONS, lambda answers: told.extend(answer.text for _, answer in answers))
    assert told[:3] == QUESTIONS[:3]


def test_after_an_error_of_ours_no_other_question_is_begun() -> None:
    """Even where whoever takes the answers is at work while the system raises it."""
    begun: list[str] = []
    raised, another = threading.Event(), threading.Event()

    def system(question: str, /) -> str:
        begun.append(question)
        if len(begun) == 4:
            raised.set()
            raise ModelRefusedError("The endpoint refuses the requests.", "Check the key.")
        if len(begun) > 4:
            another.set()
        return question

    def take(_answers: NumberedAnswers) -> None:
        raised.wait(600)
        another.wait(0.5)

    with open_calls(system, ONE) as calls, pytest.raises(ModelRefusedError):
        replace(calls, hand_over_seconds=0.0).stream(QUESTIONS, take)
    assert begun == QUESTIONS[:4]


def test_an_error_of_ours_ends_the_asking() -> None:
    def system(_question: str, /) -> str:
        raise ModelRefusedError("The endpoint refuses the requests.", "Check the key.")

    with pytest.raises(ModelRefusedError):
        ask(system, QUESTIONS, ONE)
