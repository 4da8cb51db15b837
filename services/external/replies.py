"""From what a system returned to an `OwnAnswer`: a mapping, a text, or the value itself.

    {"answer": "Oda Wexler", "retrieved": ["chunk-12ab", {"text": "...", "score": 0.8}], "input_tokens": 812}

`answer` may be called `text`. What was retrieved is in order; an entry is a mapping with any of `text` (or
`content`, `page_content`), `chunk` (or `chunk_id`, `id`), `title`, `url`, `score`, `step` and `rank`, or only
a text, or only an id: a string without blanks is an id. A step is a mapping with `action` and any of the
other fields of `OwnStep`, or only its action.

A value of `OwnAnswer` is checked as a mapping is, for Python doesn't: no field of a wrong kind may end a run.
Half of a surrogate pair, which no database holds, becomes U+FFFD.

One answer out of a file: to which question, what was answered, and where it stands in the file.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from kg.own_system import OwnAnswer, OwnStep, RetrievedText


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An answer to the question with this id, or, where `question_id` is empty, with this text.

    `place` is "file:line" or "file".
    """

    question_id: str
    question: str
    answer: OwnAnswer
    place: str


_TEXT = ("text", "content", "page_content")
_CHUNK = ("chunk", "chunk_id", "id")
_LONGEST_ERROR = 300
_LONGEST_FAULT = 80
_LARGEST_COUNT = 2**53
_HALF_A_LETTER = re.compile("[\ud800-\udfff]")


class BadReplyError(Exception):
    """A reply that can't be read as an answer; the message says why."""


def read_reply(reply: object) -> OwnAnswer:
    """The answer in a reply.

    Raises:
        BadReplyError: it has neither an answer nor an error, or a field of the wrong kind.
    """
    if isinstance(reply, OwnAnswer):
        reply = {"answer": reply.text, **_fields(reply)}
    if isinstance(reply, str):
        return OwnAnswer(_whole(reply))
    if not isinstance(reply, Mapping):
        raise BadReplyError(f"it is neither a text nor a mapping but {_kind(reply)}")
    error = _error(reply.get("error"))
    answer = next((reply[name] for name in ("answer", "text") if reply.get(name) is not None), None)
    if answer is None and not error:
        raise BadReplyError(f'it has no "answer" (its fields: {", ".join(map(str, reply)) or "none"})')
    return OwnAnswer(
        text="" if answer is None else _answer(answer),
        retrieved=_read_retrieved(reply.get("retrieved")),
        steps=_steps(reply.get("steps")),
        input_tokens=_count(reply, "input_tokens"),
        output_tokens=_count(reply, "output_tokens"),
        cost=_amount(reply, "cost"),
        seconds=_amount(reply, "seconds"),
        error=error,
        confidence=_confidence(reply),
        tells_retrieved=_flag(reply, "tells_retrieved") is not False and reply.get("retrieved") is not None,
    )


def _confidence(reply: Mapping[object, object]) -> float | None:
    value = _amount(reply, "confidence")
    if value is not None and value > 1:
        raise BadReplyError(f'"confidence" is {value:g}, not between 0 and 1')
    return value


def _answer(value: object) -> str:
    match value:
        case str():
            return _whole(value)
        case bool():
            return "Yes" if value else "No"
        case int() | float():
            return str(value)
        case _:
            raise BadReplyError(f'"answer" is not a text but {_kind(value)}')


def _error(value: object) -> str:
    return "" if not value else _whole(" ".join(str(value).split())[:_LONGEST_ERROR])


def _read_retrieved(value: object) -> tuple[RetrievedText, ...]:
    entries = [(_rank(entry), _text(entry)) for entry in _read_list(value, "retrieved")]
    if all(rank is not None for rank, _ in entries):
        entries.sort(key=lambda entry: entry[0] or 0.0)
    return tuple(text for _, text in entries)


def _rank(entry: object) -> float | None:
    return _number(entry, "rank") if isinstance(entry, Mapping) else None


