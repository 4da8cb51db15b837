"""From chunks to composed questions of two, three and four hops (AgenticRAGTracer, section 3).

Questions of two hops are made of kept atomic ones, those of three of verified ones of two, and so on. Each
goes through all filters; one whose fault is of words is mended once and goes through them again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast, get_args

from kg.errors import SettingsError
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, batches
from services.questions.composed.protocol import (
    Across,
    Atom,
    Candidate,
    Composed,
    Hop,
    Parts,
    Refused,
    Topology,
)
from services.questions.composed.selection import Selected, select
from services.questions.composed.stock import (
    AtomStock,
    Partners,
    Related,
    has_verdict,
    next_chunks,
    read_partners,
    run_checks,
    told_shortly,
)
from services.questions.filters.choose import was_checked
from services.questions.kinds.spread import chance

DEPTHS = (2, 3, 4)
POOL = 3
"""So many times more verified questions are made of each depth than are wanted: longer ones begin there."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class ComposeSize:
    """How many hops, how many kept questions of each depth and way at most, and the most of one domain.

    `across` is what its hops are of several of. `most_chunks` is of how many chunks atomic questions are made
    at most, None for as many as it takes.
    """

    hops: tuple[int, ...] = DEPTHS
    per_hops: int = 50
    max_domain_share: float = 0.16
    seed: int = 0
    most_chunks: int | None = None
    across: Across = "articles"

    def __repr__(self) -> str:
        """The text from which the key of composing is made, under the first name of the class, so that what
        was composed before stays done; `most_chunks` stands in the key by itself."""
        names = ("hops", "per_hops", "max_domain_share", "seed", "across")
        return f"Wanted({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def parse_depths(given: Iterable[str]) -> tuple[int, ...]:
    """Numbers of hops, from words such as "2", each once and in order.

    Raises:
        SettingsError: questions aren't composed of so many hops, or none was given.
    """
    parts = list(given)
    known = {str(depth): depth for depth in DEPTHS}
    unknown = [part for part in parts if part not in known]
    if unknown or not parts:
        raise SettingsError(
            f"questions can't be composed of {unknown[0] if unknown else 'no'!r} hops.",
            f"Give some of {', '.join(known)} with commas.",
        )
    return tuple(sorted({known[part] for part in parts}))


def parse_across(text: str) -> Across:
    """What the hops of a question are of several of.

    Raises:
        SettingsError: it is neither articles nor chunks.
    """
    for name in get_args(Across):
        if text == name:
            return cast(Across, name)
    raise SettingsError(f"hops can't be of several {text!r}.", "Use --across articles or --across chunks.")


@dataclass(slots=True)
class Depth:
    """What became of the candidates of one depth; `not_checked` had no verdict, as a model failed."""

    verified: dict[Topology, list[Composed]] = field(
        default_factory=lambda: {"inference": [], "comparison": []}
    )
    rejected: list[Composed] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    tried: Counter[Topology] = field(default_factory=Counter)
    mended: int = 0
    not_checked: int = 0

    def room(self, topology: Topology, per_hops: int, tries: int) -> bool:
        """Whether more questions of a way are wanted, and more candidates may be tried."""
        return len(self.verified[topology]) < POOL * per_hops and self.tried[topology] < tries * per_hops


@dataclass(frozen=True, slots=True)
class Composing:
    """All that composing made: by depth what came of it, and which verified questions are kept."""

    stock: AtomStock
    depths: dict[int, Depth]
    selected: dict[int, Selected]

    @property
    def not_checked(self) -> int:
        """Chunks, atomic questions, pairs and questions of which a model that failed said nothing."""
        return self.stock.not_checked + sum(depth.not_checked for depth in self.depths.values())


@dataclass(frozen=True, slots=True)
class Place:
    """The corpus that questions are composed in."""

    graph: Graph
    corpus: str


