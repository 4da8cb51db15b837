"""The parts of a calibration's figures, and their names."""

from dataclasses import dataclass
from typing import Literal

Category = Literal[
    "right, right evidence", "right, wrong evidence", "wrong, right evidence", "fluent nonsense",
    "partly right",
]  # fmt: skip
"""What an answer of known quality is: the answer, and the evidence that was shown for it."""

Variant = Literal["plain", "reversed", "padded", "sentence", "own wording", "repeated"]
"""How it is put: as it is, with the evidence in the opposite order, among empty words, in a sentence by rule,
in a sentence by the judge himself, or as it is once more."""

Verdict = Literal["accepted", "adjusted", "rejected"]
"""`adjusted`: good enough, but his errors are to be allowed for in every share of right answers."""

BiasKind = Literal["position", "length", "self-preference"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure over `n` judgements with its 95 % interval, which allows for questions of one cluster."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class CategoryFigure:
    """The mean score of a category as it is; `failed` of its `n` answers got no verdict."""

    category: Category
    expected: float
    n: int
    failed: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class Bias:
    """How much the mean score changes where the answer stays what it is: of right answers, and of others.

    `worst` is the larger change of the two, with its sign; `flips` the share of scores that change at all.
    None where it was not measured, and `why` says why.
    """

    kind: BiasKind
    worst: float | None
    right: Figure | None
    wrong: Figure | None
    flips: Figure | None
    why: str = ""
