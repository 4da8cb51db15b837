"""Can the question be understood by somebody who has not read the articles?

Words that mean something only beside the text they were taken from.

Is the answer something that can be named, and can the chain go on from what comes before it?
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from kg.model import LITERAL_TYPES
from kg.store.graph import Graph
from services.questions.draft import Draft, Stop
from services.questions.filters.name_use import (
    Namesakes,
    ambiguity,
    first_named,
    is_common,
    no_name,
    of_dictionary_words,
    read_namesakes,
    read_small_names,
)
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.wording.verbs import is_modifier

_UNITS = "day|week|weekend|month|year|season|quarter|summer|winter|spring|autumn|night|morning|evening"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DESCRIBED = (
    "company|firm|club|team|side|organi[sz]ation|person|man|woman|group|agency|place|city|town|country|"
    "event|study|project|product|drug|hospital|school|university|report|article|author|player|official|"
    "president|minister|mayor|chairman|spokesman|spokeswoman|director|government|court|party|bank|deal|"
    "match|game|law|incident|accident|former|latter|thing|latest|above|following"
)
_GOES_ON = (
    r"that|who|whom|whose|which|where|when|of|in|at|on|by|from|for|with|to|behind|between|against|over|"
    r"about|after|before|during|the|he|she|they|it|named|called|known|\w+ \w+ (?:which|whom)|"
    r"\w+ed|\w+ing|founded|led|run|built|won|held|made|sold|bought|taken|given|written|sent|shown|"
    r"[A-Z]\w*|XX"
)

_OWN = re.compile(r"\b(?:me|my|mine|we|us|our|ours|you|your|yours)\b")
_POINTING = re.compile(
    r"\b(?:this|these|those(?! (?:who|that|which|whom|whose)\b)|the (?:said|aforementioned) \w+|here)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|them|his|her|hers|its|their|theirs|himself|herself|itself|themselves)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(r"(?:Is|Was) it\b(?=.*\bthat\b)")
"""The "it" of "Is it true that", which stands for nothing."""
_RELATIVE_TIME = re.compile(
    rf"\b(?:yesterday|today|tomorrow|tonight|ago|(?:last|next|this|previous|coming) (?:{_UNITS}))\b",
    re.IGNORECASE,
)
_BARE_DAY = re.compile(
    rf"\b(?:on|by|until|since|last|next|this|early|late) (?:{_DAYS})\b(?!,? (?:the )?\d|\s+[A-Z])"
)
_VAGUE = re.compile(r"\b(?:certain|various|several|other) (?!of\b)[a-z]+s\b", re.IGNORECASE)
_BARE = re.compile(rf"\b[Tt]he (?:{_DESCRIBED})(?='s|[,.?;]|$|\s+(?!(?:{_GOES_ON})\b))")
_OWNER = re.compile(r"\b[Tt]he (?!world['\u2019])[a-z-]+['\u2019]s\b")
"""An owner that nothing defines: "the clinic's supply"."""
_NAME = re.compile(r"(?<!^)\b[A-Z0-9]|XX")


def vague_part(text: str, names: tuple[str, ...] = ()) -> str:
    """What in a text can't be understood without the text it came from, with a word on why; empty if nothing.

    `names` are left out of the search, so that a film called "Yesterday" is no date. A pronoun is one where
    no name stands before it to which it could go back.
    """
    masked = text
    for name in sorted(filter(None, names), key=len, reverse=True):
        if name.isascii() and masked.isascii() and name.lower() not in masked.lower():
            continue  # spares an expression
        masked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "XX", masked, flags=re.IGNORECASE)
    searches = (
        (_OWN, "speaks of whoever wrote it"),
        (_POINTING, "points at something outside"),
        (_RELATIVE_TIME, "is a time that depends on the day of the article"),
        (_BARE_DAY, "is a day without a date"),
        (_BARE, "doesn't tell which one"),
        (_VAGUE, "doesn't tell which ones"),
        (_OWNER, "doesn't tell which one"),
    )
    for pattern, why in searches:
        if found := pattern.search(masked):
            return f'"{found[0].strip()}" {why}'
    expletive = _EXPLETIVE.match(masked)
    pronoun = _PRONOUN.search(masked, expletive.end() if expletive else 0)
    if pronoun and not _NAME.search(masked[: pronoun.start()]):
        return f'"{pronoun[0]}" goes back to nothing before it'
    return ""


MOST_WORDS = 12
"""A longer answer is a clause and no name."""

_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*(?:%|percent|per cent|million|billion|trillion)?", re.IGNORECASE)
_NO_ENTITY = frozenset({"YES_NO", "ORDER", "NONE"})


@dataclass(frozen=True, slots=True)
class AnswerSpecific:
    """The answer is a name, a date or a number, and what a chain goes through is neither date nor number.

    A common noun is told by its type, by missing capitals, by closed lists of words that many things share,
    and by the corpus writing the same words small elsewhere. Answers by a word ("yes", "before") pass.
    With `concepts`, an option of the corpus, any noun phrase is specific that not many things share.
    """

    graph: Graph
    corpus: str
    concepts: bool = False
    name: str = "answer specific"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        answers = [_answer(draft) for draft in drafts]
        names = (stop.name for stop in answers if stop is not None)
        small = read_small_names(self.graph, self.corpus, names)
        return [
            _verdict_on_answer(draft, stop, small, self.concepts)
            for draft, stop in zip(drafts, answers, strict=True)
        ]


def _verdict_on_answer(draft: Draft, stop: Stop | None, small: frozenset[str], concepts: bool) -> Verdict:
    if draft.answer_type in _NO_ENTITY:
        return PASS
    reason = _of_middles(draft) or _of_answer(draft, stop, small, concepts)
    return fail(reason) if reason else PASS


def _of_middles(draft: Draft) -> str:
    for between in draft.stops[1:-1] if draft.kind == "chain" else ():
        if between.type in {"DATE", "NUMBER"} or _NUMBER.fullmatch(between.name):
            return f'the chain goes on from "{between.name}", which is a bare number or a date'
    return ""


def _of_answer(draft: Draft, stop: Stop | None, small: frozenset[str], concepts: bool) -> str:
    answer = draft.answer
    if not answer.strip():
        return "there is no answer"
    if len(answer.split()) > MOST_WORDS:
        return f'"{answer[:60]}" is a clause and no name'
    if draft.answer_type in {"DATE", "NUMBER"}:
        return ""
    if vague := vague_part(answer):
        return f'of "{answer}", {vague}'
    reason = no_name(stop, small, concepts=concepts) if stop is not None else ""
    return f'"{answer}" is not specific: {reason}' if reason else ""


def _answer(draft: Draft) -> Stop | None:
    """The answer's entity, where the answer is one that must be a name."""
    if draft.answer_type in _NO_ENTITY or draft.answer_type in {"DATE", "NUMBER"}:
        return None
    return next((stop for stop in draft.stops if stop.id == draft.answered_by), None)


