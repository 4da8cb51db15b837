"""Characters that a reader does not see, or that steer what shows them, written out.

The word of a noun phrase that says what a thing is: "mayor" of "mayor of Averell".

A description is told from a name by that word, which has a small letter in a description.

Quotation marks of a name: both of a pair or neither.

Where a name stands in a text as a whole word, with no expression to compile for it.
"""

import re
from collections.abc import Iterator, Sequence

_PREPOSITIONS_TEXT = """of in for from with on at by to as about over under after before during between
against into among across near within without through that which who"""
PREPOSITIONS = frozenset(_PREPOSITIONS_TEXT.split())
"""Words after which a noun phrase goes on beyond its head; relative pronouns too."""


def head_end(words: Sequence[str]) -> int:
    """How many words a noun phrase has up to its head and with it; fewer than all if it goes on behind."""
    return next((place for place, word in enumerate(words) if place and word in PREPOSITIONS), len(words))


def head_noun(words: Sequence[str]) -> str:
    """The word that says what a thing is; "" of no words."""
    return words[head_end(words) - 1] if words else ""


def whole_places(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each place where `name` stands in `text` with no letter, digit or _ beside it."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        whole = not (_is_of_word(text[at - 1 : at]) or _is_of_word(text[end : end + 1]))
        if whole:
            yield at, end
        at = text.find(name, end if whole else at + 1)


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


_CLOSED_BY = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_OPENED_BY = {'"': '"', "\u201c": "\u201e", "\u201d": "\u201c", "\u00bb": "\u00ab"}
_END_OF_QUOTATION = re.compile('[!?]*(?P<mark>["\u201d\u201c\u00bb])')
_MARK_OF_QUOTATION = re.compile(f"[{''.join(sorted(_CLOSED_BY.keys() | _OPENED_BY.keys()))}]")
_BEFORE_OPENING = " ([-/\u2013\u2014"


def half_quotation(name: str) -> tuple[list[int], list[int]]:
    """The places of quotation marks in a name that nothing opened, and of those that nothing closes.

    A mark opens where a word begins behind it and none ends before it. One of inches (12" single) is none.
    """
    unopened: list[int] = []
    unclosed: list[int] = []
    for found in _MARK_OF_QUOTATION.finditer(name):
        place, mark = found.start(), found[0]
        before, after = name[:place][-1:], name[place + 1 :][:1]
        if mark in _CLOSED_BY and after.strip() and not before.strip(_BEFORE_OPENING):
            unclosed.append(place)
        elif unclosed:
            unclosed.pop()
        elif not before.isdigit() or not after:
            unopened.append(place)
    return unopened, unclosed


def with_whole_quotation(name: str, written: str) -> str:
    """`name` with both marks of a quotation or neither: "Weird Al" Yankovic, Al Yankovic of Al" Yankovic.

    `written` is what the name was cut out of: a mark that stood beside it there comes back.
    """
    unopened, unclosed = half_quotation(name)
    if not unopened and not unclosed:
        return name
    before, found, after = written.partition(name)
    opening = closing = ""
    if found and unopened and before[-1:] == _OPENED_BY.get(name[unopened[0]]):
        opening = before[-1]
    end = _END_OF_QUOTATION.match(after)
    if found and unclosed and end and end["mark"] == _CLOSED_BY[name[unclosed[-1]]]:
        closing = end[0]
    dropped = {*unopened[bool(opening) :], *unclosed[: len(unclosed) - bool(closing)]}
    kept = "".join(letter for place, letter in enumerate(name) if place not in dropped)
    return f"{opening}{' '.join(kept.split())}{closing}"


_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]"
)


def write_out(text: str) -> str:
    """The text with controls, marks of the direction of writing and the like written out: \\x1b, \\u202e.

    Line ends, carriage returns too, and tabs stay; so does the joiner that emoji are made with.
    """
    return _UNSEEN.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
