"""How well a grouping of items agrees with a gold grouping: pairs, and B-cubed."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from services.evaluate.statistics.intervals import Interval, share_interval, wilson

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `n`, with a 95 % interval; both rate and interval are None where n is 0."""

    right: int
    n: int
    rate: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class BCubed:
    """B-cubed precision, recall and their harmonic mean over `items`."""

    items: int
    precision: float
    recall: float
    f1: float


def share(verdicts: Sequence[bool], groups: Sequence[str] = ()) -> Share:
    """The share of true verdicts; with `groups`, the interval allows for verdicts of a group going together.

    All pairs of one entity stand or fall together, so taking them for independent would promise too much.
    """
    right, n = sum(verdicts), len(verdicts)
    if not n:
        return Share(0, 0, None, None)
    interval = share_interval(verdicts, groups) if groups else wilson(right, n)
    return Share(right, n, right / n, interval)


def pairwise(found: Mapping[Item, str], gold: Mapping[Item, str]) -> tuple[Share, Share]:
    """Pairwise precision and recall of `found` groups against `gold` groups, over the same items.

    A pair of items counts for precision where `found` puts both into one group, for recall where `gold` does.
    """
    return _agreement(found, gold), _agreement(gold, found)


def _agreement(one: Mapping[Item, str], other: Mapping[Item, str]) -> Share:
    """Of the pairs that `one` joins, those that `other` joins too."""
    verdicts, groups = [], []
    for name, members in _members(one).items():
        for first, second in combinations(members, 2):
            verdicts.append(other[first] == other[second])
            groups.append(name)
    return share(verdicts, groups)


def b_cubed(found: Mapping[Item, str], gold: Mapping[Item, str]) -> BCubed:
    """B-cubed (Bagga and Baldwin 1998, "Algorithms for Scoring Coreference Chains").

    For each item: precision is the share of its found group that has its gold group, recall the share of its
    gold group that is in its found group; both are averaged over the items. f1 is the harmonic mean of the
    two averages. No items score 1.
    """
    if found.keys() != gold.keys():
        raise ValueError("Found and gold groups must be over the same items.")
    if not gold:
        return BCubed(0, 1.0, 1.0, 1.0)
    both = Counter((found[item], gold[item]) for item in gold)
    found_size, gold_size = Counter(found.values()), Counter(gold.values())
    precision = sum(n * n / found_size[mine] for (mine, _), n in both.items()) / len(gold)
    recall = sum(n * n / gold_size[theirs] for (_, theirs), n in both.items()) / len(gold)
    return BCubed(len(gold), precision, recall, 2 * precision * recall / (precision + recall))


def _members(groups: Mapping[Item, str]) -> dict[str, list[Item]]:
    members: defaultdict[str, list[Item]] = defaultdict(list)
    for item, group in groups.items():
        members[group].append(item)
    return members
