"""The articles that a question asks about, as far as it names their sources, authors, categories and days.

Each report that a question speaks of becomes filters of its own, so that it can be searched for by itself:
"between the Verge report of 24 November and the Wired report of 25 November" are two. What counts, and how
well that works, is told in docs/decisions/0027 and docs/evaluation/metadata.md.

Days, months and years that a text names, and whether each is said to be when something was published.

A date of an event is no date of an article. A date counts as one of publishing where it follows "published",
"posted" or "dated", where "article", "report" or the like follows it, and where it ends a clause in which
somebody reports ("the report by The Verge on October 20, 2023", "TechCrunch reported on October 31").
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from kg.extract.dates import MONTHS
from services.rag.metadata_names import (
    Frame,
    Mention,
    NameIndex,
    author_frame,
    category_frame,
    in_frame,
    index_names,
    mask_names,
    name_lists,
    name_mentions,
    names_of_others,
    source_frame,
)
from services.rag.protocol import Filters

DateFrame = Literal["published", "reported", "none"]
"""How a text speaks of a date: as the day of an article, in a clause where somebody reports, or neither."""

_SHORT = {month[:3].casefold(): number for number, month in enumerate(MONTHS, start=1)}
_MONTH = "|".join(f"{month}|{month[:3]}\\.?" for month in MONTHS) + r"|Sept\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"\b(?:(?P<iso>{_YEAR}-\d\d-\d\d)(?:T[\d:.+Z-]*)?"
    rf"|(?P<month>{_MONTH})\s+(?P<day>{_DAY})(?!\d)(?:,?\s+(?P<year>{_YEAR}))?"
    rf"|(?P<day_before>{_DAY})\s+(?:of\s+)?(?P<month_after>{_MONTH})(?:,?\s+(?P<year_after>{_YEAR}))?"
    rf"|(?P<whole_month>{_MONTH})(?:,?\s+(?:of\s+)?(?P<month_year>{_YEAR}))?"
    rf"|(?P<whole_year>{_YEAR}))(?![\w-])",
    re.IGNORECASE,
)
_QUOTES = "\"'\u2018\u2019\u201c\u201d"
_BEFORE = re.compile(
    rf"\b(?P<word>before|until|till|up to|prior to|by|after|since|from|on|in|at|during|of|dated)"
    rf"\s+(?:the\s+)?(?:(?:end|start|beginning)\s+of\s+)?[{_QUOTES}]*$",
    re.IGNORECASE,
)
_RANGE_OPEN = re.compile(rf"\b(?:between|from)\s+[{_QUOTES}]*$", re.IGNORECASE)
_RANGE_MIDDLE = re.compile(
    rf"^[{_QUOTES},]*\s*(?:and|to|until|through|-|\u2013)\s*(?:before\s+)?[{_QUOTES}]*$", re.IGNORECASE
)
_AND_BEFORE = re.compile(rf"^[{_QUOTES},]*\s*(?:and|but)\s+(?:before|until)\s+[{_QUOTES}]*$", re.IGNORECASE)
_PUBLISHED = re.compile(
    r"\b(?:published|posted|dated|printed|released|appeared|written|issued)\b"
    rf"(?:\s+(?:at|on|in|before|after|since|until|between|from|during|by|around|the))*\s*[{_QUOTES}(]*$",
    re.IGNORECASE,
)
_TEXTS = r"(?:articles?|reports?|stor(?:y|ies)|pieces?|reviews?|posts?|columns?|coverage|editions?|issues?)"
_TEXT_AFTER = re.compile(rf"^[{_QUOTES},]*(?:\s+[\w-]+)?\s+{_TEXTS}\b", re.IGNORECASE)
_TEXT_BEFORE = re.compile(
    rf"\b(?:{_TEXTS}|one)\s+(?:from|of|on|dated|in|at|before|after)\s+[{_QUOTES}]*$", re.IGNORECASE
)
_REPORTED = re.compile(
    rf"\b(?:{_TEXTS}|report(?:ed|s|ing)|describ(?:ed|es)|cover(?:ed|s)|publishing|guide|again|then|one|statement)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:launch(?:ed|es|ing)|found(?:ed|ing)|born|held|start(?:ed|s|ing)|com(?:ing|es)|releas(?:es|ing)|"
    r"played|died|opened|opening|happened|took place|taking place|announced for|due|available)\b[^,;]*$",
    re.IGNORECASE,
)
_TO_THE_DAY = re.compile(r"[A-Za-z.]\s+\d{1,2}(?!\d)|\d\s+(?:of\s+)?[A-Z]|\d-\d\d-\d")
_CLAUSE = re.compile(r"[;?!]|,\s+(?:and|but|while|did|does|was|were|is|has|which|who)\s+|\bwhile\s+")


@dataclass(frozen=True, slots=True)
class Days:
    """The days from `since` to `until`, ISO dates, inclusive, "" for no bound, named at text[start:end]."""

    since: str
    until: str
    start: int
    end: int
    frame: DateFrame


@dataclass(frozen=True, slots=True)
class _DateMention:
    """A date as it stands: its first and last day, and its place."""

    first: str
    last: str
    start: int
    end: int


def find_days(text: str, first_day: str = "", last_day: str = "") -> list[Days]:
    """The days that a text names, in order.

    A date without a year is taken where just one year puts it between `first_day` and `last_day`, the days
    of the oldest and the newest article; otherwise it is passed over, as is one that no calendar has.
    "Before" and "after" a day include the day: who asks for reports after a day often means one of that day.
    """
    return list(_merge_dates(text, list(_dates(text, first_day, last_day))))


def _merge_dates(text: str, named: list[_DateMention]) -> Iterator[Days]:
    """Dates with what stands before each; two that bound a stretch of time are one."""
    at = 0
    while at < len(named):
        one = named[at]
        other = named[at + 1] if at + 1 < len(named) else None
        before = text[: one.start]
        between = text[one.end : other.start] if other else ""
        word = _BEFORE.search(before)
        after = bool(word and word["word"].casefold() in {"after", "since"})
        if other and (
            (_RANGE_OPEN.search(before) and _RANGE_MIDDLE.match(between))
            or (after and _AND_BEFORE.match(between))
        ):
            yield Days(one.first, other.last, one.start, other.end, _frame(text, one.start, other.end))
            at += 2
            continue
        since, until = _bounds(one, word["word"].casefold() if word else "")
        yield Days(since, until, one.start, one.end, _frame(text, one.start, one.end))
        at += 1


def _bounds(one: _DateMention, word: str) -> tuple[str, str]:
    if word in {"before", "until", "till", "up to", "prior to"}:
        return "", one.last
    if word in {"after", "since"}:
        return one.first, ""
    return one.first, one.last


def _frame(text: str, start: int, end: int) -> DateFrame:
    before, after = text[:start], text[end:]
    if _PUBLISHED.search(before) or _TEXT_AFTER.match(after) or _TEXT_BEFORE.search(before):
        return "published"
    clause = _CLAUSE.split(before)[-1]
    reported = _REPORTED.search(clause) and not _EVENT.search(clause)
    # What somebody reports "in 2021" is an event of that year; reports are told by their day.
    return "reported" if reported and _TO_THE_DAY.search(text[start:end]) else "none"


def _dates(text: str, first_day: str, last_day: str) -> Iterator[_DateMention]:
    for match in _DATE.finditer(text):
        found = _calendar(match, first_day, last_day)
        if found:
            yield _DateMention(found[0], found[1], match.start(), match.end())


def _calendar(match: re.Match[str], first_day: str, last_day: str) -> tuple[str, str] | None:
    """The first and the last day that a match names, None where the calendar has none or the year is open."""
    if match["iso"]:
        return _span(*map(int, match["iso"].split("-")))
    if match["whole_year"]:
        return _span(int(match["whole_year"]))
    name = match["month"] or match["month_after"] or match["whole_month"]
    day = int(re.sub(r"\D", "", match["day"] or match["day_before"] or "0"))
    year = match["year"] or match["year_after"] or match["month_year"]
    # "May" and "march" are words too.
    if name.islower() or (name == "May" and not day and not year):
        return None
    month = _SHORT[name[:3].casefold()]
    return _span(int(year), month, day) if year else _only_year(month, day, first_day, last_day)


def _only_year(month: int, day: int, first_day: str, last_day: str) -> tuple[str, str] | None:
    """The span of a month or a day of it in the only year in which it overlaps these days."""
    if not first_day or not last_day:
        return None
    years = range(int(first_day[:4]), int(last_day[:4]) + 1)
    spans = [span for span in (_span(year, month, day) for year in years) if span]
    fitting = [span for span in spans if span[1] >= first_day and span[0] <= last_day]
    return fitting[0] if len(fitting) == 1 else None


def _span(year: int, month: int = 0, day: int = 0) -> tuple[str, str] | None:
    try:
        first = date(year, month or 1, day or 1)
        last = date(year, month or 12, day or monthrange(year, month or 12)[1])
    except ValueError:
        return None
    return first.isoformat(), last.isoformat()


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
class QuestionMetadata:
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


def recognise(question: str, index: MetadataIndex, policy: DatePolicy = POLICY) -> QuestionMetadata:
    """The reports that a question speaks of, each once; none where it names nothing that can filter."""
    sources = _sources(question, index)
    rest = mask_names(question, (mention for members in sources for mention in members))
    authors = _capitalised_mentions(rest, _mentions_in_frame(rest, index.authors, author_frame))
    rest = mask_names(rest, authors)
    categories = _values(_mentions_in_frame(rest, index.categories, category_frame))
    days = [one for one in find_days(rest, index.first_day, index.last_day) if one.frame in _COUNTED[policy]]
    reports = tuple(dict.fromkeys(_reports(sources, days)))
    if authors:
        reports = _by_authors(reports, _values(authors))
    if categories:
        reports = tuple(replace(one, categories=categories) for one in reports or (Filters(),))
    return QuestionMetadata(_few(reports), names_of_others(rest))


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


def _mentions_in_frame(text: str, names: NameIndex, frame: Frame) -> list[Mention]:
    lists = name_lists(text, name_mentions(text, names))
    return [one for members in lists if in_frame(text, members, frame) for one in members]


def _capitalised_mentions(text: str, mentions: Sequence[Mention]) -> list[Mention]:
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
