"""What an export of a graph holds, kept so that it can be compared with what is read back.

Of each kind only the number and a sum of digests are kept: memory stays the same however large the graph is,
and the order in which a format has its rows is no part of the comparison.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.exports.folder import Json

_SIZE = 1 << 256


@dataclass(frozen=True, slots=True)
class Item:
    """A node, an edge or what stands for one in a format, as its reader must find it.

    `table` says of which kind it is, `key` which one, and `properties` what it holds, each as a text in which
    the format's reader tells values apart.
    """

    table: str
    key: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> int:
        """A hash of all of it, as a number below 2^256."""
        told = json.dumps((self.table, self.key, sorted(self.properties.items())))
        return int.from_bytes(hashlib.sha256(told.encode("ascii")).digest())


@dataclass(slots=True)
class GraphAccount:
    """How many items there are of each table, and the sum of their digests."""

    records: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)

    def add(self, item: Item) -> None:
        """Note an item."""
        self.records[item.table] += 1
        self.totals[item.table] = (self.totals[item.table] + item.digest) % _SIZE

    def sums(self) -> dict[str, Json]:
        """For each table the number of its records and their checksum, for the manifest."""
        return {
            table: {"records": number, "sum": f"{self.totals[table]:064x}"}
            for table, number in sorted(self.records.items())
        }


def read_graph_account(found: Iterable[Item]) -> GraphAccount:
    """The account of what a reader finds."""
    account = GraphAccount()
    for one in found:
        account.add(one)
    return account


def nodes_table(kind: str) -> str:
    """What an account calls the nodes of a kind."""
    return f"{kind} nodes"


def edges_table(type_: str) -> str:
    """What an account calls the edges of a type."""
    return f"{type_} edges"
