"""The forms of an answer that mean the same: names of its entity, and a date as people write it."""

import calendar
import re
from collections.abc import Iterable, Iterator

from kg.resolve.date_key import date_key
from kg.resolve.normal_form import normal_form
from services.evaluate.answers import normalise_answer
from services.questions.kinds.date_span import date_span
from services.questions.wording.head_nouns import NAME_HEADS

MOST_FORMS = 16
"""Forms of an answer that are kept, the canonical one included."""

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_FIGURES = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def date_forms(date: str) -> tuple[str, ...]:
    """A day or a month of a year in the usual ways to write it; none for anything else.

    Not among them are figures with strokes: "03/04/2031" is two dates.
    """
    found = _ISO.fullmatch(date_key(date))
    if found is None or date_span(date) is None:
        return ()
    year, month, day = found[1], int(found[2]), found[3]
    long, short = calendar.month_name[month], calendar.month_abbr[month]
    if day is None:
        return (f"{long} {year}", f"{short} {year}", found[0])
    number = int(day)
    return tuple(
        dict.fromkeys(
            (
                f"{number} {long} {year}",
                f"{long} {number}, {year}",
                f"{number} {short} {year}",
                f"{short} {number}, {year}",
                found[0],
            )
        )
    )


def known_forms(answer: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """The answer, then other names of its entity and other forms of its date, each once.

    Left out are names that only say what the entity is: "the Hospital" is no answer to "which hospital".
    """
    telling = (name for name in names if name == answer or not _only_a_sort(name))
    return distinct((answer, *telling, *date_forms(answer)))


def _only_a_sort(name: str) -> bool:
    return name.lower().removeprefix("the ") in NAME_HEADS


def distinct(forms: Iterable[str]) -> tuple[str, ...]:
    """Forms that differ after the normalisation by which answers are compared, at most `MOST_FORMS`."""
    kept: dict[str, str] = {}
    for form in forms:
        kept.setdefault(normalise_answer(form) or form.casefold(), form)
    return tuple(kept.values())[:MOST_FORMS]


def same_figures(answer: str, form: str) -> bool:
    """Whether another form of an answer has the same date, or else the same figures.

    An answer without figures may gain none, and one with figures may lose none: "5 May 2031" is not
    "May 2031".
    """
    if date_span(answer) is not None:
        return date_key(form) == date_key(answer)
    return _figures(answer) == _figures(form)


def free_forms(answer: str, forms: Iterable[str], taken: frozenset[str]) -> Iterator[str]:
    """Those forms that can stand for the answer; `taken` are normal forms that mean something else."""
    for form in forms:
        if normal_form(form) not in taken and same_figures(answer, form):
            yield form


def _figures(text: str) -> list[str]:
    return _FIGURES.findall(_THOUSANDS.sub("", text))
