"""How the seeking of a goal ended, as the last step of a trace tells it."""

import re
from dataclasses import dataclass
from typing import Literal, cast

Status = Literal["achieved", "stopped"]
"""`achieved`: the evaluator is content with the answer; `stopped`: it was not, and the iterations are used
up, plans bring nothing new, or nothing is left to try."""

_TOLD = re.compile(r"(?P<status>achieved|stopped) after (?P<iterations>\d+) iterations?(?:$|: )")


@dataclass(frozen=True, slots=True)
class Ending:
    """How it ended, and after how many iterations."""

    status: Status
    iterations: int


def ending_text(ending: Ending, reason: str = "") -> str:
    """The ending as the thought of the last step: "achieved after 2 iterations: two sources say so"."""
    plural = "" if ending.iterations == 1 else "s"
    told = f"{ending.status} after {ending.iterations} iteration{plural}"
    return f"{told}: {reason}" if reason else told


def read_ending(thought: str) -> Ending | None:
    """The ending that a thought tells, None where it tells none."""
    found = _TOLD.match(thought)
    return Ending(cast(Status, found["status"]), int(found["iterations"])) if found else None
