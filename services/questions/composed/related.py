"""Which chunks may make a question a hop longer: those on its answer, and those that say alike of another."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg.model import LITERAL_TYPES
from kg.queries import query
from kg.store.graph import Graph
from services.questions.composed.protocol import Atom, Composed
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


def next_chunks(graph: Graph, questions: Sequence[Composed]) -> Iterator[Related]:
    """Chunks on the entity that answers each question so far, or on one that is the same in some context."""
    rows = [
        {"id": str(at), "entity": one.answered_by, "known": [hop.atom.chunk for hop in one.hops]}
        for at, one in enumerate(questions)
        if one.answered_by and _leads_on(one)
    ]
    for row in graph.read_rows(query("composed/find_next"), rows, ROWS_A_BATCH, fan_out=FAN_OUT):
        for chunk in row["chunks"]:
            yield Related(int(row["id"]), chunk, row["entity"])


def _leads_on(question: Composed) -> bool:
    """Whether its answer is a thing; nobody asks what else happened to a date."""
    return question.last.topology == "comparison" or question.last.atom.answer_type not in LITERAL_TYPES


@dataclass(frozen=True, slots=True)
class Stated:
    """That a subject has a value under a predicate's key, and one chunk that states it."""

    triple: str
    subject: str
    value: str
    chunk: str


_Group = tuple[str, str, bool]
"""A predicate's key, the subject's type, and whether the object is a date."""


@dataclass(frozen=True, slots=True)
class Partners:
    """What can be set side by side: the subjects of each predicate, by their type, at a bounded number."""

    seed: int
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
            if one.subject not in atom.about and one.chunk != atom.chunk
        ]
        found.sort(key=lambda one: chance(self.seed, *sorted((atom.triple or atom.id, one.triple))))
        return [
            Related(at, one.chunk, one.subject, one.triple if atom.triple else "")
            for one in _both_sorts(found, atom.answered_by)
        ]


def _both_sorts(found: Sequence[Stated], value: str) -> list[Stated]:
    """Those with the same value and those with another one in turns, as far as there are any."""
    same = [one for one in found if one.value == value][:FAN_OUT]
    other = [one for one in found if one.value != value][:FAN_OUT]
    paired = [one for pair in zip(same, other, strict=False) for one in pair]
    rest = (*same[len(other) :], *other[len(same) :])
    return [*paired, *rest][:FAN_OUT]


def read_partners(graph: Graph, corpus: str, seed: int) -> Partners:
    """Read the corpus once for all predicates that make a question for two."""
    predicates = list_askable(graph, corpus, fewest=2, limit=MOST_KEYS)
    groups: dict[_Group, dict[str, Stated]] = defaultdict(dict)
    for row in graph.stream(query("composed/list_stated"), corpus=corpus, predicates=sorted(predicates)):
        if not row["chunks"]:
            continue
        key = predicate_key(row["predicate"])
        group = groups[key, row["type"], row["dated"]]
        one = Stated(row["triple"], row["subject"], row["value"], row["chunks"][0])
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
    return Partners(seed, several, group_of, told_in)


def _by_triple(one: Stated) -> str:
    return one.triple
