"""Two atomic questions side by side, by rules: of dates which is earlier, of measures which is more, of other
values whether the same.

A question that names the compared value would give an atomic answer away, so none asks "which of the two is
headquartered in Ostby".

The forms of an answer that mean the same: names of its entity, and a date as people write it.
"""

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kg.resolve.name_pool import date_key
from kg.resolve.normal_form import normal_form
from services.answers import normalise_answer
from services.questions.composed.measures import measuring_words, parse_measure, surely_more
from services.questions.draft import Stop
from services.questions.kinds.askable import asks_well, tells_event, without_date_preposition
from services.questions.kinds.event_order import date_span
from services.questions.kinds.known_facts import TOO_VAGUE, KnownFact, names_apart
from services.questions.kinds.spread import chance
from services.questions.wording.chain import event_clause, same_object_question
from services.questions.wording.head_nouns import NAME_HEADS
from services.questions.wording.nouns import is_person, known_place, noun_of, sorts_of
from services.questions.wording.paraphrases import is_placing
from services.questions.wording.predicates import parse

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


_SINGULAR = {"were": "was", "are": "is", "have": "has"}
"""What is said of a team in the plural is said of one of two in the singular."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comes of two facts side by side.

    `winner` is the entity that was chosen, None for "Yes" and "No"; `phrase` describes it, so that a further
    hop can ask on from it. `hidden` are the names that must not stand in the question.
    """

    question: str
    answer: str
    accepted: tuple[str, ...]
    winner: Stop | None
    phrase: str
    hidden: tuple[str, ...]


def compare(one: KnownFact, other: KnownFact, seed: int) -> Comparison | str:
    """The comparison of two facts with one predicate, or why there is none.

    Which of the two is named first, and whether the earlier or the later one is asked for, is drawn from the
    seed, the same for the same facts in either order.
    """
    one, other = sorted((one, other), key=lambda fact: fact.triple)
    if reason := _not_two(one, other):
        return reason
    draw = chance(seed, "compared", one.triple, other.triple)
    first, second = (one, other) if draw[0] < "8" else (other, one)
    if one.object.type == "DATE":
        return _by_date(first, second, later=draw[1] < "8")
    if one.object.type == "NUMBER":
        return _by_measure(first, second, more=draw[1] < "8")
    return _same(first, second)


def _not_two(one: KnownFact, other: KnownFact) -> str:
    dated, counted = ([fact.object.type == kind for fact in (one, other)] for kind in ("DATE", "NUMBER"))
    small = any(fact.subject.name[:1].islower() for fact in (one, other))
    reasons = (
        (one.key != other.key, "the two atomic questions ask for different things"),
        (dated[0] != dated[1], "a date can't be compared with a name"),
        (counted[0] != counted[1], "a number can't be compared with a name"),
        (not _of_one_kind(one, other), "the two are things of different sorts"),
        (small, "what is compared has no name"),
        (not names_apart(one.subject.names, other.subject.names), "the two may be one under two names"),
        (not {*one.chunks}.isdisjoint(other.chunks), "one chunk states both"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _of_one_kind(one: KnownFact, other: KnownFact) -> bool:
    people = [is_person(fact.subject, (), (fact.predicate,)) for fact in (one, other)]
    return one.subject.type == other.subject.type and people[0] == people[1]


def _by_date(first: KnownFact, second: KnownFact, later: bool) -> Comparison | str:
    spans = date_span(first.object.name), date_span(second.object.name)
    if spans[0] is None or spans[1] is None or (order := spans[0].order(spans[1])) is None:
        return "which of the two dates is earlier is not sure"
    if not (tells_event(first.predicate) and tells_event(second.predicate)):
        return "the predicate tells no event without its date"
    winner = first if (order == "before") != later else second
    which = "later" if later else "earlier"
    named = f"{first.subject_in_text} and {second.subject_in_text}"
    said = _event(winner)
    return Comparison(
        question=f"Which of {named} {said} {which}?",
        answer=winner.subject.name,
        accepted=known_forms(winner.subject.name, winner.subject.names),
        winner=winner.subject,
        phrase=f"the one of {named} {_relative(winner)} {said} {which}",
        hidden=_value_names(first, second),
    )


def _by_measure(first: KnownFact, second: KnownFact, more: bool) -> Comparison | str:
    one, other = (parse_measure(fact.object.name) for fact in (first, second))
    words = measuring_words(first.predicate, one) if one else None
    if one is None or other is None or words is None or first.predicate != second.predicate:
        return "rules have no words for what is measured"
    larger = surely_more(one, other)
    if larger is None:
        return "which of the two numbers is more is not sure"
    winner = first if larger == more else second
    which = words.more if more else words.less
    named = f"{first.subject_in_text} and {second.subject_in_text}"
    return Comparison(
        question=f"Which of {named} {winner.predicate} {which}?",
        answer=winner.subject.name,
        accepted=known_forms(winner.subject.name, winner.subject.names),
        winner=winner.subject,
        phrase=f"the one of {named} {_relative(winner)} {winner.predicate} {which}",
        hidden=_value_names(first, second),
    )


def _relative(fact: KnownFact) -> str:
    return "who" if is_person(fact.subject, (), (fact.predicate,)) else "that"


def _event(fact: KnownFact) -> str:
    """ "Was founded": what happened, without who and when."""
    clause = event_clause("Xyz", without_date_preposition(fact.predicate), "")
    verb, *rest = clause.removeprefix("Xyz").split()
    return " ".join((_SINGULAR.get(verb, verb), *rest))


def _same(first: KnownFact, second: KnownFact) -> Comparison | str:
    equal = first.object.id == second.object.id
    if not (asks_well(first.predicate) and asks_well(second.predicate)):
        return "the predicate makes no question for two"
    if not equal and not names_apart(first.object.names, second.object.names):
        return "whether the two values are the same is not sure"
    if not all(names_apart(fact.subject.names, fact.object.names) for fact in (first, second)):
        return "a name tells its value"
    if not equal and not _of_one_sort(first, second):
        return "the two values are of different sorts"
    noun = _noun_of_both(first, second)
    if not noun:
        return "nothing tells what both values are"
    answer = "Yes" if equal else "No"
    text = same_object_question(first.subject_in_text, second.subject_in_text, first.predicate, noun)
    return Comparison(text, answer, (answer,), None, "", _value_names(first, second))


def _of_one_sort(first: KnownFact, second: KnownFact) -> bool:
    """Whether two values are called alike: nobody compares a party with a university, or with a country.

    A place of which no more is known may be a town as well.
    """
    nouns = {noun_of(fact.object, (fact.predicate,)) for fact in (first, second)}
    return len(nouns) == 1 or ("place" in nouns and all("place" in sorts_of(noun) for noun in nouns))


def _noun_of_both(first: KnownFact, second: KnownFact) -> str:
    noun = noun_of(Stop("", "", first.object.type), (first.predicate,))
    if noun == "place" and is_placing(parse(first.predicate)):
        # All things lie in a place: it takes two countries or two towns to ask for the same one.
        known = {known_place(first.object), known_place(second.object)}
        noun = known.pop() if len(known) == 1 else ""
    return "" if noun in TOO_VAGUE else noun


def _value_names(*facts: KnownFact) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for fact in facts for name in fact.object.names))
