"""What a model wrote, read: thinking taken away, and the one JSON value found that fits a schema.

Tool calls as text: how a model without an interface for them is told to write one, and how it is read.

Models write calls in many ways, also such as have an interface: as JSON with other member names, in a block
of code, in the tags of their training, as "Action:" and "Action Input:". All of these are read.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from kg.llm.protocol import JsonValue, Message, ToolCall, ToolSpec

_TAGS = "think|thinking|thought|reasoning|seed:think"
_BLOCK = re.compile(rf"<({_TAGS})>.*?(?:</\1>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)", re.DOTALL | re.IGNORECASE)
_END = re.compile(rf"</(?:{_TAGS})>|\[/THINK\]", re.IGNORECASE)
_MARK = re.compile(rf"</?(?:{_TAGS})>|\[/?THINK\]|<\|(?:channel|start|message|end)\|>", re.IGNORECASE)

_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?P<name>\w+)(?: to=functions\.(?P<tool>[\w.-]+))?.{0,80}?<\|message\|>"
    r"(?P<text>.*?)(?=<\||\Z)",
    re.DOTALL,
)
_BARE_CHANNELS = re.compile(r"\A\s*analysis(?=\S).*assistant(?:<\|channel\|>)?final(?P<text>.*)\Z", re.DOTALL)

_OPENING = re.compile(r"[{\[]")
_LIKE_JSON = re.compile(r"\{\s*[\"}]|\[\s*(?:[\]\[{\"\d-]|true|false|null)")
_MARKS = re.compile(r"[{}\[\]\"\\]")
_MOST_VALUES = 200
"""So many JSON values are looked at in one text."""

_LONGEST_REASON = 300


class NotTheJsonError(ValueError):
    """Why a text is not the JSON that was asked for, as a clause that the model can be told."""


def without_thinking(text: str) -> str:
    """The answer alone: "<think>Hm.</think> Yes." gives "Yes.".

    A block that is never closed reaches to the end. Some servers open the block in the prompt, so that only
    its end is in the answer: everything before that goes too. Of the channels of gpt-oss that a server left
    in the text, the last final one is the answer, and there is none without it.
    """
    text = _final_channel(text)
    kept = _BLOCK.sub("", text)
    ends = list(_END.finditer(kept))
    return (kept[ends[-1].end() :] if ends else kept).strip()


def _final_channel(text: str) -> str:
    """The final channel of OpenAI's harmony format, also where a server dropped its special tokens.

    The call of a tool, which stands in a channel of its own, becomes JSON.
    """
    channels = list(_CHANNEL.finditer(text))
    for one in reversed(channels):
        if one["tool"]:
            return f'{{"tool": "{one["tool"]}", "arguments": {one["text"]}}}'
        if one["name"] == "final":
            return one["text"]
    if channels:
        return ""
    bare = _BARE_CHANNELS.match(text)
    return bare["text"] if bare else text


def read_answer_json(text: str, schema: Mapping[str, JsonValue]) -> tuple[str, JsonValue]:
    """The value in an answer with or without thinking, if it fits `schema`, and the text that holds it.

    Raises:
        NotTheJsonError: there is no value that fits, or more than one.
    """
    stripped = without_thinking(text)
    mark, opening = _MARK.search(text), _OPENING.search(text)
    if opening and mark and opening.start() < mark.start():
        # A string in the JSON may well speak of a <think> tag.
        try:
            return text.strip(), read_json(text, schema)
        except NotTheJsonError:
            pass
    return stripped, read_json(stripped, schema)


def read_json(text: str, schema: Mapping[str, JsonValue]) -> JsonValue:
    """The only value in `text` that fits `schema`: the whole of it, or an object or array among words.

    Raises:
        NotTheJsonError: there is no JSON value, none fits, or more than one does.
    """
    validator = Draft202012Validator(dict(schema))
    found = list(_values(text))
    fitting = [value for value in found if validator.is_valid(value)]
    if len(fitting) == 1:
        return fitting[0]
    if len(found) > 1:
        which = "more than one of them fits" if fitting else "none of them fits"
        raise NotTheJsonError(f"there is more than one JSON value, and {which}")
    if not found:
        raise NotTheJsonError(_why_none(text))
    error = best_match(validator.iter_errors(found[0]))
    if error is None:
        raise NotTheJsonError("it does not fit the schema")
    place = error.json_path.removeprefix("$").lstrip(".") or "the value"
    raise NotTheJsonError(f"at {place}: {error.message}"[:_LONGEST_REASON])


def one_json_value(text: str) -> JsonValue:
    """The only JSON value in `text`: the whole of it, or an object or array in a fence or among words.

    Raises:
        NotTheJsonError: none is whole, or there is more than one.
    """
    found = list(_values(text))
    if len(found) > 1:
        raise NotTheJsonError("there is more than one JSON value")
    if not found:
        raise NotTheJsonError(_why_none(text))
    return found[0]


def _values(text: str) -> Iterator[JsonValue]:
    """The whole text as one value, else the objects and arrays in it, none of them inside another.

    What only looks like JSON is skipped with all that is inside; where it is never closed, nothing behind it
    counts, since that may be a part of it. Time is linear in the text's length.
    """
    text = _bare(text)
    try:
        yield _loads(text)
        return
    except ValueError:
        pass
    at = 0
    for _ in range(_MOST_VALUES):
        opening = _LIKE_JSON.search(text, at)
        if opening is None:
            return
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
            _check_letters(value)
        except (ValueError, RecursionError):
            closed = _closing_bracket(text, opening.start())
            if closed is None:
                return
            at = closed
            continue
        yield value


def _closing_bracket(text: str, opening: int) -> int | None:
    """Where the bracket at `opening` is closed, strings left out; None where it never is."""
    depth, in_string, skipped = 0, False, -1
    for mark in _MARKS.finditer(text, opening):
        if mark.start() == skipped:
            continue
        match mark[0]:
            case "\\":
                skipped = mark.start() + 1
            case '"':
                in_string = not in_string
            case "{" | "[" if not in_string:
                depth += 1
            case "}" | "]" if not in_string:
                depth -= 1
                if depth == 0:
                    return mark.end()
    return None


def _why_none(text: str) -> str:
    if _OPENING.search(text) is None:
        return "it holds no JSON value"
    try:
        _loads(_bare(text))
    except ValueError as error:
        return f"it is not whole JSON ({error})"
    return "it holds no JSON value"


def _bare(text: str) -> str:
    return text.strip().removeprefix("\ufeff")


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _loads(text: str) -> JsonValue:
    try:
        value: JsonValue = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check_letters(value)
    return value


def _check_letters(value: JsonValue) -> None:
    """Half a surrogate pair can be written in JSON, but in no file and no database."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a string holds half a letter") from None


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
        return (ToolCall("", action["name"], _dump(value)),)
    return (ToolCall("", action["name"], given.splitlines()[0]),)


def tools_as_text(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> tuple[Message, ...]:
    """The conversation for a model that has no interface for tools: all calls and results are text."""
    first, *rest = (_as_text(message) for message in messages)
    if not tools:
        return (first, *rest)
    described = "\n".join(
        f"- {tool.name}: {tool.about} Arguments, as a JSON schema: {_dump(tool.parameters)}" for tool in tools
    )
    rule = (
        f"Your tools:\n{described}\n\nTo call a tool, end your turn with one JSON object of this form, and "
        'write nothing after it: {"tool": "NAME", "arguments": {...}}'
    )
    if first.role == "system":
        return (replace(first, content=f"{first.content}\n\n{rule}"), *rest)
    return (Message("system", rule), first, *rest)


def call_as_text(call: ToolCall) -> str:
    """A call as `tools_as_text` asks for it; arguments that are no JSON stay as they came."""
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
        return ToolCall("", name, _dump(bare if given is None else given))
    if isinstance(name, str) and isinstance(given, Mapping):
        return ToolCall("", name, _dump(given))
    if len(value) == 1:
        ((only, arguments),) = value.items()
        if only in names and isinstance(arguments, Mapping):
            return ToolCall("", only, _dump(arguments))
    return None


def _dump(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
