"""The short answer in what a model wrote: plain text, or JSON where it could not help it."""

import json
import re

_LABEL = re.compile(r"^[\W_]*(?:(?:the |final |short )*answer)\s*(?:is)?\s*[:=]\s*[*_]*\s*", re.IGNORECASE)
_FENCE = re.compile(r"^```\w*\n(?P<inside>.*?)\n?```$", re.DOTALL)
_KEYS = ("answer", "final_answer", "short_answer")
_WRAPPINGS = (('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("**", "**"), ("`", "`"))


def short_answer(text: str) -> str:
    """The answer without a label, a code fence, quotes or a JSON object around it, in one line."""
    inside = _FENCE.match(text.strip())
    plain = (inside["inside"] if inside else text).strip()
    found = _from_json(plain)
    return _unwrapped(_LABEL.sub("", " ".join((plain if found is None else found).split())))


def _from_json(text: str) -> str | None:
    """The answer in a JSON object or string, None where the text is neither."""
    if text[:1] not in {"{", '"'}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = next((value[key] for key in _KEYS if key in value), None)
        if isinstance(value, bool):
            return "Yes" if value else "No"
        return str(value) if isinstance(value, str | int | float) else None
    return value if isinstance(value, str) else None


def _unwrapped(text: str) -> str:
    for start, end in _WRAPPINGS:
        inner = text[len(start) : len(text) - len(end)].strip()
        if inner and text.startswith(start) and text.endswith(end) and start not in inner:
            return inner
    return text
