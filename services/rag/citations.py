"""The passages that an answer cites by their numbers, "[2]" or "[1, 3]", checked against what was shown."""

import re
from dataclasses import dataclass

from services.rag.context import Context

_CITATION = re.compile(
    r"\s*\[\s*(?:passages?\s+)?(?P<numbers>\d{1,3}(?:\s*(?:[,;&\u2013-]|and)\s*(?:passage\s+)?\d{1,3})*)\s*\]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_SPAN = re.compile(r"(\d+)\s*[\u2013-]\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer without its citations, the chunks that it cites in the order of its text, each once, and the
    numbers that it cites though no passage had them."""

    text: str
    chunks: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()


def read_citations(answer: str, context: Context) -> Cited:
    """The citations of an answer that was given from a context; brackets with anything else in them stay."""
    numbers: dict[int, None] = {}
    for match in _CITATION.finditer(answer):
        numbers |= dict.fromkeys(_numbers(match["numbers"]))
    known = {block.number: block.chunks for block in context.blocks}
    chunks = (chunk for number in numbers for chunk in known.get(number, ()))
    return Cited(
        _CITATION.sub("", answer).strip(),
        tuple(dict.fromkeys(chunks)),
        tuple(number for number in numbers if number not in known),
    )


def _numbers(text: str) -> list[int]:
    """The numbers of a list, with all between the ends of a span: "1-3" is 1, 2, 3."""
    spans = {number for first, last in _SPAN.findall(text) for number in range(int(first), int(last) + 1)}
    return sorted(spans | {int(number) for number in _NUMBER.findall(text)})
