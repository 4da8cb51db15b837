"""Gold items: for each prompt, inputs whose right reply is known, in `seed/prompts/<prompt>.yaml`.

`seed/prompts/README.md` says how a file is written. An item's `given` are plain values from which the real
request is built; `expect` are conditions on the reply; `right` and `wrong` are one reply of each sort.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from kg.bundled_files import bundled_folder
from kg.errors import InputError
from kg.llm.protocol import JsonValue, ModelRequest
from services.preflight.expectations import Condition, read_conditions

_YAML_1_1 = ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")

_NEEDED = ("id", "given", "expect", "right", "wrong")
_KNOWN = frozenset((*_NEEDED, "note", "hard"))


_Safe: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same reader in C, ten times as fast, where PyYAML came with it."""


class _Loader(_Safe):  # type: ignore[misc, valid-type]
    """Reads yes, no, on and days as the text that they are; true and false alone are truth values."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the class above has it
        first: [pair for pair in pairs if pair[0] not in _YAML_1_1]
        for first, pairs in _Safe.yaml_implicit_resolvers.items()
    }


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|false)$"), list("tf"))


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An input of a prompt whose right reply is known; `note` says what makes it hard.

    `right` and `wrong` are replies as a model gives them: text; the JSON value of the prompt's schema, where
    members that are left out stand for empty ones; or {"text": ..., "calls": [{"name": ..., "arguments":
    {...}}]} where tools are offered.
    """

    prompt: str
    id: str
    note: str
    hard: bool
    given: Mapping[str, JsonValue]
    expect: tuple[Condition, ...]
    right: JsonValue
    wrong: JsonValue


def gold_folder() -> Path:
    """The folder with a file for each prompt."""
    return bundled_folder("seed") / "prompts"


def gold_prompts() -> tuple[str, ...]:
    """The names of the prompts that have gold items, in order."""
    return tuple(sorted(path.stem for path in gold_folder().glob("*.yaml")))


def read_gold(prompt: str) -> tuple[GoldItem, ...]:
    """The gold items of a prompt in the order of its file.

    Raises:
        InputError: there is no file for it, or an item in it breaks the form.
    """
    path = gold_folder() / f"{prompt}.yaml"
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe one
    except FileNotFoundError as error:
        raise InputError(
            f"there are no gold items for a prompt {prompt!r}.",
            f"Use one of: {', '.join(gold_prompts())}.",
        ) from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: it is no YAML ({error}).", "See seed/prompts/README.md.") from error
    items = document.get("items") if isinstance(document, Mapping) else None
    if not isinstance(items, list) or not items:
        raise InputError(f"{path}: it needs a list called items.", "See seed/prompts/README.md.")
    found = tuple(_item(path, prompt, number, one) for number, one in enumerate(items, start=1))
    names = [one.id for one in found]
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two items have the same id.", "Give each item an id of its own.")
    return found


def completed(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
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
                members[name] = completed(members[name], inside)
            elif isinstance(required, Sequence) and name in required:
                members[name] = _empty(inside)
        return {name: members[name] for name in (*properties, *members) if name in members}
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [completed(one, items) for one in value]
    return value


def reply_text(reply: JsonValue, request: ModelRequest) -> JsonValue:
    """A gold reply as an endpoint would send it: text as it is, JSON with all members that are asked for."""
    if request.schema is None:
        return reply
    return completed(reply, request.schema.definition)


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
            return completed({}, schema)
        case _:
            return ""


def _item(path: Path, prompt: str, number: int, value: object) -> GoldItem:
    where = f"{path}: item {number}"
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{where} is no list of names with values.", "See seed/prompts/README.md.")
    missing, unknown = [name for name in _NEEDED if name not in value], sorted(set(value) - _KNOWN)
    if missing or unknown:
        told = [f"lacks {', '.join(missing)}" if missing else "", f"has unknown {unknown}" if unknown else ""]
        raise InputError(f"{where} {' and '.join(filter(None, told))}.", "See seed/prompts/README.md.")
    if not isinstance(value["given"], Mapping):
        raise InputError(f"{where}: given must be names with values.", "See seed/prompts/README.md.")
    return GoldItem(
        prompt,
        str(value["id"]),
        str(value.get("note", "")),
        bool(value.get("hard", False)),
        value["given"],
        read_conditions(f"{where} ({value['id']})", value["expect"]),
        value["right"],
        value["wrong"],
    )
