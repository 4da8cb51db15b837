"""A protocol is locked before the first answer: from then on it is this one, or it is another comparison.

The lock is a node in the graph, and a file in the comparison's folder that says the same, so that either
notices a change where the other was lost. Both hold the whole protocol, to be able to tell what changed.

What changed between two protocols: where, from what, to what.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from kg import __version__
from kg.corpus import require_corpus
from kg.errors import InputError, UserError
from kg.files import write_whole
from kg.ids import node_id, run_id
from kg.queries import query
from kg.store.graph import Graph
from services.comparison.folder import LOCK_FILE
from services.comparison.protocol import (
    JsonData,
    Protocol,
    canonical_json,
    document_hash,
    protocol_document,
    protocol_hash,
    read_json,
)

_NAMES = ("id", "name")
"""By these fields the parts of a list are known, where all have one."""


@dataclass(frozen=True, slots=True)
class Change:
    """A place in a protocol ("hypotheses.H1.smallest") and its values as JSON, None where it wasn't there."""

    path: str
    old: str | None
    new: str | None

    @property
    def summary(self) -> str:
        """What happened at the place, in a few words."""
        if self.old is None:
            return f"{self.new} was added"
        return f"{self.old} is gone" if self.new is None else f"{self.old} became {self.new}"

    def __str__(self) -> str:
        """The change with its place."""
        return f"{self.path}: {self.summary}"


def changes_between(old: JsonData, new: JsonData) -> tuple[Change, ...]:
    """Every place where two documents differ, in the order of the older one, what was added last.

    Parts of a list are compared by their id or name where they have one, else by their place from 1.
    """
    return tuple(_changes("", old, new))


def _changes(path: str, old: JsonData, new: JsonData) -> Iterator[Change]:
    before, after = _parts(old), _parts(new)
    if before is None or after is None or isinstance(old, Mapping) != isinstance(new, Mapping):
        if canonical_json(old) != canonical_json(new):
            yield Change(path, canonical_json(old), canonical_json(new))
        return
    for name, value in before.items():
        place = f"{path}.{name}" if path else name
        if name in after:
            yield from _changes(place, value, after[name])
        else:
            yield Change(place, canonical_json(value), None)
    for name, value in after.items():
        if name not in before:
            yield Change(f"{path}.{name}" if path else name, None, canonical_json(value))
    if before.keys() == after.keys() and list(before) != list(after) and isinstance(old, Sequence):
        yield Change(f"{path} (order)", canonical_json(list(before)), canonical_json(list(after)))


