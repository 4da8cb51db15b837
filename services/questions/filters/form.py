"""Is it one whole question? What its text and its predicates show without looking into the graph."""

import re

from services.questions.draft import Draft
from services.questions.filters.protocol import PASS, Rule, Verdict, fail
from services.questions.wording.predicates import wordable

FEWEST_WORDS = 4
MOST_WORDS = 90
"""Five hops with whole predicates take some sixty words."""
MOST_PREDICATE_WORDS = 10

_LEFTOVER = re.compile(
    r"\{|\}|<[a-z_ ]+>|\[[A-Z_ ]+\]|_{2,}|#\d|\b(?:None|null|undefined|NaN)\b|\b(?:lorem ipsum|TBD)\b"
)
"""What a template or a program leaves where a value is missing."""
_PAIRS = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"))


def _well_formed(draft: Draft) -> Verdict:
    text = draft.text
    reason = _of_sentence(text) or _of_marks(text) or _of_predicates(draft)
    return fail(reason) if reason else PASS


def _of_sentence(text: str) -> str:
    if text.count("?") != 1 or not text.rstrip("\"'\u201d\u2019) ").endswith("?"):
        return "it does not end in its only question mark"
    words = len(text.split())
    if words < FEWEST_WORDS:
        return f"it has {words} words, and needs {FEWEST_WORDS}"
    if words > MOST_WORDS:
        return f"it has {words} words, more than {MOST_WORDS}"
    if text[:1].islower():
        return "it does not begin with a capital"
    return ""


def _of_marks(text: str) -> str:
    if found := _LEFTOVER.search(text):
        return f'"{found[0]}" is left over from a template'
    if text != " ".join(text.split()):
        return "it has blanks too many"
    if text.count('"') % 2 or any(text.count(left) != text.count(right) for left, right in _PAIRS):
        return "a quote or a bracket is not closed"
    return ""


def _of_predicates(draft: Draft) -> str:
    for fact in draft.facts:
        words = fact.predicate.split()
        if not words:
            return f"the predicate of hop {fact.index} is empty"
        if len(words) > MOST_PREDICATE_WORDS:
            return f'"{fact.predicate[:60]}" is no predicate but half a sentence'
        if not wordable(fact.predicate):
            return f'"{fact.predicate}" can\'t be put into words'
    return ""


WELL_FORMED = Rule("well formed", _well_formed)
"""One question mark at the end, a sensible length, marks in pairs, nothing left of a template, and
predicates that can be put into words."""
