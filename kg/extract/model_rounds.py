"""Asking about numbered sentences in batches, until each has an answer or a reason why it has none.

Whatever an answer leaves out, repeats with another meaning, or fills in a way that can't be used is asked
about once more, and so is each half of a batch that got no answer for what was in it: one sentence that a
model declines must not cost its neighbours. What fails then is a failure. An endpoint that doesn't answer is
not asked a second time here, as its client has tried for long enough.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from kg.extract.model_steps import Steps
from kg.extract.model_text import listed, one_line
from kg.llm.protocol import Failure, FailureKind, JsonValue, ModelOutcome, ModelRequest
from kg.model import Reject

T = TypeVar("T")

ROUNDS = 2
WORTH_SPLITTING: frozenset[FailureKind] = frozenset(
    {"refusal", "invalid JSON", "empty", "cut off", "too long"}
)
"""Failures that may lie in one sentence of a batch, or in its length."""

NO_ANSWER = "the model left it out"
UNLIKE_ANSWERS = "the model answered it twice, differently"
_LONGEST_DETAIL = 300


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an item of an answer can't be taken as data."""

    reason: str


Item: TypeAlias = Mapping[str, JsonValue]
Take: TypeAlias = Callable[[int, Item], T | Unusable]


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What is asked about sentences: `task` names it in failures ("claims"), `key` is the list in the answer,
    `request` makes the request for some numbers, `take` reads the item of one number."""

    task: str
    key: str
    request: Callable[[Sequence[int]], ModelRequest]
    take: Take[T]


@dataclass(frozen=True, slots=True)
class Answers(Generic[T]):
    """What was taken, by number, and what failed; `stray` numbers were answered without being asked about."""

    taken: dict[int, T] = field(default_factory=dict)
    failures: list[Reject] = field(default_factory=list)
    stray: list[int] = field(default_factory=list)


def ask_until_answered(question: Question[T], batches: Iterable[Sequence[int]]) -> Steps[Answers[T]]:
    """Ask about every number of the batches; each ends up in `taken` or in the place of a failure."""
    answers: Answers[T] = Answers()
    waiting = [tuple(batch) for batch in batches]
    for left in reversed(range(ROUNDS)):
        if not waiting:
            break
        outcomes = yield [question.request(batch) for batch in waiting]
        again: list[tuple[int, ...]] = []
        for batch, outcome in zip(waiting, outcomes, strict=True):
            unanswered = _read(question, batch, outcome, answers)
            if left and len(batch) > 1 and _may_help(outcome):
                again += _smaller(tuple(unanswered), batch)
            else:
                answers.failures.extend(_failures(question.task, unanswered))
        waiting = again
    return answers


def _may_help(outcome: ModelOutcome) -> bool:
    """Whether asking about fewer sentences may bring what this outcome did not."""
    return not isinstance(outcome, Failure) or outcome.kind in WORTH_SPLITTING


def _smaller(numbers: tuple[int, ...], batch: tuple[int, ...]) -> list[tuple[int, ...]]:
    """What is left of a batch; all of it as two halves: the same request would bring the same answer."""
    middle = (len(numbers) + 1) // 2 if numbers == batch else len(numbers)
    return [part for part in (numbers[:middle], numbers[middle:]) if part]


def _failures(task: str, unanswered: Mapping[int, str]) -> Iterator[Reject]:
    """A failure for each reason, with the sentences that it holds for."""
    for reason in dict.fromkeys(unanswered.values()):
        numbers = [number for number in unanswered if unanswered[number] == reason]
        yield Reject(listed(numbers), f"{task}: {reason}")


def _read(
    question: Question[T], batch: tuple[int, ...], outcome: ModelOutcome, answers: Answers[T]
) -> dict[int, str]:
    """Take what an outcome says; the numbers that it doesn't answer, with the reason."""
    if isinstance(outcome, Failure):
        detail = one_line(outcome.detail)[:_LONGEST_DETAIL]
        return dict.fromkeys(batch, f"{outcome.kind}: {detail}" if detail else outcome.kind)
    items, stray = _by_number(outcome.value, question.key, batch)
    answers.stray.extend(stray)
    unanswered = {}
    for number in batch:
        found = _only(items.get(number, []), question.take, number)
        if isinstance(found, Unusable):
            unanswered[number] = found.reason
        else:
            answers.taken[number] = found
    return unanswered


def _only(items: Sequence[Item], take: Take[T], number: int) -> T | Unusable:
    """The one reading of the items of a number; the same item twice is one."""
    if not items:
        return Unusable(NO_ANSWER)
    if any(item != items[0] for item in items):
        return Unusable(UNLIKE_ANSWERS)
    return take(number, items[0])


def _by_number(value: JsonValue, key: str, batch: Sequence[int]) -> tuple[dict[int, list[Item]], list[int]]:
    """The items of an answer by the number that they carry, and numbers that nobody asked about."""
    found: dict[int, list[Item]] = {}
    stray: list[int] = []
    listing = value.get(key) if isinstance(value, Mapping) else None
    for item in listing if isinstance(listing, Sequence) and not isinstance(listing, str) else ():
        number = item.get("number") if isinstance(item, Mapping) else None
        if not isinstance(item, Mapping) or not isinstance(number, int) or isinstance(number, bool):
            continue
        if number in batch:
            found.setdefault(number, []).append(item)
        else:
            stray.append(number)
    return found, stray
