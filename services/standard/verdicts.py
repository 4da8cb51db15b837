"""Judging the answers of a comparison, and the judge: each once, and again only where he gave no verdict."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kg import __version__
from kg.ids import content_hash
from kg.progress import Progress
from kg.store.graph import batches
from services.standard.archive_rows import Rows
from services.standard.calibration.figures import CalibrationRow
from services.standard.calibration.items import CalibrationItem, own_words_id
from services.standard.calibration.trial import try_judge
from services.standard.hashing import canonical_json
from services.standard.journal import KEY_DIGITS, Journal, Written
from services.standard.judging.protocol import Item, StandardJudge
from services.standard.protocol import Judge
from services.standard.records import Answer, Chunk, Judgement, Question

ITEMS_A_BATCH = 256
"""Items that a judge is given at a time: enough for a model to be asked many at once."""


def judged_answers(
    judge: StandardJudge,
    named: Judge,
    questions: Sequence[Question],
    answers: Rows[Answer],
    chunks: Mapping[str, Chunk],
    journal: Journal[Judgement],
    progress: Progress,
) -> Written[Judgement]:
    """The judgements of a system's answers, in their order; each is in the journal before the next is asked.

    `named` is the judge as the protocol names him, and `answers` has one row for each of `questions`. What
    the journal has is not asked again, unless there was no verdict.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: a model can't go on; what it judged is
            kept.
    """
    keys: list[str] = []
    items = items_of(questions, answers, chunks)
    for batch in batches(items, ITEMS_A_BATCH):
        batch_keys = [verdict_key(named, item) for item in batch]
        pending = [
            (key, item) for key, item in zip(batch_keys, batch, strict=True) if not _is_judged(journal, key)
        ]
        judged = judge.judge([item for _, item in pending])
        for (key, _), judgement in zip(pending, judged, strict=True):
            journal.add(key, judgement)
        keys.extend(batch_keys)
        progress.advance(len(batch))
    return Written(journal, keys)


def tried_judge(
    judge: StandardJudge,
    named: Judge,
    items: Sequence[CalibrationItem],
    journal: Journal[CalibrationRow],
    progress: Progress,
) -> Written[CalibrationRow]:
    """What a judge says of answers of known quality, in the order of `try_judge`.

    Each is in the journal before the next is asked, and what the journal has is not asked again, unless there
    was no verdict.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: a model can't go on; what it judged is
            kept.
    """
    keys = {item.id: verdict_key(named, item.item) for item in items}
    keys |= {own: _own_key(keys[item.id]) for item in items if (own := _own_words(item)) is not None}
    kept = {name: journal[key] for name, key in keys.items() if key in journal}
    known = {name: row for name, row in kept.items() if not row.judgement.failed}
    said: list[str] = []
    for row in try_judge(judge, items, known):
        if row.id not in known:
            journal.add(keys[row.id], row)
        said.append(row.id)
        progress.advance()
    # Those in his own words come in another order where some were known.
    places = {name: place for place, name in enumerate(keys)}
    return Written(journal, [keys[name] for name in sorted(said, key=places.__getitem__)])


def items_of(
    questions: Sequence[Question], answers: Iterable[Answer], chunks: Mapping[str, Chunk]
) -> Iterator[Item]:
    """What a judge is given of each answer, in order; `chunks` holds all that were shown or are gold."""
    for question, answer in zip(questions, answers, strict=True):
        yield Item(answer.system, question, answer, chunks)


def verdict_key(named: Judge, item: Item) -> str:
    """A hash of all that a verdict depends on: the judge, the version of the rules, and what he is shown.

    How long an answer took, and what it cost, is none of it.
    """
    question, answer = item.question, item.answer
    gold = [
        (str(one.hop), one.chunk, one.claim, one.cluster, *_texts(item, one.chunk)) for one in question.gold
    ]
    shown = [(one.chunk, str(one.rank), str(one.step), *_texts(item, one.chunk)) for one in answer.evidence]
    said = (answer.text, answer.error, str(answer.abstained))
    asked = (question.id, question.text, question.answer, question.kind, question.query_type)
    judge = (__version__, canonical_json(named.model_dump(mode="json")))
    lists = (judge, (item.system, str(item.trial)), asked, question.accepted, said, answer.cited)
    parts = (part for some in (*lists, *gold, *shown) for part in (str(len(some)), *some))
    return content_hash((*map(str, map(len, (gold, shown))), *parts), KEY_DIGITS)


def _own_words(item: CalibrationItem) -> str | None:
    return own_words_id(item) if item.variant == "sentence" else None


def _own_key(key: str) -> str:
    """The key of a row in the judge's own words, which are not known before he is asked."""
    return content_hash(("own wording", key), KEY_DIGITS)


def _texts(item: Item, chunk: str) -> tuple[str, ...]:
    found = item.chunks.get(chunk)
    return () if found is None else (found.title, found.text)


def _is_judged(journal: Journal[Judgement], key: str) -> bool:
    return key in journal and not journal[key].failed
