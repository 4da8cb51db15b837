"""The ways in which the scripted endpoint can fail, and how it picks one by chance."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

StatusName = Literal[
    "400", "401", "403", "404", "408", "409", "429", "429 for an hour", "500", "503", "context length",
    "filtered", "no credit",
]  # fmt: skip
"""Error statuses. `filtered` and `context length` are 400s, `no credit` is a 429 that stays."""

BrokenName = Literal["silence", "blanks", "reset", "truncated", "cut", "not json", "html"]
"""What happens to the answer on its way: none comes; nothing but blanks comes; the connection is reset; the
body is shorter than its Content-Length; a chunked body or an event stream ends in the middle; a page comes
instead of an answer (`not json` calls it JSON)."""

SpoiltName = Literal[
    "invalid json", "prose", "wrong shape", "fenced", "two values", "refusal", "content filter", "length",
    "empty", "think", "open think",
]  # fmt: skip
"""What the model says in place of (or around) what the responder answers."""

VectorName = Literal[
    "one vector less", "shorter vectors", "uneven vectors", "zero vectors", "out of order"
]  # fmt: skip

FaultName = Literal[StatusName, BrokenName, SpoiltName, VectorName]

FOR_NOW: tuple[FaultName, ...] = (
    "408", "409", "429", "500", "503", "silence", "reset", "truncated", "cut", "not json",
)  # fmt: skip
"""Faults after which the same request is worth another try."""

SPOILT: frozenset[str] = frozenset(get_args(SpoiltName))


@dataclass(frozen=True, slots=True)
class Status:
    """An answer with an error status; `retry_after` goes into the header as it is."""

    status: int
    message: str = "No."
    retry_after: str | None = None
    code: str | None = None
    param: str | None = None


Fault: TypeAlias = FaultName | Status


def times(count: int, fault: Fault) -> list[Fault]:
    """The same fault `count` times."""
    return [fault] * count


STATUSES: Mapping[str, Status] = {
    "400": Status(400),
    "401": Status(401, "Incorrect API key provided: {key}.", code="invalid_api_key"),
    "403": Status(403),
    "404": Status(404, "The model does not exist.", code="model_not_found"),
    "408": Status(408, retry_after="0.05"),
    "409": Status(409, retry_after="0.05"),
    "429": Status(429, "Too many requests.", retry_after="0.05"),
    "429 for an hour": Status(429, "Too many requests.", retry_after="3600"),
    "500": Status(500, retry_after="0.05"),
    "503": Status(503, "Overloaded."),
    "context length": Status(
        400,
        "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens.",
        code="context_length_exceeded",
        param="messages",
    ),
    "filtered": Status(400, "The response was filtered by the content policy.", code="content_filter"),
    "no credit": Status(429, "You exceeded your current quota.", code="insufficient_quota"),
}


@dataclass
class Storm:
    """Faults by chance: each request has one with probability `share`, but no question has more than
    `at_most` of them, of which at most one that spoils the answer.

    What a question meets depends on the seed and the question alone, not on the order of the requests.
    """

    seed: int
    share: float = 0.3
    kinds: Sequence[Fault] = FOR_NOW
    at_most: int = 3
    met: Counter[str] = field(default_factory=Counter)
    _dice: dict[str, random.Random] = field(default_factory=dict)
    _faults: Counter[str] = field(default_factory=Counter)
    _spoilt: set[str] = field(default_factory=set)

    def next(self, question: str) -> Fault | None:
        """The fault for a request that asks `question`, or none."""
        dice = self._dice.setdefault(question, random.Random(f"{self.seed} {question}"))
        if dice.random() >= self.share or self._faults[question] >= self.at_most:
            return None
        fault = dice.choice(self.kinds)
        if fault in SPOILT:
            if question in self._spoilt:
                return None
            self._spoilt.add(question)
        self._faults[question] += 1
        self.met[str(fault)] += 1
        return fault
