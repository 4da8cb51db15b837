"""Compute everything in an archive again, without a graph and without a network, and say where it differs.

    files        each has the hash that the manifest says, none is missing, and none is beyond it
    protocol     it is the one that was locked, and the pools are those that it names
    rows         every question has one row of each system and of each judge; tokens are counted again
    rules        pool, budget, answer cap, dataset, generator, judges and lock were kept to
    judge        rules judge again from the texts; a model's measures are computed again from what it found
    calibration  likewise, of answers that are made anew
    results      all figures of results.json, and that it holds nothing else
    tables       the report and its tables, from the figures computed here and not from the archived ones

A model is not asked again: it may answer otherwise, and what it said is in the archive.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice, zip_longest
from pathlib import Path

from kg.errors import InputError, UserError
from kg.text.tokens import count_tokens
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import Results
from services.comparison.archive import MANIFEST, ROLES, Comparison, Manifest, read_archive, read_manifest
from services.comparison.archive_rows import Member, member_of, names_in, read_text
from services.comparison.collect import run_of
from services.comparison.judged import RESULTS, rendered_reports, results_document
from services.comparison.pool import drawn_by, pool_hash
from services.comparison.protocol import document_hash, read_json
from services.comparison.records import answer_length
from services.comparison.refusals import Breach, answer_breaches, judge_breaches, record_breaches
from services.comparison.rejudging import (
    Difference,
    differing_calibration,
    differing_judgements,
    differing_lines,
    differing_values,
)

MOST_DIFFERENCES = 20
"""Differences of one check that are listed; the others are counted."""


class NotComputed(Difference):
    """What could not be computed again, and why; the archived value is empty."""

    __slots__ = ()

    def __str__(self) -> str:
        """The place and why, in a few words."""
        return f"{self.place}: {self.computed}"


@dataclass(frozen=True, slots=True)
class Check:
    """What was computed again, and where it differs; `more` differences are counted and not listed."""

    name: str
    examined: str
    differences: tuple[Difference, ...]
    more: int = 0

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of verifying an archive; `written_by` is the version of Hopgrade that wrote it."""

    archive: str
    standard: str
    protocol: str
    written_by: str
    checks: tuple[Check, ...]

    @property
    def equal(self) -> bool:
        """Whether everything was the same."""
        return all(check.equal for check in self.checks)


def verify_archive(path: Path, begun: Callable[[str], None] = lambda _: None) -> Verified:
    """Compute everything in an archive again; `begun` is told the name of each check.

    Raises:
        InputError: it is no archive, or a file on which everything rests can't be read.

    >>> hopgrade.verify_archive(ran.archive).equal
    True
    """
    manifest = read_manifest(path)
    comparison = read_archive(path)
    checks: list[Check] = []
    for name, examined, differing in _checks(path, manifest, comparison):
        begun(name)
        checks.append(_checked(name, examined, differing))
    checks = list(_each_cause_once(checks))
    return Verified(
        path.name,
        comparison.protocol.name,
        comparison.lock.hash,
        manifest.hopgrade,
        tuple(checks),
    )


def _checks(
    path: Path, manifest: Manifest, comparison: Comparison
) -> Iterator[tuple[str, str, Iterator[Difference]]]:
    """Each check with what it examines, in words, and its differences, looked for as they are taken."""
    answers = sum(map(len, comparison.answers.values()))
    yield "files", f"{len(manifest.files):,} files", _files(path, manifest)
    yield "protocol", "lock and pools", _protocol(path, comparison)
    yield "rows", f"{answers:,} answers", _rows(comparison)
    yield "rules", f"{len(comparison.runs):,} runs", _rules(comparison)
    for role in ROLES:
        judged = sum(map(len, comparison.judgements[role].values()))
        yield _named(role), f"{judged:,} judgements", differing_judgements(comparison, role)
        tried = f"{len(comparison.calibration[role]):,} judgements"
        yield f"calibration of {_named(role)}", tried, differing_calibration(comparison, role)
    computed = cache(partial(analyse, comparison))
    yield "results", RESULTS, _results(path, computed)
    yield "tables", "from its figures", _tables(path, computed)


