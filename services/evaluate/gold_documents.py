"""What others annotated: documents with entities, and the pairs of entities that some fact relates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from kg.errors import SettingsError


@dataclass(frozen=True, slots=True)
class GoldEntity:
    """All names of one thing in a document, in matching form; `sentences` where they stand, if that is known.

    `named` is false for dates, numbers and common nouns.
    """

    names: frozenset[str]
    sentences: frozenset[int] = frozenset()
    named: bool = False


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A text with its annotations; `pairs` are indices into `entities`, the smaller first."""

    id: str
    title: str
    text: str
    published_at: datetime | None
    entities: tuple[GoldEntity, ...]
    pairs: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Gold:
    """Annotated documents of one kind.

    `complete` says that all related pairs are annotated, so that what is found beyond them is wrong; `named`
    that all named entities are.
    """

    format: str
    documents: tuple[GoldDocument, ...]
    complete: bool
    named: bool


def pair_of(left: int, right: int) -> tuple[int, int]:
    """A pair without direction."""
    return (left, right) if left < right else (right, left)


def draw(
    documents: Sequence[GoldDocument], sample: int | None, seed: int, held_out: bool
) -> tuple[GoldDocument, ...]:
    """`sample` documents drawn by `seed`, or the others when they are to be `held_out`; all without a sample.

    Raises:
        SettingsError: there are not so many documents, or none is left.
    """
    if sample is None:
        if held_out:
            raise SettingsError("--held-out needs to know what is not to be used.", "Give --sample N too.")
        return tuple(documents)
    if not 1 <= sample <= len(documents):
        raise SettingsError(
            f"{sample} documents can't be drawn from {len(documents)}.", f"Give 1 to {len(documents)}."
        )
    # Drawn as in the first measurements, so that new figures compare with old ones.
    drawn = Random(seed).sample(documents, sample)  # noqa: S311
    if not held_out:
        return tuple(drawn)
    used = {document.id for document in drawn}
    rest = tuple(document for document in documents if document.id not in used)
    if not rest:
        raise SettingsError("no document is left to hold out.", "Draw fewer: --sample N.")
    return rest


def without_empty(pairs: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs of matching forms that name two things."""
    return {(left, right) for left, right in pairs if left and right and left != right}
