"""Yes or no, before or after, one of two: answers by comparing what passages say of two things.

When something happened, as passages tell it: by a dated fact, by a sentence, by the day of the article.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kg.extract.dates import MONTHS
from services.rag.protocol import Passage, StatedFact
from services.rag.question_words import QuestionForm, question_weights, weight_of, weight_share, words
from services.rag.sentence_match import Reading, Sentence, names_in, stands_in

FACT_FIT = 0.5
"""A dated fact that accounts for less of an event's words speaks of something else."""

_MONTH = "|".join(MONTHS)
_ISO = re.compile(r"\b([12]\d{3})(?:-(\d\d))?(?:-(\d\d))?\b")
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}}) )?(?P<month>{_MONTH})(?: (?P<late_day>\d{{1,2}}),?)?,? (?P<year>[12]\d{{3}})\b"
)
DATE_IN_TEXT = (
    rf"(?:\d{{1,2}} (?:{_MONTH}),? [12]\d{{3}}|(?:{_MONTH}) \d{{1,2}},? [12]\d{{3}}|(?:{_MONTH}) [12]\d{{3}}"
    r"|\b[12]\d{3}\b)"
)
"""A pattern, without groups, of a date that has a year."""

_REPORT = re.compile(
    r"(?:did |was it )?(?P<source>.+?) (?:report|reported|say|said) that (?P<event>.+)", re.IGNORECASE
)

Day = tuple[int, int, int]
"""Year, month, day; 0 for a part that isn't told."""


@dataclass(frozen=True, slots=True)
class FittingSentence:
    """A sentence and how much of what was looked for it says, in [0, 1]."""

    sentence: Sentence
    fit: float


@dataclass(frozen=True, slots=True)
class EventDay:
    """A day with the sentence that tells it."""

    day: Day
    evidence: FittingSentence


def day_of(text: str) -> Day | None:
    """The first date in a text that has a year."""
    found = _DATE.search(text)
    if found:
        day = int(found["day"] or found["late_day"] or 0)
        return int(found["year"]), MONTHS.index(found["month"]) + 1, day
    iso = _ISO.search(text)
    return (int(iso[1]), int(iso[2] or 0), int(iso[3] or 0)) if iso else None


def earlier(one: Day, other: Day) -> bool | None:
    """Whether one day comes before the other; None where what is told of them does not decide."""
    for left, right in zip(one, other, strict=True):
        if left != right:
            return left < right if left and right else None
        if not left:
            return None
    return None


def find_day(event: str, must: str, sentences: Sequence[Sentence]) -> EventDay | None:
    """The day of an event; sentences and facts that lack the name `must` say nothing of it.

    "The Gazette reported that ..." is dated by the article of that source.
    """
    report = _REPORT.match(event.strip())
    if report and any(sentence.passage.source == report["source"] for sentence in sentences):
        source = report["source"]
        own = [sentence for sentence in sentences if sentence.passage.source == source]
        return _by_article(report["event"], must, own)
    return _dated_by_fact(event, must, sentences) or _by_sentence(event, must, sentences)


def fitting(text: str, must: str, sentences: Sequence[Sentence]) -> Iterator[FittingSentence]:
    """The sentences that share words with a text and have the name `must`, with their fits."""
    weights = question_weights(text, (sentence.words for sentence in sentences))
    for sentence in sentences:
        fit = weight_share(weights, sentence.words)
        if fit > 0 and (not must or stands_in(must, sentence.text)):
            yield FittingSentence(sentence, fit)


def _dated_by_fact(event: str, must: str, sentences: Sequence[Sentence]) -> EventDay | None:
    weights = question_weights(event, (sentence.words for sentence in sentences))
    best: EventDay | None = None
    for sentence in sentences:
        for fact in sentence.passage.facts:
            subject = f"{fact.subject.surface} {fact.subject.name}"
            if fact.object.type != "DATE" or (must and not stands_in(must, subject)):
                continue
            fit = weight_share(weights, words(f"{subject} {fact.predicate}"))
            day = day_of(fact.object.name)
            if day and fit >= FACT_FIT and (best is None or fit > best.evidence.fit):
                best = EventDay(day, FittingSentence(sentence, fit))
    return best


def _by_sentence(event: str, must: str, sentences: Sequence[Sentence]) -> EventDay | None:
    best = max(fitting(event, must, sentences), key=lambda said: said.fit, default=None)
    if best is None:
        return None
    day = day_of(event) or day_of(best.sentence.text) or day_of(best.sentence.passage.published)
    return EventDay(day, best) if day else None


def _by_article(event: str, must: str, sentences: Sequence[Sentence]) -> EventDay | None:
    best = max(fitting(event, must, sentences), key=lambda said: said.fit, default=None)
    day = day_of(best.sentence.passage.published) if best else None
    return EventDay(day, best) if best and day else None


