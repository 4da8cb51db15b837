"""Addresses as they may be shown: in messages, in logs, in what a run records."""

import re

_PLACE = re.compile(r"[^/?#]*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?")
_AFTER_THE_PATH = re.compile(r"[?#].*", re.DOTALL)


def shown_address(address: str) -> str:
    """An address without user, password, parameters and fragment; other text without an "@" stays as it is.

    A password may hold a slash or a question mark, where it should not: then all before the last "@" goes.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address.rpartition("@")[2]
    place = _PLACE.findall(rest)[0]
    host = place.rpartition("@")[2]
    whole = _HOST.fullmatch(host) is not None
    shown = host + rest[len(place) :] if whole else rest.rpartition("@")[2]
    return f"{scheme}{separator}{_AFTER_THE_PATH.sub('?...', shown)}"
