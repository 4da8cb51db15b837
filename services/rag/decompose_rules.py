"""A question taken apart by rules, from its English text alone.

The innermost description ("the organism that the institute sequenced") becomes a question of its own and
"#1" takes its place, until none is left. A baseline: it knows relative clauses, participles ("led by"), "the
capital of" and "X's mother's employer", and leaves any other question as it is.

A description as a question: "the organism that X sequenced" -> "Which organism did X sequence?".

A question of several clauses about one unknown: "Who chairs X, according to S, and defended Y?".

Each clause becomes a question of its own, with the source that it cites. A comma, "and" or both part two
clauses where a finite verb (or the "that" of "is the club that ...") follows. A bare "and" behind a relative
pronoun parts nothing, since what follows may belong to the description.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from services.questions.wording import verbs
from services.questions.wording.head_nouns import MORE_PEOPLE, PERSON_ENDINGS
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import PREPOSITIONS
from services.questions.wording.verbs import (
    inverted_words,
    is_finite,
    is_only_verb,
    name_end,
    starts_name,
)

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
        text = _ask_reduced(noun, person, clause)
    elif kind == "whose":
        text = _ask_whose(noun, person, clause)
    elif kind == "fronted":
        text = _ask_fronted(noun, person, clause)
    elif kind == "object":
        text = _ask_object(noun, person, clause)
    else:
        text = f"{_asks(noun, person)} {' '.join(clause[1:])}"
    return f"{text[:1].upper()}{text[1:]}?"


def _asks(noun: str, person: bool) -> str:
    if person and noun == "person":
        return "who"
    return "what" if noun in {"thing", "one"} else f"which {noun}"


def _ask_reduced(noun: str, person: bool, clause: Sequence[str]) -> str:
    be = "is" if clause[0] in _LASTING or clause[0] == "being" else "was"
    return f"{_asks(noun, person)} {be} {' '.join(clause)}"


def _ask_whose(noun: str, person: bool, clause: Sequence[str]) -> str:
    words = list(clause[1:])
    asks = "whose" if person and noun == "person" else f"{_asks(noun, person)}'s"
    at = next((at for at, word in enumerate(words) if at and starts_name(word)), 0)
    said = (at for at, word in enumerate(words) if at and (is_finite(word) or is_only_verb(word)))
    first = next(said, len(words))
    if not at or first < at:
        return f"{asks} {' '.join(words)}"
    end = name_end(words, at)
    return f"{asks} {' '.join(words[:at])} {inverted_words(words[at:end], words[end:])}"


def _ask_fronted(noun: str, person: bool, clause: Sequence[str]) -> str:
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


def _ask_object(noun: str, person: bool, clause: Sequence[str]) -> str:
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


MOST_PARTS = 8
MOST_NOUN_WORDS = 4

_ARTICLES = frozenset({"the", "a", "an"})
_PRONOUNS = frozenset({"that", "who", "which", "whom", "where", "whose", "when"})
_WH = frozenset({"what", "which", "who", "whom", "whose", "where", "when", "how", "why"})
_KIN_AND_OFFICES = """
birthplace capital spouse wife husband father mother son daughter sister brother cousin child head ceo mayor
president chancellor minister king queen hometown
"""
_RELATIONS = frozenset(_KIN_AND_OFFICES.split())
_OTHER_WORDS = """
number name order winter summer center other water river power
"""
_NO_RELATIONS = frozenset(_OTHER_WORDS.split())
_ADVERBS = frozenset({"also", "first", "later", "once", "then", "still", "now"})
_NAMING = re.compile(r"(?:what|who|which \w+(?: \w+)?) (?:is|was|are|were)", re.IGNORECASE)
_POSSESSIVES = re.compile(
    r"((?:#\d+|[A-Z][\w.\u2019-]*)(?: [A-Z][\w.\u2019-]*)*)['\u2019]s ([a-z]+)(?=['\u2019]s )"
)

_NO_NOUNS = PREPOSITIONS | _PRONOUNS | verbs.AUXILIARIES

Kind = Literal["subject", "object", "reduced", "whose", "fronted", "of"]


def decompose(question: str) -> tuple[str, ...]:
    """Sub-questions in order, with "#1", "#2" for earlier answers.

    A question that can't be taken apart is its own only sub-question.
    """
    found: list[str] = []
    rest = question.strip().rstrip("?").strip()
    while len(found) < MOST_PARTS:
        taken = _take_possessive(rest, len(found) + 1) or _take_description(rest, len(found) + 1)
        if taken is None:
            break
        part, rest = taken
        found.append(part)
    return (*found, f"{rest[:1].upper()}{rest[1:]}?") if found else (question,)


def _take_possessive(text: str, number: int) -> tuple[str, str] | None:
    """ "Ann Brel's mother's employer": who the mother is, and the rest with "#1's employer"."""
    found = _POSSESSIVES.search(text)
    if found is None:
        return None
    asks = "Who" if _is_relation(found[2]) else "What"
    return f"{asks} is {found[0]}?", f"{text[: found.start()]}#{number}{text[found.end() :]}"


@dataclass(frozen=True, slots=True)
class _Opening:
    """Where a description begins: its article, and the word that opens its clause."""

    start: int
    clause: int
    kind: Kind


def _take_description(text: str, number: int) -> tuple[str, str] | None:
    """The last description as a question, and the text with a number in its place."""
    words = text.split()
    openings = _openings(words)
    if not openings:
        return None
    last = openings[-1]
    expected = _pending_verbs(words, openings)
    end = _end(words, last, expected)
    goes_on = end < len(words) and bool(expected) and _has_form(words[end].lower(), expected[0])
    if _NAMING.fullmatch(" ".join(words[: last.start])) and not goes_on:
        return None
    clause = words[last.clause : end]
    if len(clause) < 2 or _asks_inside(clause):
        return None
    noun = " ".join(words[last.start + 1 : last.clause])
    rest = " ".join((*words[: last.start], f"#{number}", *words[end:]))
    return sub_question(noun, last.kind, [_bare(word) for word in clause]), rest


def _asks_inside(clause: list[str]) -> bool:
    """Whether the question's own word stands in the clause: "a company that has an office in what city"."""
    wh_words = [at for at, word in enumerate(clause) if at and word.lower() in _WH]
    relative = {1} if clause[0].lower() in PREPOSITIONS - {"of"} else set()
    of_which = {at for at in wh_words if at > 1 and clause[at - 1 : at + 1] == ["of", "which"]}
    return bool(set(wh_words) - relative - of_which)


