"""A language model as a generator: it answers from fenced passages, and takes questions apart."""

from collections.abc import Callable, Iterator, Sequence

from kg.llm.prompts import Prompt, fenced, load_prompt
from kg.llm.protocol import (
    Failure,
    JsonValue,
    Message,
    Model,
    ModelOutcome,
    ModelRequest,
    Reply,
    Schema,
    Usage,
    json_object,
)
from services.rag.protocol import Generated, Passage, ReadTask
from services.rag.short_answers import short_answer

ANSWER_TOKENS = 2_048
"""The most tokens of any answer, the same for all models and systems; models that think need the room."""

MOST_QUESTIONS = 6
"""As many sub-questions as are asked; a path of the corpus has at most five facts."""

ANSWERING = "answer-question"
ON_THE_WAY = "intermediate-step"
DECOMPOSING = "decompose-question"
"""The names of the prompts."""

DECOMPOSITION = Schema(
    "questions", json_object(questions={"type": "array", "items": {"type": "string"}, "minItems": 1})
)


class ModelGenerator:
    """A model that answers questions; failures become values, as `Generated.error`."""

    def __init__(self, model: Model, cost_of: Callable[[Usage], float | None]) -> None:
        """Use a model; `cost_of` tells what tokens cost, None where the model has no price."""
        self._model = model
        self._cost_of = cost_of

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generated]:
        """One answer a task, in order; see `services.rag.protocol.Generator`."""
        requests = [answer_request(task) for task in tasks]
        for request, outcome in zip(requests, self._model.ask(requests), strict=True):
            yield self._generated(request.prompt, outcome)

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generated]]:
        """The sub-questions of each question, with what it took to find them."""
        requests = [decompose_request(question) for question in questions]
        outcomes = self._model.ask(requests)
        for question, request, outcome in zip(questions, requests, outcomes, strict=True):
            generated = self._generated(request.prompt, outcome)
            found = () if isinstance(outcome, Failure) else _questions(outcome.value)
            yield found or (question,), generated

    def _generated(self, prompt: str, outcome: ModelOutcome) -> Generated:
        cost = self._cost_of(outcome.usage)
        match outcome:
            case Reply():
                return Generated(short_answer(outcome.text), prompt, outcome.usage, cost)
            case Failure():
                return Generated("", prompt, outcome.usage, cost, outcome.told)


def answer_request(task: ReadTask) -> ModelRequest:
    """What a model is asked for a task."""
    prompt = load_prompt(ON_THE_WAY if task.on_the_way else ANSWERING)
    messages = prompt.fill(
        question=fenced(task.question, "question"),
        passages=_passages(task.passages),
        notes=fenced("\n".join(task.notes), "found on the way") if task.notes else "",
    )
    return _request(prompt, messages, None)


def decompose_request(question: str) -> ModelRequest:
    """What a model is asked to take a question apart."""
    prompt = load_prompt(DECOMPOSING)
    return _request(prompt, prompt.fill(question=fenced(question, "question")), DECOMPOSITION)


def _request(prompt: Prompt, messages: tuple[Message, ...], schema: Schema | None) -> ModelRequest:
    return ModelRequest(messages, prompt.id, schema, max_output_tokens=ANSWER_TOKENS)


def _passages(passages: Sequence[Passage]) -> str:
    if not passages:
        return "No passage was found."
    return "\n\n".join(
        fenced(f"{_heading(passage)}\n\n{passage.text}", f"passage {number}")
        for number, passage in enumerate(passages, start=1)
    )


def _heading(passage: Passage) -> str:
    lines = (("Title", passage.title), ("Source", passage.source), ("Date", passage.published))
    return "\n".join(f"{label}: {value}" for label, value in lines if value)


def _questions(value: JsonValue) -> tuple[str, ...]:
    """The sub-questions of a valid answer."""
    listed = value["questions"] if isinstance(value, dict) else ()
    found = (str(question).strip() for question in listed)
    return tuple(question for question in found if question)[:MOST_QUESTIONS]
