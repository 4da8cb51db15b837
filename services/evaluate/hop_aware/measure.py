"""From the tracks of a run to its figures, by kind of question and number of hops."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from services.evaluate.hop_aware.content import Accuracies, Depths, Group, GroupFigures, Steps
from services.evaluate.hop_aware.depth import Depth
from services.evaluate.hop_aware.figures import Figure, mean, share
from services.evaluate.hop_aware.searches import Searches
from services.evaluate.hop_aware.tracks import NULL, Track
from services.evaluate.judge_requests import FULL_SCORE, RIGHT_FROM

ALL = "all"
OVER = 2
"""Searches for a hop beyond which an answer is over-extended."""

CHAINED = ("chain", "sequential", "parallel")
"""The kinds of questions that have prefix questions; they come first."""


def group_figures(tracks: Sequence[Track]) -> tuple[GroupFigures, ...]:
    """The figures of each kind of question by hops; a kind with several depths has a line for all as well.

    Null questions have one line: they have no chain to count hops of.
    """
    kinds: defaultdict[tuple[str, str], list[Track]] = defaultdict(list)
    for track in tracks:
        kinds[track.kind, track.query_type].append(track)
    found = []
    for kind, query_type in sorted(kinds, key=_order):
        inside = kinds[kind, query_type]
        depths = [] if kind == NULL else sorted({track.hops for track in inside})
        for hops in depths:
            some = [track for track in inside if track.hops == hops]
            found.append(figures_of(Group(kind, query_type, hops), some))
        if len(depths) != 1:
            found.append(figures_of(Group(kind, query_type, None), inside))
    return tuple(found)


def figures_of(group: Group, tracks: Sequence[Track]) -> GroupFigures:
    """The figures of some answers."""
    return GroupFigures(
        group=group,
        n=len(tracks),
        clusters=len({track.cluster for track in tracks}),
        accuracies=_accuracies(tracks),
        depths=_depths(tracks),
        steps=_steps(tracks),
        faults=_mean(tracks, lambda track: len(track.faults)),
        fault_kinds=dict(sorted(Counter(kind for track in tracks for kind in track.faults).items())),
    )


def _order(kind: tuple[str, str]) -> tuple[int, str, str]:
    place = CHAINED.index(kind[0]) if kind[0] in CHAINED else len(CHAINED)
    return place, *kind


def _accuracies(tracks: Sequence[Track]) -> Accuracies:
    scored = [track for track in tracks if track.score is not None]
    counts = Counter(track.score for track in scored)
    return Accuracies(
        right=_share(tracks, lambda track: track.right),
        exact=_share(tracks, lambda track: track.exact),
        f1=_mean(tracks, lambda track: track.f1, high=1.0),
        judged=_share(scored, lambda track: (track.score or 0) >= RIGHT_FROM),
        scores=(counts[0], counts[RIGHT_FROM], counts[FULL_SCORE]),
        abstained=sum(track.abstained for track in tracks),
        errors=sum(bool(track.error) for track in tracks),
    )


def _depths(tracks: Sequence[Track]) -> Depths:
    asked = [(track, track.depth) for track in tracks if track.depth is not None]
    failed = [(track, depth) for track, depth in asked if not track.right]

    def over(some: Sequence[tuple[Track, Depth]], value: Callable[[Depth], int]) -> Figure:
        most = max((track.hops for track, _ in some), default=0)
        return mean([value(depth) for _, depth in some], [track.cluster for track, _ in some], high=most)

    return Depths(
        reached=over(asked, lambda depth: depth.reached),
        unbroken=over(asked, lambda depth: depth.unbroken),
        reached_failed=over(failed, lambda depth: depth.reached),
        unbroken_failed=over(failed, lambda depth: depth.unbroken),
        by_depth=dict(sorted(Counter(depth.reached for _, depth in asked).items())),
    )


def _steps(tracks: Sequence[Track]) -> Steps:
    told = [(track, track.searches) for track in tracks if track.searches is not None]
    counts: defaultdict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for track, searches in told:
        right, wrong = counts[searches.run]
        counts[searches.run] = (right + track.right, wrong + (not track.right))
    chained = [(track, searches.run) for track, searches in told if track.hops > 1 and track.kind != NULL]
    clusters = [track.cluster for track, _ in chained]
    return Steps(
        right=_count_of([one for one in told if one[0].right]),
        wrong=_count_of([one for one in told if not one[0].right]),
        by_count=dict(sorted(counts.items())),
        collapsed=share([run < track.hops for track, run in chained], clusters),
        extended=share([run > OVER * track.hops for track, run in chained], clusters),
        top_k=_each(told, lambda searches: searches.top_k),
        seen=_each(told, lambda searches: searches.seen),
        redundant=_redundant(told),
    )


def _count_of(told: Sequence[tuple[Track, Searches]]) -> Figure:
    return mean([searches.run for _, searches in told], [track.cluster for track, _ in told])


def _each(told: Sequence[tuple[Track, Searches]], values: Callable[[Searches], Sequence[int]]) -> Figure:
    """The mean over searches; those of one cluster's answers stand and fall together."""
    flat = [(value, track.cluster) for track, searches in told for value in values(searches)]
    return mean([value for value, _ in flat], [cluster for _, cluster in flat])


def _redundant(told: Sequence[tuple[Track, Searches]]) -> Figure:
    hits = [
        (number < searches.redundant, track.cluster)
        for track, searches in told
        for number in range(searches.wanted)
    ]
    return share([hit for hit, _ in hits], [cluster for _, cluster in hits])


def _share(tracks: Sequence[Track], hit: Callable[[Track], bool]) -> Figure:
    return share([hit(track) for track in tracks], [track.cluster for track in tracks])


def _mean(tracks: Sequence[Track], value: Callable[[Track], float], high: float | None = None) -> Figure:
    return mean([value(track) for track in tracks], [track.cluster for track in tracks], high=high)
