"""Hop-aware analysis of a run: from the tracks of its answers to figures, and what a reader must know.

Answers by the kind of their question and its hops, in the order in which every table shows them.

From the tracks of a run to its figures, by kind of question and number of hops.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from kg.errors import command
from services.answers import NULL
from services.evaluate.hop_aware.content import (
    Accuracies,
    Depths,
    Figure,
    Group,
    GroupFigures,
    HopAware,
    Steps,
    mean,
    share,
)
from services.evaluate.hop_aware.tracks import Depth, Searches, Track
from services.evaluate.judge_requests import FULL_SCORE, RIGHT_FROM

CHAINED = ("chain", "sequential", "parallel")
"""The kinds of questions that have prefix questions; they come first."""


class QuestionFacts(Protocol):
    """What is known of an answer's question."""

    @property
    def kind(self) -> str:
        """The kind of question."""

    @property
    def query_type(self) -> str:
        """Its query type, empty where it has none."""

    @property
    def hops(self) -> int:
        """How many hops it takes."""


T = TypeVar("T", bound=QuestionFacts)


def grouped(some: Sequence[T]) -> list[tuple[Group, list[T]]]:
    """Each kind of question by hops; a kind with several depths has a group for all of them as well.

    Null questions are one group: they have no chain to count hops of.
    """
    kinds: defaultdict[tuple[str, str], list[T]] = defaultdict(list)
    for one in some:
        kinds[one.kind, one.query_type].append(one)
    found = []
    for kind, query_type in sorted(kinds, key=_order):
        inside = kinds[kind, query_type]
        depths = [] if kind == NULL else sorted({one.hops for one in inside})
        for hops in depths:
            found.append((Group(kind, query_type, hops), [one for one in inside if one.hops == hops]))
        if len(depths) != 1:
            found.append((Group(kind, query_type, None), inside))
    return found


def _order(kind: tuple[str, str]) -> tuple[int, str, str]:
    place = CHAINED.index(kind[0]) if kind[0] in CHAINED else len(CHAINED)
    return place, *kind


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
        for number in range(searches.attempts)
    ]
    return share([hit for hit, _ in hits], [cluster for _, cluster in hits])


def _share(tracks: Sequence[Track], hit: Callable[[Track], bool]) -> Figure:
    return share([hit(track) for track in tracks], [track.cluster for track in tracks])


def _mean(tracks: Sequence[Track], value: Callable[[Track], float], high: float | None = None) -> Figure:
    return mean([value(track) for track in tracks], [track.cluster for track in tracks], high=high)


def hop_aware(corpus: str, run: str, tracks: Sequence[Track]) -> HopAware:
    """The analysis of a run of this name, as its verdicts are now."""
    return HopAware(
        run=run,
        answers=len(tracks),
        groups=group_figures(tracks),
        total=figures_of(Group(ALL, ALL, None), tracks) if tracks else None,
        notes=tuple(_notes(corpus, run, tracks)),
    )


def comparison_notes(analyses: Sequence[HopAware]) -> tuple[str, ...]:
    """What must be known before the figures of several runs are compared."""
    counts = [{one.group: one.n for one in found.groups} for found in analyses]
    if all(one == other for one, other in pairwise(counts)):
        return ()
    told = ", ".join(f"{found.run} {found.answers:,}" for found in analyses)
    return (
        f"The runs did not answer the same questions (answers: {told}), so their figures can't be compared "
        f"line by line. {command('run report')} compares two runs on the questions that both answered.",
    )


def _notes(corpus: str, run: str, tracks: Sequence[Track]) -> Iterator[str]:
    who = f"Run {run!r}"
    scored = sum(track.score is not None for track in tracks)
    if not scored:
        yield (
            f"{who}: no judge scored its answers from 0 to 2, so there are no such scores. "
            f"Ask one: {command('run judge', run, '--corpus', corpus, '--scale', '0-2')}"
        )
    elif left := sum(track.score is None and not track.error for track in tracks):
        yield f"{who}: a judge scored {scored:,} answers from 0 to 2, and left {left:,} without a score."
    chains = [track for track in tracks if track.kind in CHAINED and track.hops > 1]
    chained = [track for track in chains if not track.unfit]
    if unfit := len(chains) - len(chained):
        yield (
            f"{who}: of {unfit:,} of {len(chains):,} questions a prefix question did not pass the filters, "
            "so what is answered to it proves nothing; these are left out of the depths."
        )
    asked = sum(track.depth is not None for track in chained)
    if chained and not asked:
        yield (
            f"{who}: its prefix questions were not asked, so how deep it gets is not known. Ask them: the "
            "same command that made it, with --prefixes."
        )
    elif asked < len(chained):
        yield (
            f"{who}: the prefix questions of {len(chained) - asked:,} of {len(chained):,} questions were not "
            "all asked; these are left out of the depths. The command that made it goes on, with --prefixes."
        )
    yield from _untold(who, tracks)
    if any(track.kind == NULL for track in tracks):
        yield (
            f"{who}: a null question has no chain, so it has no depth, and is neither collapsed nor "
            "over-extended."
        )
    if miscited := sum(track.miscited for track in tracks):
        yield (
            f"{who}: {miscited:,} of {len(tracks):,} answers cite a passage that was never shown; the "
            "citation is left out."
        )
    if unread := [track for track in tracks if track.unread]:
        right = sum(track.right for track in unread)
        yield (
            f"{who}: {len(unread):,} of {len(tracks):,} answers were given with no passage read, "
            f"{right:,} of them right: they rest on no text."
        )
    if errors := sum(bool(track.error) for track in tracks):
        noun = "question" if errors == 1 else "questions"
        yield f"{who} failed on {errors:,} {noun}, which count as wrong."


def _untold(who: str, tracks: Sequence[Track]) -> Iterator[str]:
    """What a system from outside kept to itself, and what can't be known for that."""
    if unlisted := sum(track.faults is None for track in tracks):
        yield (
            f"{who}: of {unlisted:,} answers the system does not list its steps, so how often it searched, "
            "for what, and with which faults is not known. A hop whose evidence was not seen counts as "
            "retrieval there: whether it was asked for can't be told."
        )
    if unsearched := sum(track.searches is None and track.faults is not None for track in tracks):
        yield (
            f"{who}: of {unsearched:,} answers no step tells a search, and the system does not tell what it "
            "retrieved; they are left out of what is said of searches."
        )
    if unseen := sum(not track.retrieval_reported for track in tracks):
        yield (
            f"{who}: of {unseen:,} answers the system does not tell what it retrieved, so at which hop they "
            'failed is not known: their cause is "not told".'
        )
