"""The checks that a question must pass to be kept: each a name and a small rule, tried in order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kg.resolve.normal_form import normal_form

MAX_PREDICATE_WORDS = 10


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it is kept: its text, its facts' predicates, and all names of its entities."""

    text: str
    predicates: tuple[str, ...]
    start_names: tuple[str, ...]
    middle_names: tuple[str, ...]
    answer_names: tuple[str, ...]


Check = Callable[[Draft], bool]
"""Whether a draft passes."""


def predicates_are_short(draft: Draft) -> bool:
    """No predicate is empty or drags half a sentence along."""
    return all(0 < len(predicate.split()) <= MAX_PREDICATE_WORDS for predicate in draft.predicates)


def answer_is_hidden(draft: Draft) -> bool:
    """No name of the answer stands in the question."""
    return not any_named(draft.text, draft.answer_names)


def middle_is_hidden(draft: Draft) -> bool:
    """No name of an entity on the way stands in the question."""
    return not any_named(draft.text, draft.middle_names)


def ends_differ(draft: Draft) -> bool:
    """The answer is not another name of the start."""
    return not {*map(normal_form, draft.start_names)} & {*map(normal_form, draft.answer_names)}


CHECKS: dict[str, Check] = {
    "predicate too long": predicates_are_short,
    "answer in the question": answer_is_hidden,
    "middle entity in the question": middle_is_hidden,
    "start and answer are one": ends_differ,
}


def first_failure(draft: Draft) -> str | None:
    """The name of the first check that the draft fails, None when it passes all."""
    return next((name for name, passes in CHECKS.items() if not passes(draft)), None)


def any_named(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names stands in the text as whole words, in any spelling of the same form."""
    words = normal_form(text).split()
    return any(_within(words, form) for name in names for form in _forms(name))


def _forms(name: str) -> tuple[list[str], list[str]]:
    """The form of a name at the end of a text, and before words, where "High St" begins a saint."""
    return normal_form(name).split(), normal_form(f"{name} x").split()[:-1]


def _within(words: Sequence[str], name: Sequence[str]) -> bool:
    return bool(name) and any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))
