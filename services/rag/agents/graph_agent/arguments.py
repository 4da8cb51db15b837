"""The arguments of the graph agent's tools, as a model may write them."""

from collections.abc import Sequence
from typing import Literal

from kg.llm.protocol import JsonValue
from services.rag.agents.protocol import Call, Observation

MOST_LISTED = 8
"""So many entities or claims of a call are taken; a call with more is cut, best first."""

LONGEST_TEXT = 1_000
"""Characters of a text that are looked at."""

TEXT: JsonValue = {"type": "string"}
LIST: JsonValue = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_LISTED}


def text_of(call: Call, name: Literal["text", "about"]) -> str:
    """A text among the arguments, with single blanks; empty where there is none."""
    value = call.arguments.get(name)
    return " ".join(value.split())[:LONGEST_TEXT] if isinstance(value, str) else ""


def list_of(call: Call, name: Literal["entities", "claims"]) -> tuple[str, ...]:
    """A list of texts among the arguments, each once; a text by itself is a list of one."""
    value = call.arguments.get(name)
    listed: Sequence[JsonValue] = (value,) if isinstance(value, str) else ()
    if not isinstance(value, str) and isinstance(value, Sequence):
        listed = value
    texts = (" ".join(one.split()).strip("[]") for one in listed if isinstance(one, str))
    return tuple(dict.fromkeys(text[:LONGEST_TEXT] for text in texts if text))[:MOST_LISTED]


def malformed(told: str) -> Observation:
    """What an agent is told whose arguments can't be read."""
    return Observation(told, fault="malformed call")
