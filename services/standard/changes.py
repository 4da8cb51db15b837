"""What changed between two protocols: where, from what, to what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.standard.hashing import JsonData, canonical_json

_NAMES = ("id", "name")
"""By these fields the parts of a list are known, where all have one."""


@dataclass(frozen=True, slots=True)
class Change:
    """A place in a protocol ("hypotheses.H1.smallest") and its values as JSON, None where it wasn't there."""

    path: str
    old: str | None
    new: str | None

    @property
    def told(self) -> str:
        """What happened at the place, in a few words."""
        if self.old is None:
            return f"{self.new} was added"
        return f"{self.old} is gone" if self.new is None else f"{self.old} became {self.new}"

    def __str__(self) -> str:
        """The change with its place."""
        return f"{self.path}: {self.told}"


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