def _parts(value: JsonData) -> dict[str, JsonData] | None:
    """What a value is made of, by name; None where it is made of nothing."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    for key in _NAMES:
        names = [str(part[key]) for part in value if isinstance(part, Mapping) and key in part]
        if len(names) == len(value) == len(set(names)):
            return dict(zip(names, value, strict=True))
    return {str(place): part for place, part in enumerate(value, 1)}


MOST_CHANGES = 5
"""Changes that a message names; more are counted."""

_TIME = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})(\[[A-Za-z0-9_/+-]{1,64}\])?$"
)


def _once(text: str) -> str:
    """A time as Neo4j writes it, if there was such a day and hour."""
    datetime.fromisoformat(text.partition("[")[0])
    return text


Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Moment = Annotated[str, Field(pattern=_TIME), AfterValidator(_once)]


@dataclass(frozen=True, slots=True)
class Lock:
    """Which protocol is locked, by its hash, since when (ISO 8601), and by which version of Hopgrade.

    Read from a file, hash and time must be what they are called: they stand in reports as they are.
    """

    hash: Hash
    locked_at: Moment
    version: str


@dataclass(frozen=True, slots=True)
class Locked:
    """A lock with the protocol that it holds."""

    lock: Lock
    protocol: JsonData


class ProtocolChangedError(UserError):
    """The protocol is not the one that was locked under its name."""


def standard_id(corpus: str, name: str) -> str:
    """The id of the node of a standard."""
    return node_id(corpus, "standard", name)


def lock_protocol(graph: Graph, protocol: Protocol, folder: Path) -> Lock:
    """Lock a protocol, or make sure that it is the locked one; the lock, which is in `folder` too.

    The time is the server's, by whose clock runs are begun too; where the folder was locked before and the
    graph forgot it, the folder's time stays.

    Raises:
        ProtocolChangedError: another protocol is locked in the folder, or under this name in the corpus.
        CorpusError: there is no such corpus.
        InputError: the folder's lock can't be read, or written.
    """
    require_corpus(graph, protocol.dataset.corpus)
    kept = read_lock(folder)
    if kept is not None:
        refuse_changed(protocol, kept)
    rows = graph.rows(
        query("comparisons/lock_standard"),
        id=standard_id(protocol.dataset.corpus, protocol.name),
        corpus=protocol.dataset.corpus,
        name=protocol.name,
        hash=protocol_hash(protocol) if kept is None else kept.lock.hash,
        protocol=canonical_json(protocol_document(protocol) if kept is None else kept.protocol),
        version=__version__ if kept is None else kept.lock.version,
        locked_at=None if kept is None else kept.lock.locked_at,
    )
    locked = _from_row(rows[0])
    refuse_changed(protocol, locked)
    if kept != locked:
        _write_lock(folder, locked)
    return locked.lock


def read_locked(graph: Graph, corpus: str, name: str) -> Locked | None:
    """What is locked under a name in a corpus, None where nothing is."""
    rows = graph.rows(query("comparisons/page_standards"), corpus=corpus, name=name)
    return _from_row(rows[0]) if rows else None


def read_lock(folder: Path) -> Locked | None:
    """The lock in a folder, None where there is none yet.

    Raises:
        InputError: it can't be read, or doesn't fit itself.
    """
    path = folder / LOCK_FILE
    try:
        found = read_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _broken(path, "can't be read") from error
    match found:
        case {"protocol": dict(document), **lock}:
            try:
                locked = TypeAdapter(Lock).validate_python(lock)
            except ValidationError as error:
                raise _broken(path, "is no lock") from error
            if _hash(path, document) != locked.hash:
                raise _broken(path, "holds a protocol that is not of its hash")
            return Locked(locked, document)
        case _:
            raise _broken(path, "is no lock")


def refuse_changed(protocol: Protocol, locked: Locked) -> None:
    """Make sure that a protocol is the locked one.

    Raises:
        ProtocolChangedError: it is not; the message names what changed.
    """
    changed = changes_since(protocol, locked)
    if not changed:
        return
    text = "; ".join(map(str, changed[:MOST_CHANGES]))
    more = f"; and {len(changed) - MOST_CHANGES} more" if len(changed) > MOST_CHANGES else ""
    raise ProtocolChangedError(
        f"standard {protocol.name!r} was locked at {locked.lock.locked_at}, and its protocol changed since: "
        f"{text}{more}.",
        "Put it back as it was, or give what changed a new name and a new folder: it is another comparison.",
    )


def changes_since(protocol: Protocol, locked: Locked) -> tuple[Change, ...]:
    """What is other in a protocol than in the locked one; empty where nothing is."""
    document = protocol_document(protocol)
    if document_hash(document) == locked.lock.hash:
        return ()
    # A lock of an earlier version says nothing of what protocols could not say then.
    with suppress(ValidationError):
        if Protocol.model_validate_json(canonical_json(locked.protocol)) == protocol:
            return ()
    return changes_between(locked.protocol, document)


def last_look(graph: Graph, protocol: Protocol) -> int:
    """The number of the look whose results are noted, 0 where none are."""
    rows = graph.rows(query("comparisons/page_standards"), corpus=protocol.dataset.corpus, name=protocol.name)
    found = rows[0]["results"] if rows else None
    return int(json.loads(found)["look"]["number"]) if found else 0


def record_results(graph: Graph, protocol: Protocol, results: str, runs: Sequence[str]) -> None:
    """Note what came of a locked protocol, as JSON, and the runs, by name, that it compares."""
    corpus = protocol.dataset.corpus
    graph.rows(
        query("comparisons/write_results"),
        id=standard_id(corpus, protocol.name),
        results=results,
        runs=[run_id(corpus, name) for name in runs],
    )


def lock_text(locked: Locked) -> str:
    """What the lock's file holds."""
    return json.dumps({**asdict(locked.lock), "protocol": locked.protocol}, indent=2, sort_keys=True) + "\n"


def _from_row(row: dict[str, str]) -> Locked:
    return Locked(Lock(row["hash"], row["locked_at"], row["version"]), json.loads(row["protocol"]))


def _hash(path: Path, document: JsonData) -> str:
    try:
        return document_hash(document)
    except (ValueError, RecursionError) as error:
        raise _broken(path, "holds a protocol that has no hash") from error


def _write_lock(folder: Path, locked: Locked) -> None:
    path = folder / LOCK_FILE
    try:
        write_whole(path, lock_text(locked))
    except OSError as error:
        raise InputError(
            f"{path} can't be written: {error.strerror}.", "Give a folder that can be written."
        ) from error


def _broken(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} {why}.", "Put it back as it was; the graph knows the lock too, so it may also be deleted."
    )