def _openings(words: list[str]) -> list[_Opening]:
    found = []
    for start, word in enumerate(words):
        if word.lower() not in _ARTICLES:
            continue
        for clause in range(start + 2, min(start + 2 + MOST_NOUN_WORDS, len(words) - 1)):
            if not _is_noun_word(words[clause - 1]):
                break
            kind = _kind(words, start, clause)
            if kind is not None:
                found.append(_Opening(start, clause, kind))
                break
    return found


def _is_noun_word(word: str) -> bool:
    return (
        word.replace("-", "").isalpha()
        and word.islower()
        and word not in PREPOSITIONS | _PRONOUNS | verbs.AUXILIARIES
    )


def _kind(words: list[str], start: int, clause: int) -> Kind | None:
    """How the clause that opens at `clause` describes the noun before it; None if it is no such clause."""
    word, following = words[clause].lower(), words[clause + 1].lower()
    if word == "of":
        related = _is_relation(words[clause - 1]) or words[start + 1 : clause] == ["launch", "site"]
        return "of" if words[start].lower() == "the" and related else None
    if word in PREPOSITIONS and following in {"which", "whom"}:
        return "object" if _starts_name(words, clause + 2) else "fronted"
    if word in _PRONOUNS:
        return _kind_of_pronoun(words, clause)
    if _has_of_which(words, clause):
        return "fronted"
    inverted = words[start].lower() != "the" and start > 0 and words[start - 1].lower() in verbs.BE
    goes_on = following in PREPOSITIONS or (word == "being" and verbs.is_participle(following))
    is_participle = verbs.is_participle(word) or word == "being"
    return "reduced" if is_participle and goes_on and not inverted else None