_OF_ANY_KIND = frozenset({"administration", "association", "committee", "organisation", "organization"})
"""Behind an adjective the rest of a longer name: "Cultural Organization"."""


@dataclass(frozen=True, slots=True)
class StandsAlone:
    """No word that leans on an article, and names that mean one thing; of a model's words only the names.

    The rule looks for pronouns without a name before them, words that point ("this"), bare descriptions
    ("the company"), times that depend on the day of the article, and, in the graph, for names that are
    common nouns or that several entities share. It knows nothing of what readers know by themselves.
    """

    graph: Graph
    corpus: str
    concepts: bool = False
    name: str = "stands alone"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        named = [_named(draft) for draft in drafts]
        flat = [(stop, name) for found in named for stop, name in found]
        namesakes = read_namesakes(self.graph, self.corpus, [name for _, name in flat])
        small = read_small_names(self.graph, self.corpus, (stop.name for stop, _ in flat))
        doubt = partial(_doubt, namesakes=namesakes, small=small, concepts=self.concepts)
        doubts = [[(name, doubt(stop, name)) for stop, name in found] for found in named]
        return [_verdict(draft, found) for draft, found in zip(drafts, doubts, strict=True)]


def _verdict(draft: Draft, doubts: Sequence[tuple[str, str]]) -> Verdict:
    if draft.kind == "chain" and not doubts:
        return fail(f'it does not name its start, "{draft.stops[0].name}"')
    for name, doubt in doubts:
        if doubt:
            return fail(f'"{name}" is no clear name: {doubt}')
    if half := _half_a_name(draft):
        return fail(half)
    if draft.by_model:
        return PASS
    names = tuple(name for stop in draft.stops for name in stop.names)
    vague = vague_part(draft.text, (*names, *draft.sources, *draft.dates))
    return fail(vague) if vague else PASS


def _half_a_name(draft: Draft) -> str:
    """A start that its sentence has behind other words: "Scientific and Cultural Organization"."""
    start = draft.stops[0].name if draft.kind == "chain" else ""
    first = start.split()[0] if start else ""
    if " " not in start or not is_modifier(first.lower()) or not of_dictionary_words(start):
        return ""
    if len(start.split()) == 2 and start.split()[1].lower() in _OF_ANY_KIND:
        return f'"{start}" is no clear name: there are many'
    longer = re.compile(rf"[A-Z]\w+(?: and|,) {re.escape(start)}(?!\w)")
    if not any(longer.search(fact.sentence) for fact in draft.facts[:1]):
        return ""
    return f'"{start}" is no clear name: its sentence has a longer one that ends in it'


def _doubt(stop: Stop, name: str, namesakes: Namesakes, small: frozenset[str], concepts: bool) -> str:
    """Why a name does not tell a stranger which thing is meant, empty if it does."""
    if reason := no_name(stop, small, concepts=concepts):
        return reason
    return "other places have one too" if is_common(stop) else ambiguity(stop, name, namesakes)


def _named(draft: Draft) -> list[tuple[Stop, str]]:
    """The entities that the question names, with the name that it uses; of a chain its start only."""
    stops = (
        draft.stops[:1] if draft.kind == "chain" else [s for s in draft.stops if s.type not in LITERAL_TYPES]
    )
    found = ((stop, first_named(draft.text, stop.names) or _as_written(stop, draft.text)) for stop in stops)
    return [(stop, name) for stop, name in found if name]


def _as_written(stop: Stop, text: str) -> str:
    """A name of common words, letter by letter: it is in the text, though it names nobody."""
    return stop.name if stop.name.casefold() in text.casefold() else ""
