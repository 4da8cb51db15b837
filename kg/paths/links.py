"""How the consecutive triples of a path join: through the same name, a merged name, or context."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kg.resolve.normal_form import normal_form

Link = Literal["start", "shared", "exact", "context"]
"""`start` is the first triple's; `exact` needed an exact equivalence, `context` a contextual one."""


@dataclass(frozen=True, slots=True)
class Joint:
    """What a link is told from: a triple's own names for its ends, and whether the edge is mirrored."""

    subject: str
    object: str
    mirrored: bool


def links(joints: Sequence[Joint]) -> list[Link]:
    """The link before each triple of a path (GRADE, section 4.3, Table 4).

    An edge that is mirrored is joined by context; two edges whose own names for the entity between them
    have different normal forms are joined by an exact equivalence; all others share a name.
    """
    found: list[Link] = []
    for index, joint in enumerate(joints):
        before = joints[index - 1] if index else None
        if joint.mirrored or (before is not None and before.mirrored):
            found.append("context")
        elif before is None:
            found.append("start")
        elif normal_form(before.object) != normal_form(joint.subject):
            found.append("exact")
        else:
            found.append("shared")
    return found
