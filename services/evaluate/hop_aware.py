"""What hop-aware analysis finds about a run: plain values, shown as tables, a page or JSON.

A mean over answers with an interval that takes only clusters of answers for independent.

Hop-aware analysis of a run: from the tracks of its answers to figures, and what a reader must know.

Answers by the kind of their question and its hops, in the order in which every table shows them.

From the tracks of a run to its figures, by kind of question and number of hops.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite
from typing import Protocol, TypeVar

import numpy as np

from kg.errors import command
from services.answers import NULL
from services.evaluate.hop_traces import Depth, Searches, Track
from services.evaluate.judge import FULL_SCORE, RIGHT_FROM
from services.evaluate.matrix import SMALL
from services.statistics.clustered_means import clustered_means, share_interval
from services.statistics.intervals import Interval, partition


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean of `n` values, None where there are none; `interval` is None where nothing can be said of it."""

    n: int
    value: float | None
    interval: Interval | None

    @property
    def small(self) -> bool:
        """Whether there are too few to say anything."""
        return self.n < SMALL


def share(hits: Sequence[bool], clusters: Sequence[str]) -> Figure:
    """The share of hits; its interval is by cluster, or Wilson's with fewer than two clusters."""
    n = len(hits)
    return Figure(n, sum(hits) / n if n else None, share_interval(hits, clusters))


def mean(
    values: Sequence[float], clusters: Sequence[str], low: float = 0.0, high: float | None = None
) -> Figure:
    """The mean of values that lie between `low` and `high`, with Student's interval by cluster.

    See `clustered_means`. No interval with one cluster, and none where values without a `high` are all alike.
    """
    if not len(values):
        return Figure(0, None, None)
    table = np.asarray(values, np.float64)
    found = clustered_means(table, partition(clusters), low, inf if high is None else high).column(0)
    bounded = found.interval is not None and isfinite(found.interval.high)
    return Figure(found.n, found.mean, found.interval if bounded else None)


@dataclass(frozen=True, slots=True)
class Group:
    """Some questions: of a kind, its query type, and a number of hops; None for the hops stands for all."""

    kind: str
    query_type: str
    hops: int | None

    @property
    def label(self) -> str:
        """Kind with query type, as tables name it."""
        if self.kind == self.query_type or not self.query_type:
            return self.kind
        return f"{self.kind} ({self.query_type})"


@dataclass(frozen=True, slots=True)
class Accuracies:
    """How many answers are right (AgenticRAGTracer, table 1).

    `right` is by the run's judge, `exact` and `f1` are computed after SQuAD's normalisation. `judged` is the
    share of answers that a judge on the scale 0 to 2 gives 1 or 2, over those that he scored; `scores` counts
    the 0, 1 and 2. `miscited` counts answers that cite a passage which was never shown, `unread` those that a
    model gave without having been shown any.
    """

    right: Figure
    exact: Figure
    f1: Figure
    judged: Figure
    scores: tuple[int, int, int]
    abstained: int
    errors: int
    miscited: int
    unread: int


@dataclass(frozen=True, slots=True)
class Depths:
    """How deep the chains are followed, over the answers whose prefix questions were all asked.

    `reached` is the mean of MaxD, `unbroken` that of the unbroken depth; `*_failed` are over the questions
    answered wrong. `by_depth` counts answers by MaxD.
    """

    reached: Figure
    unbroken: Figure
    reached_failed: Figure
    unbroken_failed: Figure
    by_depth: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Steps:
    """How searches were spent, over the answers of which that is known.

    `right` and `wrong` are Steps-C and Steps-I: mean numbers of searches on questions answered right and
    wrong (AgenticRAGTracer, section 4.3 and table 2). `by_count` maps a number of searches to how many
    answers with it are right and how many wrong. `collapsed` is the share with fewer searches than hops,
    `extended` with more than twice as many; both leave out questions of one hop, and null questions. `top_k`
    is the mean that a search asked for, `seen` how many chunks it brought: over searches. `top_k_by_search`
    is the mean over the first searches of the answers, over the second, and so on (figure 3 there).
    `redundant` is the share of searches that look for what an earlier one looked for.
    """

    right: Figure
    wrong: Figure
    by_count: Mapping[int, tuple[int, int]]
    collapsed: Figure
    extended: Figure
    top_k: Figure
    top_k_by_search: Mapping[int, Figure]
    seen: Figure
    redundant: Figure


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """Everything about the answers to a group of questions; `faults` counts an agent's faults an answer, over
    the answers whose steps are known, and `fault_kinds` each kind's."""

    group: Group
    n: int
    clusters: int
    accuracies: Accuracies
    depths: Depths
    steps: Steps
    faults: Figure
    fault_kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class HopAware:
    """A run under hop-aware analysis: a line for each group of questions, and one for all.

    `notes` are sentences that a reader must know.
    """

    run: str
    answers: int
    groups: tuple[GroupFigures, ...]
    total: GroupFigures | None
    notes: tuple[str, ...]


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


def group_by_hops(some: Sequence[T]) -> list[tuple[Group, list[T]]]:
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
    """The figures of each kind of question by hops (`group_by_hops`)."""
    return tuple(figures_of(group, some) for group, some in group_by_hops(tracks))


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
    yield from _notes_on_unreported(who, tracks)
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


def _notes_on_unreported(who: str, tracks: Sequence[Track]) -> Iterator[str]:
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
