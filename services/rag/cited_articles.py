"""Questions about what articles have in common that are cited by their titles.

"Which telescope do "A" and "B" both tell of?" is answered by the name of the wanted type that stands in
passages of every cited article; of several by the one that most facts are stated of, in the article that
states fewest. "Do "A" and "B" both tell of the X?" is answered by whether X stands in all of them. An article
of which no passage is at hand leaves the question open. What an article says beyond its passages at hand is
not seen, so a "No" is weaker than a "Yes".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.model import EntityType
from services.rag.protocol import Name, Passage
from services.rag.question_words import QuestionForm, question_form, words
from services.rag.sentence_match import Reading, all_names, names_in

NOT_SEEN = 0.5
"""How well a "No" fits: the name may stand in a part of the article that was not retrieved."""

_QUOTED = re.compile(
    r"[\"\u201c](?P<title>[^\"\u201c\u201d]+)[\"\u201d]"
    r"(?: in (?P<source>[A-Z][\w'\u2019.&-]*(?: (?:of|the|for|[A-Z][\w'\u2019.&-]*))*))?"
)
_ALL = re.compile(r"\b(?:both|all|each|common|share)\b", re.IGNORECASE)
_LITERALS = frozenset[EntityType]({"DATE", "NUMBER"})


@dataclass(frozen=True, slots=True)
class Citation:
    """An article as a question cites it: its title, and its source where the question names one."""

    title: str
    source: str

    def fits(self, passage: Passage) -> bool:
        """Whether a passage is from this article."""
        same = _fold_text(passage.title) == _fold_text(self.title)
        return same and (not self.source or _fold_text(passage.source) == _fold_text(self.source))

    def __str__(self) -> str:
        return f'"{self.title}" in {self.source}' if self.source else f'"{self.title}"'


def citations(question: str) -> tuple[Citation, ...]:
    """The articles of which a question asks what they have in common; none for any other question."""
    found = tuple(
        Citation(match["title"].strip(), match["source"] or "") for match in _QUOTED.finditer(question)
    )
    return found if len(found) > 1 and _ALL.search(_QUOTED.sub("", question)) else ()


def common(question: str, cited: Sequence[Citation], passages: Sequence[Passage]) -> Reading | None:
    """What the cited articles have in common, None where the passages don't tell."""
    articles = [[passage for passage in passages if one.fits(passage)] for one in cited]
    if not all(articles):
        return None
    rest = " ".join(_QUOTED.sub(" ", question).split())
    form = question_form(rest)
    told = [_count_facts(article) for article in articles]
    sources = {_fold_text(passage.source) for passage in passages}
    asked = {entity for entity in names_in(rest, passages) if not _is_source(entity, passages, sources)}
    if form.kind == "yes or no":
        return _whether(asked, articles, told)
    return _which(form, rest, asked, articles, told)


def _whether(
    asked: set[str], articles: Sequence[Sequence[Passage]], told: Sequence[Mapping[str, int]]
) -> Reading:
    shared = any(all(entity in one for one in told) for entity in asked)
    return Reading("Yes" if shared else "No", "", articles[0][0].chunk, fit=1.0 if shared else NOT_SEEN)


def _which(
    form: QuestionForm,
    rest: str,
    asked: set[str],
    articles: Sequence[Sequence[Passage]],
    told: Sequence[Mapping[str, int]],
) -> Reading | None:
    """The name of the wanted type that is most told of where it is told of least."""
    nouns = set(words(rest))
    best: tuple[int, int, int, str] | None = None
    found: tuple[Name, Passage] | None = None
    for passage in articles[0]:
        for name in all_names(passage):
            wanted = name.type not in _LITERALS if form.types is None else name.type in form.types
            if not name.entity or not wanted or name.entity in asked:
                continue
            counts = [one.get(name.entity, 0) for one in told]
            key = (int(bool(nouns & set(words(name.name)))), min(counts), sum(counts), name.name)
            if min(counts) and (best is None or key > best):
                best, found = key, (name, passage)
    return Reading(found[0].name, found[0].entity, found[1].chunk, fit=1.0) if found else None


def _count_facts(article: Sequence[Passage]) -> dict[str, int]:
    """For each entity of an article one for its name, and one for each fact stated of it."""
    counts = {name.entity: 1 for passage in article for name in all_names(passage) if name.entity}
    for passage in article:
        for fact in passage.facts:
            for end in {fact.subject.entity, fact.object.entity} & set(counts):
                counts[end] += 1
    return counts


def _is_source(entity: str, passages: Sequence[Passage], sources: set[str]) -> bool:
    return any(
        name.entity == entity and _fold_text(name.name) in sources for one in passages for name in one.names
    )


def _fold_text(text: str) -> str:
    return " ".join(text.casefold().split())
