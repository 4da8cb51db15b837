"""A scripted model that knows the gold items: it gives the right reply to each, or the wrong one."""

from collections.abc import Collection, Mapping, Sequence

from kg.llm.protocol import JsonValue, ModelRequest
from services.preflight.asking import gold_request
from services.preflight.gold import gold_prompts, read_gold
from tests.scripted_endpoint import Answer, Asked, Responder, Said, Status


def gold_responder(wrong: Collection[str] = (), otherwise: Responder | None = None) -> Responder:
    """Answers gold items, those of the prompts in `wrong` wrongly; `otherwise` gets what is no gold item."""
    replies: dict[tuple[str, ...], Answer] = {}
    for prompt in gold_prompts():
        for item in read_gold(prompt):
            request = gold_request(item)
            texts = tuple(one.content for one in request.messages if one.role != "system")
            reply = reply_text(item.wrong if prompt in wrong else item.right, request)
            if request.tools:
                assert isinstance(reply, dict)
                calls = tuple((one["name"], one["arguments"]) for one in reply["calls"])
                replies[prompt, *texts] = Said(reply["text"], calls=calls)
            else:
                assert isinstance(reply, str | dict)
                replies[prompt, *texts] = reply

    by_text: dict[tuple[str, ...], list[str]] = {}
    for prompt, *said in replies:
        by_text.setdefault(tuple(said), []).append(prompt)
    systems = {prompt: gold_request(read_gold(prompt)[0]).messages[0].content for prompt in gold_prompts()}

    def respond(request: Asked) -> Answer | Status:
        asked = tuple(content for role, content in request.messages if role != "system")
        for prompt in by_text.get(asked, ()):
            if request.system.startswith(systems[prompt][:200]):
                return replies[prompt, *asked]
        if otherwise is None:
            raise AssertionError(f"no gold item is asked like this: {asked}")
        return otherwise(request)

    return respond


def reply_text(reply: JsonValue, request: ModelRequest) -> JsonValue:
    """A gold reply as an endpoint would send it: text as it is, JSON with all members that are asked for."""
    if request.schema is None:
        return reply
    return _complete(reply, request.schema.definition)


def _complete(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    """The value with the members that its schema requires and it leaves out.

    They are an empty text or list, false, 0, or the first of the values allowed.
    """
    if isinstance(value, Mapping):
        properties = schema.get("properties")
        members: dict[str, JsonValue] = dict(value)
        if not isinstance(properties, Mapping):
            return members
        required = schema.get("required")
        for name, inside in properties.items():
            if not isinstance(inside, Mapping):
                continue
            if name in members:
                members[name] = _complete(members[name], inside)
            elif isinstance(required, Sequence) and name in required:
                members[name] = _empty(inside)
        return {name: members[name] for name in (*properties, *members) if name in members}
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [_complete(one, items) for one in value]
    return value


def _empty(schema: Mapping[str, JsonValue]) -> JsonValue:
    allowed = schema.get("enum")
    if isinstance(allowed, Sequence) and not isinstance(allowed, str) and allowed:
        first: JsonValue = allowed[0]
        return first
    match schema.get("type"):
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return 0
        case "object":
            return _complete({}, schema)
        case _:
            return ""
