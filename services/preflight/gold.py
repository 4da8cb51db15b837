"""Gold items: for each prompt, inputs whose right reply is known, in `seed/prompts/<prompt>.yaml`.

`seed/prompts/README.md` says how a file is written. An item's `given` are plain values from which the real
request is built; `expect` are conditions on the reply; `right` and `wrong` are one reply of each sort.

What a right reply must satisfy: conditions on places of a reply, as the gold items state them.

A condition names a place (`at: sentences[number=2].claim`) and what must hold there. Text is compared without
regard to case and to runs of blanks; `answer` goes further and compares as answers are compared: without
articles and punctuation.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from kg.errors import InputError
from kg.files import bundled_folder
from kg.llm.protocol import JsonValue
from services.answers import normalise_answer

_PLACE = re.compile(r"(?P<name>\w+)(?:\[(?:(?P<index>\d+)|(?P<key>\w+)=(?P<value>[^\]]*))\])?")
_LONGEST_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold at a place of a reply; `tests` are named in `TESTS`."""

    at: str
    tests: Mapping[str, JsonValue]


def read_conditions(where: str, value: object) -> tuple[Condition, ...]:
    """The conditions of a gold item.

    Raises:
        InputError: one of them can't be read; `where` names the item.
    """
    if not isinstance(value, list) or not value:
        raise InputError(f"{where}: expect must be a list of conditions.", "See seed/prompts/README.md.")
    found = []
    for one in value:
        tests = dict(one) if isinstance(one, Mapping) else {}
        at = tests.pop("at", None)
        unknown = sorted(set(map(str, tests)) - set(TESTS))
        if not isinstance(at, str) or not tests or unknown or not _steps(at):
            raise InputError(
                f"{where}: the condition {one!r} can't be read.",
                f"It needs a place (at) and one or more of: {', '.join(TESTS)}.",
            )
        found.append(Condition(at, tests))
    return tuple(found)


def faults(conditions: Sequence[Condition], reply: JsonValue) -> list[str]:
    """Why a reply is wrong, a sentence for each condition that it breaks; none for a right one."""
    return [
        fault for condition in conditions for fault in _failed_tests(condition.at, condition.tests, reply)
    ]


def _failed_tests(at: str, tests: Mapping[str, JsonValue], reply: JsonValue) -> list[str]:
    found, value = _value_at(reply, at)
    if not found:
        return [f"there is no {at}"]
    return [
        f"{at} is {_short_text(value)}, expected {name} {_short_text(wanted)}"
        for name, wanted in tests.items()
        if not TESTS[name](value, wanted)
    ]


def _value_at(reply: JsonValue, at: str) -> tuple[bool, JsonValue]:
    """Whether a reply has this place, and what stands there."""
    value = reply
    for step in _steps(at):
        if not isinstance(value, Mapping) or step["name"] not in value:
            return False, None
        value = value[step["name"]]
        if step["index"] is None and step["key"] is None:
            continue
        listed = value if isinstance(value, list) else []
        if step["index"] is not None:
            chosen = listed[int(step["index"]) :][:1]
        else:
            chosen = [one for one in listed if _has_member(one, step["key"], step["value"])][:1]
        if not chosen:
            return False, None
        value = chosen[0]
    return True, value


def _steps(at: str) -> list[re.Match[str]]:
    steps = [_PLACE.fullmatch(part) for part in re.split(r"\.(?![^\[]*\])", at)]
    return [step for step in steps if step is not None] if all(steps) else []


def _has_member(value: JsonValue, key: str, wanted: str) -> bool:
    return isinstance(value, Mapping) and _plain(_text(value.get(key))) == _plain(wanted)


def _is(value: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return _plain(value) == _plain(wanted)
    return value == wanted


def _one_of(value: JsonValue, wanted: JsonValue) -> bool:
    return any(_is(value, one) for one in _several(wanted))


def _answer(value: JsonValue, wanted: JsonValue) -> bool:
    return normalise_answer(_text(value)) in {normalise_answer(_text(one)) for one in _several(wanted)}


def _contains(value: JsonValue, wanted: JsonValue) -> bool:
    """Every text stands in it; of texts in a list of their own, one does."""
    text = _plain(_text(value))
    return all(any(_plain(_text(form)) in text for form in _several(one)) for one in _several(wanted))


def _lacks(value: JsonValue, wanted: JsonValue) -> bool:
    """None of the texts stands in it as a word or words."""
    text = _plain(_text(value))
    return not any(
        re.search(rf"(?<!\w){re.escape(_plain(_text(one)))}(?!\w)", text) for one in _several(wanted)
    )


def _count(value: JsonValue, wanted: JsonValue) -> bool:
    number = len(value) if isinstance(value, str | list | Mapping) else 0
    if isinstance(wanted, Mapping):
        least, most = wanted.get("least", 0), wanted.get("most", number)
        return isinstance(least, int) and isinstance(most, int) and least <= number <= most
    return number == wanted


def _words(value: JsonValue, wanted: JsonValue) -> bool:
    number = len(_text(value).split())
    if isinstance(wanted, Mapping):
        least, most = wanted.get("least", 0), wanted.get("most", number)
        return isinstance(least, int) and isinstance(most, int) and least <= number <= most
    return number == wanted


def _set(value: JsonValue, wanted: JsonValue) -> bool:
    """The same entries, in any order."""
    return sorted(map(_sortable, _several(value))) == sorted(map(_sortable, _several(wanted)))


def _has(value: JsonValue, wanted: JsonValue) -> bool:
    """An entry of the list is so; with a list of descriptions, there is one for each."""
    return all(any(_fits(one, form) for one in _several(value)) for form in _several(wanted))


def _has_no(value: JsonValue, wanted: JsonValue) -> bool:
    return not any(_fits(one, form) for one in _several(value) for form in _several(wanted))


def _each(value: JsonValue, wanted: JsonValue) -> bool:
    return all(_fits(one, wanted) for one in _several(value))


def _fits(entry: JsonValue, wanted: JsonValue) -> bool:
    """Whether an entry is as described: an object by places in it with their tests, a text by tests."""
    if not isinstance(wanted, Mapping) or not isinstance(entry, Mapping):
        return _fits_tests(entry, wanted)
    for at, tests in wanted.items():
        found, value = _value_at(entry, at)
        if not found or not _fits_tests(value, tests):
            return False
    return True


def _fits_tests(value: JsonValue, tests: JsonValue) -> bool:
    if not isinstance(tests, Mapping):
        return _is(value, tests)
    return all(name in TESTS and TESTS[name](value, test) for name, test in tests.items())


TESTS: Mapping[str, Callable[[JsonValue, JsonValue], bool]] = {
    "is": _is,
    "one_of": _one_of,
    "answer": _answer,
    "contains": _contains,
    "lacks": _lacks,
    "count": _count,
    "words": _words,
    "set": _set,
    "has": _has,
    "has_no": _has_no,
    "each": _each,
}
"""The tests by name; seed/prompts/README.md says what each asks for."""


def _several(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else [value]


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").replace("\u2011", "-").split())


def _sortable(value: JsonValue) -> str:
    return _plain(_text(value))


def _short_text(value: JsonValue) -> str:
    text = " ".join(_text(value).split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]} ..."


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
    inputs: Mapping[str, JsonValue]
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
