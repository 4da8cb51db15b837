"""Exact merges: names that are one thing in every context, over a whole corpus.

Three kinds of evidence bond names (`kg.resolve.bonds`). What hangs together by bonds becomes one group,
unless it would hold types that can't be one thing: bonds are transitive, so two right ones can chain a town
to a person. Such a group is split by type and reported, never merged by majority. Work is linear in the
number of names.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg.model import EntityName, EntityType
from kg.resolve.bonds import Bond, Pool, SplitGroup, acronym_bonds, same_key_bonds, same_letters_bonds
from kg.resolve.name_pool import PooledName, pool_names
from kg.resolve.name_shape import is_acronym, without_article
from kg.resolve.type_families import family, voted_type

DOMINANT_SHARE = 0.9
_QUOTES = frozenset("\"'\u2018\u2019\u201c\u201d")


@dataclass(frozen=True, slots=True)
class AliasMerge:
    """A name that was merged into `canonical`; `score` is the weakest evidence on the way there."""

    alias_name: str
    canonical: str
    score: float
    evidence: str


@dataclass(frozen=True, slots=True)
class ExactMerges:
    """Every name's canonical name, the canonical names' types, the merges behind it and the refusals."""

    canonical: dict[str, str]
    type_of: dict[str, EntityType]
    aliases: list[AliasMerge]
    split: list[SplitGroup]


def merge_exact(names: Sequence[EntityName]) -> ExactMerges:
    """Decide which names of a corpus are one thing; the order of `names` has no influence."""
    pool = pool_names(names)
    key_bonds, told_apart = same_key_bonds(pool)
    spelling_bonds = key_bonds + same_letters_bonds(pool)
    groups, _ = _groups(pool, spelling_bonds)
    short_bonds, ambiguous = acronym_bonds(pool, groups)
    bonds = spelling_bonds + short_bonds
    groups, split_by_type = _groups(pool, bonds)
    bonds_of = _bonds_by_name(bonds)

    canonical: dict[str, str] = {}
    type_of: dict[str, EntityType] = {}
    aliases: list[AliasMerge] = []
    for group in groups:
        chosen = min(group, key=lambda name: _rank(pool[name]))
        canonical.update(dict.fromkeys(group, chosen))
        type_of[chosen] = voted_type(_votes(pool[name] for name in group))
        aliases += _aliases(chosen, group, bonds_of)
    return ExactMerges(canonical, type_of, aliases, told_apart + ambiguous + split_by_type)


def _groups(pool: Pool, bonds: Sequence[Bond]) -> tuple[list[tuple[str, ...]], list[SplitGroup]]:
    """What hangs together by `bonds` and is of compatible types, in the order of the names."""
    groups: list[tuple[str, ...]] = []
    splits: list[SplitGroup] = []
    bonds_of = _bonds_by_name(bonds)
    for connected in _connected(pool, bonds_of):
        parts = _parts_by_type([pool[name] for name in connected])
        if len(parts) == 1:
            groups.append(connected)
            continue
        pieces = [piece for part in parts for piece in _connected(part, bonds_of)]
        groups += pieces
        splits.append(SplitGroup(connected, tuple(pieces), "types that can't be one thing"))
    return groups, splits


def _connected(names: Iterable[str], bonds_of: dict[str, list[Bond]]) -> list[tuple[str, ...]]:
    """The connected components of `names` under the bonds; each bond is walked once."""
    ordered = list(names)
    left = set(ordered)
    components = []
    for start in ordered:
        if start not in left:
            continue
        left.remove(start)
        component, waiting, walked = [start], deque([start]), set[int]()
        while waiting:
            for bond in bonds_of.get(waiting.popleft(), ()):
                if id(bond) in walked:
                    continue
                walked.add(id(bond))
                reached = [name for name in bond.names if name in left]
                left.difference_update(reached)
                component += reached
                waiting += reached
        components.append(tuple(sorted(component)))
    return components


def _parts_by_type(entries: Sequence[PooledName]) -> list[list[str]]:
    """Names by family; those of a vague type go with a family that clearly dominates, else by themselves."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    mentions: Counter[str] = Counter()
    for entry in entries:
        members[family(entry.type)].append(entry.name)
        mentions[family(entry.type)] += entry.count
    vague = members.pop("", [])
    del mentions[""]
    if not members:
        return [vague]
    largest, count = min(mentions.items(), key=lambda item: (-item[1], item[0]))
    if count >= DOMINANT_SHARE * mentions.total():
        members[largest] += vague
    elif vague:
        return [*members.values(), vague]
    return list(members.values())


def _rank(entry: PooledName) -> tuple[bool, bool, int, int, str]:
    """Smallest for the best name of a group: written out, tidy, frequent, long, first in the alphabet."""
    bare = without_article(entry.name)
    short = is_acronym(bare)
    shouted = bare.isupper() and not short
    framed = bare.endswith(("'s", "\u2019s")) or bare[:1] in _QUOTES or bare[-1:] in _QUOTES
    untidy = shouted or framed or bare != entry.name
    return short, untidy, -entry.count, -len(entry.name), entry.name


def _votes(entries: Iterable[PooledName]) -> Counter[EntityType]:
    votes: Counter[EntityType] = Counter()
    for entry in entries:
        for kind, count in entry.votes:
            votes[kind] += count
    return votes


def _aliases(chosen: str, group: Sequence[str], bonds_of: dict[str, list[Bond]]) -> list[AliasMerge]:
    """A merge for each other name of the group, with the evidence that leads from it to the chosen one."""
    members = set(group)
    score = {chosen: 1.0}
    waiting = deque([chosen])
    walked = set[int]()
    merges = []
    while waiting:
        reached_from = waiting.popleft()
        bonds = [bond for bond in bonds_of.get(reached_from, ()) if id(bond) not in walked]
        walked.update(map(id, bonds))
        for bond in sorted(bonds, key=lambda bond: (-bond.score, bond.names)):
            for name in bond.names:
                if name in members and name not in score:
                    score[name] = min(score[reached_from], bond.score)
                    through = "" if reached_from == chosen else f' as "{reached_from}"'
                    merges.append(AliasMerge(name, chosen, score[name], bond.evidence + through))
                    waiting.append(name)
    return sorted(merges, key=lambda merge: merge.alias_name)


def _bonds_by_name(bonds: Sequence[Bond]) -> dict[str, list[Bond]]:
    by_name: defaultdict[str, list[Bond]] = defaultdict(list)
    for bond in bonds:
        for name in bond.names:
            by_name[name].append(bond)
    return by_name