def _checked(name: str, examined: str, differing: Iterator[Difference]) -> Check:
    """A check; a file that can't be read, or rows that don't fit together, end it with a difference."""
    found: list[Difference] = []
    try:
        found.extend(islice(differing, MOST_DIFFERENCES))
        more = sum(1 for _ in differing)
    except (UserError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # Rows may say anything: a number beyond all bounds, a time without a zone, a judge whom nobody knows.
        found.append(_not_computed(name, error))
        more = 0
    return Check(name, examined, tuple(found), more)


def _not_computed(name: str, error: Exception) -> NotComputed:
    text = error.message if isinstance(error, UserError) else f"it can't be computed with ({error})"
    return NotComputed(name, "", f"not computed: {text.rstrip('.')}")


def _each_cause_once(checks: Iterable[Check]) -> Iterator[Check]:
    """The checks, a cause that kept several from being computed being told by the first of them."""
    first: dict[str, str] = {}

    def told(name: str, one: Difference) -> Difference:
        if not isinstance(one, NotComputed) or first.setdefault(one.computed, name) == name:
            return one
        return NotComputed(one.place, "", f"not computed, for the same reason as {first[one.computed]}")

    for check in checks:
        yield replace(check, differences=tuple(told(check.name, one) for one in check.differences))


def _files(path: Path, manifest: Manifest) -> Iterator[Difference]:
    names = Counter(names_in(path))
    for name in sorted(name for name, times in names.items() if times > 1):
        yield Difference(name, "two files of this name", "one")
    for name in sorted(names.keys() - manifest.files.keys() - {MANIFEST}):
        yield Difference(name, "a file that the manifest doesn't name", "nothing")
    for name, member in manifest.files.items():
        if name not in names:
            yield NotComputed("files", "", f"not computed: {path.name} holds no {name}")
            continue
        try:
            found = member_of(path, name, member.rows is not None)
        except InputError as error:
            yield _not_computed("files", error)
            continue
        if found != member:
            yield Difference(name, _member_text(member), _member_text(found))


def _member_text(member: Member) -> str:
    rows = "" if member.rows is None else f", {member.rows:,} rows"
    return f"SHA-256 {member.sha256}, {member.size:,} bytes{rows}"


def _protocol(path: Path, comparison: Comparison) -> Iterator[Difference]:
    protocol, lock, look = comparison.protocol, comparison.lock, comparison.look
    if (found := document_hash(read_json(read_text(path, "protocol.json")))) != lock.hash:
        yield Difference("lock.json: hash", lock.hash, found)
    if (found := pool_hash(drawn_by(protocol.pool), comparison.pool)) != protocol.pool.hash:
        yield Difference("protocol.json: pool.hash", protocol.pool.hash, found)
    for one in comparison.pool:
        if len(one.chunks) > protocol.pool.size:
            place = f"pool.jsonl: chunks of {one.question}"
            yield Difference(place, f"{len(one.chunks):,}", f"{protocol.pool.size:,} at most")
    if look.questions != len(comparison.questions):
        yield Difference("look.json: questions", str(look.questions), str(len(comparison.questions)))
    if look.planned != len(comparison.sample):
        yield Difference("look.json: planned", str(look.planned), str(len(comparison.sample)))
    asked, pools = {one.id for one in comparison.sample}, {one.question for one in comparison.pool}
    for question in sorted(asked ^ pools):
        held = ("a pool", "a question") if question in pools else ("a question", "a pool")
        yield Difference(f"questions.jsonl and pool.jsonl: {question}", f"{held[0]} alone", f"{held[1]} too")


def _rows(comparison: Comparison) -> Iterator[Difference]:
    counted: dict[str, int] = {}
    yield from _doubles("chunks.jsonl", (chunk.id for chunk in comparison.chunks))
    yield from _doubles("questions.jsonl", (question.id for question in comparison.sample))
    for chunk in comparison.chunks:
        counted[chunk.id] = count_tokens(chunk.text)
        if counted[chunk.id] != chunk.tokens:
            yield Difference(f"chunks.jsonl: tokens of {chunk.id}", str(chunk.tokens), str(counted[chunk.id]))
    for question in comparison.sample:
        for name in sorted({gold.chunk for gold in question.gold} - counted.keys()):
            yield Difference(f"chunks.jsonl: {name}", "nothing", f"gold evidence of {question.id}")
    asked = [question.id for question in comparison.questions]
    for system, answers in comparison.answers.items():
        yield from _misplaced(
            f"answers of {system}", system, asked, ((one.system, one.question) for one in answers)
        )
        for answer in answers:
            place = f"answers of {system}, {answer.question}"
            if (tokens := answer_length(answer.text)) != answer.answer_tokens:
                yield Difference(f"{place}: answer_tokens", str(answer.answer_tokens), str(tokens))
            shown = sum(counted.get(chunk, 0) for chunk in {one.chunk for one in answer.evidence})
            if shown != answer.evidence_tokens:
                yield Difference(f"{place}: evidence_tokens", str(answer.evidence_tokens), str(shown))
    for role, judged in comparison.judgements.items():
        for system, rows in judged.items():
            said = ((row.system, row.question) for row in rows)
            yield from _misplaced(f"{_named(role)} on {system}", system, asked, said)


def _doubles(file: str, ids: Iterable[str]) -> Iterator[Difference]:
    for name, times in Counter(ids).items():
        if times > 1:
            yield Difference(f"{file}: {name}", f"{times:,} rows", "one")


def _misplaced(
    place: str, system: str, asked: Sequence[str], found: Iterable[tuple[str, str]]
) -> Iterator[Difference]:
    """Rows, by system and question, that are not those of `system` on the questions in their order."""
    rows = 0
    for rows, (of, question) in enumerate(found, 1):
        expected = asked[rows - 1] if rows <= len(asked) else "nothing"
        if (of, question) != (system, expected):
            yield Difference(f"{place}: row {rows:,}", f"{of} on {question}", f"{system} on {expected}")
    if rows < len(asked):
        yield Difference(place, f"{rows:,} rows", f"{len(asked):,} questions")


def _rules(comparison: Comparison) -> Iterator[Difference]:
    protocol = comparison.protocol
    tokens = {chunk.id: chunk.tokens for chunk in comparison.chunks}
    asked = {question.id for question in comparison.questions}
    pool = {one.question: one for one in comparison.pool if one.question in asked}
    for breach in judge_breaches(protocol, comparison.runs):
        yield _of_breach(breach)
    yield from _foreign_runs(comparison)
    for run in comparison.runs:
        for breach in record_breaches(protocol, comparison.lock, run):
            yield _of_breach(breach)
    for system, answers in comparison.answers.items():
        rows = ((pool[answer.question], answer) for answer in answers)
        for breach in answer_breaches(protocol, system, rows, tokens):
            yield _of_breach(breach)


def _foreign_runs(comparison: Comparison) -> Iterator[Difference]:
    """Where the runs are not one for each system, in the order of the protocol, made as it says."""
    protocol = comparison.protocol
    planned = [(one.name, run_of(protocol, one), one.run is None) for one in protocol.systems]
    held = [(run.system, run.run, run.ours) for run in comparison.runs]
    for number, (old, new) in enumerate(zip_longest(held, planned), 1):
        if old != new:
            yield Difference(f"runs.jsonl: row {number}", _run_in_words(old), _run_in_words(new))


def _run_in_words(run: tuple[str, str, bool] | None) -> str:
    if run is None:
        return "nothing"
    system, name, ours = run
    return f"{system} by the run {name}, {'made here' if ours else 'brought along'}"


def _of_breach(breach: Breach) -> Difference:
    return Difference(f"{breach.system}: {breach.rule}", breach.found, "within the protocol")


def _results(path: Path, computed: Callable[[], Results]) -> Iterator[Difference]:
    yield from differing_values(RESULTS, read_json(read_text(path, RESULTS)), results_document(computed()))


def _tables(path: Path, computed: Callable[[], Results]) -> Iterator[Difference]:
    for name, text in rendered_reports(computed()).items():
        yield from differing_lines(name, read_text(path, name), text)


def _named(role: str) -> str:
    return role.replace("_", " ")
