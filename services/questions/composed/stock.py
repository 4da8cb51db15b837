"""Atomic questions on demand: chunks are asked once, what comes of them is filtered and kept."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from services.questions.composed.parts import Parts
from services.questions.composed.protocol import Atom, Refused
from services.questions.draft import Check
from services.questions.filters.choose import was_checked
from services.questions.filters.solver import NOT_CHECKED

LONGEST_REASON = 80
_QUOTED = re.compile(r'"[^"]*"')

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


def told_shortly(reason: str) -> str:
    """A reason without what is told of one case alone: a model's own words, a name in quotes."""
    return _QUOTED.sub("...", reason.partition(":")[0])[:LONGEST_REASON]


def has_verdict(reason: str) -> bool:
    """Whether a refusal is one, rather than a model that failed and can be asked again."""
    return not reason.startswith(NOT_CHECKED)


class Checking(Protocol[T_contra]):
    """A filter over anything."""

    @property
    def name(self) -> str:
        """What funnels and reports call it."""
        ...

    def check(self, items: Sequence[T_contra], /) -> list[Check]:
        """One verdict an item, in order."""
        ...


def run_checks(filters: Sequence[Checking[T]], items: Sequence[T]) -> list[tuple[Check, ...]]:
    """What the filters said of each item, in their order; what fails one is not shown to the next."""
    said: list[list[Check]] = [[] for _ in items]
    passing = list(range(len(items)))
    for one in filters:
        if not passing:
            break
        checks = one.check([items[at] for at in passing])
        for at, check in zip(passing, checks, strict=True):
            said[at].append(check)
        passing = [at for at, check in zip(passing, checks, strict=True) if check.passed]
    return [tuple(checks) for checks in said]


@dataclass(slots=True)
class AtomStock:
    """The atomic questions of chunks that passed their filters; `fell` counts the others by filter.

    `refused` counts the chunks and facts of which no question came, by reason; `not_checked` those of both
    of which a model that failed said nothing.
    """

    parts: Parts
    made: int = 0
    kept: int = 0
    not_checked: int = 0
    fell: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    _atoms: dict[str, tuple[Atom, ...]] = field(default_factory=dict, repr=False)

    def of(self, chunks: Iterable[str]) -> dict[str, tuple[Atom, ...]]:
        """The atomic questions of some chunks, by chunk.

        Raises:
            ModelError: a model can't go on.
        """
        wanted = list(dict.fromkeys(chunks))
        new = [chunk for chunk in wanted if chunk not in self._atoms]
        if new:
            self._add(new)
        return {chunk: self._atoms[chunk] for chunk in wanted}

    @property
    def asked(self) -> tuple[str, ...]:
        """The ids of the chunks that were asked, in the order in which they came."""
        return tuple(self._atoms)

    @property
    def chunks(self) -> int:
        """How many chunks were asked."""
        return len(self._atoms)

    def _add(self, chunks: Sequence[str]) -> None:
        made: list[Atom] = []
        for one in self.parts.atom_maker.atoms(chunks):
            if isinstance(one, Refused):
                self.refused[told_shortly(one.reason)] += 1
                self.not_checked += not has_verdict(one.reason)
            else:
                made.append(one)
        self.made += len(made)
        kept: defaultdict[str, list[Atom]] = defaultdict(list)
        for atom, checks in zip(made, run_checks(self.parts.atom_filters, made), strict=True):
            failed = next((check for check in checks if not check.passed), None)
            if failed is None:
                kept[atom.chunk].append(atom)
            else:
                self.fell[failed.filter] += 1
                self.not_checked += not was_checked(failed)
        self.kept += sum(map(len, kept.values()))
        self._atoms.update({chunk: tuple(kept[chunk]) for chunk in chunks})