def compose(place: Place, parts: Parts, wanted: ComposeSize, progress: Progress) -> Composing:
    """Compose questions; the same graph, parts and seed always give the same ones.

    Raises:
        ModelError: a model can't go on; what it answered comes from its cache the next time.
    """
    stock = AtomStock(parts, wanted.most_chunks)
    partners = read_partners(place.graph, place.corpus, wanted.seed, wanted.across)
    work = _Work(place, parts, wanted, stock, partners)
    depths: dict[int, Depth] = {}
    for number in DEPTHS:
        if number > max(wanted.hops):
            break
        depth = depths[number] = Depth()
        if number == 2:
            _begin(work, depth, progress)
        else:
            _extend(work, depths[number - 1], depth, number, progress)
    selected = {
        number: select(depth.verified, wanted.per_hops, wanted.max_domain_share, wanted.seed)
        for number, depth in depths.items()
        if number in wanted.hops
    }
    return Composing(stock, depths, selected)


@dataclass(frozen=True, slots=True)
class _Work:
    place: Place
    parts: Parts
    size: ComposeSize
    stock: AtomStock
    partners: Partners
    seen: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


def _begin(work: _Work, depth: Depth, progress: Progress) -> None:
    """Questions of two hops, from chunks drawn by chance, domain by domain in turns."""
    chunks = _drawn_chunks(work.place, work.size.seed)
    progress.step("questions of 2 hops", len(chunks))
    for batch in batches(chunks, max(1, work.parts.batch // 2)):
        if not _ways(work, depth, 2):
            break
        atoms = work.stock.of(batch)
        made = [atom for chunk in batch for atom in atoms[chunk]]
        _grow(work, [_as_base(atom) for atom in work.stock.passing(made)], depth, 2)
        progress.advance(len(batch))


def _extend(work: _Work, shorter: Depth, depth: Depth, number: int, progress: Progress) -> None:
    """Questions a hop longer than verified ones, those of both ways in turns."""
    bases = _in_turns(list(shorter.verified.values()))
    progress.step(f"questions of {number} hops", len(bases))
    for batch in batches(bases, work.parts.batch):
        _grow(work, batch, depth, number)
        progress.advance(len(batch))


def _ways(work: _Work, depth: Depth, number: int) -> list[Topology]:
    """How bases may be made longer: by a comparison only at first, and as long as more are wanted.

    What is asked on from a comparison counts as one: by its first two hops it is parallel.
    """
    ways: list[Topology] = ["inference", "comparison"] if number == 2 else ["inference"]
    return [way for way in ways if number > 2 or _room(work, depth, way)]


def _room(work: _Work, depth: Depth, way: Topology) -> bool:
    return depth.room(way, work.size.per_hops, work.parts.tries)


def _grow(work: _Work, bases: Sequence[Composed], depth: Depth, number: int) -> None:
    for way in _ways(work, depth, number):
        for some_bases in batches(bases, work.parts.bases or max(1, len(bases))):
            _grow_by(
                work, [one for one in some_bases if _room(work, depth, _way_after(one, way))], depth, way
            )


def _grow_by(work: _Work, bases: Sequence[Composed], depth: Depth, way: Topology) -> None:
    if bases:
        for some in batches(_candidates(work, bases, way), work.parts.batch):
            wanted = [one for one in some if _room(work, depth, _way_after(one.base, way))]
            for candidate in wanted:
                depth.tried[_way_after(candidate.base, way)] += 1
            _verify(work, wanted, depth)


def _way_after(base: Composed, way: Topology) -> Topology:
    return "comparison" if way == "comparison" else base.topology


def _candidates(work: _Work, bases: Sequence[Composed], way: Topology) -> Iterator[Candidate]:
    """Each base with atomic questions of related chunks, a bounded number of each."""
    related = (
        list(next_chunks(work.place.graph, bases, work.size.across))
        if way == "inference"
        else [one for at, base in enumerate(bases) for one in work.partners.of(at, base.last.atom)]
    )
    related = _fewer(related, bases, work)
    atoms = work.stock.of(one.chunk for one in related)
    taken: Counter[int] = Counter()
    parts = work.parts
    most = {"inference": parts.atoms_a_question, "comparison": parts.atoms_behind_comparison}
    fitting = [(one, atom) for one in related for atom in atoms[one.chunk] if _fits(one, atom)]
    passing = {atom.id for atom in work.stock.passing([atom for _, atom in fitting])}
    pairs = [(one, atom) for one, atom in fitting if atom.id in passing]
    pairs.sort(
        key=lambda pair: (pair[0].at, chance(work.size.seed, bases[pair[0].at].hops[0].atom.id, pair[1].id))
    )
    for one, atom in pairs:
        base = bases[one.at]
        key = _key(base, atom, way)
        if taken[one.at] < most[base.topology] and key not in work.seen:
            taken[one.at] += 1
            work.seen.add(key)
            yield Candidate(base, atom, way)


def _fewer(related: list[Related], bases: Sequence[Composed], work: _Work) -> list[Related]:
    """As many of the chunks that each base can go on from as the parts want, those asked before first."""
    most = work.parts.chunks_a_question
    if most is None:
        return related
    chosen: list[Related] = []
    for at, base in enumerate(bases):
        own = [one for one in related if one.at == at]
        first = base.hops[0].atom.id
        chunks = sorted(
            {one.chunk for one in own},
            key=lambda chunk: (chunk not in work.stock.by_chunk, chance(work.size.seed, first, chunk)),
        )[:most]
        chosen += [one for one in own if one.chunk in chunks]
    return chosen


def _fits(related: Related, atom: Atom) -> bool:
    if related.triple and atom.triple:
        return atom.triple == related.triple and related.entity in atom.about
    return related.entity in atom.about


def _key(base: Composed, atom: Atom, way: Topology) -> str:
    """What makes a candidate another one: facts rather than chunks, and of compared ones not their order."""
    ids = [_name(hop.atom) for hop in base.hops]
    parts = sorted([*ids, _name(atom)]) if way == "comparison" else [*ids, _name(atom)]
    return "\n".join((way, *parts))


def _name(atom: Atom) -> str:
    return f"{atom.triple} {atom.answered_by}" if atom.triple else atom.id


def _verify(work: _Work, candidates: Sequence[Candidate], depth: Depth) -> None:
    """Join candidates, put what comes of them through the filters, mend what can be mended."""
    made: list[Composed] = []
    for one in work.parts.joiner.join(candidates):
        if isinstance(one, Refused):
            depth.refused[told_shortly(one.reason)] += 1
            depth.not_checked += not has_verdict(one.reason)
        elif one.last.question in work.texts:
            depth.refused["the same question is there already"] += 1
        else:
            work.texts.add(one.last.question)
            made.append(one)
    checked = _checked(work.parts, made)
    fallen = [one for one in checked if not one.kept]
    mended = work.parts.refiner.mend(fallen)
    again = iter(_checked(work.parts, [one for one in mended if one is not None]))
    passing = [one for one in checked if one.kept]
    for before, after in zip(fallen, mended, strict=True):
        tried = next(again) if after is not None else None
        if tried is not None and tried.kept:
            depth.mended += 1
            passing.append(tried)
        else:
            depth.rejected.append(before)
            depth.not_checked += not all(was_checked(check) for check in (tried or before).checks)
    for one, accepted in zip(passing, work.parts.refiner.alternatives(passing), strict=True):
        depth.verified[one.topology].append(_with_answers(one, accepted))


def _checked(parts: Parts, questions: Sequence[Composed]) -> list[Composed]:
    said = run_checks(parts.filters, questions)
    return [Composed(one.hops, one.generator, checks) for one, checks in zip(questions, said, strict=True)]


def _with_answers(question: Composed, accepted: tuple[str, ...]) -> Composed:
    last = replace(question.last, accepted=accepted or question.last.accepted)
    return replace(question, hops=(*question.hops[:-1], last))


def _as_base(atom: Atom) -> Composed:
    hop = Hop(1, atom, None, atom.question, atom.answer, atom.accepted, atom.answered_by)
    return Composed((hop,), atom.generator)


def _drawn_chunks(place: Place, seed: int) -> list[str]:
    """All chunks with a claim, domain by domain in turns, by chance within each."""
    by_domain: dict[str, list[str]] = {}
    for row in place.graph.stream(query("chunks/list_claiming"), corpus=place.corpus):
        by_domain.setdefault(row["domain"], []).append(row["id"])
    for chunks in by_domain.values():
        chunks.sort(key=lambda chunk: chance(seed, chunk))
    return _in_turns([by_domain[domain] for domain in sorted(by_domain)])


def _in_turns(lists: Iterable[Sequence[T]]) -> list[T]:
    """The first of each list, then the second of each, and so on."""
    waiting = [list(one) for one in lists]
    longest = max(map(len, waiting), default=0)
    return [one[at] for at in range(longest) for one in waiting if at < len(one)]
