"""How many clusters the evidence of a question must span, and how many of their borders its hops must cross.

A hop may be shown by any one of its supporting chunks, so both are the least over all choices of one chunk a
hop. A chunk whose cluster is unknown could be in any: a hop with such a chunk demands nothing.
"""

from collections.abc import Collection, Mapping, Sequence

MOST_EXACT = 16
"""Hops with a choice up to which the least number of clusters is searched for; a question has a few."""


def labels_of_hops(
    hops: Sequence[Collection[str]], clusters: Mapping[str, str | None]
) -> list[frozenset[str]]:
    """The clusters of each hop's chunks; none for a hop that demands nothing.

    `hops` are the supporting chunks of each hop, in order; `clusters` has None for an unknown cluster.
    """
    found = []
    for chunks in hops:
        labels = {clusters.get(chunk) for chunk in chunks}
        found.append(frozenset(label for label in labels if label is not None and None not in labels))
    return found


def least_clusters(hops: Sequence[Collection[str]]) -> int | None:
    """The size of the smallest set of clusters that has one of each hop's; None where no hop demands any.

    >>> least_clusters([{"north"}, {"north", "south"}, {"south", "west"}])
    2
    """
    demanding = {frozenset(labels) for labels in hops if labels}
    if not demanding:
        return None
    # What a smaller set of labels demands, a larger one around it demands as well.
    needed = [labels for labels in demanding if not any(other < labels for other in demanding)]
    forced = {label for labels in needed if len(labels) == 1 for label in labels}
    open_ = [labels for labels in needed if not labels & forced]
    return len(forced) + (_cover(open_) if len(open_) <= MOST_EXACT else _greedy_cover(open_))


def least_crossings(hops: Sequence[Collection[str]]) -> int | None:
    """How often the cluster must change from one hop to the next; None where no hop demands any.

    To stay in a cluster as long as possible is best, since any later cluster can be changed to as well.

    >>> least_crossings([{"2031-01"}, {"2031-02"}, {"2031-01", "2031-02"}, {"2031-01"}])
    2
    """
    demanding = [frozenset(labels) for labels in hops if labels]
    if not demanding:
        return None
    crossings, here = 0, demanding[0]
    for labels in demanding[1:]:
        if here & labels:
            here &= labels
        else:
            crossings, here = crossings + 1, labels
    return crossings


def _cover(hops: Sequence[frozenset[str]]) -> int:
    """How many labels it takes at least to have one of each hop: breadth first over the sets of hops met."""
    met_by: dict[str, int] = {}
    for at, labels in enumerate(hops):
        for label in labels:
            met_by[label] = met_by.get(label, 0) | 1 << at
    steps, all_met = set(met_by.values()), (1 << len(hops)) - 1
    reached, number = {0}, 0
    while all_met not in reached:
        reached = {met | step for met in reached for step in steps}
        number += 1
    return number


def _greedy_cover(hops: Sequence[frozenset[str]]) -> int:
    """The same where a search would take too long: at each step the label that most hops share."""
    left, number = list(hops), 0
    while left:
        labels = sorted(set().union(*left))
        best = max(labels, key=lambda label: sum(label in one for one in left))
        left, number = [one for one in left if best not in one], number + 1
    return number