def _kind_of_pronoun(words: list[str], clause: int) -> Kind:
    word, following = words[clause].lower(), words[clause + 1].lower()
    if word == "whose":
        return "whose"
    if word == "where" and following in {"a", "an"}:
        return "fronted"
    acts = _is_verbal(following) or following.endswith("ly") or following in _ADVERBS
    return "object" if word == "where" or _starts_name(words, clause + 1) or not acts else "subject"


def _has_of_which(words: list[str], clause: int) -> bool:
    """ "Doses of which", "an image of which"."""
    of = next((at for at in range(clause + 1, clause + 4) if words[at : at + 2] == ["of", "which"]), clause)
    return of > clause and all(word.islower() and word not in _PRONOUNS for word in words[clause:of])


def _is_relation(noun: str) -> bool:
    return noun not in _NO_RELATIONS and (
        noun in _RELATIONS
        or noun in MORE_PEOPLE
        or (noun.endswith(PERSON_ENDINGS) and "person" in sorts_of(noun))
    )


def _is_verbal(word: str) -> bool:
    return word in verbs.AUXILIARIES or bool(verbs.known_lemmas(word)) or verbs.is_participle(word)


def _starts_name(words: list[str], at: int) -> bool:
    """Whether a name, a number sign or "the ..." stands there."""
    word = words[at] if at < len(words) else ""
    return starts_name(word) or word == "the"


def _pending_verbs(words: list[str], openings: list[_Opening]) -> list[str]:
    """The forms of the verbs that must still follow the last description, the next one first.

    "Where does the ... breed": a base form, because "does" stands before its subject; "the place where the
    ... is located": a finite one.
    """
    last = openings[-1]
    found = []
    for one in reversed(openings[:-1]):
        skipped = 2 if words[one.clause].lower() in PREPOSITIONS else 1
        if one.kind == "object" and words[one.clause + skipped : one.clause + skipped + 1] == ["the"]:
            found.append("finite")
    for at, word in enumerate(words[: last.start]):
        if word.lower() in verbs.AUXILIARIES:
            if words[at + 1] == "the" and at + 1 in {one.start for one in openings}:
                found.append("participle" if word.lower() in verbs.BE | verbs.HAVE else "base")
            break
    return found


def _end(words: list[str], last: _Opening, expected: list[str]) -> int:
    """Where the last description ends: before the verbs that belong to what is around it."""
    if not expected:
        return len(words)
    if last.kind != "object" and not (
        last.kind == "whose" and _starts_name(words, _behind_whose(words, last))
    ):
        return _after_names(words, last.clause + 1)
    at = _behind_whose(words, last) if last.kind == "whose" else last.clause + 1
    at += words[at].lower() in {"which", "whom"}
    at = name_end(words, at) if at < len(words) else at
    return _own_verbs_end(words, at, expected)


def _behind_whose(words: list[str], last: _Opening) -> int:
    at = last.clause + 1
    while at < len(words) - 1 and _is_noun_word(words[at]) and not is_only_verb(words[at]):
        at += 1
    return at


def _starts_capital(words: list[str], at: int) -> bool:
    """Whether a name stands there that is no common noun behind "the"."""
    behind = words[at + 1] if at + 1 < len(words) else ""
    return _starts_name(words, at) and (words[at] != "the" or behind[:1].isupper())


def _after_names(words: list[str], at: int) -> int:
    """Behind the first name from there on, and what prepositions add to it."""
    while at < len(words) and not _starts_capital(words, at):
        at += 1
    if at >= len(words):
        return len(words)
    at = name_end(words, at)
    while at + 1 < len(words) and words[at].lower() in PREPOSITIONS and _starts_name(words, at + 1):
        at = name_end(words, at + 1)
    return at


def _own_verbs_end(words: list[str], at: int, expected: list[str]) -> int:
    """Where the description's own verb group ends, which begins at `at`."""
    candidates = _verbs_behind(words, at, expected[0])
    enough = [here for here in candidates if _are_there(words, here, expected[1:])]
    behind_preposition = [here for here in enough if words[here - 1].lower() in PREPOSITIONS]
    return next(iter(behind_preposition or enough or candidates), len(words))


