"""How a terminal shows what was read back of an export."""

from collections.abc import Sequence

from cli.console import say
from services.exports.account import Comparison

_TABLES_SHOWN = 8


def tell_compared(compared: Sequence[Comparison]) -> None:
    """A line for each table; where there are many, for each that is not as it was written, and a sum."""
    many = len(compared) > _TABLES_SHOWN
    for one in compared:
        if not (many and one.equal):
            told = "equal" if one.equal else "not as they were written"
            say(f"read back: {one.found:,} of {one.written:,} {one.table} {told}.")
    if many:
        equal = [one for one in compared if one.equal]
        say(f"read back: {sum(one.found for one in equal):,} records in {len(equal)} tables equal.")
