"""Guesses at the token: a client that sends wrong ones in a row has to wait."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import monotonic

MOST_WRONG = 10
"""Wrong tokens in a row that cost a client no waiting."""
WAIT_SECONDS = 30.0
"""How long a client is not heard after each wrong token from there on."""
MOST_CLIENTS = 4_096
"""Clients that are remembered; beyond them the one that erred longest ago is forgotten."""
_NETWORK_BITS = 64
"""What one client of IPv6 usually has for itself."""


@dataclass(slots=True)
class _Record:
    wrong: int = 0
    until: float = 0.0


class WrongTokens:
    """How many wrong tokens came in a row from each client, and until when it has to wait.

    `clock` gives seconds. Clients behind one proxy are one client.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def __len__(self) -> int:
        return len(self._records)

    def wait(self, client: str) -> int:
        """Whole seconds that a client of this address has to wait; 0 where it is heard."""
        record = self._records.get(_network(client))
        return 0 if record is None else max(0, ceil(record.until - self._clock()))

    def count(self, client: str) -> None:
        """Note a wrong token of a client."""
        key = _network(client)
        record = self._records.setdefault(key, _Record())
        self._records.move_to_end(key)
        record.wrong += 1
        if record.wrong >= MOST_WRONG:
            record.until = self._clock() + WAIT_SECONDS
        if len(self._records) > MOST_CLIENTS:
            self._records.popitem(last=False)

    def forget(self, client: str) -> None:
        """Note that a client sent the right token."""
        self._records.pop(_network(client), None)


def _network(client: str) -> str:
    """What counts as one client: an address, of IPv6 the network that it can choose addresses from."""
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, _NETWORK_BITS), strict=False))
