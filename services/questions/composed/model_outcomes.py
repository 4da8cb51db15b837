"""What a model said, read as what was asked for: an object's texts and lists, or why there is none."""

from collections.abc import Mapping

from kg.llm.protocol import Failure, JsonValue, ModelOutcome
from services.questions.filters.solver import NOT_CHECKED

LONGEST_REASON = 160


def failure_of(outcome: ModelOutcome) -> str:
    """Why there is no answer, in words that `was_checked` tells from a verdict; empty where there is one."""
    return f"{NOT_CHECKED}{outcome.told}" if isinstance(outcome, Failure) else ""


def text_of(value: JsonValue, name: str) -> str:
    """A member of an object on one line, empty where it is no text."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return " ".join(found.split()) if isinstance(found, str) else ""


def items_of(outcome: ModelOutcome, name: str) -> tuple[JsonValue, ...]:
    """The items of a list in an answer, none where it has no such list."""
    value = None if isinstance(outcome, Failure) else outcome.value
    found = value.get(name) if isinstance(value, Mapping) else None
    return tuple(found) if isinstance(found, list | tuple) else ()


def said(outcome: ModelOutcome, name: str) -> str:
    """A member of an answer on one line, empty where it has none."""
    return "" if isinstance(outcome, Failure) else text_of(outcome.value, name)


def reason_of(outcome: ModelOutcome) -> str:
    """The reason that a model gave, short and without a full stop."""
    return said(outcome, "reason")[:LONGEST_REASON].rstrip(". ")
