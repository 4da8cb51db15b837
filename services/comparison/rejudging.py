"""Judgements computed again from an archive: whole ones of rules, and the measures of a model's.

Where a value computed anew is not what an archive holds: its place, and both values.

Judging the answers of a comparison, and the judge: each once, and again only where he gave no verdict.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from types import MappingProxyType
from typing import TypeAlias

from kg import __version__
from kg.ids import content_hash
from kg.progress import Progress
from kg.store.graph import batches
from services.comparison.archive import Comparison, JudgeRole
from services.comparison.archive_rows import Rows
from services.comparison.folder import KEY_DIGITS, Journal, Written
from services.comparison.judging.calibration import CalibrationRow
from services.comparison.judging.known_answers import CalibrationItem, in_own_words, make_items, own_words_id
from services.comparison.judging.measures import (
    Item,
    StandardJudge,
    failed_judgement,
    gold_hops,
    measured_judgement,
    plain_verdict,
    shown_steps,
    used_chunks,
)
from services.comparison.judging.model_judge import SCORES, rules_judge
from services.comparison.protocol import JsonData, Judge, Protocol, canonical_json
from services.comparison.records import Answer, Chunk, Judgement, Question

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


RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12
"""Numbers nearer than this are equal: another machine may add the same numbers up in another order."""

MOST_ALIGNED = 5_000
"""Lines of a text up to which those of another are aligned with them; the work may grow with the square."""

_SHOWN_CHARACTERS = 100
_ABSENT = "nothing"

_Place: TypeAlias = tuple[str | int, ...]
"""Names of fields, and numbers in lists, from 1. It is joined to a text only to be shown: joined, what has a
dot in its name would be taken for another place."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A place ("results.json: measures.3.mean"), what the archive has there, and what was computed."""

    place: str
    archived: str
    computed: str

    def __str__(self) -> str:
        """The difference in a few words."""
        return f"{self.place}: archived {self.archived}, computed {self.computed}"


def differing_values(file: str, archived: JsonData, computed: JsonData) -> Iterator[Difference]:
    """Every place in two documents where they differ, in the order of the archived one; parts of lists are
    counted from 1, and numbers equal within the tolerances."""
    old, new = dict(_leaves((), archived)), dict(_leaves((), computed))
    for place in (*old, *(place for place in new if place not in old)):
        if place not in old or place not in new or not _equal(old[place], new[place]):
            yield Difference(
                f"{file}: {_joined(place) or 'all'}", _leaf_text(old, place), _leaf_text(new, place)
            )


def differing_lines(file: str, archived: str, computed: str) -> Iterator[Difference]:
    """The lines in which two texts differ, by their number in the archived one, counted from 1.

    A line too many shifts the others and leaves them equal, but in texts of over MOST_ALIGNED lines.
    """
    old, new = archived.splitlines(keepends=True), computed.splitlines(keepends=True)
    for start, before, after in _differing_blocks(old, new):
        for number, (one, other) in enumerate(zip_longest(before, after), start + 1):
            if one != other:
                yield Difference(f"{file}: line {number:,}", _line(one), _line(other))


def _differing_blocks(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, Sequence[str], Sequence[str]]]:
    """Where lines differ: behind how many of the old ones, and what is there in either text."""
    if max(len(old), len(new)) > MOST_ALIGNED:
        yield 0, old, new
        return
    for kind, start, end, from_, to in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            yield start, old[start:end], new[from_:to]


def _leaves(place: _Place, value: JsonData) -> Iterator[tuple[_Place, JsonData]]:
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _leaves((*place, name), part)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for number, part in enumerate(value, 1):
            yield from _leaves((*place, number), part)
    else:
        yield place, value


def _equal(old: JsonData, new: JsonData) -> bool:
    # True is 1 in Python, and is not in JSON.
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
    return canonical_json(old) == canonical_json(new)


def _joined(place: _Place) -> str:
    return ".".join(str(step) if isinstance(step, int) else _name(step) for step in place)


def _name(name: str) -> str:
    """A name as part of a place; in quotes where it could be taken for more than one, or for a number."""
    plain = name and name.isprintable() and "." not in name and not name.isdigit()
    return _cut(name if plain else canonical_json(name))


def _leaf_text(leaves: Mapping[_Place, JsonData], place: _Place) -> str:
    return _cut(canonical_json(leaves[place])) if place in leaves else _ABSENT


def _line(line: str | None) -> str:
    return _ABSENT if line is None else _cut(repr(line))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


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


