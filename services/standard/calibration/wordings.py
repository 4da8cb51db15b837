"""The texts of answers of known quality: wrong, partly right, fluent and empty, padded, in a sentence.

What is drawn is drawn by hashes, so that the same seed gives the same texts with any version of anything.
"""

import re
from collections.abc import Iterable, Sequence

from kg.ids import content_hash
from services.evaluate.answers import normalise_answer
from services.standard.judging.answer_form import said_form
from services.standard.judging.content_words import content_words

_PARTLY = ("{answer} or {other}", "Either {other} or {answer}", "{answer}, or perhaps {other}")
_SENTENCES = (
    "The answer to the question is {answer}.",
    "What was asked for is {answer}.",
    "By what the passages say, it is {answer}.",
)
_PADDED = (
    "Having gone through all of the passages with care, and having held them against each other, one comes "
    "to this: {answer}. That is what they say, and the rest of what stands there agrees with it.",
    "There is a good deal to be read here, and it repays a second look; in the end it is {answer} that the "
    "passages lead to, as any patient reader will see before long.",
    "To put it in a few words, after weighing what each of the passages has to say: {answer}. So much can be "
    "said with some confidence, and there is little to add to it.",
)
_OPENINGS = (
    "What stands behind this is best understood as part of a longer development",
    "The matter has been seen in many lights over the years",
    "It is a question to which the passages give a remarkably rich reply",
    "Seen as a whole, the record speaks with a clear voice",
)
_MIDDLES = (
    "in which one step led to the next and each of those who took part left a mark",
    "and what emerges is a picture whose parts support each other in a convincing way",
    "since the circumstances of the time shaped what was done as much as those who did it",
    "as becomes plain once the sources are read together and given their due weight",
)
_ENDINGS = (
    "so that the conclusion follows with some force from all that went before.",
    "which is just what the evidence, taken together, establishes beyond dispute.",
    "and it is this that accounts for the outcome in full.",
    "and in that sense the answer is contained in the very way the question is put.",
)
_NUMBER = re.compile(r"\d+")
_OPPOSITE = {"yes": "No", "no": "Yes", "before": "After", "after": "Before"}


def in_drawn_order(values: Iterable[str], *salt: str) -> list[str]:
    """The values, without doubles, in an order that `salt` alone decides."""
    return sorted(dict.fromkeys(values), key=lambda value: content_hash((*salt, value)))


def wrong_answer(key: str, accepted: Sequence[str], others: Sequence[str], evidence: str) -> str | None:
    """Something of the key's kind that is none of the accepted answers, None where nothing is at hand.

    That is the opposite of yes, no, before or after; else the first of `others` of the same kind, one that
    stands in the evidence before one that doesn't; else, where the key holds a number, the key with another.
    """
    opposite = _OPPOSITE.get(normalise_answer(key))
    if opposite is not None:
        return opposite
    forms = (key, *accepted)
    words = frozenset[str]().union(*map(content_words, forms))
    fitting = [
        other
        for other in others
        if _kind(other) == _kind(key) and content_words(other) and words.isdisjoint(content_words(other))
    ]
    in_evidence = (other for other in fitting if said_form(evidence, (other,)))
    found = next(in_evidence, None) or next(iter(fitting), None)
    if found is None and _kind(key) == "number":
        other = _other_number(key)
        return None if said_form(other, forms) else other
    return found


def partly_right(key: str, other: str, *salt: str) -> str | None:
    """The key beside something else, and open which; None where the key has an opposite."""
    if normalise_answer(key) in _OPPOSITE:
        return None
    return _one_of(_PARTLY, *salt).format(answer=key, other=other)


def nonsense(forms: Sequence[str], *salt: str) -> str | None:
    """A fluent sentence that says nothing, and none of the forms; None where every such sentence does."""
    texts = (
        f"{opening}, {middle}, {ending}"
        for opening in in_drawn_order(_OPENINGS, *salt)
        for middle in in_drawn_order(_MIDDLES, *salt)
        for ending in in_drawn_order(_ENDINGS, *salt)
    )
    return next((text for text in texts if said_form(text, forms) is None), None)


def padded(answer: str, forms: Sequence[str], *salt: str) -> str | None:
    """The answer among words that add nothing to it; None where all such words say one of the forms."""
    return _framed(_PADDED, answer, forms, *salt)


def in_a_sentence(answer: str, forms: Sequence[str], *salt: str) -> str | None:
    """The answer in a plain sentence; None where the words around it say one of the forms."""
    return _framed(_SENTENCES, answer, forms, *salt)


def _framed(templates: Sequence[str], answer: str, forms: Sequence[str], *salt: str) -> str | None:
    fitting = [one for one in templates if said_form(one.format(answer=""), forms) is None]
    return _one_of(fitting, *salt).format(answer=answer) if fitting else None


def _one_of(templates: Sequence[str], *salt: str) -> str:
    return in_drawn_order(templates, *salt)[0]


def _kind(text: str) -> str:
    if normalise_answer(text) in _OPPOSITE:
        return "decision"
    if _NUMBER.search(text):
        return "number"
    return "name" if any(word[0].isupper() for word in text.split()) else "words"


def _other_number(key: str) -> str:
    return _NUMBER.sub(lambda match: str(int(match[0]) + 3).zfill(len(match[0])), key, count=1)
