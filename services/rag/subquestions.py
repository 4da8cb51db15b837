"""A description as a question: "the organism that X sequenced" -> "Which organism did X sequence?"."""

from collections.abc import Sequence

from services.questions.wording import verbs
from services.questions.wording.inversion import (
    inverted_words,
    is_finite,
    is_only_verb,
    name_end,
    starts_name,
)
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import PREPOSITIONS

_LASTING_STATES = """
married located headquartered based twinned owned governed run situated allied
"""
_LASTING = frozenset(_LASTING_STATES.split())


def sub_question(noun: str, kind: str, clause: Sequence[str]) -> str:
    """The question that the description answers; `clause` begins with the word that opens it."""
    person = "person" in sorts_of(noun)
    if kind == "of":
        text = f"{'who' if person else 'what'} is the {noun} {' '.join(clause)}"
    elif kind == "reduced":
        text = _reduced(noun, person, clause)
    elif kind == "whose":
        text = _whose(noun, person, clause)
    elif kind == "fronted":
        text = _fronted(noun, person, clause)
    elif kind == "object":
        text = _object(noun, person, clause)
    else:
        text = f"{_asks(noun, person)} {' '.join(clause[1:])}"
    return f"{text[:1].upper()}{text[1:]}?"


def _asks(noun: str, person: bool) -> str:
    if person and noun == "person":
        return "who"
    return "what" if noun in {"thing", "one"} else f"which {noun}"


def _reduced(noun: str, person: bool, clause: Sequence[str]) -> str:
    be = "is" if clause[0] in _LASTING or clause[0] == "being" else "was"
    return f"{_asks(noun, person)} {be} {' '.join(clause)}"


def _whose(noun: str, person: bool, clause: Sequence[str]) -> str:
    words = list(clause[1:])
    asks = "whose" if person and noun == "person" else f"{_asks(noun, person)}'s"
    at = next((at for at, word in enumerate(words) if at and starts_name(word)), 0)
    said = (at for at, word in enumerate(words) if at and (is_finite(word) or is_only_verb(word)))
    first = next(said, len(words))
    if not at or first < at:
        return f"{asks} {' '.join(words)}"
    end = name_end(words, at)
    return f"{asks} {' '.join(words[:at])} {inverted_words(words[at:end], words[end:])}"


def _fronted(noun: str, person: bool, clause: Sequence[str]) -> str:
    """ "For which money was raised by X", "doses of which were ordered by X", "in which rises X"."""
    words = list(clause)
    if words[0] == "where":
        return f"where {_move_auxiliary(words[1:])}"
    if words[0] not in PREPOSITIONS:
        at = words.index("which")
        return f"{' '.join(words[:at])} {_asks_behind(noun, person)} {' '.join(words[at + 1 :])}"
    if words[2] not in verbs.AUXILIARIES and is_finite(words[2]):
        return f"{words[0]} {_asks_behind(noun, person)} {inverted_words(words[3:], words[2:3])}"
    return f"{words[0]} {_asks_behind(noun, person)} {_move_auxiliary(words[2:])}"


def _object(noun: str, person: bool, clause: Sequence[str]) -> str:
    words = list(clause)
    if words[0] in PREPOSITIONS:
        asks, words = f"{words[0]} {_asks_behind(noun, person)}", words[2:]
    elif words[0] in {"where", "when"}:
        asks, words = words[0], words[1:]
    else:
        asks, words = _asks(noun, person), words[1:]
    end = name_end(words, 0)
    return f"{asks} {inverted_words(words[:end], words[end:])}"


def _asks_behind(noun: str, person: bool) -> str:
    return "whom" if person and noun == "person" else _asks(noun, person)


def _move_auxiliary(words: Sequence[str]) -> str:
    """ "A robot was tested by X" -> "was a robot tested by X"."""
    at = next((at for at, word in enumerate(words) if word in verbs.AUXILIARIES), -1)
    if at < 0:
        return " ".join(words)
    return " ".join((words[at], *words[:at], *words[at + 1 :]))
