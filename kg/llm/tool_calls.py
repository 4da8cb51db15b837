"""Tool calls as text: how a model without an interface for them is told to write one, and how it is read.

Models write calls in many ways, also such as have an interface: as JSON with other member names, in a block
of code, in the tags of their training, as "Action:" and "Action Input:". All of these are read.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kg.llm.protocol import JsonValue, Message, ToolCall, ToolSpec
from kg.llm.reading import NotTheJsonError, one_json_value

_NAMES = ("tool", "name", "function", "action", "tool_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_WRAPPERS = ("function", "function_call", "tool_call")

_ACTION = re.compile(
    r"^[ \t]*\**Action\**:\**[ \t]*`?(?P<name>[\w.-]+)`?[ \t]*\n+"
    r"[ \t]*\**Action Input\**:\**[ \t]*(?P<input>.+)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_MOST_OPENINGS = 200
"""So many brackets are tried as the beginning of a call."""


def read_arguments(call: ToolCall) -> Mapping[str, JsonValue]:
    """The arguments of a call; JSON that was put into a string once more is unpacked, none are an object.

    Raises:
        NotTheJsonError: they are no JSON object.
    """
    value = one_json_value(call.arguments) if call.arguments.strip() else {}
    if isinstance(value, str):
        value = one_json_value(value)
    if not isinstance(value, Mapping):
        raise NotTheJsonError("the arguments are no JSON object")
    return value


def written_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """The first call that a text holds, none where it holds none; its id is empty.

    A name that no tool has is kept where the text clearly means a call: whoever asked can say so.
    """
    names = frozenset(tool.name for tool in tools)
    for value in _objects(text):
        found = _call(value, names)
        if found is not None:
            return (found,)
    action = _ACTION.search(text)
    if action is None:
        return ()
    given = action["input"].strip()
    for value in _objects(given):
        return (ToolCall("", action["name"], _dumped(value)),)
    return (ToolCall("", action["name"], given.splitlines()[0]),)


def told_in_text(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> tuple[Message, ...]:
    """The conversation for a model that has no interface for tools: all calls and results are text."""
    first, *rest = (_as_text(message) for message in messages)
    if not tools:
        return (first, *rest)
    described = "\n".join(
        f"- {tool.name}: {tool.about} Arguments, as a JSON schema: {_dumped(tool.parameters)}"
        for tool in tools
    )
    rule = (
        f"Your tools:\n{described}\n\nTo call a tool, end your turn with one JSON object of this form, and "
        'write nothing after it: {"tool": "NAME", "arguments": {...}}'
    )
    if first.role == "system":
        return (replace(first, content=f"{first.content}\n\n{rule}"), *rest)
    return (Message("system", rule), first, *rest)


def call_as_text(call: ToolCall) -> str:
    """A call as `told_in_text` asks for it; arguments that are no JSON stay as they came."""
    try:
        return json.dumps({"tool": call.name, "arguments": read_arguments(call)}, ensure_ascii=False)
    except NotTheJsonError:
        return f'{{"tool": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {call.arguments}}}'


def made_id(name: str, arguments: str, place: int) -> str:
    """An id for a call that came without: nine letters and digits, which all endpoints take."""
    return hashlib.sha256(f"{place}\n{name}\n{arguments}".encode("utf-8", "replace")).hexdigest()[:9]


def _as_text(message: Message) -> Message:
    if message.role == "tool":
        return Message("user", message.content)
    if not message.calls:
        return message
    calls = "\n".join(call_as_text(call) for call in message.calls)
    return Message(message.role, f"{message.content}\n\n{calls}".strip())


def _objects(text: str) -> Iterator[Mapping[str, JsonValue]]:
    """The JSON objects in a text, in order, none of them inside another."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(_MOST_OPENINGS):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        yield value
        at = text.find("{", end)


def _call(value: Mapping[str, JsonValue], names: frozenset[str]) -> ToolCall | None:
    """The call that an object means, if it means one."""
    listed = value.get("tool_calls")
    if isinstance(listed, list) and listed and isinstance(listed[0], Mapping):
        return _call(listed[0], names)
    for wrapper in _WRAPPERS:
        inside = value.get(wrapper)
        if isinstance(inside, Mapping):
            return _call(inside, names)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if isinstance(name, str) and name in names:
        named = (*_NAMES, *_ARGUMENTS)
        bare = {key: one for key, one in value.items() if key not in named}
        return ToolCall("", name, _dumped(bare if given is None else given))
    if isinstance(name, str) and isinstance(given, Mapping):
        return ToolCall("", name, _dumped(given))
    if len(value) == 1:
        ((only, arguments),) = value.items()
        if only in names and isinstance(arguments, Mapping):
            return ToolCall("", only, _dumped(arguments))
    return None


def _dumped(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