_ORDER = re.compile(
    r"\b(?:before or after|after or before|before|after|when|earlier than|later than)\b", re.IGNORECASE
)
_CLEFT = re.compile(r"was it before or after (?P<other>.+) that (?P<asked>.+)", re.IGNORECASE | re.DOTALL)
_BOTH_SAY = re.compile(
    r"(?:do|does|did) (?P<one>.+?) and (?P<other>.+?) (?:both |each )?"
    r"(?:say|report|state|claim|write|agree)s? that (?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
_AFTER = re.compile(r"\b(?:after|later than)\b", re.IGNORECASE)
_SAME = re.compile(r"\b(?:same|both|identical|share|alike|agree|consistent)\b", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:more|most|larger|largest|bigger|greater|longer|higher|taller|heavier)\b", re.IGNORECASE
)
_LESS = re.compile(r"\b(?:less|least|fewer|fewest|smaller|smallest|shorter|lower|lighter)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class _About:
    """A fact about a thing that the question names, with its other end and the passage that states it."""

    thing: str
    end: str
    fact: StatedFact
    chunk: str
    fit: float


def read_comparison(
    question: str,
    form: QuestionForm,
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    weights: Mapping[str, float],
) -> Reading | None:
    """The answer to a question of another form than "open", None where the passages don't tell."""
    if form.kind == "which of two":
        return _one_of_two(question, form, passages, sentences)
    both = _BOTH_SAY.match(question)
    if both and form.kind == "yes or no":
        return _both_say((both["one"], both["other"]), both["said"], passages)
    events = _events(question)
    if form.kind == "before or after" or events is not None:
        return _in_order(question, form, events, sentences) if events else None
    named = names_in(question, passages)
    about = sorted(_facts_about(named, passages, weights), key=lambda one: (-one.fit, one.thing, one.end))
    if _SAME.search(question):
        return _same(about, named, weights)
    return _check_relation(about, named, weights)


def _one_of_two(
    question: str, form: QuestionForm, passages: Sequence[Passage], sentences: Sequence[Sentence]
) -> Reading | None:
    """The option that is earlier or later, has more or less, or of which the passages say what is asked."""
    if form.options is None:
        return None
    options = (_named_option(form.options[0], passages), _named_option(form.options[1], passages))
    rest = question.replace(options[0], "").replace(options[1], "")
    if form.late is not None:
        return _by_time(options, rest, form.late, sentences)
    more = bool(_MORE.search(question))
    if more or _LESS.search(question):
        return _by_number(options, rest, more, sentences)
    return _by_fact(options, rest, passages) or _by_saying(options, rest, sentences)


def _named_option(option: str, passages: Sequence[Passage]) -> str:
    """The longest name of the passages that an option begins with, else the option as it stands."""
    forms = {form for passage in passages for name in passage.names for form in (name.surface, name.name)}
    fitting_forms = [form for form in forms if option.startswith(form) and stands_in(form, option)]
    return max(fitting_forms, key=lambda form: (len(form), form), default=option)


def _by_time(
    options: tuple[str, str], rest: str, late: bool, sentences: Sequence[Sentence]
) -> Reading | None:
    one, other = (find_day(f"{option} {rest}", option, sentences) for option in options)
    first = earlier(one.day, other.day) if one and other else None
    if one is None or other is None or first is None:
        return None
    return _option(options[0], one.evidence) if first != late else _option(options[1], other.evidence)


def _by_number(
    options: tuple[str, str], rest: str, more: bool, sentences: Sequence[Sentence]
) -> Reading | None:
    one, other = (_largest_number(option, rest, sentences) for option in options)
    if one is None or other is None or one[0] == other[0]:
        return None
    return _option(options[0], one[1]) if (one[0] > other[0]) == more else _option(options[1], other[1])


def _largest_number(
    option: str, rest: str, sentences: Sequence[Sentence]
) -> tuple[float, FittingSentence] | None:
    """The largest number of the best sentence about an option that has one beside its years."""
    for said in sorted(fitting(f"{option} {rest}", option, sentences), key=lambda one: -one.fit):
        texts = _NUMBER.findall(said.sentence.text)
        numbers = [float(text.replace(",", "")) for text in texts if day_of(text) is None]
        if numbers:
            return max(numbers), said
    return None


def _by_fact(options: tuple[str, str], rest: str, passages: Sequence[Passage]) -> Reading | None:
    """The one option that a fact joins to another name in the rest of the question."""
    weights = question_weights(rest, [frozenset(words(rest))])
    asked = names_in(rest, passages)
    found: dict[str, Reading] = {}
    for option in options:
        about = _facts_about(names_in(option, passages), passages, weights)
        joined = [one for one in about if one.end in asked]
        for one in sorted(joined, key=lambda one: (-one.fit, one.chunk))[:1]:
            fit = weight_share(weights, asked[one.end] | set(words(one.fact.predicate)))
            found[option] = Reading(option, one.thing, one.chunk, one.fact.sentence, fit)
    return next(iter(found.values())) if len(found) == 1 else None


def _by_saying(options: tuple[str, str], rest: str, sentences: Sequence[Sentence]) -> Reading | None:
    said = [(option, one) for option in options for one in fitting(f"{option} {rest}", option, sentences)]
    best = max((one.fit for _, one in said), default=0.0)
    tops = {option: one for option, one in reversed(said) if one.fit == best}
    return _option(*next(iter(tops.items()))) if len(tops) == 1 else None


def _option(option: str, said: FittingSentence) -> Reading:
    passage = said.sentence.passage
    found = next((name for name in passage.names if option in {name.surface, name.name}), None)
    entity = found.entity if found else ""
    return Reading(option, entity, passage.chunk, said.sentence.text, said.fit)


def _events(question: str) -> tuple[str, str] | None:
    """The two events that a question puts in order, the one asked about first."""
    cleft = _CLEFT.match(question)
    if cleft:
        return cleft["asked"], cleft["other"]
    parts = [part for part in _ORDER.split(question) if part.strip(" ?,")]
    return (parts[0], parts[1]) if len(parts) == 2 else None


def _in_order(
    question: str, form: QuestionForm, events: tuple[str, str], sentences: Sequence[Sentence]
) -> Reading | None:
    one, other = (find_day(event, "", sentences) for event in events)
    first = earlier(one.day, other.day) if one and other else None
    if one is None or other is None or first is None:
        return None
    if form.kind == "before or after":
        return _make_reading("Before" if first else "After", one, other)
    return _make_reading("Yes" if first != bool(_AFTER.search(question)) else "No", one, other)


def _make_reading(answer: str, one: EventDay, other: EventDay) -> Reading:
    where = one.evidence.sentence
    return Reading(answer, "", where.passage.chunk, where.text, min(one.evidence.fit, other.evidence.fit))


def _both_say(sources: tuple[str, str], said: str, passages: Sequence[Passage]) -> Reading | None:
    """Whether passages of each source state a fact that joins the things named in what is said."""
    weights = question_weights(said, [frozenset(words(said))])
    named = names_in(said, passages)
    found: list[Reading] = []
    for source in sources:
        own = [one for one in passages if one.source.casefold() == source.casefold()]
        if not own:
            return None
        about = _facts_about(named, own, weights)
        answers = [
            one for one in (_check_relation([fact], named, weights) for fact in about) if one is not None
        ]
        found += sorted(answers, key=lambda one: (one.answer != "Yes", -one.fit, one.chunk))[:1]
    told = {word for entity in named.values() for word in entity}
    denied = next((one for one in found if one.answer != "Yes"), None)
    if denied or len(found) < len(sources):
        # A source that says nothing of it does not say it.
        return denied or Reading("No", "", passages[0].chunk, fit=weight_share(weights, told))
    return found[0]


def _same(
    about: Sequence[_About], named: Mapping[str, frozenset[str]], weights: Mapping[str, float]
) -> Reading | None:
    """Whether two named things have the same other end in facts that the question asks about."""
    things = list(dict.fromkeys(one.thing for one in about))[:2]
    if len(things) < 2:
        return None
    tops = [next(one for one in about if one.thing == thing) for thing in things]
    ends = [{one.end for one in about if one.thing == thing} for thing in things]
    told = named[things[0]] | named[things[1]] | {w for top in tops for w in words(top.fact.predicate)}
    fit = weight_share(weights, told)
    return Reading("Yes" if ends[0] & ends[1] else "No", "", tops[0].chunk, tops[0].fact.sentence, fit)


def _check_relation(
    about: Sequence[_About], named: Mapping[str, frozenset[str]], weights: Mapping[str, float]
) -> Reading | None:
    """Whether a fact joins the things that the question names, or says another thing in the place of one."""
    for one in about:
        if one.end in named:
            told = named[one.thing] | named[one.end] | set(words(one.fact.predicate))
            return Reading("Yes", "", one.chunk, one.fact.sentence, weight_share(weights, told))
    if len(named) < 2 or not about:
        return None
    best = about[0]
    told = named[best.thing] | set(words(best.fact.predicate))
    return Reading("No", "", best.chunk, best.fact.sentence, weight_share(weights, told))


def _facts_about(
    named: Mapping[str, frozenset[str]], passages: Sequence[Passage], weights: Mapping[str, float]
) -> Iterator[_About]:
    """Facts with an end that is named and a predicate that shares words with the question."""
    for passage in passages:
        for fact in passage.facts:
            fit = weight_of(weights.get(word, 0.0) for word in set(words(fact.predicate)))
            if fit == 0:
                continue
            subject, object_ = fact.subject.entity, fact.object.entity
            for thing, end in ((subject, object_), (object_, subject)):
                if thing in named:
                    yield _About(thing, end, fact, passage.chunk, fit)