def judge_of(protocol: Protocol, role: JudgeRole) -> Judge:
    """The judge who has a role."""
    return protocol.judge if role == "judge" else protocol.second_judge


def differing_judgements(comparison: Comparison, role: JudgeRole) -> Iterator[Difference]:
    """Where the judgements of a judge, computed again, differ from the archive's.

    Raises:
        SettingsError: the protocol names rules that this version doesn't have.
        InputError: rows can't be read.
    """
    named = judge_of(comparison.protocol, role)
    chunks = {chunk.id: chunk for chunk in comparison.chunks}
    for system, archived in comparison.judgements[role].items():
        place = f"{role.replace('_', ' ')} on {system}"
        answers = comparison.answers[system]
        if named.kind == "rules":
            computed = _judged_again(named, comparison.questions, answers, chunks)
        else:
            items = items_of(comparison.questions, answers, chunks)
            computed = (as_judged(named.name, item, said) for item, said in zip(items, archived, strict=True))
        for old, new in zip(archived, computed, strict=True):
            yield from differing_judgement(f"{place}, {old.question}", old, new)


def differing_calibration(comparison: Comparison, role: JudgeRole) -> Iterator[Difference]:
    """Where the rows of a judge's calibration, made anew, differ from the archive's.

    Raises:
        SettingsError: the protocol names rules that this version doesn't have.
        InputError: rows can't be read.
    """
    named = judge_of(comparison.protocol, role)
    chunks = {chunk.id: chunk for chunk in comparison.chunks}
    pool = {candidates.question: candidates for candidates in comparison.pool}
    items = make_items(comparison.sample, chunks, pool, comparison.protocol, comparison.known)
    archived = list(comparison.calibration[role])
    judge = rules_judge(named.name) if named.kind == "rules" else _AsArchived(named.name, archived)
    place = f"calibration of {role.replace('_', ' ')}"
    known = {row.id: row for row in archived}
    if len(known) < len(archived):
        yield Difference(place, f"{len(archived):,} rows", f"{len(known):,}, the others being doubles")
    for row in try_judge(judge, items):
        if row.id not in known:
            yield Difference(f"{place}, {row.id}", "nothing", "a judgement")
        else:
            yield from differing_values(f"{place}, {row.id}", asdict(known.pop(row.id)), asdict(row))
    for name in known:
        yield Difference(f"{place}, {name}", "a judgement", "nothing")


def differing_judgement(place: str, archived: Judgement, computed: Judgement) -> Iterator[Difference]:
    """Where two judgements differ."""
    if archived != computed:
        yield from differing_values(place, asdict(archived), asdict(computed))


def as_judged(judge: str, item: Item, said: Judgement) -> Judgement:
    """What a model said of an answer, with all that follows from it computed again.

    Taken are his verdict, his reason, and what he found in the evidence that was shown; what no judge has to
    weigh is not.
    """
    if said.failed or said.score is None or said.score not in SCORES.values():
        return failed_judgement(judge, item, said.failed or "it is no verdict")
    answer, hops = item.answer, len(gold_hops(item.question))
    searches = frozenset(shown_steps(answer).values())
    steps = tuple(step if step in searches else 0 for step in (*said.hop_steps, *[0] * hops)[:hops])
    used = used_chunks(answer) if item.question.gold else ()
    supports = {chunk: said.supports.get(chunk, False) for chunk in used}
    decided = plain_verdict(item) or (said.score, said.why.get("verdict", ""))
    return measured_judgement(judge, item, *decided, steps, supports)


@dataclass(frozen=True, slots=True)
class _AsArchived:
    """A judge who says again what he said, with its measures computed anew."""

    name: str
    rows: Sequence[CalibrationRow]

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        said = {(row.judgement.system, row.question, row.trial): row.judgement for row in self.rows}
        for item in items:
            kept = said.get((item.system, item.question.id, item.trial))
            if kept is None:
                yield failed_judgement(self.name, item, "it is not in the archive")
            else:
                yield as_judged(self.name, item, kept)

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        own = {
            (str(row.category), row.question): row.text for row in self.rows if row.variant == "own wording"
        }
        for item in items:
            category = item.system.partition("; ")[0]
            yield own.get((category, item.question.id), "")


def _judged_again(
    named: Judge, questions: Sequence[Question], answers: Iterable[Answer], chunks: Mapping[str, Chunk]
) -> Iterator[Judgement]:
    judge = rules_judge(named.name)
    for items in batches(items_of(questions, answers, chunks), ITEMS_A_BATCH):
        yield from judge.judge(items)
