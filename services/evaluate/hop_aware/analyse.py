"""Hop-aware analysis of a run: from the tracks of its answers to figures, and what a reader must know."""

from collections.abc import Iterator, Sequence
from shlex import quote

from services.evaluate.hop_aware.content import Group, HopAware
from services.evaluate.hop_aware.measure import ALL, CHAINED, figures_of, group_figures
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
    chained = [track for track in tracks if track.kind in CHAINED and track.hops > 1]
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
    untold = sum(track.searches is None for track in tracks)
    if untold:
        yield f"{who}: of {untold:,} answers the system does not tell its steps; they are left out of those."
    if any(track.kind == NULL for track in tracks):
        yield (
            f"{who}: a null question has no chain, so it has no depth, and is neither collapsed nor "
            "over-extended."
        )
    if errors := sum(bool(track.error) for track in tracks):
        noun = "question" if errors == 1 else "questions"
        yield f"{who} failed on {errors:,} {noun}, which count as wrong."
