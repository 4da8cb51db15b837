"""A judge is tried: he judges answers of known quality, and some in his own words."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from services.comparison.calibration.figures import CalibrationRow
from services.comparison.calibration.items import CalibrationItem, in_own_words, own_words_id
from services.comparison.judging.protocol import StandardJudge
from services.comparison.records import Judgement

NONE_KNOWN: Mapping[str, CalibrationRow] = MappingProxyType({})


def try_judge(
    judge: StandardJudge,
    items: Sequence[CalibrationItem],
    known: Mapping[str, CalibrationRow] = NONE_KNOWN,
) -> Iterator[CalibrationRow]:
    """What the judge says of each item, in order, then of those in his own words, as it comes.

    `known` are rows by id from before a break; what is in them is not asked again.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `StandardJudge.judge`; what was
            yielded before is good.
    """
    yield from _judged(judge, items, known)
    sentences = [item for item in items if item.variant == "sentence"]
    yield from (known[name] for name in map(own_words_id, sentences) if name in known)
    left = [item for item in sentences if own_words_id(item) not in known]
    worded = zip(left, judge.reword([item.item for item in left]), strict=False)
    own = [found for item, text in worded if (found := in_own_words(item, text)) is not None]
    yield from _judged(judge, own, known)


def _judged(
    judge: StandardJudge, items: Sequence[CalibrationItem], known: Mapping[str, CalibrationRow]
) -> Iterator[CalibrationRow]:
    new = judge.judge([item.item for item in items if item.id not in known])
    for item in items:
        yield known[item.id] if item.id in known else _row(item, next(new))


def _row(item: CalibrationItem, judgement: Judgement) -> CalibrationRow:
    asked = item.item
    return CalibrationRow(
        id=item.id,
        category=item.category,
        variant=item.variant,
        trial=asked.trial,
        question=asked.question.id,
        cluster=asked.question.cluster,
        text=asked.answer.text,
        expected=item.expected,
        shown=item.shown,
        supporting=item.supporting,
        judgement=judgement,
    )
