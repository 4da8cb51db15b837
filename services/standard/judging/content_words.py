"""The words of a text that say something, and how many of a statement's another text holds."""

import re
from functools import lru_cache

_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at to for by with from into onto over under about as and or but nor so if than
        then that this these those which who whom whose what when where while how there here it its he him
        his she her they them their we us our you your i me my is are was were be been being am has have
        had having do does did done will would shall should can could may might must also both either each
        such very just only own same too again more most other some any all""",
    )
)


@lru_cache(maxsize=4_096)
def content_words(text: str) -> frozenset[str]:
    """The words of a text in small letters, without those that a sentence has for its grammar.

    Negations and numbers stay. Plain forms, no lemmas: the same text gives the same words on any machine.
    """
    return frozenset(_WORD.findall(_POSSESSIVE.sub("", text.casefold()))) - _EMPTY


def containment(statement: str, text: str) -> float:
    """The share of the statement's content words that stand in the text; 0 where it has none."""
    wanted = content_words(statement)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0
