"""Things that a question names, found among the passages: by the title of an article, or by an entity's name.

Titles and names are compared without regard to case, punctuation and a leading article. "Hoppet (film)" is
looked for as it stands first, and as "Hoppet" then.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.rag.protocol import Name, Passage, StatedFact
from services.rag.sentence_match import all_names

MOST_WORDS_BETWEEN = 4
"""Words in small letters that may stand between "or" and a name: "or the director of film Hoppet"."""

_BRACKETS = re.compile(r"\([^()]*\)")
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that has a name: the name as the question gives it, its entities, and the passages of its own
    articles, which are titled with it."""

    label: str
    entities: frozenset[str]
    own: tuple[Passage, ...]

    def facts(self, passages: Sequence[Passage]) -> Iterator[tuple[StatedFact, Passage]]:
        """What passages state with this thing as the subject, those of its own articles first."""
        first = {one.chunk for one in self.own}
        for passage in (*self.own, *(one for one in passages if one.chunk not in first)):
            for fact in passage.facts:
                if fact.subject.entity in self.entities:
                    yield fact, passage


def thing_named(label: str, passages: Sequence[Passage]) -> Thing | None:
    """The thing of this name, None where no passage has it."""
    whole, bare = folded(label), folded(_BRACKETS.sub(" ", label))
    own = [one for one in passages if folded(one.title) == whole] or [
        one for one in passages if bare and folded(_BRACKETS.sub(" ", one.title)) == bare
    ]
    named = frozenset(
        name.entity
        for passage in own or passages
        for name in all_names(passage)
        if name.entity and {folded(name.name), folded(name.surface)} & {whole, bare}
    )
    return Thing(label.strip(), named, tuple(own)) if own or named else None


def thing_meant(name: Name, passages: Sequence[Passage]) -> Thing:
    """The thing that a name in a passage means, with the articles that are titled with any of its names."""
    entity = frozenset({name.entity})
    forms = {
        folded(form)
        for passage in passages
        for one in all_names(passage)
        if one.entity == name.entity
        for form in (one.name, one.surface)
    }
    own = tuple(one for one in passages if folded(_BRACKETS.sub(" ", one.title)) in forms)
    return Thing(name.name, entity, own)


def two_named(question: str, passages: Sequence[Passage]) -> tuple[Thing, Thing] | None:
    """The two things that "or", else "and", joins in a question; the longest names win."""
    known = _known(passages)
    for joint in (" or ", " and "):
        found = [
            (left, right)
            for match in re.finditer(joint, question)
            if (left := _ending(question[: match.start()], known))
            and (right := _beginning(question[match.end() :], known))
        ]
        for left, right in sorted(found, key=lambda pair: -len(pair[0]) - len(pair[1])):
            one, other = thing_named(left, passages), thing_named(right, passages)
            if one and other and folded(left) != folded(right):
                return one, other
    return None


def folded(name: str) -> str:
    """A name as it is compared: "The Grey-Rope" is "grey rope"."""
    words = _WORD.findall(name.casefold())
    return " ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


def _known(passages: Sequence[Passage]) -> frozenset[str]:
    names = {form for one in passages for name in all_names(one) for form in (name.name, name.surface)}
    titles = {one.title for one in passages}
    bare = {_BRACKETS.sub(" ", title) for title in titles}
    return frozenset(map(folded, names | titles | bare)) - {""}


def _ending(text: str, known: frozenset[str]) -> str:
    """The longest known name that a text ends with, empty where it ends with none."""
    for start in _starts(text):
        name = text[start:]
        if _is_known(name, known):
            return name.strip(" ,")
    return ""


def _beginning(text: str, known: frozenset[str]) -> str:
    """The longest known name that a text begins with, behind a few words in small letters."""
    starts = _starts(text)
    for number, start in enumerate(starts[: MOST_WORDS_BETWEEN + 1]):
        if number and not text[starts[number - 1] :][:1].islower():
            return ""
        for end in (len(text), *reversed([one - 1 for one in starts if one > start + 1])):
            name = text[start:end]
            if _is_known(name, known):
                return name.strip(" ,?.")
    return ""


def _is_known(name: str, known: frozenset[str]) -> bool:
    """Whether it is a known name as a name is written: what begins with a small letter is a common noun."""
    begins = name.lstrip("\"'\u201c\u2018(")[:1]
    return not begins.islower() and bool({folded(name), folded(_BRACKETS.sub(" ", name))} & known)


def _starts(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?<!\S)\S", text)]