def _verbs_behind(words: list[str], at: int, form: str) -> list[int]:
    return [
        here
        for here in range(at + 1, len(words))
        if words[here - 1].lower() not in verbs.AUXILIARIES and _has_form(words[here].lower(), form)
    ]


def _are_there(words: list[str], at: int, expected: list[str]) -> bool:
    """Whether verbs of these forms follow, one behind the other."""
    if not expected:
        return True
    behind = _verbs_behind(words, at, expected[0])
    return any(_are_there(words, here, expected[1:]) for here in behind)


def _has_form(word: str, form: str) -> bool:
    if form == "base":
        return word in verbs.known_lemmas(word)
    if form == "participle":
        return verbs.is_participle(word)
    return is_finite(word)


def _bare(word: str) -> str:
    return word.rstrip(",;")


_HEAD = re.compile(
    r"(?P<head>who|what|which (?P<noun>[a-z-]+(?: [a-z-]+){0,2}?)) (?P<verb>\w+) ", re.IGNORECASE
)
_SOURCE = re.compile(
    r",? *\baccording to (?P<source>[^,?;]+?)(?=,|;|\?|$| and (?:is|was|has|that)\b)", re.IGNORECASE
)
_JOINT = re.compile(r"(?P<comma>,)? and (?=[a-z])|(?P<only>,) (?=[a-z])")
_RELATIVE = re.compile(r"\b(?:that|who|whom|whose|which|where)\b", re.IGNORECASE)
_DESCRIBED = re.compile(r"(?:is|was|are|were) (?:the (?P<noun>[a-z-]+)|one) that (?P<said>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """A question about the unknown, and the source that must tell it, empty where none is named."""

    question: str
    source: str

    def may_be_read_in(self, source: str) -> bool:
        """Whether the clause may be read in a text of this source; "the" before its name does not matter."""
        return not self.source or _fold_source(self.source) == _fold_source(source)


def clauses_of(question: str) -> tuple[Clause, ...]:
    """The clauses of a question; none where there is but one and it names no source."""
    text = " ".join(question.split()).rstrip("? ")
    opening = _HEAD.match(text)
    if opening is None or not is_finite(opening["verb"].lower()):
        return ()
    noun = opening["noun"] or ("person" if opening["head"].lower() == "who" else "one")
    head, body = opening["head"], text[opening.start("verb") :]
    found = []
    that = False
    for said, source in _parts(body):
        described = _DESCRIBED.fullmatch(said)
        that = bool(described) or (that and said.startswith("that "))
        inner = described["said"] if described else said.removeprefix("that ") if that else ""
        found.append(Clause(_clause_question(head, noun, said, inner), source))
    return tuple(found) if len(found) > 1 or found[0].source else ()


def _clause_question(head: str, noun: str, said: str, inner: str) -> str:
    """The question of a clause; `inner` is what stands behind "is the club that", empty without it."""
    if not inner:
        return f"{head} {said}?"
    words = inner.split()
    kind = "object" if words[0] == "the" or starts_name(words[0]) else "subject"
    return sub_question(noun, kind, ["that", *words])


def _parts(body: str) -> Iterator[tuple[str, str]]:
    """Each clause without its source, and the source."""
    start = 0
    ends = [(joint.start(), joint.end()) for joint in _JOINT.finditer(body) if _parts_here(body, joint)]
    for end, following in (*ends, (len(body), len(body))):
        part = body[start:end]
        cited = _SOURCE.search(part)
        said = " ".join(_SOURCE.sub("", part).split()).strip(" ,")
        if said:
            yield said, cited["source"].strip() if cited else ""
        start = following


def _parts_here(body: str, joint: re.Match[str]) -> bool:
    following = body[joint.end() :].split(maxsplit=1)[0].strip(",;")
    before = body[: joint.start()]
    if following == "that":
        return joint["comma"] is not None and bool(_DESCRIBED.search(before))
    if not is_finite(following):
        return False
    return bool(joint["comma"] or joint["only"]) or _RELATIVE.search(before) is None


def _fold_source(source: str) -> str:
    return source.casefold().removeprefix("the ")
