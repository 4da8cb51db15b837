"""Questions about two named things, answered by what passages tell of each: composable rules.

What is compared is told by the question's words: a day (born, died, released, founded first or last), how
long somebody lived, the countries ("from the same country"), or what both are ("both board games"). Where
the question puts a role between ("the director of X", "which film has the director who ..."), those who have
it are compared in the things' stead. A rule answers only where both things are found and both are told of;
else the question goes on to the rules that look at words (`services.rag.comparing`).
"""

import re
from collections.abc import Sequence

from services.questions.wording.nouns import sorts_of
from services.rag.attributes import VERBS, Event, Source, Told, countries_of, holders, sort_of, when
from services.rag.comparing import Compared
from services.rag.dating import Day, earlier
from services.rag.protocol import Passage
from services.rag.question_form import QuestionForm
from services.rag.question_words import words
from services.rag.things import Thing, two_named

SURE = 1.0
"""The fit of an answer for which everything that was compared is told."""

_LIVED = re.compile(
    r"\blived? (?P<which>longer|shorter)\b|\b(?P<long>longer|shorter) li(?:fe|ved)\b", re.IGNORECASE
)
_EVENTS: Sequence[tuple[Event, re.Pattern[str]]] = (
    ("death", re.compile(r"\b(?:died?|dies|death|passed away)\b", re.IGNORECASE)),
    ("birth", re.compile(r"\b(?:born|birth|old(?:er|est)|young(?:er|est))\b", re.IGNORECASE)),
    ("making", re.compile(r"\b(?:came|come|comes) (?:out|first)\b|\bnew(?:er|est)\b", re.IGNORECASE)),
)
_OF_ONES_OWN_AGE = re.compile(r"\bold(?:er|est)\b", re.IGNORECASE)
_SAME_COUNTRY = re.compile(
    r"\b(?:same|share a|share the same|a common) (?:country|nation|nationality)\b", re.IGNORECASE
)
_BOTH = re.compile(r"^(?:is|are|was|were)\b.*\bboth\b", re.IGNORECASE | re.DOTALL)
_NOT_A_SORT = re.compile(
    r"\b(?:same|located|situated|based|born|from|in|by|at|on|part of|members?)\b", re.IGNORECASE
)
_ALTERNATIVE = re.compile(r"\bor\b", re.IGNORECASE)
_ROLE = re.compile(
    r"\b(?P<role>[a-z]+?)s?\b(?= (?:who|whose|that|of|born|died|is|was|are|were)\b)"
    r"|\bwhose (?P<whose>[a-z]+)\b|\b[a-z]+['\u2019]s? (?P<possessed>[a-z]+)\b"
)


def compared_things(question: str, form: QuestionForm, passages: Sequence[Passage]) -> Compared | None:
    """The answer to a question about two things, None where the passages do not tell of both."""
    if form.kind == "before or after":
        return None
    two = two_named(question, passages)
    if two is None:
        return None
    rest = question
    for thing in sorted(two, key=lambda one: -len(one.label)):
        rest = rest.replace(thing.label, " ")
    rest = " ".join(rest.split())
    pairs = _in_their_stead(two, rest, passages)
    if form.kind == "which of two" or _ALTERNATIVE.search(rest):
        return _longer_lived(two, pairs, rest, passages) or _in_time(two, pairs, rest, form.late, passages)
    if form.kind == "yes or no" and _SAME_COUNTRY.search(rest):
        return _same_country(pairs, passages)
    if _BOTH.match(rest) and not _NOT_A_SORT.search(rest):
        return _both_are(two, rest, passages)
    return None


def _in_their_stead(
    two: tuple[Thing, Thing], rest: str, passages: Sequence[Passage]
) -> tuple[Sequence[Thing], Sequence[Thing]]:
    """For each of two things what is compared: who has the role that the question asks about, or itself."""
    for match in _ROLE.finditer(rest):
        role = next(one for one in match.groups() if one)
        if "person" in sorts_of(role):
            one, other = (holders(thing, role, passages) for thing in two)
            if one or other:
                return one, other
    return (two[0],), (two[1],)


def _same_country(
    pairs: tuple[Sequence[Thing], Sequence[Thing]], passages: Sequence[Passage]
) -> Compared | None:
    found = [[said for thing in things if (said := countries_of(thing, passages))] for things in pairs]
    if not all(found):
        return None
    one, other = ({country for countries, _ in told for country in countries} for told in found)
    return _said("Yes" if one & other else "No", found[0][0][1])


def _both_are(two: tuple[Thing, Thing], rest: str, passages: Sequence[Passage]) -> Compared | None:
    """ "Yes" where both are told to be what is asked; "No" where one is told to be what the other is not.

    A word that neither has may be said of them in other words, so it decides nothing.
    """
    one, other = (sort_of(thing, passages) for thing in two)
    asked = set(words(rest))
    if one is None or other is None or not asked:
        return None
    if asked <= one[0] and asked <= other[0]:
        return _said("Yes", one[1])
    lacking = (asked & one[0]) ^ (asked & other[0])
    return _said("No", (one if lacking & one[0] else other)[1]) if lacking else None


def _longer_lived(
    two: tuple[Thing, Thing],
    pairs: tuple[Sequence[Thing], Sequence[Thing]],
    rest: str,
    passages: Sequence[Passage],
) -> Compared | None:
    asked = _LIVED.search(rest)
    if asked is None:
        return None
    lives = [_lived(things, passages) for things in pairs]
    one, other = lives
    if one is None or other is None or one[0] == other[0]:
        return None
    longest = (asked["which"] or asked["long"]).casefold() == "longer"
    first = (one[0] > other[0]) == longest
    return _picked(two[0] if first else two[1], (one if first else other)[1])


def _lived(things: Sequence[Thing], passages: Sequence[Passage]) -> tuple[Day, Source] | None:
    """Years, months and days that somebody lived, as far as both dates are told."""
    for thing in things:
        born, died = when(thing, "birth", passages), when(thing, "death", passages)
        if born and died:
            years, months, days = (end - start for end, start in zip(died.day, born.day, strict=True))
            return (years * 372 + months * 31 + days, 0, 0), died.source
    return None


def _in_time(
    two: tuple[Thing, Thing],
    pairs: tuple[Sequence[Thing], Sequence[Thing]],
    rest: str,
    late: bool | None,
    passages: Sequence[Passage],
) -> Compared | None:
    if late is None:
        return None
    for event in _events(rest):
        one, other = (_told(things, event, passages) for things in pairs)
        first = earlier(one.day, other.day) if one and other else None
        if one and other and first is not None:
            picked = 0 if first != late else 1
            return _picked(two[picked], (one, other)[picked].source)
    return None


def _told(things: Sequence[Thing], event: Event, passages: Sequence[Passage]) -> Told | None:
    return next((said for thing in things if (said := when(thing, event, passages))), None)


def _events(rest: str) -> list[Event]:
    """The events that a question may put in order; of what is older, its birth or its making."""
    found = [event for event, pattern in _EVENTS if pattern.search(rest)]
    if not found and not VERBS["making"].isdisjoint(words(rest)):
        found = ["making"]
    return [*found, "making"] if _OF_ONES_OWN_AGE.search(rest) else found


def _picked(thing: Thing, source: Source) -> Compared:
    entity = next(iter(thing.entities)) if len(thing.entities) == 1 else ""
    return Compared(thing.label, SURE, source.chunk, source.sentence, entity)


def _said(answer: str, source: Source) -> Compared:
    return Compared(answer, SURE, source.chunk, source.sentence)
