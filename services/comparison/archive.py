"""The archive of a judged comparison: every row that a figure follows from, in one file that can be verified.

    protocol.json  lock.json  look.json        what was fixed before, and how much of it is here
    runs.jsonl  questions.jsonl  chunks.jsonl  pool.jsonl    of all planned questions, also of later looks
    answers/01.jsonl ...                       one file a system, in the order of the protocol
    judgements/judge/01.jsonl ...              likewise, and for the second judge
    calibration/judge.jsonl ...                what each judge said of answers of known quality
    calibration/known.jsonl                    those of a finished run, where the protocol names one
    results.json, tables and report            computed from the rows above, and from nothing else
    manifest.json                              the SHA-256 of each of these files

The same comparison gives the same bytes with the same version of zlib; the manifest's hashes are over what
is in the files, and don't depend on it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar, get_args
from zipfile import ZipFile

from pydantic import Field, TypeAdapter, ValidationError

from kg import __version__
from kg.errors import InputError, command
from kg.files import take_name, to_disk
from services.comparison.archive_rows import (
    LEAST_ROW_BYTES,
    MOST_HELD_BYTES,
    MOST_HELD_ROWS,
    MOST_LOOKED_UP_BYTES,
    MOST_ROWS,
    ArchivedRows,
    Member,
    Rows,
    read_text,
    sizes_in,
    write_rows,
    write_text,
)
from services.comparison.collect import questions_at
from services.comparison.judging.calibration import CalibrationRow
from services.comparison.locking import Lock
from services.comparison.protocol import Protocol
from services.comparison.records import (
    Answer,
    Candidates,
    Chunk,
    Count,
    Judgement,
    KnownAnswer,
    Question,
    RunRecord,
)

ARCHIVE = 1
"""The version of the layout of an archive."""

MANIFEST = "manifest.json"
KNOWN = "calibration/known.jsonl"

JudgeRole = Literal["judge", "second_judge"]
"""The two judges, by the fields of the protocol that name them."""
ROLES: tuple[JudgeRole, ...] = get_args(JudgeRole)

T = TypeVar("T")

_CHANGED = "The archive was changed; get it again from whoever made it."


@dataclass(frozen=True, slots=True)
class Look:
    """Which look at the results this is, from 1: after `questions` of the `planned` ones."""

    number: Count
    questions: Count
    planned: Annotated[Count, Field(ge=1)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that is known of a judged comparison; figures are a pure function of it.

    `sample` are all planned questions, and `questions` those of this look as `services.comparison.collect`
    draws them: cluster by cluster, those of an earlier look first.
    `answers[system]` and `judgements[role][system]` have one row for each of `questions`, in the same order;
    every system and both roles are there. `chunks` are those of the pools and of
    the gold evidence; `pool` has one row for each planned question, also those of later looks, by their ids.
    `known` are answers of a finished run on which judges were tried.
    """

    protocol: Protocol
    lock: Lock
    look: Look
    questions: tuple[Question, ...]
    runs: tuple[RunRecord, ...]
    chunks: Rows[Chunk]
    pool: Rows[Candidates]
    answers: Mapping[str, Rows[Answer]]
    judgements: Mapping[JudgeRole, Mapping[str, Rows[Judgement]]]
    calibration: Mapping[JudgeRole, Rows[CalibrationRow]]
    sample: tuple[Question, ...] = ()
    known: tuple[KnownAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself: the version of its layout and of Hopgrade, and its files by name."""

    archive: int
    hopgrade: str
    files: Mapping[str, Member]


Rendered: TypeAlias = Mapping[str, str]
"""Texts of files that follow from a comparison, by their names in the archive."""


def write_archive(
    path: Path, comparison: Comparison, render: Callable[[Comparison], Rendered] = lambda _: {}
) -> Comparison:
    """Write an archive, whole or not at all, and return the comparison as it reads from it.

    `render` gets the comparison as it stands in the archive, so that what it makes follows from what is kept.

    Raises:
        InputError: it can't be written there.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        with ZipFile(part, "w") as bundle:
            files = dict(_written(bundle, comparison))
        texts = render(_comparison(part, files))
        with ZipFile(part, "a") as bundle:
            files |= {name: write_text(bundle, name, texts[name]) for name in sorted(texts)}
            manifest = Manifest(ARCHIVE, __version__, dict(sorted(files.items())))
            write_text(bundle, MANIFEST, _json(asdict(manifest)))
        with part.open("rb") as written:
            to_disk(written)
        take_name(part, path)
    except OSError as error:
        raise InputError(
            f"{path} can't be written: {error.strerror or error}.", "Make room there, or give another folder."
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return read_archive(path)


def read_archive(path: Path) -> Comparison:
    """The comparison in an archive; what is many is read when it is gone through, not before.

    Raises:
        InputError: it is no archive of this layout, or a file of it is missing or damaged.
    """
    return _comparison(path, read_manifest(path).files)


def read_manifest(path: Path) -> Manifest:
    """What an archive says of itself.

    Raises:
        InputError: it is no archive of this layout.
    """
    manifest = _parsed(path, MANIFEST, Manifest)
    if manifest.archive != ARCHIVE:
        raise InputError(
            f"{path.name} is an archive of layout {manifest.archive}, and this version reads {ARCHIVE}.",
            f"Use the version that wrote it: hopgrade {manifest.hopgrade}.",
        )
    return manifest


def file_of(protocol: Protocol, folder: str, system: str) -> str:
    """The name of a system's file in a folder of the archive."""
    names = [one.name for one in protocol.systems]
    return f"{folder}/{names.index(system) + 1:02d}.jsonl"


def _written(bundle: ZipFile, comparison: Comparison) -> Iterator[tuple[str, Member]]:
    protocol = comparison.protocol
    for name, value in (("lock.json", comparison.lock), ("look.json", comparison.look)):
        yield name, write_text(bundle, name, _json(asdict(value)))
    yield "protocol.json", write_text(bundle, "protocol.json", _json(protocol.model_dump(mode="json")))

    def rows(name: str, kind: type[T], some: Rows[T]) -> tuple[str, Member]:
        return name, write_rows(bundle, name, kind, some)

    yield rows("runs.jsonl", RunRecord, comparison.runs)
    yield rows("questions.jsonl", Question, comparison.sample or comparison.questions)
    yield rows("chunks.jsonl", Chunk, comparison.chunks)
    yield rows("pool.jsonl", Candidates, comparison.pool)
    if comparison.known:
        yield rows(KNOWN, KnownAnswer, comparison.known)
    for one in protocol.systems:
        yield rows(file_of(protocol, "answers", one.name), Answer, comparison.answers[one.name])
    for role in ROLES:
        for one in protocol.systems:
            name = file_of(protocol, f"judgements/{role}", one.name)
            yield rows(name, Judgement, comparison.judgements[role][one.name])
        yield rows(f"calibration/{role}.jsonl", CalibrationRow, comparison.calibration[role])


def _comparison(path: Path, files: Mapping[str, Member]) -> Comparison:
    protocol, sizes = _parsed(path, "protocol.json", Protocol), sizes_in(path)

    def rows(name: str, kind: type[T]) -> ArchivedRows[T]:
        member = files.get(name)
        if member is None or member.rows is None or name not in sizes:
            raise InputError(
                f"{path.name} holds no {name}.",
                f"Give an archive that {command('standard run')} wrote, whole.",
            )
        # Room for as many rows is made before they are read.
        if member.rows * LEAST_ROW_BYTES > sizes[name]:
            raise InputError(
                f"{MANIFEST} in {path.name} says that {name} has {member.rows:,} rows, which its "
                f"{sizes[name]:,} bytes can't hold.",
                _CHANGED,
            )
        return ArchivedRows(path, name, kind, member.rows)

    def small(name: str, kind: type[T]) -> ArchivedRows[T]:
        """A table that fits into memory, which some check needs whole."""
        some = rows(name, kind)
        if len(some) > MOST_HELD_ROWS or sizes[name] > MOST_HELD_BYTES:
            raise InputError(
                f"{name} in {path.name} has {len(some):,} rows in {sizes[name]:,} bytes, more than "
                f"{MOST_HELD_ROWS:,} rows or {MOST_HELD_BYTES:,} bytes, which no comparison needs.",
                _CHANGED,
            )
        return some

    def held(name: str, kind: type[T]) -> tuple[T, ...]:
        return tuple(iter(small(name, kind)))

    total = sum(member.rows or 0 for member in files.values())
    if total > MOST_ROWS:
        largest = max(files, key=lambda name: files[name].rows or 0)
        raise InputError(
            f"{MANIFEST} in {path.name} speaks of {total:,} rows, more than {MOST_ROWS:,} for all files; "
            f"{largest} has most of them.",
            _CHANGED,
        )

    looked_up = sum(sizes.get(name, 0) for name in ("chunks.jsonl", "pool.jsonl"))
    if looked_up > MOST_LOOKED_UP_BYTES:
        raise InputError(
            f"chunks.jsonl and pool.jsonl in {path.name} unpack to {looked_up:,} bytes, more than "
            f"{MOST_LOOKED_UP_BYTES:,} together.",
            _CHANGED,
        )

    def of_systems(folder: str, kind: type[T]) -> dict[str, Rows[T]]:
        return {one.name: rows(file_of(protocol, folder, one.name), kind) for one in protocol.systems}

    sample, look = held("questions.jsonl", Question), _parsed(path, "look.json", Look)
    if not 1 <= look.number <= len(protocol.inference.looks):
        raise InputError(
            f"look.json in {path.name} is about look {look.number}, which the protocol doesn't plan.",
            _CHANGED,
        )
    return Comparison(
        protocol=protocol,
        lock=_parsed(path, "lock.json", Lock),
        look=look,
        questions=questions_at(protocol, sample, look.number),
        runs=held("runs.jsonl", RunRecord),
        chunks=rows("chunks.jsonl", Chunk),
        pool=rows("pool.jsonl", Candidates),
        answers=of_systems("answers", Answer),
        judgements={role: of_systems(f"judgements/{role}", Judgement) for role in ROLES},
        calibration={role: small(f"calibration/{role}.jsonl", CalibrationRow) for role in ROLES},
        sample=sample,
        known=held(KNOWN, KnownAnswer) if KNOWN in files else (),
    )


def _parsed(path: Path, name: str, kind: type[T]) -> T:
    text = read_text(path, name)
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        wrong = error.errors()[0]
        place = ".".join(map(str, wrong["loc"]))
        raise InputError(
            f"{name} in {path.name} can't be read: {wrong['msg']}{f' at {place}' if place else ''}.",
            _CHANGED,
        ) from error


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
