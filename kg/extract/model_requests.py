"""What a model is asked about an article: which sentences are facts, whether claims hold, what they say.

Everything that an article or a model wrote stands inside a fence, in the user's message; what is asked for
stands outside. A request depends on its article and its numbers only, so that the same question has the same
answer in the cache.

Work that needs a model, written as generators: each yields requests and is sent their outcomes.

So the steps of one article read from top to bottom, while requests of many articles are under way at once.
Nothing here asks a model; whoever runs the steps does.

Asking about numbered sentences in batches, until each has an answer or a reason why it has none.

Whatever an answer leaves out, repeats with another meaning, or fills in a way that can't be used is asked
about once more, and so is each half of a batch that got no answer for what was in it: one sentence that a
model declines must not cost its neighbours. What fails then is a failure. An endpoint that doesn't answer is
not asked a second time here, as its client has tried for long enough.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeAlias, TypeVar, get_args

from kg.extract.model_text import NumberedArticle, listed, one_line, spelt_out
from kg.extract.protocol import CONCEPTS
from kg.llm.prompts import Prompt, fence, load_prompt
from kg.llm.protocol import (
    Failure,
    FailureKind,
    JsonValue,
    Message,
    ModelOutcome,
    ModelRequest,
    Schema,
    json_object,
)
from kg.model import EntityType, Reject

T = TypeVar("T")
U = TypeVar("U")

Steps: TypeAlias = Generator[Sequence[ModelRequest], Sequence[ModelOutcome], T]
"""Yields requests, is sent as many outcomes in the same order, and returns what came of it."""


class Running(Generic[T]):
    """Steps on their way: the requests that they wait for, or their result."""

    def __init__(self, steps: Steps[T]) -> None:
        self._steps = steps
        self._results: list[T] = []
        self.wanted: Sequence[ModelRequest] = ()
        self._advance(None)

    @property
    def is_done(self) -> bool:
        """Whether there is a result."""
        return bool(self._results)

    @property
    def result(self) -> T:
        """What came of the steps.

        Raises:
            IndexError: they still wait for outcomes.
        """
        return self._results[0]

    def receive(self, outcomes: Sequence[ModelOutcome]) -> None:
        """Go on with the outcomes of `wanted`; steps that are done stay as they are."""
        if not self.is_done:
            self._advance(outcomes)

    def _advance(self, outcomes: Sequence[ModelOutcome] | None) -> None:
        try:
            # A generator that has not begun takes None only.
            self.wanted = next(self._steps) if outcomes is None else self._steps.send(outcomes)
        except StopIteration as end:
            self.wanted = ()
            self._results.append(end.value)


def together(one: Steps[T], other: Steps[U]) -> Steps[tuple[T, U]]:
    """Steps that don't need each other's results, with their requests under way together."""
    first, second = Running(one), Running(other)
    while not (first.is_done and second.is_done):
        ours = len(first.wanted)
        outcomes = yield [*first.wanted, *second.wanted]
        first.receive(outcomes[:ours])
        second.receive(outcomes[ours:])
    return first.result, second.result


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

    by_number: dict[int, T] = field(default_factory=dict)
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
            answers.by_number[number] = found
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


KINDS = ("fact", "opinion", "other")
VERDICTS = ("same", "more", "different", "unclear")
CONFIDENCE: Mapping[str, float] = {"sure": 0.95, "likely": 0.75, "unsure": 0.4}
"""What a model's words stand for: ranks, the lowest below what counts as stated; models can't tell more."""

BYTES_A_TOKEN = 2.0
"""English has about four letters a token, other scripts one or two bytes: so this is room enough."""

LETTERS_A_TOKEN = 5.0
ENTRY_TOKENS, CHECK_TOKENS, TRIPLES_TOKENS = 13, 12, 140
"""What an ordinary answer takes as JSON, for estimates: the frame of a claim, which is about as long as its
sentence; a verdict; the triples of a claim. In docs/evaluation/model.md 549 claims had 2.7 triples each, of
57 tokens; a verdict took 13."""

_TEXT: dict[str, JsonValue] = {"type": "string"}


def claims_prompt() -> Prompt:
    """The prompt that tells facts from opinions and writes claims."""
    return load_prompt("write-claims")


def check_prompt() -> Prompt:
    """The prompt that checks claims against their sentences."""
    return load_prompt("check-claims")


_A_NAME = "At least one of the two is a name, or a phrase that holds one. Best are facts between two names."
_ANY_PHRASE = (
    'Either may be any noun phrase that means something by itself, as "respiratory depression": neither\n'
    "  has to be a name or to hold one."
)


def triples_prompt(concepts: bool = False) -> Prompt:
    """The prompt that takes claims apart into triples.

    With `concepts` neither end has to be a name, as in GRADE's own (A.9.3).
    """
    prompt = load_prompt("find-triples")
    if not concepts:
        return prompt
    return replace(prompt, name=prompt.name + CONCEPTS, system=prompt.system.replace(_A_NAME, _ANY_PHRASE))


def claims_request(article: NumberedArticle, numbers: Sequence[int]) -> ModelRequest:
    """Which of these sentences are facts, and what they say when they stand alone."""
    prompt = claims_prompt()
    messages = prompt.fill(article=_fenced_article(article, numbers), numbers=listed(numbers))
    room = 300 + sum(60 + _tokens(article.sentence(number)) for number in numbers)
    letters = sum(len(article.sentence(number)) for number in numbers)
    expected = ENTRY_TOKENS * len(numbers) + int(letters / LETTERS_A_TOKEN)
    return _request(prompt, messages, CLAIMS_SCHEMA, room, expected)


def check_request(
    article: NumberedArticle, claims: Mapping[int, str], numbers: Sequence[int]
) -> ModelRequest:
    """Whether these claims say what their sentences say."""
    prompt = check_prompt()
    messages = prompt.fill(
        article=_fenced_article(article, numbers),
        claims=_fenced_claims(claims, numbers),
        numbers=listed(numbers),
    )
    return _request(prompt, messages, CHECKS_SCHEMA, 300 + 60 * len(numbers), CHECK_TOKENS * len(numbers))


def triples_request(
    article: NumberedArticle, claims: Mapping[int, str], numbers: Sequence[int], concepts: bool = False
) -> ModelRequest:
    """The triples of these claims; with `concepts` of any noun phrases."""
    prompt = triples_prompt(concepts)
    heading = f"Title: {article.title or 'none'}\nDate: {spelt_out(article.published)}\n"
    messages = prompt.fill(claims=_fenced_claims(claims, numbers, heading), numbers=listed(numbers))
    room = 300 + sum(150 + 2 * _tokens(claims[number]) for number in numbers)
    return _request(prompt, messages, TRIPLES_SCHEMA, room, TRIPLES_TOKENS * len(numbers))


def _request(
    prompt: Prompt, messages: tuple[Message, ...], schema: Schema, room: int, expected: int
) -> ModelRequest:
    return ModelRequest(
        messages, prompt.id, schema, max_output_tokens=room, expected_output_tokens=min(room, expected)
    )


def _tokens(text: str) -> int:
    """Roughly the most tokens that a text takes."""
    return int(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)


def _fenced_article(article: NumberedArticle, numbers: Sequence[int]) -> str:
    return fence(article.shown_with(numbers), "article")


def _fenced_claims(claims: Mapping[int, str], numbers: Sequence[int], heading: str = "") -> str:
    lines = [f"[{number}] {claims[number]}" for number in numbers]
    return fence("\n".join([*([heading] if heading else []), *lines]), "statements")


def _one_of(values: Sequence[str]) -> dict[str, JsonValue]:
    return {"type": "string", "enum": list(values)}


def _listing(name: str, **properties: JsonValue) -> Schema:
    """An answer that lists an item for each number."""
    item = json_object(number={"type": "integer"}, **properties)
    items: dict[str, JsonValue] = {"type": "array", "items": item}
    return Schema(name, json_object(**{name: items}))


CLAIMS_SCHEMA = _listing("sentences", kind=_one_of(KINDS), claim=_TEXT)
CHECKS_SCHEMA = _listing("checks", verdict=_one_of(VERDICTS), reason=_TEXT)
TRIPLES_SCHEMA = _listing(
    "statements",
    facts={
        "type": "array",
        "items": json_object(
            subject=_TEXT,
            subject_type=_one_of(get_args(EntityType)),
            predicate=_TEXT,
            object=_TEXT,
            object_type=_one_of(get_args(EntityType)),
            negated={"type": "boolean"},
            attributed_to=_TEXT,
            confidence=_one_of(tuple(CONFIDENCE)),
        ),
    },
)
