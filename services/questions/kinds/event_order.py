"""Order of two dated facts: which came first, and whether one was before or after the other.

The days that a date may mean, and what can be said of two dates when they are partly known.
"""

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from kg.queries import query
from kg.resolve.name_pool import date_key
from kg.store.graph import Graph
from services.questions.draft import Draft, Stop
from services.questions.kinds.askable import tells_event, without_date_preposition
from services.questions.kinds.known_facts import (
    KnownFact,
    names_apart,
    pairwise_shuffled,
    read_facts,
    related_pairs,
)
from services.questions.kinds.spread import Candidate, chance
from services.questions.predicate_key import predicate_key
from services.questions.wording.chain import GENERATOR, event_clause, order_question
from services.questions.wording.nouns import noun_of

_FORM = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?")


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The first and the last day that a date may mean: of "2031-02", the 1st and the 28th of February."""

    first: date
    last: date

    def order(self, other: "DateSpan") -> Literal["before", "after"] | None:
        """Which of the two is earlier, None where they may be the same day."""
        if self.last < other.first:
            return "before"
        return "after" if other.last < self.first else None


def date_span(name: str) -> DateSpan | None:
    """The days of a year, a month or a day, however written; None for anything else ("the 1990s")."""
    found = _FORM.fullmatch(date_key(name))
    if found is None:
        return None
    year, month, day = (int(found[part] or 0) for part in ("year", "month", "day"))
    try:
        if day:
            return DateSpan(date(year, month, day), date(year, month, day))
        if month:
            return DateSpan(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))
        return DateSpan(date(year, 1, 1), date(year, 12, 31))
    except (ValueError, calendar.IllegalMonthError):
        return None


def dates_agree(one: str, other: str) -> bool | None:
    """Whether two dates are the same; None where one may be a rough form of the other."""
    if date_key(one) == date_key(other):
        return True
    first, second = date_span(one), date_span(other)
    return False if first and second and first.order(second) else None


ORDER_BUNDLES = (("order: before", "order: after"), ("first: first", "first: second"))
MOST_EVENTS = 5_000
"""More dated events than this are drawn by chance."""
PAIRS_A_KEY = 200
_OF_A_LIFE = frozenset({"be born", "die"})
"""Before a birth and after a death nobody does anything: one subject's other deeds need no date."""


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that a subject did or that was done to it, with the one date that claims give."""

    triple: str
    subject: str
    name: str
    key: str
    span: DateSpan


def order_candidates(graph: Graph, corpus: str, seed: int) -> Iterator[Candidate]:
    """Pairs of dated events that share their predicate or their subject, and whose order can be told."""
    events = _read_events(graph, corpus, seed)
    pairs = [*_of_one_sort(events, seed), *_of_one_subject(events, seed)]
    related = related_pairs(
        graph, ((one.subject, other.subject) for one, other in pairs if one.subject != other.subject)
    )
    pairs = [pair for pair in pairs if frozenset(event.subject for event in pair) not in related]
    facts = read_facts(graph, (event.triple for pair in pairs for event in pair))
    for one, other in pairs:
        first, second = facts.get(one.triple), facts.get(other.triple)
        if first is None or second is None or {*first.chunks} & {*second.chunks}:
            continue
        yield from _candidates(first, second, one.span.order(other.span) == "before", seed)


def _read_events(graph: Graph, corpus: str, seed: int) -> list[_Event]:
    """Events with one date, by chance; one with two dates, of which one may be wrong, is none."""
    dates: dict[tuple[str, str], list[tuple[str, str, str, bool]]] = {}
    for row in graph.stream(query("facts/list_dated"), corpus=corpus):
        if tells_event(row["predicate"]):
            event = (row["subject"], predicate_key(without_date_preposition(row["predicate"])))
            dates.setdefault(event, []).append((row["triple"], row["name"], row["date"], row["stated"]))
            if len(dates) > 2 * MOST_EVENTS:
                dates = {
                    kept: dates[kept]
                    for kept in sorted(dates, key=lambda key: chance(seed, *key))[:MOST_EVENTS]
                }
    events: list[_Event] = []
    for (subject, key), said in dates.items():
        span = date_span(said[0][2])
        if span and len({date_key(text) for _, _, text, _ in said}) == 1:
            stated = sorted((triple, name) for triple, name, _, is_stated in said if is_stated)
            events += [_Event(stated[0][0], subject, stated[0][1], key, span)] if stated else []
    return sorted(events, key=lambda event: chance(seed, event.triple))[:MOST_EVENTS]


def _of_one_sort(events: Sequence[_Event], seed: int) -> Iterator[tuple[_Event, _Event]]:
    yield from _ordered_pairs(events, by_subject=False, seed=seed)


def _of_one_subject(events: Sequence[_Event], seed: int) -> Iterator[tuple[_Event, _Event]]:
    yield from _ordered_pairs(events, by_subject=True, seed=seed)


def _ordered_pairs(
    events: Sequence[_Event], *, by_subject: bool, seed: int
) -> Iterator[tuple[_Event, _Event]]:
    groups: dict[str, dict[str, _Event]] = {}
    for event in events:
        groups.setdefault(event.subject if by_subject else event.key, {})[event.triple] = event
    for name in sorted(groups):
        group = groups[name]
        order = sorted(group, key=lambda triple: chance(seed, name, triple))
        for one, other in pairwise_shuffled(order, PAIRS_A_KEY):
            first, second = group[one], group[other]
            of_one = by_subject and not _OF_A_LIFE & {first.key, second.key}
            if first.span.order(second.span) and (of_one or _two_subjects(first, second)):
                yield first, second


def _two_subjects(one: _Event, other: _Event) -> bool:
    return one.subject != other.subject and names_apart([one.name], [other.name])


def _candidates(one: KnownFact, other: KnownFact, one_is_earlier: bool, seed: int) -> Iterator[Candidate]:
    """Either form in either order of the two events, of which one may be taken."""
    draw = chance(seed, "order", one.triple, other.triple)
    one_subject = one.subject.id == other.subject.id
    # What happened to one thing often can happen in one order only: approved, then recalled.
    worth = (one.article != other.article) + 0.5 * (one.source != other.source) - 2 * one_subject
    for first, second in ((one, other), (other, one)):
        before = one_is_earlier == (first is one)
        draft = _before_or_after(first, second, before)
        yield Candidate(draft, f"order: {_word(before).lower()}", first.key, worth, draw)
        if not one_subject and first.subject.type == second.subject.type:
            group = f"first: {'first' if before else 'second'}"
            yield Candidate(_which_first(first, second, before), group, first.key, worth, draw)


def _before_or_after(first: KnownFact, second: KnownFact, before: bool) -> Draft:
    return Draft(
        kind="temporal",
        text=order_question(_clause(first), _clause(second)),
        answer=_word(before),
        accepted=(_word(before),),
        answer_type="ORDER",
        generator=GENERATOR,
        stops=_stops(first, second),
        facts=(first.fact(1), second.fact(2)),
        hidden=(first.object.name, second.object.name),
    )


def _which_first(first: KnownFact, second: KnownFact, before: bool) -> Draft:
    answer = (first if before else second).subject
    noun = noun_of(first.subject)
    same = noun == noun_of(second.subject)
    asking = "Which of the two" if not same else "Who" if noun == "person" else f"Which {noun}"
    happened = without_date_preposition(first.predicate).replace("were ", "was ", 1)
    return Draft(
        kind="temporal",
        text=f"{asking} {happened} first, {first.subject_in_text} or {second.subject_in_text}?",
        answer=answer.name,
        accepted=answer.names,
        answer_type=answer.type,
        generator=GENERATOR,
        stops=(first.subject, second.subject),
        facts=(first.fact(1), second.fact(2)),
        answered_by=answer.id,
        hidden=(first.object.name, second.object.name),
    )


def _clause(fact: KnownFact) -> str:
    return event_clause(fact.subject_in_text, fact.predicate, "")


def _stops(first: KnownFact, second: KnownFact) -> tuple[Stop, ...]:
    return tuple(dict.fromkeys((first.subject, second.subject)))


def _word(before: bool) -> str:
    return "Before" if before else "After"
