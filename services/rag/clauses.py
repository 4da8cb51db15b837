"""A question of several clauses about one unknown: "Who chairs X, according to S, and defended Y?".

Each clause becomes a question of its own, with the source that it cites. A comma, "and" or both part two
clauses where a finite verb (or the "that" of "is the club that ...") follows. A bare "and" behind a relative
pronoun parts nothing, since what follows may belong to the description.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.questions.wording.verbs import is_finite, starts_name
from services.rag.decompose_rules import sub_question

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
        return not self.source or _folded(self.source) == _folded(source)


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


def _folded(source: str) -> str:
    return source.casefold().removeprefix("the ")
