"""What a person decided about names, which no rule and no model may overrule.

A correction holds names, not ids of entities, so it survives another extraction, other rules and new
articles. A merge says that two names are one thing; a split says that they are not, which wins where both
were said, and holds for contextual links too.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from kg.resolve.bonds import BY_HAND, Bond
from kg.resolve.normal_form import normal_form

CorrectionKind = Literal["merge", "split"]

APPLIED = "applied"
BY_HAND_SCORE = 1.0


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word on two names: who said it, when and why."""

    id: str
    kind: CorrectionKind
    name: str
    other: str
    reason: str
    by: str
    created_at: datetime


class Corrections:
    """The corrections of a corpus, as far as they touch the names that it has."""

    def __init__(self, made: Iterable[Correction], names: Collection[str]) -> None:
        present = _Present(names)
        self._pairs = [
            (one, tuple(sorted(present.find(name) for name in (one.name, one.other)))) for one in made
        ]

    @property
    def bonds(self) -> list[Bond]:
        """A bond for each merge by hand."""
        return [Bond(pair, BY_HAND_SCORE, BY_HAND) for pair in self._pairs_of("merge")]

    @property
    def apart(self) -> frozenset[tuple[str, str]]:
        """The pairs of names, smaller first, that were split by hand."""
        return frozenset(self._pairs_of("split"))

    def effects(self, entity_of: Mapping[str, str]) -> dict[str, str]:
        """What became of each correction, by its id, once every name has its entity."""
        return {one.id: _effect(one, pair, entity_of) for one, pair in self._pairs}

    def _pairs_of(self, kind: CorrectionKind) -> list[tuple[str, str]]:
        return [(pair[0], pair[1]) for one, pair in self._pairs if one.kind == kind and _is_whole(pair)]


class _Present:
    """The names of a corpus, found as they were written or else, where that is clear, by normal form."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._by_form: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            self._by_form[normal_form(name)].append(name)

    def find(self, name: str) -> str:
        """The name; empty where the corpus has none or several like it."""
        alike = [name] if name in self._names else self._by_form.get(normal_form(name), [])
        return alike[0] if len(alike) == 1 else ""


def _is_whole(pair: tuple[str, ...]) -> bool:
    return all(pair) and len(set(pair)) == 2


def _effect(correction: Correction, pair: tuple[str, ...], entity_of: Mapping[str, str]) -> str:
    if not _is_whole(pair):
        return "without effect: the corpus no longer has both names"
    as_wanted = (len({entity_of[name] for name in pair}) == 1) == (correction.kind == "merge")
    return APPLIED if as_wanted else "not done: names that it would join were split by hand"
