"""The articles that a question asks about, as far as it names their sources, authors, categories and days.

Each report that a question speaks of becomes filters of its own, so that it can be searched for by itself:
"between the Verge report of 24 November and the Wired report of 25 November" are two. What counts, and how
well that works, is told in docs/decisions/0027 and docs/evaluation/metadata.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from services.rag.metadata_dates import Days, days_named
from services.rag.metadata_names import (
    Frame,
    Mention,
    NameIndex,
    author_frame,
    category_frame,
    in_frame,
    index_names,
    masked,
    name_lists,
    name_mentions,
    names_of_others,
    source_frame,
)
from services.rag.protocol import Filters

DatePolicy = Literal["never", "published", "reported", "always"]
"""Which named days filter: none, those "published" on, those on which somebody reports too, or every day."""

POLICY: DatePolicy = "reported"
"""Measured on 500 questions: docs/evaluation/metadata.md."""

MOST_REPORTS = 8
"""Reports of a question that are searched for one by one; beyond, all sources are searched as one."""

_COUNTED: dict[DatePolicy, tuple[str, ...]] = {
    "never": (),
    "published": ("published",),
    "reported": ("published", "reported"),
    "always": ("published", "reported", "none"),
}


@dataclass(frozen=True, slots=True)
class MetadataIndex:
    """The sources, categories and authors of a corpus by their names, with the days of its oldest and newest
    article as ISO dates, "" where no article has one."""

    sources: NameIndex
    categories: NameIndex
    authors: NameIndex
    first_day: str = ""
    last_day: str = ""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a question names: `reports`, each with its filters, in the order of the question.

    `lacking` are sources that it names and the corpus does not have.
    """

    reports: tuple[Filters, ...] = ()
    lacking: tuple[str, ...] = ()


def index_metadata(
    sources: Sequence[str],
    categories: Sequence[str] = (),
    authors: Sequence[str] = (),
    first_day: str = "",
    last_day: str = "",
) -> MetadataIndex:
    """An index of the values that a corpus has; an author who is a source is known as a source alone."""
    known = index_names(filter(None, sources), sections=True)
    people = index_names(author for author in authors if author)
    alone = {key: names for key, names in people.values.items() if key not in known.values}
    return MetadataIndex(
        known,
        index_names(filter(None, categories)),
        NameIndex(alone, people.longest),
        first_day,
        last_day,
    )


def recognise(question: str, index: MetadataIndex, policy: DatePolicy = POLICY) -> Recognised:
    """The reports that a question speaks of, each once; none where it names nothing that can filter."""
    sources = _sources(question, index)
    rest = masked(question, (mention for members in sources for mention in members))
    authors = _spelled(rest, _framed(rest, index.authors, author_frame))
    rest = masked(rest, authors)
    categories = _values(_framed(rest, index.categories, category_frame))
    days = [one for one in days_named(rest, index.first_day, index.last_day) if one.frame in _COUNTED[policy]]
    reports = tuple(dict.fromkeys(_reports(sources, days)))
    if authors:
        reports = _by_authors(reports, _values(authors))
    if categories:
        reports = tuple(replace(one, categories=categories) for one in reports or (Filters(),))
    return Recognised(_few(reports), names_of_others(rest))


def _sources(question: str, index: MetadataIndex) -> list[tuple[Mention, ...]]:
    """The sources that a question names as such, in lists.

    Where there is one, other names of sources in their own spelling count as well: to search a source too
    many costs room, to search one too few costs what it told.
    """
    lists = name_lists(question, name_mentions(question, index.sources))
    framed = [in_frame(question, members, source_frame) for members in lists]
    if not any(framed):
        return []
    return [
        members
        for members, sure in zip(lists, framed, strict=True)
        if sure or all(question[one.start].isupper() for one in members)
    ]


def _framed(text: str, names: NameIndex, frame: Frame) -> list[Mention]:
    lists = name_lists(text, name_mentions(text, names))
    return [one for members in lists if in_frame(text, members, frame) for one in members]


def _spelled(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Those that begin with a capital: persons do, and "news" is an author's name in more than one corpus."""
    return [one for one in mentions if text[one.start].isupper()]


def _reports(sources: Sequence[Sequence[Mention]], days: Sequence[Days]) -> Iterator[Filters]:
    """Filters for each report: days go with the sources that were named last before them.

    Where none was, as in "the report of 5 May by The Verge", days go with the next, unless it has its own.
    """
    of_list: list[list[Days]] = [[] for _ in sources]
    alone: list[Days] = []
    for day in days:
        before = [number for number, members in enumerate(sources) if members[0].start < day.start]
        (of_list[before[-1]] if before else alone).append(day)
    if alone and sources and not of_list[0]:
        of_list[0], alone = alone, []
    for members, own in zip(sources, of_list, strict=True):
        for one in members:
            if not own:
                yield Filters(sources=one.values)
            for day in own:
                yield Filters(sources=one.values, since=day.since, until=day.until)
    for day in alone:
        yield Filters(since=day.since, until=day.until)


def _by_authors(reports: tuple[Filters, ...], authors: tuple[str, ...]) -> tuple[Filters, ...]:
    """With the authors: as part of the only report, or as further ones."""
    if len(reports) == 1:
        return (replace(reports[0], authors=authors),)
    return (*reports, *(Filters(authors=(author,)) for author in authors))


def _few(reports: tuple[Filters, ...]) -> tuple[Filters, ...]:
    """At most `MOST_REPORTS`; of more, the sources together, whatever the day."""
    if len(reports) <= MOST_REPORTS:
        return reports
    sources = tuple(dict.fromkeys(source for one in reports for source in one.sources))
    everything = all(one.sources for one in reports)
    return (Filters(sources=sources),) if everything else ()


def _values(mentions: Sequence[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for one in mentions for value in one.values))
