"""Sentences of passages with their words, and the names and dates in them that may answer a question.

Things that a question names, found among the passages: by the title of an article, or by an entity's name.

Titles and names are compared without regard to case, punctuation and a leading article. "Hoppet (film)" is
looked for as it stands first, and as "Hoppet" then.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kg.extract.dates import MONTH
from kg.model import EntityType
from kg.text.sentences import sentence_spans
from services.rag.protocol import Name, Passage, StatedFact
from services.rag.question_words import words

RANK_DECAY = 0.93
"""What a sentence counts less for each rank of its passage."""

_LITERALS: dict[EntityType, re.Pattern[str]] = {
    "DATE": re.compile(rf"\b(?:\d{{1,2}} )?(?:{MONTH})(?: \d{{1,2}},)?(?: \d{{4}})?\b|\b[12]\d{{3}}\b"),
    "NUMBER": re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?: (?:per cent|percent|million|billion|\w+s))?"),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its content words; `decay` is what its passage's rank makes of it."""

    text: str
    words: frozenset[str]
    passage: Passage
    decay: float


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer with where it was read: the entity (empty for a literal), the chunk and the sentence.

    `fit` tells how well it answers the question, 0 for none; it can pass 1 where many sentences support it.
    """

    answer: str
    entity: str = ""
    chunk: str = ""
    sentence: str = ""
    fit: float = field(default=0.0, compare=False)


def sentences_of(passages: Sequence[Passage]) -> list[Sentence]:
    """All sentences of passages, best passage first."""
    return [
        Sentence(text, found, passage, RANK_DECAY**rank)
        for rank, passage in enumerate(passages)
        for text, found in _sentences(passage.text)
    ]


def candidates(sentence: Sentence, types: frozenset[EntityType] | None) -> Iterator[Name]:
    """The names of these types in a sentence, and its dates and numbers where these are asked for."""
    for name in sentence.passage.names:
        if (types is None or name.type in types) and stands_in(name.surface, sentence.text):
            yield name
    for kind, pattern in _LITERALS.items():
        if types is not None and kind in types:
            for match in pattern.finditer(sentence.text):
                yield Name(match[0], match[0], kind, "")


def stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text as whole words."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False


def names_in(text: str, passages: Iterable[Passage]) -> dict[str, frozenset[str]]:
    """The entities of passages that a text names, with the words of their names there.

    Of names that lie within each other the longest counts: "Island Clinic" does not name the island.
    """
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for passage in passages:
        for name in all_names(passage):
            for form in (name.surface, name.name):
                if name.entity and form:
                    forms[form].add(name.entity)
    found: dict[str, frozenset[str]] = {}
    for form in sorted(forms, key=lambda form: (-len(form), form)):
        if stands_in(form, text):
            # A blank would make one name of two that stood around it.
            text = text.replace(form, "|")
            for entity in forms[form]:
                found[entity] = found.get(entity, frozenset()) | frozenset(words(form))
    return found


def all_names(passage: Passage) -> Iterator[Name]:
    """The names that stand in a passage, and those of its facts, which may stand elsewhere in the article."""
    yield from passage.names
    for fact in passage.facts:
        yield fact.subject
        yield fact.object


@lru_cache(maxsize=4_096)
def _sentences(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    found = (text[span.start : span.end] for span in sentence_spans(text))
    return tuple((sentence, frozenset(words(sentence))) for sentence in found)


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


def find_thing(label: str, passages: Sequence[Passage]) -> Thing | None:
    """The thing of this name, None where no passage has it."""
    whole, bare = fold_name(label), fold_name(_BRACKETS.sub(" ", label))
    own = [one for one in passages if fold_name(one.title) == whole] or [
        one for one in passages if bare and fold_name(_BRACKETS.sub(" ", one.title)) == bare
    ]
    named = frozenset(
        name.entity
        for passage in own or passages
        for name in all_names(passage)
        if name.entity and {fold_name(name.name), fold_name(name.surface)} & {whole, bare}
    )
    return Thing(label.strip(), named, tuple(own)) if own or named else None


def resolve_thing(name: Name, passages: Sequence[Passage]) -> Thing:
    """The thing that a name in a passage means, with the articles that are titled with any of its names."""
    entity = frozenset({name.entity})
    forms = {
        fold_name(form)
        for passage in passages
        for one in all_names(passage)
        if one.entity == name.entity
        for form in (one.name, one.surface)
    }
    own = tuple(one for one in passages if fold_name(_BRACKETS.sub(" ", one.title)) in forms)
    return Thing(name.name, entity, own)


def find_two_things(question: str, passages: Sequence[Passage]) -> tuple[Thing, Thing] | None:
    """The two things that "or", else "and", joins in a question; the longest names win."""
    known = _known_names(passages)
    for joint in (" or ", " and "):
        found = [
            (left, right)
            for match in re.finditer(joint, question)
            if (left := _ending(question[: match.start()], known))
            and (right := _beginning(question[match.end() :], known))
        ]
        for left, right in sorted(found, key=lambda pair: -len(pair[0]) - len(pair[1])):
            one, other = find_thing(left, passages), find_thing(right, passages)
            if one and other and fold_name(left) != fold_name(right):
                return one, other
    return None


def fold_name(name: str) -> str:
    """A name as it is compared: "The Grey-Rope" is "grey rope"."""
    words = _WORD.findall(name.casefold())
    return " ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


def _known_names(passages: Sequence[Passage]) -> frozenset[str]:
    names = {form for one in passages for name in all_names(one) for form in (name.name, name.surface)}
    titles = {one.title for one in passages}
    bare = {_BRACKETS.sub(" ", title) for title in titles}
    return frozenset(map(fold_name, names | titles | bare)) - {""}


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
    return not begins.islower() and bool({fold_name(name), fold_name(_BRACKETS.sub(" ", name))} & known)


def _starts(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?<!\S)\S", text)]
