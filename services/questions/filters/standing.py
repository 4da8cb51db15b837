"""Can the question be understood by somebody who has not read the articles?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg.model import LITERAL_TYPES
from kg.store.graph import Graph
from services.questions.draft import Draft, Stop
from services.questions.filters.name_use import (
    Namesakes,
    ambiguity,
    is_common,
    no_name,
    read_namesakes,
    read_small_names,
)
from services.questions.filters.names_in_text import first_named, of_dictionary_words
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.vague_words import vague_part
from services.questions.wording.verbs import is_modifier

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
    name: str = "stands alone"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        named = [_named(draft) for draft in drafts]
        flat = [(stop, name) for found in named for stop, name in found]
        namesakes = read_namesakes(self.graph, self.corpus, [name for _, name in flat])
        small = read_small_names(self.graph, self.corpus, (stop.name for stop, _ in flat))
        doubts = [[(name, _doubt(stop, name, namesakes, small)) for stop, name in found] for found in named]
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


def _doubt(stop: Stop, name: str, namesakes: Namesakes, small: frozenset[str]) -> str:
    """Why a name does not tell a stranger which thing is meant, empty if it does."""
    if reason := no_name(stop, small):
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
