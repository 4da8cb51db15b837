"""Characters that a reader does not see, or that steer what shows them, written out.

The word of a noun phrase that says what a thing is: "mayor" of "mayor of Averell".

A description is told from a name by that word, which has a small letter in a description.
"""

import re
from collections.abc import Sequence

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
