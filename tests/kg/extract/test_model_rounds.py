"""How a batch of sentences is asked about, driven by hand."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from kg.extract.model_requests import Answers, Item, Question, Running, Unusable, ask_until_answered, together
from kg.extract.model_text import request_batches
from kg.llm.protocol import Failure, FailureKind, Message, ModelOutcome, ModelRequest, Reply, Usage
from kg.model import Reject


def request(numbers: Sequence[int]) -> ModelRequest:
    return ModelRequest((Message("user", " ".join(map(str, numbers))),), "test@1")


def numbers_of(asked: ModelRequest) -> list[int]:
    return [int(number) for number in asked.messages[0].content.split()]


def take(_: int, item: Item) -> str | Unusable:
    word = item.get("word")
    return word if isinstance(word, str) else Unusable("no word")


QUESTION = Question("words", "items", request, take)


def reply(*items: object) -> Reply:
    return Reply("", {"items": items}, Usage())  # type: ignore[dict-item]


def word(number: int) -> dict[str, object]:
    return {"number": number, "word": f"w{number}"}


def answered(asked: ModelRequest) -> ModelOutcome:
    return reply(*map(word, numbers_of(asked)))


def test_a_batch_that_fails_is_halved_once() -> None:
    running = Running(ask_until_answered(QUESTION, [(1, 2, 3, 4, 5)]))
    assert [numbers_of(one) for one in running.wanted] == [[1, 2, 3, 4, 5]]
    running.receive([Failure("cut off", "")])
    assert [numbers_of(one) for one in running.wanted] == [[1, 2, 3], [4, 5]]
    running.receive([answered(running.wanted[0]), Failure("cut off", "at\n3 tokens")])
    assert sorted(running.result.by_number) == [1, 2, 3]
    assert running.result.failures == [Reject("sentences 4-5", "words: cut off: at 3 tokens")]


def test_an_endpoint_that_is_away_is_not_asked_again() -> None:
    running = Running(ask_until_answered(QUESTION, [(1, 2)]))
    running.receive([Failure("server error", "503")])
    assert running.result.failures == [Reject("sentences 1-2", "words: server error: 503")]


def test_items_that_cannot_be_used_are_asked_about_again_and_strays_noted() -> None:
    running = Running(ask_until_answered(QUESTION, [(1, 2, 4, 7)]))
    running.receive(
        [
            reply(
                word(1),
                word(9),
                {"number": 2},
                {"number": True, "word": "x"},
                "text",
                {"number": "4", "word": "x"},
            )
        ]
    )
    assert [numbers_of(one) for one in running.wanted] == [[2, 4, 7]]
    running.receive([reply(word(2), {"number": 4})])
    found = running.result
    assert (found.by_number, found.stray) == ({1: "w1", 2: "w2"}, [9])
    assert found.failures == [
        Reject("sentence 4", "words: no word"),
        Reject("sentence 7", "words: the model left it out"),
    ]


KINDS: list[FailureKind] = ["refusal", "invalid JSON", "time-out", "too long"]


@given(st.lists(st.integers(1, 40), unique=True, max_size=30).map(sorted), st.randoms())
def test_every_number_is_taken_or_in_the_place_of_a_failure(numbers: list[int], dice: object) -> None:
    import random  # noqa: PLC0415

    assert isinstance(dice, random.Random)
    batches = request_batches([(number, "text") for number in numbers])
    assert [one for batch in batches for one in batch] == numbers
    assert all(len(batch) <= 10 for batch in batches)
    running = Running(ask_until_answered(QUESTION, batches))
    asked = 0
    while not running.is_done:
        asked += len(running.wanted)
        outcomes: list[ModelOutcome] = []
        for one in running.wanted:
            if dice.random() < 0.3:
                outcomes.append(Failure(dice.choice(KINDS), "x"))
            else:
                outcomes.append(reply(*(word(n) for n in numbers_of(one) if dice.random() < 0.8)))
        running.receive(outcomes)
    found: Answers[str] = running.result
    failed = [n for one in found.failures for n in _numbers(one.place)]
    assert sorted([*found.by_number, *failed]) == numbers
    assert asked <= 3 * len(batches)


def _numbers(place: str) -> list[int]:
    listing = place.removeprefix("sentences ").removeprefix("sentence ")
    if "-" in listing:
        first, last = map(int, listing.split("-"))
        return list(range(first, last + 1))
    return [int(one) for one in listing.split(", ")]


def test_steps_side_by_side_get_their_own_outcomes() -> None:
    both = Running(
        together(ask_until_answered(QUESTION, [(1, 2)]), ask_until_answered(QUESTION, [(3,), (4,)]))
    )
    assert len(both.wanted) == 3
    both.receive([Failure("refusal", ""), *map(answered, both.wanted[1:])])
    assert [numbers_of(one) for one in both.wanted] == [[1], [2]]
    both.receive([answered(one) for one in both.wanted])
    one, other = both.result
    assert (sorted(one.by_number), sorted(other.by_number)) == ([1, 2], [3, 4])


def test_steps_that_ask_nothing_are_done_at_once() -> None:
    both = Running(together(ask_until_answered(QUESTION, []), ask_until_answered(QUESTION, [])))
    assert both.is_done