def _text(entry: object) -> RetrievedText:
    if isinstance(entry, str):
        text = _whole(entry)
        return RetrievedText(chunk=text) if not any(map(str.isspace, text)) else RetrievedText(text)
    may_be_empty = isinstance(entry, RetrievedText)
    if isinstance(entry, RetrievedText):
        entry = _fields(entry)
    if not isinstance(entry, Mapping):
        raise BadReplyError(f'an entry of "retrieved" is neither a text nor a mapping but {_kind(entry)}')
    found = RetrievedText(
        text=_first(entry, _TEXT),
        chunk=_first(entry, _CHUNK),
        title=_first(entry, ("title",)),
        url=_first(entry, ("url",)),
        score=_number(entry, "score"),
        step=max(1, _count(entry, "step")),
    )
    # A library's document may be empty; a mapping with none of the names was written for other ones.
    if not (may_be_empty or found.text or found.chunk or found.title or found.url):
        raise BadReplyError('an entry of "retrieved" has no text, chunk, title or url')
    return found


def _steps(value: object) -> tuple[OwnStep, ...]:
    return tuple(
        _read_numbered_step(number, entry) for number, entry in enumerate(_read_list(value, "steps"), start=1)
    )


def _read_numbered_step(number: int, entry: object) -> OwnStep:
    try:
        return _step(entry)
    except BadReplyError as error:
        raise BadReplyError(f"step {number}: {error}") from error


def _step(entry: object) -> OwnStep:
    if isinstance(entry, OwnStep):
        entry = _fields(entry)
    if isinstance(entry, str):
        return OwnStep(_whole(entry))
    if not isinstance(entry, Mapping) or not entry.get("action"):
        raise BadReplyError('it has no "action"')
    return OwnStep(
        action=_first(entry, ("action",)),
        query=_first(entry, ("query",)),
        observation=_first(entry, ("observation",)),
        thought=_first(entry, ("thought",)),
        top_k=_whole_number(entry, "top_k"),
        fault=_fault(entry),
        retrieves=_flag(entry, "retrieves"),
        seconds=_amount(entry, "seconds"),
        input_tokens=_count(entry, "input_tokens"),
        output_tokens=_count(entry, "output_tokens"),
    )


def _fault(entry: Mapping[object, object]) -> str:
    value = entry.get("fault")
    if value is not None and not isinstance(value, str):
        raise BadReplyError(f'"fault" is not a text but {_kind(value)}')
    return _whole(" ".join((value or "").split())[:_LONGEST_FAULT])


def _flag(entry: Mapping[object, object], name: str) -> bool | None:
    value = entry.get(name)
    if value is not None and not isinstance(value, bool):
        raise BadReplyError(f'"{name}" is neither true nor false')
    return value


def _read_list(value: object, name: str) -> Sequence[object]:
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return value
    raise BadReplyError(f'"{name}" is not a list but {_kind(value)}')


def _first(entry: Mapping[object, object], names: Sequence[str]) -> str:
    found = next((entry[name] for name in names if entry.get(name) not in (None, "")), "")
    return _whole(found if isinstance(found, str) else str(found))


def _number(entry: Mapping[object, object], name: str) -> float | None:
    value = entry.get(name)
    if value is None:
        return None
    largest = sys.float_info.max
    if isinstance(value, bool) or not isinstance(value, int | float) or not -largest <= value <= largest:
        raise BadReplyError(f'"{name}" is not a number')
    return float(value)


def _amount(entry: Mapping[object, object], name: str) -> float | None:
    value = _number(entry, name)
    if value is not None and value < 0:
        raise BadReplyError(f'"{name}" is below 0')
    return value


def _count(entry: Mapping[object, object], name: str) -> int:
    value = _amount(entry, name) or 0.0
    if value > _LARGEST_COUNT:
        raise BadReplyError(f'"{name}" is too large')
    return int(value)


def _whole_number(entry: Mapping[object, object], name: str) -> int | None:
    value = _number(entry, name)
    if value is None:
        return None
    if value < 0 or not value.is_integer():
        raise BadReplyError(f'"{name}" is not a whole number from 0')
    return _count(entry, name)


def _whole(text: str) -> str:
    return _HALF_A_LETTER.sub("\ufffd", text)


def _fields(value: OwnAnswer | OwnStep | RetrievedText) -> dict[object, object]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"
