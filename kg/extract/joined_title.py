"""Titles that read like clauses: "What Women Want is a film" has no "women want" in it."""

from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc

MAX_TITLE_TOKENS = 12

_OF_CLAUSES = frozenset({"VERB", "AUX", "PRON", "INTJ", "SCONJ", "ADV"})
_LEADING = frozenset({"ADP", "ADV"})


def with_title_joined(nlp: Language, doc: Doc, title: str) -> Doc:
    """The text parsed anew with its title as one token, where the parser took the title for a clause.

    The text and its sentences stay; other texts come back as they are.
    """
    if not title or title.lower() not in doc.text.lower():
        return doc
    words = [token.lower_ for token in nlp.make_doc(title)]
    places = _clauses(doc, words) if 2 <= len(words) <= MAX_TITLE_TOKENS else []
    if not places:
        return doc
    inside = {i for first in places for i in range(first + 1, first + len(words))}
    joined: list[str] = []
    spaces: list[bool] = []
    starts: list[bool | int | None] = []
    for token in doc:
        if token.i in inside:
            joined[-1] += (" " if spaces[-1] else "") + token.text
            spaces[-1] = bool(token.whitespace_)
        else:
            joined.append(token.text)
            spaces.append(bool(token.whitespace_))
            starts.append(bool(token.is_sent_start))
    return nlp(Doc(doc.vocab, words=joined, spaces=spaces, sent_starts=starts))


def _clauses(doc: Doc, words: Sequence[str]) -> list[int]:
    """Where the title begins, if it was read as a clause at least once."""
    lower = [token.lower_ for token in doc]
    size = len(words)
    found = [
        i
        for i in range(len(lower) - size + 1)
        if lower[i] == words[0] and lower[i : i + size] == list(words) and _is_title(doc[i : i + size].text)
    ]
    whole: list[int] = []
    for i in found:
        if not whole or i >= whole[-1] + size:
            whole.append(i)
    return whole if any(_is_clause(doc, i, size) for i in whole) else []


def _is_title(text: str) -> bool:
    """Whether the words are written as a name: "What Women Want", not "what women want"."""
    words = text.split()
    return words[0][:1].isupper() and sum(word[:1].isupper() for word in words) * 2 > len(words)


def _is_clause(doc: Doc, first: int, size: int) -> bool:
    if any(doc[i].is_sent_start for i in range(first + 1, first + size)):
        return False
    return doc[first].pos_ in _LEADING or any(doc[i].pos_ in _OF_CLAUSES for i in range(first, first + size))
