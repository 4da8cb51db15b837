"""Atomic questions on demand: chunks are asked once, and what is wanted of them goes through the filters."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    """The atomic questions of chunks, of `most` chunks at most; those that are wanted go through the filters.

    `made` and `kept` count those that went through them, and `fell` by filter those that did not pass.
    `refused` counts the chunks and facts of which no question came, by reason; `not_checked` those of both
    of which a model that failed said nothing.
    """

    parts: Parts
    most: int | None = None
    made: int = 0
    kept: int = 0
    not_checked: int = 0
    fell: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    _atoms: dict[str, tuple[Atom, ...]] = field(default_factory=dict, repr=False)
    _passed: dict[str, bool] = field(default_factory=dict, repr=False)
    _checked: list[Atom] = field(default_factory=list, repr=False)

    def of(self, chunks: Iterable[str]) -> dict[str, tuple[Atom, ...]]:
        """The atomic questions of some chunks, by chunk, unfiltered; none of chunks beyond the most.

        Raises:
            ModelError: a model can't go on.
        """
        wanted = list(dict.fromkeys(chunks))
        new = [chunk for chunk in wanted if chunk not in self._atoms]
        room = len(new) if self.most is None else max(0, self.most - len(self._atoms))
        if new[:room]:
            self._add(new[:room])
        return {chunk: self._atoms.get(chunk, ()) for chunk in wanted}

    def passing(self, atoms: Iterable[Atom]) -> list[Atom]:
        """Those of some atomic questions that pass all filters, in their order; each is checked once.

        Raises:
            ModelError: a model can't go on.
        """
        wanted = list(atoms)
        new = list({atom.id: atom for atom in wanted if atom.id not in self._passed}.values())
        self.made += len(new)
        self._checked += new
        for atom, checks in zip(new, run_checks(self.parts.atom_filters, new), strict=True):
            failed = next((check for check in checks if not check.passed), None)
            self._passed[atom.id] = failed is None
            if failed is None:
                self.kept += 1
            else:
                self.fell[failed.filter] += 1
                self.not_checked += not was_checked(failed)
        return [atom for atom in wanted if self._passed[atom.id]]

    @property
    def asked(self) -> Mapping[str, tuple[Atom, ...]]:
        """The atomic questions of the chunks that were asked, in the order in which they came."""
        return self._atoms

    @property
    def checked(self) -> tuple[Atom, ...]:
        """Those that went through the filters."""
        return tuple(self._checked)

    @property
    def chunks(self) -> int:
        """How many chunks were asked."""
        return len(self._atoms)

    def _add(self, chunks: Sequence[str]) -> None:
        made: dict[str, list[Atom]] = {chunk: [] for chunk in chunks}
        for one in self.parts.atom_maker.atoms(chunks):
            if isinstance(one, Refused):
                self.refused[told_shortly(one.reason)] += 1
                self.not_checked += not has_verdict(one.reason)
            else:
                made[one.chunk].append(one)
        self._atoms.update({chunk: tuple(atoms) for chunk, atoms in made.items()})
