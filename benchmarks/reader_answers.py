"""Accuracy of answers by type of question, by MultiHop-RAG's own rule and by a strict one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from services.answers import any_word_match, exact_match, is_abstention, token_f1
from services.statistics.clustered_means import share_interval
from services.statistics.intervals import Interval

ALL = "all"


@dataclass(frozen=True, slots=True)
class Answer:
    """A given answer beside the gold one; `error` tells why there is none.

    `cluster` groups questions that fail together, such as those about the same articles; it is the question's
    own id where nothing groups them.
    """

    type: str
    given: str
    gold: str
    cluster: str
    accepted: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What came of the questions of a type: shares in [0, 1], with the interval of the strict one by cluster.

    `any_word` is by `any_word_match`, `strict` by `strictly_right`; `f1` is the mean token F1. `abstained`
    and `errors` are counts; an error is wrong, and no abstention.
    """

    type: str
    n: int
    any_word: float
    strict: float
    interval: Interval | None
    f1: float
    abstained: int
    errors: int


def strictly_right(given: str, gold: str, accepted: Sequence[str] = ()) -> bool:
    """Whether an answer equals the gold one or an accepted one after SQuAD's normalisation.

    A question without an answer (gold "Insufficient information.") is answered right by abstaining, and no
    other question is.
    """
    if is_abstention(gold) or is_abstention(given):
        return is_abstention(gold) and is_abstention(given)
    return exact_match(given, gold, accepted)


def accuracy_by_type(answers: Sequence[Answer]) -> tuple[Accuracy, ...]:
    """A row for each type in the order of the alphabet, then one for all where there are several."""
    types = sorted({one.type for one in answers})
    rows = [_accuracy(kind, [one for one in answers if one.type == kind]) for kind in types]
    return (*rows, _accuracy(ALL, answers)) if len(types) > 1 else tuple(rows)


def _accuracy(kind: str, answers: Sequence[Answer]) -> Accuracy:
    n = len(answers)
    strict = [not one.error and strictly_right(one.given, one.gold, one.accepted) for one in answers]
    any_word = [not one.error and any_word_match(one.given, one.gold) for one in answers]
    f1 = fsum(0.0 if one.error else token_f1(one.given, one.gold, one.accepted) for one in answers)
    return Accuracy(
        type=kind,
        n=n,
        any_word=sum(any_word) / n,
        strict=sum(strict) / n,
        interval=share_interval(strict, [one.cluster for one in answers]),
        f1=f1 / n,
        abstained=sum(not one.error and is_abstention(one.given) for one in answers),
        errors=sum(bool(one.error) for one in answers),
    )
