"""A request as the tests of the policies ask it."""

from kg.llm.protocol import Message, ModelRequest, Schema

URL = "https://models.example/v1"
SCHEMA = Schema("claims", {"type": "object", "properties": {"claims": {"type": "array"}}})


def request(text: str = "What is stated?", **changed: object) -> ModelRequest:
    """A request with a schema; `changed` replaces its fields."""
    fields: dict[str, object] = {
        "messages": (Message("system", "You read."), Message("user", text)),
        "prompt": "write-claims@1",
        "schema": SCHEMA,
    }
    return ModelRequest(**{**fields, **changed})  # type: ignore[arg-type]
