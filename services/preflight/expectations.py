"""What a right reply must satisfy: conditions on places of a reply, as the gold items state them.

A condition names a place (`at: sentences[number=2].claim`) and what must hold there. Text is compared without
regard to case and to runs of blanks; `answer` goes further and compares as answers are compared: without
articles and punctuation.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg.errors import InputError
from kg.llm.protocol import JsonValue
from services.evaluate.answers import normalise_answer

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
    return [fault for condition in conditions for fault in _broken(condition.at, condition.tests, reply)]


def _broken(at: str, tests: Mapping[str, JsonValue], reply: JsonValue) -> list[str]:
    found, value = _value_at(reply, at)
    if not found:
        return [f"there is no {at}"]
    return [
        f"{at} is {_shown(value)}, expected {name} {_shown(wanted)}"
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


def _shown(value: JsonValue) -> str:
    text = " ".join(_text(value).split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]} ..."
