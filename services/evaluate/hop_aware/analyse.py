"""Hop-aware analysis of a run: from the tracks of its answers to figures, and what a reader must know."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from shlex import quote

from services.evaluate.hop_aware.content import Group, HopAware
from services.evaluate.hop_aware.grouping import CHAINED
from services.evaluate.hop_aware.measure import ALL, figures_of, group_figures
from services.evaluate.hop_aware.tracks import NULL, Track


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
        "line by line. kg run report compares two runs on the questions that both answered.",
    )


def _notes(corpus: str, run: str, tracks: Sequence[Track]) -> Iterator[str]:
    who, command = f"Run {run!r}", f"{quote(run)} --corpus {quote(corpus)}"
    scored = sum(track.score is not None for track in tracks)
    if not scored:
        yield (
            f"{who}: no judge scored its answers from 0 to 2, so there are no such scores. "
            f"Ask one: kg run judge {command} --scale 0-2"
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
    if unseen := sum(not track.told for track in tracks):
        yield (
            f"{who}: of {unseen:,} answers the system does not tell what it retrieved, so at which hop they "
            'failed is not known: their cause is "not told".'
        )
