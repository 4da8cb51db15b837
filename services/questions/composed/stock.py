"""Atomic questions on demand: chunks are asked once, and what is wanted of them goes through the filters.

Which chunks may make a question a hop longer: those on its answer, and those that say alike of another.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from kg.model import LITERAL_TYPES
from kg.queries import query
from kg.store.graph import Graph
from services.questions.composed.measures import parse_measure
from services.questions.composed.protocol import Across, Atom, Composed, Parts, Refused
from services.questions.draft import Check
from services.questions.filters.choose import was_checked
from services.questions.filters.solver import NOT_CHECKED
from services.questions.kinds.askable import list_askable
from services.questions.kinds.spread import chance
from services.questions.predicate_key import predicate_key

FAN_OUT = 8
"""Chunks of each entity, and partners of each atomic question, that are looked at."""
MOST_KEYS = 300
SUBJECTS_A_GROUP = 80
ROWS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class Related:
    """A chunk from which question number `at` may go on; an atomic question of it must name `entity`.

    With a `triple` it must ask for this fact.
    """

    at: int
    chunk: str
    entity: str
    triple: str = ""


def next_chunks(graph: Graph, questions: Sequence[Composed], across: Across) -> Iterator[Related]:
    """Chunks on the entity that answers each question so far, or on one that is the same in some context.

    Across articles, none is of an article that the question has a chunk of.
    """
    rows = [
        {
            "id": str(at),
            "entity": one.answered_by,
            "known": [hop.atom.chunk for hop in one.hops],
            "articles": [hop.atom.article for hop in one.hops] if across == "articles" else [],
        }
        for at, one in enumerate(questions)
        if one.answered_by and _leads_on(one)
    ]
    for row in graph.read_rows(query("facts/find_next"), rows, ROWS_A_BATCH, fan_out=FAN_OUT):
        for chunk in row["chunks"]:
            yield Related(int(row["id"]), chunk, row["entity"])


def _leads_on(question: Composed) -> bool:
    """Whether its answer is a thing; nobody asks what else happened to a date."""
    return question.last.topology == "comparison" or question.last.atom.answer_type not in LITERAL_TYPES


@dataclass(frozen=True, slots=True)
class Stated:
    """That a subject has a value under a predicate's key, and one chunk that states it, with its article."""

    triple: str
    subject: str
    value: str
    chunk: str
    article: str


_Group = tuple[str, str, str]
"""A predicate's key, the subject's type, and the object's sort: "" for a name, "date", what it measures."""


@dataclass(frozen=True, slots=True)
class Partners:
    """What can be set side by side: the subjects of each predicate, by their type, at a bounded number."""

    seed: int
    across: Across
    _groups: Mapping[_Group, Sequence[Stated]] = field(repr=False)
    _group_of: Mapping[str, tuple[_Group, str]] = field(repr=False)
    _told_in: Mapping[tuple[str, str], Sequence[_Group]] = field(repr=False)

    def of(self, at: int, atom: Atom) -> list[Related]:
        """Chunks that state of something else what an atomic question asks for, drawn by chance."""
        if not atom.about:
            return []
        groups = self._told_in.get((atom.chunk, atom.about[0]), ())
        if atom.triple:
            # Only what asks for the value of its subject can be set beside another one.
            group, subject = self._group_of.get(atom.triple, (None, ""))
            groups = (group,) if group is not None and subject == atom.about[0] else ()
        found = [
            one
            for group in groups
            for one in self._groups[group]
            if one.subject not in atom.about and self._apart(one, atom)
        ]
        found.sort(key=lambda one: chance(self.seed, *sorted((atom.triple or atom.id, one.triple))))
        return [
            Related(at, one.chunk, one.subject, one.triple if atom.triple else "")
            for one in _both_sorts(found, atom.answered_by)
        ]

    def _apart(self, one: Stated, atom: Atom) -> bool:
        return one.article != atom.article if self.across == "articles" else one.chunk != atom.chunk


def _both_sorts(found: Sequence[Stated], value: str) -> list[Stated]:
    """Those with the same value and those with another one in turns, as far as there are any."""
    same = [one for one in found if one.value == value][:FAN_OUT]
    other = [one for one in found if one.value != value][:FAN_OUT]
    paired = [one for pair in zip(same, other, strict=False) for one in pair]
    rest = (*same[len(other) :], *other[len(same) :])
    return [*paired, *rest][:FAN_OUT]


def read_partners(graph: Graph, corpus: str, seed: int, across: Across) -> Partners:
    """Read the corpus once for all predicates that make a question for two."""
    predicates = list_askable(graph, corpus, fewest=2, limit=MOST_KEYS)
    groups: dict[_Group, dict[str, Stated]] = defaultdict(dict)
    for row in graph.stream(query("facts/list_stated"), corpus=corpus, predicates=sorted(predicates)):
        if not row["chunks"]:
            continue
        measure = parse_measure(row["value_name"]) if row["sort"] == "number" else None
        if row["sort"] == "number" and measure is None:
            continue
        key = predicate_key(row["predicate"])
        group = groups[key, row["type"], measure.kind if measure else row["sort"]]
        first = row["chunks"][0]
        one = Stated(row["triple"], row["subject"], row["value"], first["id"], first["article"])
        before = group.get(one.subject)
        if before is None or one.triple < before.triple:
            group[one.subject] = one
        if len(group) > SUBJECTS_A_GROUP:
            del group[max(group, key=lambda subject: chance(seed, key, subject))]
    several = {group: sorted(found.values(), key=_by_triple) for group, found in groups.items()}
    told_in: dict[tuple[str, str], list[_Group]] = defaultdict(list)
    for name, stated in sorted(several.items()):
        for one in stated:
            told_in[one.chunk, one.subject].append(name)
    group_of = {one.triple: (name, one.subject) for name, stated in several.items() for one in stated}
    return Partners(seed, across, several, group_of, told_in)


def _by_triple(one: Stated) -> str:
    return one.triple


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
    def by_chunk(self) -> Mapping[str, tuple[Atom, ...]]:
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
