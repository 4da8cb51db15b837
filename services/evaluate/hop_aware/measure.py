"""From the tracks of a run to its figures, by kind of question and number of hops."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from services.evaluate.hop_aware.content import Accuracies, Depths, Group, GroupFigures, Steps
from services.evaluate.hop_aware.depth import Depth
from services.evaluate.hop_aware.figures import Figure, mean, share
from services.evaluate.hop_aware.grouping import grouped
from services.evaluate.hop_aware.searches import Searches
from services.evaluate.hop_aware.tracks import NULL, Track
from services.evaluate.judge_requests import FULL_SCORE, RIGHT_FROM

ALL = "all"
OVER = 2
"""Searches for a hop beyond which an answer is over-extended."""


def group_figures(tracks: Sequence[Track]) -> tuple[GroupFigures, ...]:
    """The figures of each kind of question by hops (`grouping.grouped`)."""
    return tuple(figures_of(group, some) for group, some in grouped(tracks))


def figures_of(group: Group, tracks: Sequence[Track]) -> GroupFigures:
    """The figures of some answers."""
    return GroupFigures(
        group=group,
        n=len(tracks),
        clusters=len({track.cluster for track in tracks}),
        accuracies=_accuracies(tracks),
        depths=_depths(tracks),
        steps=_steps(tracks),
        faults=_mean([track for track in tracks if track.faults is not None], _faults),
        fault_kinds=dict(sorted(Counter(kind for track in tracks for kind in track.faults or ()).items())),
    )


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
        miscited=sum(track.miscited for track in tracks),
        unread=sum(track.unread for track in tracks),
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
        top_k=_each(told, _known_top_k),
        top_k_by_search=_top_k_by_search(told),
        seen=_each(told, lambda searches: searches.seen),
        redundant=_redundant(told),
    )


def _faults(track: Track) -> int:
    return len(track.faults or ())


def _count_of(told: Sequence[tuple[Track, Searches]]) -> Figure:
    return mean([searches.run for _, searches in told], [track.cluster for track, _ in told])


def _each(told: Sequence[tuple[Track, Searches]], values: Callable[[Searches], Sequence[int]]) -> Figure:
    """The mean over searches; those of one cluster's answers stand and fall together."""
    flat = [(value, track.cluster) for track, searches in told for value in values(searches)]
    return mean([value for value, _ in flat], [cluster for _, cluster in flat])


def _known_top_k(searches: Searches) -> list[int]:
    return [top_k for top_k in searches.top_k if top_k is not None]


def _top_k_by_search(told: Sequence[tuple[Track, Searches]]) -> dict[int, Figure]:
    asked: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for track, searches in told:
        for number, top_k in enumerate(searches.top_k, start=1):
            if top_k is not None:
                asked[number].append((top_k, track.cluster))
    return {
        number: mean([top_k for top_k, _ in asked[number]], [cluster for _, cluster in asked[number]])
        for number in sorted(asked)
    }


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
