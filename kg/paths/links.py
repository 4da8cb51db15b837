"""How the consecutive triples of a path join: through the same name, a merged name, or context."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kg.resolve.normal_form import normal_form

Link = Literal["start", "shared", "exact", "context"]
"""`start` is the first triple's; `exact` needed an exact equivalence, `context` a contextual one."""


Replaced = Literal["", "subject", "object"]
"""The end of an edge at which context put another entity than its triple names; "" where it put none."""


@dataclass(frozen=True, slots=True)
class Joint:
    """What a link is told from: a triple's own names for its ends, in the path's order, and the end that
    context replaced; an edge is mirrored where it replaced one."""

    subject: str
    object: str
    replaced: Replaced = ""


def links(joints: Sequence[Joint]) -> list[Link]:
    """The link before each triple of a path (GRADE, section 4.3, Table 4).

    Where both edges still have their own names for the entity between them, and these have different normal
    forms, they are joined by an exact equivalence, also if one of them is mirrored at its other end. Beside
    that an edge that is mirrored is joined by context; all others share a name.
    """
    found: list[Link] = []
    for index, joint in enumerate(joints):
        before = joints[index - 1] if index else None
        if before is not None and _needs_exact(before, joint):
            found.append("exact")
        elif joint.replaced or (before is not None and before.replaced):
            found.append("context")
        else:
            found.append("start" if before is None else "shared")
    return found


def _needs_exact(before: Joint, joint: Joint) -> bool:
    if before.replaced == "object" or joint.replaced == "subject":
        return False
    return normal_form(before.object) != normal_form(joint.subject)
