"""A language model as a generator: it answers from fenced passages, and takes questions apart.

The short answer in what a model wrote: plain text, or JSON where it could not help it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from kg.llm.prompts import Prompt, fence, load_prompt
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
from services.rag.context import Context, build_context, read_citations
from services.rag.protocol import Generation, ReadTask

_LABEL = re.compile(r"^[\W_]*(?:(?:the |final |short )*answer)\s*(?:is)?\s*[:=]\s*[*_]*\s*", re.IGNORECASE)
_FENCE = re.compile(r"^```\w*\n(?P<inside>.*?)\n?```$", re.DOTALL)
_KEYS = ("answer", "final_answer", "short_answer")
_WRAPPINGS = (('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("**", "**"), ("`", "`"))


def short_answer(text: str) -> str:
    """The answer without a label, a code fence, quotes or a JSON object around it, in one line."""
    inside = _FENCE.match(text.strip())
    plain = (inside["inside"] if inside else text).strip()
    found = _from_json(plain)
    return _unwrap(_LABEL.sub("", " ".join((plain if found is None else found).split())))


def _from_json(text: str) -> str | None:
    """The answer in a JSON object or string, None where the text is neither."""
    if text[:1] not in {"{", '"'}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = next((value[key] for key in _KEYS if key in value), None)
        if isinstance(value, bool):
            return "Yes" if value else "No"
        return str(value) if isinstance(value, str | int | float) else None
    return value if isinstance(value, str) else None


def _unwrap(text: str) -> str:
    for start, end in _WRAPPINGS:
        inner = text[len(start) : len(text) - len(end)].strip()
        if inner and text.startswith(start) and text.endswith(end) and start not in inner:
            return inner
    return text


ANSWER_TOKENS = 2_048
"""The most tokens of any answer, the same for all models and systems; models that think need the room."""

CONTEXT_TOKENS = 6_000
"""The most tokens of all passages together, by our count: with prompt and answer they fit 10,000."""

NOTHING = Context()

MOST_QUESTIONS = 6
"""As many sub-questions as are asked; a path of the corpus has at most five facts."""

ANSWERING = "answer-question"
ON_THE_WAY = "intermediate-step"
DECOMPOSING = "decompose-question"
FROM_MEMORY = "answer-closed-book"
"""The names of the prompts."""

USUAL_TOKENS: Mapping[str, int] = {ANSWERING: 6, ON_THE_WAY: 6, DECOMPOSING: 60, FROM_MEMORY: 20}
"""Tokens that an ordinary reply to each takes, thinking aside; for estimates. The 22 recorded answers of
docs/evaluation/model.md took 5 on average, the mark that cites a passage among them. An answer from memory is
a name or a date, and its frame."""

ANSWER = Schema("answer", json_object(answer={"type": "string"}))

DECOMPOSITION = Schema(
    "questions", json_object(questions={"type": "array", "items": {"type": "string"}, "minItems": 1})
)


class ModelGenerator:
    """A model that answers questions; failures become values, as `Generated.error`."""

    def __init__(
        self, model: Model, cost_of: Callable[[Usage], float | None], room_tokens: int | None = None
    ) -> None:
        """Use a model; `cost_of` tells what tokens cost, None where the model has no price.

        With `room_tokens`, what to show was decided elsewhere: passages stand in a context of so many tokens
        even where another says the same.
        """
        self._model = model
        self._cost_of = cost_of
        self._room_tokens = room_tokens

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generation]:
        """One answer a task, in order; see `services.rag.protocol.Generator`."""
        contexts = [context_of(task, self._room_tokens) for task in tasks]
        requests = [_answer_request(task, context) for task, context in zip(tasks, contexts, strict=True)]
        for request, context, outcome in zip(requests, contexts, self._model.ask(requests), strict=True):
            yield self._read_outcome(request.prompt, outcome, context)

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generation]]:
        """The sub-questions of each question, with what it took to find them."""
        requests = [decompose_request(question) for question in questions]
        outcomes = self._model.ask(requests)
        for question, request, outcome in zip(questions, requests, outcomes, strict=True):
            generated = self._read_outcome(request.prompt, outcome)
            found = () if isinstance(outcome, Failure) else _questions(outcome.value)
            yield found or (question,), generated

    def _read_outcome(self, prompt: str, outcome: ModelOutcome, context: Context = NOTHING) -> Generation:
        cost = self._cost_of(outcome.usage)
        match outcome:
            case Reply():
                cited = read_citations(outcome.text, context)
                return Generation(
                    short_answer(cited.text),
                    prompt,
                    outcome.usage,
                    cost,
                    chunk=cited.chunks[0] if cited.chunks else "",
                    cited=cited.chunks,
                    unknown_citations=len(cited.unknown),
                    passages_shown=len(context.blocks),
                )
            case Failure():
                return Generation("", prompt, outcome.usage, cost, outcome.message, failure=outcome.kind)


def context_of(task: ReadTask, room_tokens: int | None = None) -> Context:
    """What a model reads for a task; see `ModelGenerator` for `room_tokens`."""
    whole = room_tokens is not None
    return build_context(
        task.question, task.passages, room_tokens or CONTEXT_TOKENS, task.steps, repeats=whole
    )


def answer_request(task: ReadTask) -> ModelRequest:
    """What a model is asked for a task."""
    return _answer_request(task, context_of(task))


def memory_request(question: str) -> ModelRequest:
    """What a model is asked that is to answer from what it knows."""
    prompt = load_prompt(FROM_MEMORY)
    return _request(prompt, prompt.fill(question=fence(question, "question")), ANSWER)


def _answer_request(task: ReadTask, context: Context) -> ModelRequest:
    if task.from_memory:
        return memory_request(task.question)
    prompt = load_prompt(ON_THE_WAY if task.on_the_way else ANSWERING)
    messages = prompt.fill(
        question=fence(task.question, "question"),
        passages=_passages(context),
        notes=fence("\n".join(task.notes), "found on the way") if task.notes else "",
    )
    return _request(prompt, messages, None)


def decompose_request(question: str) -> ModelRequest:
    """What a model is asked to take a question apart."""
    prompt = load_prompt(DECOMPOSING)
    return _request(prompt, prompt.fill(question=fence(question, "question")), DECOMPOSITION)


def _request(prompt: Prompt, messages: tuple[Message, ...], schema: Schema | None) -> ModelRequest:
    return ModelRequest(
        messages,
        prompt.id,
        schema,
        max_output_tokens=ANSWER_TOKENS,
        expected_output_tokens=USUAL_TOKENS[prompt.name],
    )


def _passages(context: Context) -> str:
    if not context.blocks:
        return "No passage was found."
    return "\n\n".join(fence(block.full_text, f"passage {block.number}") for block in context.blocks)


def _questions(value: JsonValue) -> tuple[str, ...]:
    """The sub-questions of a valid answer."""
    listed = value["questions"] if isinstance(value, dict) else ()
    found = (str(question).strip() for question in listed)
    return tuple(question for question in found if question)[:MOST_QUESTIONS]
