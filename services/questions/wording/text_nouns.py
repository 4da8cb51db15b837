"""What the sentences of a question's facts call an entity: "the satellite Kittiwake", "town of Rell"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.questions.draft import Fact, Stop
from services.questions.wording.head_nouns import NAME_HEADS, SORTS
from services.questions.wording.nouns import sorts_of

_NOUN = r"((?:[a-z][a-z-]+ ){0,2}[a-z][a-z-]+)"
_DETERMINER = r"\b(?:[Tt]he|[Aa]n?)"
_OF_A_NAME = frozenset(
    ["city", "town", "village", "state", "province", "county", "district", "island", "region", "port"]
)
"""Nouns of which "the city of Rell" says that Rell is one; the coast of Rell is another thing."""


def with_text_nouns(stops: Sequence[Stop], facts: Sequence[Fact]) -> tuple[Stop, ...]:
    """The stops of a chain, each with the nouns first that the sentences of its own facts give it.

    People keep to "person": an office or a kinship that a sentence happens to mention is rather a hint.
    """
    return tuple(
        _with_nouns(stop, [fact.sentence for fact in facts[max(0, at - 1) : at + 1]])
        for at, stop in enumerate(stops)
    )


def _with_nouns(stop: Stop, sentences: Sequence[str]) -> Stop:
    said = [noun for sentence in sentences for name in stop.names for noun in _called(name, sentence)]
    return replace(stop, nouns=tuple(dict.fromkeys((*said, *stop.nouns)))) if said else stop


def _called(name: str, sentence: str) -> Iterator[str]:
    """Nouns right before the name, before "of" and the name, or right behind it between commas."""
    if not name[:1].isupper() or name not in sentence:
        return
    whole = re.escape(name)
    alone = r"(?!['\u2019\w-]| [A-Z])"
    for noun in re.findall(rf"{_DETERMINER} {_NOUN} {whole}{alone}", sentence):
        yield from _descriptive(noun)
    for noun in re.findall(rf"{_DETERMINER} {_NOUN} of {whole}{alone}", sentence):
        yield from (one for one in _descriptive(noun) if one in _OF_A_NAME)
    behind = rf"(?<!\w){whole}, {_DETERMINER} {_NOUN}(?=,| (?:in|of|that|which|on|near)\b)"
    for noun in re.findall(behind, sentence):
        yield from _descriptive(noun)


def _descriptive(noun: str) -> Iterator[str]:
    """The noun's last word, where a list has it and it is of no person."""
    head = noun.rsplit(maxsplit=1)[-1]
    if (head in SORTS or head in NAME_HEADS.values()) and not sorts_of(head) & {"person", "literal"}:
        yield head
