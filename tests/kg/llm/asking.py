"""Requests as the tests make them."""

from collections.abc import Mapping, Sequence

from kg.llm.protocol import Failure, JsonValue, Message, Model, ModelOutcome, ModelRequest, Reply, Schema
from tests.scripted_endpoint import Answer, Asked

CLAIMS = Schema(
    "claims",
    {
        "type": "object",
        "properties": {"claims": {"type": "array", "items": {"type": "string"}}},
        "required": ["claims"],
        "additionalProperties": False,
    },
)


def request(text: str, schema: Schema | None = None, max_output_tokens: int = 100) -> ModelRequest:
    """A system and a user message."""
    messages = (Message("system", "Be brief."), Message("user", text))
    return ModelRequest(messages, "test@1", schema, max_output_tokens)


def numbered(count: int, schema: Schema | None = None) -> list[ModelRequest]:
    """Different requests: "question 0" and so on."""
    return [request(f"question {number}", schema) for number in range(count)]


def claims(asked: Asked) -> Answer:
    """A responder that makes one claim of the question."""
    return {"claims": [asked.question]}


def one(model: Model, asked: ModelRequest) -> ModelOutcome:
    """The outcome of one request."""
    (outcome,) = model.ask([asked])
    return outcome


def reply(outcome: ModelOutcome) -> Reply:
    """The outcome, which must be a reply."""
    assert isinstance(outcome, Reply), outcome
    return outcome


def failure(outcome: ModelOutcome) -> Failure:
    """The outcome, which must be a failure."""
    assert isinstance(outcome, Failure), outcome
    return outcome


def value(outcome: ModelOutcome) -> Mapping[str, JsonValue]:
    """The JSON object in a reply."""
    found = reply(outcome).value
    assert isinstance(found, Mapping)
    return found


def texts(outcomes: Sequence[ModelOutcome]) -> list[str]:
    """The texts of replies."""
    return [reply(outcome).text for outcome in outcomes]
