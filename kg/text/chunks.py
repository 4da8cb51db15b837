"""Retrieval chunks: whole sentences of one article, within bounds counted in WordPiece tokens.

The default, 128 to 256 tokens with 50 of overlap, is the set-up of GRADE (section 4.1).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from kg.errors import SettingsError
from kg.model import Chunk, Span
from kg.text.sentences import sentence_spans
from kg.text.tokens import count_tokens, iter_token_spans

MOST_CHUNKS = 999_999
"""The most that a size can say of the chunks of an article."""
SMALLEST_MAX = 8
"""A smaller bound could not hold one character of every script."""


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """Bounds of a chunk and the overlap of neighbours, in WordPiece tokens.

    An article has at most `most_chunks`; with 0, as many as it takes.
    """

    min_tokens: int
    max_tokens: int
    overlap_tokens: int
    most_chunks: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens < SMALLEST_MAX or not 1 <= self.min_tokens <= self.max_tokens:
            raise SettingsError(
                f"Chunks of {self.min_tokens} to {self.max_tokens} tokens can't be made.",
                f"Give a minimum of 1 or more and a maximum of {SMALLEST_MAX} or more that is not below it.",
            )
        if not 0 <= self.overlap_tokens < self.max_tokens:
            raise SettingsError(
                f"An overlap of {self.overlap_tokens} tokens does not fit chunks of {self.max_tokens}.",
                "Give an overlap of 0 or more, below the maximum.",
            )

    def __str__(self) -> str:
        most = f"/{self.most_chunks}" if self.most_chunks else ""
        return f"{self.min_tokens}-{self.max_tokens}/{self.overlap_tokens}{most}"


SMALL = ChunkSize(64, 128, 25)
MEDIUM = ChunkSize(128, 256, 50)
LARGE = ChunkSize(256, 512, 100)
NAMED_SIZES = {"small": SMALL, "medium": MEDIUM, "large": LARGE}

_SIZE = re.compile(r"\s*(\d{1,6})\s*-\s*(\d{1,6})\s*/\s*(\d{1,6})\s*(?:/\s*(\d{1,6})\s*)?")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a part of one that is too long. `joinable`: it may share a chunk with what's before."""

    start: int
    end: int
    tokens: int
    joinable: bool = True


def parse_chunk_size(text: str) -> ChunkSize:
    """The size with the name "small", "medium" or "large", or one written "128-256/50" (min-max/overlap).

    A fourth number is the most chunks of an article: "128-256/50/20".
    """
    named = NAMED_SIZES.get(text.strip().lower())
    if named is not None:
        return named
    numbers = _SIZE.fullmatch(text)
    if numbers is None:
        raise SettingsError(
            f'"{text}" is not a chunk size.',
            f"Use {', '.join(NAMED_SIZES)}, or MIN-MAX/OVERLAP in tokens, such as {MEDIUM}.",
        )
    return ChunkSize(*map(int, numbers.groups(default="0")))


def choose_size(chunks: str | None, most: int | None) -> ChunkSize | None:
    """A size and the most chunks of an article together, as they were given; None where neither was.

    Raises:
        SettingsError: there is no such size.
    """
    if most is None:
        return parse_chunk_size(chunks) if chunks else None
    return replace(parse_chunk_size(chunks or "medium"), most_chunks=most)


def chunk(body: str, size: ChunkSize = MEDIUM) -> list[Chunk]:
    """The chunks of an article in order; each text is body[start:end]. No text gives no chunk.

    Promised: no chunk exceeds `max_tokens`; every sentence within `max_tokens` lies whole in a chunk, and
    a longer one is cut between words; every character that is not white space lies in a chunk, but for what
    comes after `most_chunks`; starts and ends increase. A chunk is shorter than `min_tokens` only where
    neither neighbouring sentence fits in.

    A chunk begins with the last sentences of the one before: as many as have `overlap_tokens` together, one
    if the last alone has more; fewer only where the next sentence would not fit, more where the chunk would
    stay below `min_tokens`. An overlap of 0 repeats nothing but for that minimum.
    """
    pieces = list(_pieces(body, size.max_tokens))
    windows = islice(_windows(pieces, size), size.most_chunks or None)
    return [
        Chunk(
            position=position,
            start=pieces[first].start,
            end=pieces[after - 1].end,
            tokens=sum(piece.tokens for piece in pieces[first:after]),
            text=body[pieces[first].start : pieces[after - 1].end],
        )
        for position, (first, after) in enumerate(windows)
    ]


