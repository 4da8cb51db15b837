"""The answer in what a model wrote in a turn without a call, where it clearly means to end."""

import re

from services.rag.short_answers import short_answer

_LABELLED = re.compile(
    r"^[ \t>*_#`-]*(?:final[ _-]*)?answer\b[ \t*_`]*[:=][ \t*_`]*(?P<answer>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_IN_JSON = re.compile(r'^(?:```\w*\n)?\s*\{\s*"(?:final_|short_)?answer"\s*:', re.IGNORECASE)


def final_words(text: str) -> str:
    """The answer behind the last "Final answer:" or in an object with the member "answer"; "" without one."""
    if _IN_JSON.match(text.strip()):
        found = short_answer(text)
        return "" if found.startswith("{") else found
    labelled = [match["answer"] for match in _LABELLED.finditer(text)]
    return short_answer(labelled[-1]) if labelled else ""
