"""Addresses as they may be shown: in messages, in logs, in what a run records."""

import re

_AFTER_THE_PATH = re.compile(r"[?#].*", re.DOTALL)


def shown_address(address: str) -> str:
    """An address without user, password, parameters and fragment; other text without an "@" stays as it is.

    All before the last "@" goes, wherever that stands: a password may hold any character.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address.rpartition("@")[2]
    place = rest.rpartition("@")[2]
    return f"{scheme}{separator}{_AFTER_THE_PATH.sub('?...', place)}"
