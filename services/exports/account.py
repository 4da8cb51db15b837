"""What an export has written, kept so that it can be compared with what is read back.

Of each record a digest of what a reader must find is kept, so that memory grows by 16 bytes a record.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.exports.folder import Json

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Found:
    """A record as a reader finds it: its table, its id, and the texts that it holds.

    White space is no part of the comparison, since most formats' readers trim it.
    """

    table: str
    id: str
    texts: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        """A hash of all of it."""
        digest = hashlib.sha256()
        for text in (self.id, *self.texts):
            digest.update(" ".join(text.split()).encode("utf-8", "surrogatepass"))
            digest.update(b"\x00")
        return digest.digest()[:_DIGEST_BYTES]


@dataclass(slots=True)
class Account:
    """The records that a format wrote, in their order, and the questions that it has no place for."""

    digests: defaultdict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    left_out: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def expect(self, table: str, id_: str, *texts: str) -> None:
        """Note a record as its reader must find it."""
        self.add(Found(table, id_, texts))

    def add(self, found: Found) -> None:
        """Note a record."""
        self.digests[found.table].append(found.digest)

    def leave_out(self, split: str, reason: str) -> None:
        """Note a question that the format can't hold."""
        self.left_out[split][reason] += 1

    def sums(self) -> dict[str, Json]:
        """For each table the number of its records and a checksum over them, for the manifest."""
        return {
            table: {"records": len(digests), "sha256": hashlib.sha256(b"".join(digests)).hexdigest()}
            for table, digests in sorted(self.digests.items())
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many records of a table were written, were read back, and were equal in their order."""

    table: str
    written: int
    found: int
    equal: bool


def read_account(found: Iterable[Found]) -> Account:
    """The account of what a reader finds."""
    account = Account()
    for one in found:
        account.add(one)
    return account


def compare(written: Mapping[str, Json], sums: Mapping[str, Json]) -> list[Comparison]:
    """What a manifest says of its tables beside the sums of what was found in them."""
    rows = []
    for table in sorted({*written, *sums}):
        told, read = written.get(table), sums.get(table)
        rows.append(Comparison(table, _records(told), _records(read), told == read))
    return rows


def records_told(written: Mapping[str, Json]) -> int:
    """How many records a manifest says that its tables have together."""
    return sum(max(_records(told), 0) for told in written.values())


def _records(told: Json) -> int:
    records = told.get("records") if isinstance(told, dict) else 0
    return records if isinstance(records, int) else 0
