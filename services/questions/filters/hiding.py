"""Does the question give away what it asks for, or what it goes through?

What somebody would guess who knows the corpus' protagonists, but has read nothing for the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.filters.name_use import any_named, first_named
from services.questions.filters.protocol import PASS, Rule, Verdict, fail

CANDIDATES = 20
"""Most named entities of a type that are looked at: a question names fewer than that."""


@dataclass(frozen=True, slots=True)
class _Guess:
    id: str
    names: tuple[str, ...]


@dataclass(slots=True)
class RetrievalNecessary:
    """A guess without any text is wrong: the entity of the asked type that most articles name.

    What the question names is not guessed. Questions for a word ("yes", "before") and null questions pass,
    since a toss of a coin would tell nothing about them. Who is most named is read once: it
    takes a walk over all entities, and questions come in many batches.
    """

    graph: Graph
    corpus: str
    name: str = "retrieval necessary"
    _most_named: Mapping[str, Sequence[_Guess]] | None = field(default=None, init=False, repr=False)

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        if self._most_named is None:
            self._most_named = _read_most_named(self.graph, self.corpus)
        most_named = self._most_named
        return [_verdict(draft, most_named.get(draft.answer_type, ())) for draft in drafts]


def _read_most_named(graph: Graph, corpus: str) -> dict[str, list[_Guess]]:
    rows = graph.rows(query("entities/list_most_named"), corpus=corpus, limit=CANDIDATES)
    return {
        row["type"]: [_Guess(one["id"], (one["name"], *one["aliases"])) for one in row["entities"]]
        for row in rows
    }


def _verdict(draft: Draft, candidates: Sequence[_Guess]) -> Verdict:
    guess = next((one for one in candidates if not any_named(draft.text, one.names)), None)
    if draft.kind == "null" or guess is None or guess.id != draft.answered_by:
        return PASS
    return fail(f'"{draft.answer}" is guessed without reading: most articles name it')


NAMES_ITS_ANSWER = frozenset({"comparison", "temporal"})
"""Kinds that let choose between what they name: "Which of the two ...", "before or after"."""


def _answer_hidden(draft: Draft) -> Verdict:
    if draft.kind in NAMES_ITS_ANSWER or draft.kind == "null":
        return PASS
    named = first_named(draft.text, _answer_names(draft))
    if named is not None:
        return fail(f'the answer stands in it as "{named}"')
    start = {normal_form(name) for name in draft.stops[0].names} if draft.kind == "chain" else set()
    if start & {normal_form(name) for name in _answer_names(draft)}:
        return fail("its start and its answer have the same name")
    return PASS


def _middle_hidden(draft: Draft) -> Verdict:
    surnames = _surnames(draft)
    named = first_named(draft.text, [name for name in draft.hidden if name not in surnames])
    if named is None:
        named = first_named(_without_people(draft), surnames)
    return PASS if named is None else fail(f'"{named}" stands in it, which is to be found on the way')


def _surnames(draft: Draft) -> list[str]:
    """Single words among the hidden names that are short for a person's."""
    people = [stop for stop in draft.stops if stop.type == "PERSON" and " " in stop.name]
    short = {name for stop in people for name in stop.aliases if " " not in name}
    return [name for name in draft.hidden if name in short]


def _without_people(draft: Draft) -> str:
    """The text without full names of people that it may name: a daughter doesn't give away her father."""
    hidden = set(draft.hidden)
    text = draft.text
    for stop in draft.stops:
        for name in stop.names if stop.type == "PERSON" else ():
            if " " in name and name not in hidden:
                text = text.replace(name, "Somebody")
    return text


def _answer_names(draft: Draft) -> tuple[str, ...]:
    """The answer in all spellings that count as right, and every name of its entity."""
    entity = (name for stop in draft.stops if stop.id == draft.answered_by for name in stop.names)
    return tuple(dict.fromkeys((draft.answer, *draft.accepted, *entity)))


ANSWER_HIDDEN = Rule("answer hidden", _answer_hidden)
"""No name of the answer stands in the question, and the start is not the answer under another name."""

MIDDLE_HIDDEN = Rule("middle hidden", _middle_hidden)
"""No name of an entity that is to be found on the way stands in the question, nor within another name
there; but a surname may stand in the full name of another person."""