def _windows(pieces: list[_Piece], size: ChunkSize) -> Iterator[tuple[int, int]]:
    """The pieces of each chunk, as (first, one after the last)."""
    earliest = first = after = 0
    while after < len(pieces):
        tokens = sum(piece.tokens for piece in pieces[first : after + 1])
        after += 1
        while after < len(pieces) and _fits(pieces[after], pieces[after], tokens, size.max_tokens):
            tokens += pieces[after].tokens
            after += 1
        while (
            tokens < size.min_tokens
            and first > earliest
            and _fits(pieces[first], pieces[first - 1], tokens, size.max_tokens)
        ):
            first -= 1
            tokens += pieces[first].tokens
        yield first, after
        earliest = first + 1
        if after < len(pieces):
            first = _overlap_start(pieces, earliest, after, size)


def _fits(later: _Piece, added: _Piece, tokens: int, max_tokens: int) -> bool:
    """Whether `added` may join a chunk of `tokens`, where `later` is the later one at the seam."""
    return later.joinable and tokens + added.tokens <= max_tokens


def _overlap_start(pieces: list[_Piece], earliest: int, after: int, size: ChunkSize) -> int:
    """Where the chunk that must hold the piece `after` begins."""
    first, repeated = after, 0
    while first > earliest and size.overlap_tokens and pieces[first].joinable:
        more = repeated + pieces[first - 1].tokens
        if (more > size.overlap_tokens and first < after) or more + pieces[after].tokens > size.max_tokens:
            break
        first, repeated = first - 1, more
    return first


def _pieces(body: str, max_tokens: int) -> Iterator[_Piece]:
    for span in sentence_spans(body):
        tokens = count_tokens(body[span.start : span.end])
        if tokens <= max_tokens:
            yield _Piece(span.start, span.end, tokens)
        else:
            yield from _cut_sentence(body, span, tokens, max_tokens)


def _cut_sentence(body: str, sentence: Span, tokens: int, max_tokens: int) -> Iterator[_Piece]:
    """A long sentence in about equal parts of at most `max_tokens`, cut between words."""
    target = -(-tokens // -(-tokens // max_tokens))
    part: _Piece | None = None
    for word in _words(body, sentence, max_tokens):
        if part is None:
            part = word
        elif part.tokens >= target or not _fits(word, word, part.tokens, max_tokens):
            yield part
            part = word
        else:
            part = _Piece(part.start, word.end, part.tokens + word.tokens, part.joinable)
    if part is not None:
        yield part


def _words(body: str, sentence: Span, max_tokens: int) -> Iterator[_Piece]:
    """What a sentence is cut into: words; the parts of a word that is too long for a chunk alone."""
    for match in _WORD.finditer(body, sentence.start, sentence.end):
        tokens = count_tokens(match.group())
        if tokens <= max_tokens:
            yield _Piece(match.start(), match.end(), tokens)
        else:
            yield from _parts_of_word(body, match.start(), match.end(), max_tokens)


def _parts_of_word(body: str, start: int, end: int, max_tokens: int) -> Iterator[_Piece]:
    """Punctuation, signs and runs of letters; a run that is still too long falls into fragments."""
    opening = [start + span.start for span in iter_token_spans(body[start:end]) if span.opens_word]
    for first, after in pairwise([start, *opening[1:], end]):
        tokens = count_tokens(body[first:after])
        if tokens <= max_tokens:
            yield _Piece(first, after, tokens)
        else:
            yield from _fragments(body, first, after, max_tokens)


def _fragments(body: str, start: int, end: int, max_tokens: int) -> Iterator[_Piece]:
    """Stretches of one run of letters; joined again they might count otherwise, so they never are."""
    first = start
    while first < end:
        after = min(end, first + max_tokens)
        while after > first + 1 and count_tokens(body[first:after]) > max_tokens:
            after -= 1
        yield _Piece(first, after, count_tokens(body[first:after]), joinable=first == start)
        first = after
