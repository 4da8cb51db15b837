"""Answers out of a file as a system: each goes to the kept question with its id or its text.

Files of answers, by the format that they are in.

A reader yields a row or a reject for every answer that the file holds, in the file's order. Readers of other
tools' files are in `services.external.answer_formats`; they import `AnswerRow` from
`services.external.replies`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from kg.errors import InputError, SettingsError, command
from kg.ids import content_hash
from kg.model import Reject
from kg.own_system import OwnAnswer, OwnStep
from kg.queries import query
from kg.store.graph import Graph, Row
from services.datasets.match_gold import Squeezer
from services.datasets.question import Cells, RowTroubleError, text
from services.external.align import open_aligner
from services.external.answer_formats import (
    IDS,
    QUESTIONS,
    read_graphrag,
    read_hipporag,
    read_lightrag,
    read_rows,
    with_values,
)
from services.external.endpoint import ResponseMap, mapped_fields, read_fields
from services.external.outside_system import ExternalRagSystem, TakeAnswers
from services.external.replies import AnswerRow, BadReplyError, read_reply
from services.rag.protocol import ExternalSystem, RagQuestion, RagSystem

AnswerReader = Callable[[Path], Iterator[AnswerRow | Reject]]

OWN, TABLE = "jsonl", "csv"


def read_own(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers of a file of JSON objects, or of a table: `id` or `question`, and what
    `services.external.replies` reads.

    Raises:
        InputError: the file can't be read at all.
    """
    return read_rows(path, _answer)


def read_with_map(path: Path, places: ResponseMap) -> Iterator[AnswerRow | Reject]:
    """The same where the fields have other names, or stand inside others: `places` says where.

    Raises:
        InputError: the file can't be read at all.
    """

    looked = [place for place in (places.id, places.question) if place is not None]

    def fields(cells: Cells) -> Cells:
        try:
            found = mapped_fields(places, cells)
        except BadReplyError as error:
            raise RowTroubleError(str(error)) from error
        if looked and not text(found, "id", "question"):
            where = " or ".join(map(repr, looked))
            raise RowTroubleError(f"nothing is at {where}, where the map looks for its question")
        own = () if looked else (*IDS, *QUESTIONS)
        return {name: cells[name] for name in own if name in cells} | with_values(found)

    def answer(found: Cells) -> OwnAnswer:
        try:
            return read_fields(places, found)
        except BadReplyError as error:
            raise RowTroubleError(str(error)) from error

    return read_rows(path, answer, fields)


def _answer(cells: Cells) -> OwnAnswer:
    try:
        return read_reply(cells)
    except BadReplyError as error:
        raise RowTroubleError(str(error)) from error


ANSWER_FORMATS: Mapping[str, AnswerReader] = {
    OWN: read_own,
    TABLE: read_own,
    "graphrag": read_graphrag,
    "lightrag": read_lightrag,
    "hipporag": read_hipporag,
}
"""The readers by the name of their format."""


def answer_reader(form: str, places: ResponseMap | None = None) -> AnswerReader:
    """The reader of a format, of files with fields of one's own where `places` says where they are.

    Raises:
        SettingsError: there is none of this name, or one that knows its fields is given places.
    """
    if form not in ANSWER_FORMATS:
        raise SettingsError(
            f"{form!r} is not a format of answers.", f"Use one of: {', '.join(ANSWER_FORMATS)}."
        )
    if places is None:
        return ANSWER_FORMATS[form]
    if form not in (OWN, TABLE):
        raise SettingsError(
            f"a map says where fields are, and those of {form!r} are known.",
            "Leave out --map, or --format.",
        )
    return partial(read_with_map, places=places)


QUESTIONS_A_BATCH = 256

UNWANTED_PREFIX = "it answers a prefix question, which is taken with --prefixes"

MISSING = "no answer in the file"
"""The error of a question that the file doesn't answer, where missing answers count as wrong."""


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """What a file holds: answers by the id of their question, the rows that were set aside, and the ids of
    the kept questions that it doesn't answer. `to_prefixes` are the answers to prefix questions, and
    `prefixes_missing` those of them that have none."""

    answers: Mapping[str, OwnAnswer]
    set_aside: tuple[Reject, ...]
    missing: tuple[str, ...]
    to_prefixes: Mapping[str, OwnAnswer] = field(default_factory=dict)
    prefixes_missing: tuple[str, ...] = ()


def read_answers(
    graph: Graph,
    corpus: str,
    path: Path,
    form: str,
    prefixes: bool = False,
    places: ResponseMap | None = None,
) -> GivenAnswers:
    """The answers of a file to the kept questions of a corpus, and to the `prefixes` of these.

    Raises:
        InputError: the file can't be read, or has no answer to any of the questions.
        SettingsError: there is no such format, or no row has anything where `places` look for what was
            retrieved.
    """
    questions = graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    rows = list(answer_reader(form, places)(path))
    _require_retrieved(path, rows, places)
    found = match_answers(rows, questions)
    given = sort_prefixes(
        found, rows, graph.rows(query("questions/list_of_status"), corpus=corpus, status="prefix"), prefixes
    )
    if not given.answers:
        first = f" ({given.set_aside[0].place}: {given.set_aside[0].reason})" if given.set_aside else ""
        raise InputError(
            f"{path} answers no kept question of corpus {corpus!r}{first}.",
            f"See the questions and their ids: {command('questions list --corpus', corpus)}; "
            "and name the file's format: --format.",
        )
    return given


def _require_retrieved(path: Path, rows: Sequence[AnswerRow | Reject], places: ResponseMap | None) -> None:
    """Make sure that the map's `retrieved` is no slip, for without it no report tells where a chain broke."""
    read = [row for row in rows if isinstance(row, AnswerRow) and not row.answer.error]
    at = None if places is None else places.retrieved
    if at is not None and read and not any(row.answer.tells_retrieved for row in read):
        raise SettingsError(
            f"nothing is at {at!r}, where the map looks for what was retrieved, in any of the {len(read):,} "
            f"answers of {path}.",
            "Mend the path, or leave it out of the map.",
        )


def match_answers(rows: Iterable[AnswerRow | Reject], questions: Sequence[Row]) -> GivenAnswers:
    """The answers by question; a row that names none, or one that has an answer already, is set aside.

    A question is named by its id, else by the id of the set that it was imported from, else by its text, in
    which blanks, case and punctuation don't count.
    """
    names = _Names(questions)
    answers: dict[str, OwnAnswer] = {}
    places: dict[str, str] = {}
    set_aside: list[Reject] = []
    for row in rows:
        found = row if isinstance(row, Reject) else names.question(row)
        if isinstance(found, Reject) or isinstance(row, Reject):
            set_aside.append(found if isinstance(found, Reject) else Reject(row.place, ""))
        elif found in answers:
            set_aside.append(
                Reject(row.place, f"question {found!r} has an answer already, at {places[found]}")
            )
        else:
            answers[found], places[found] = row.answer, row.place
    missing = tuple(question["id"] for question in questions if question["id"] not in answers)
    return GivenAnswers(answers, tuple(set_aside), missing)


def sort_prefixes(
    given: GivenAnswers, rows: Sequence[AnswerRow | Reject], questions: Sequence[Row], taken: bool
) -> GivenAnswers:
    """The answers with those to prefix questions, or where these are not `taken`, why their rows are aside.

    A text that is asked as both has its answer as both.
    """
    found = match_answers(rows, questions)
    neither = {reject.place: reject for reject in found.set_aside}
    if not taken:
        told = (
            one if one.place in neither else Reject(one.place, UNWANTED_PREFIX) for one in given.set_aside
        )
        return replace(given, set_aside=tuple(told))
    set_aside = tuple(one for one in given.set_aside if one.place in neither)
    return replace(given, set_aside=set_aside, to_prefixes=found.answers, prefixes_missing=found.missing)


def external_answers(
    path: Path, form: str, given: GivenAnswers, missing_are_wrong: bool = False
) -> ExternalSystem:
    """A file's answers as what a run takes; a changed file makes the run anew.

    Changed answers to prefix questions replace only these. A file of which any answer names what was
    retrieved tells it of all that have such a list. With `missing_are_wrong` the
    questions that it doesn't answer are errors, else they are left out of the run.
    """
    answers = {**given.to_prefixes, **given.answers}
    named = [answer for answer in answers.values() if answer.retrieved]

    def ask(questions: Sequence[RagQuestion], take: TakeAnswers) -> None:
        missing = OwnAnswer("", error=MISSING)
        take([(question, answers.get(question.id, missing)) for question in questions])

    @contextmanager
    def open_system(graph: Graph, corpus: str) -> Iterator[RagSystem]:
        aligner = cache(partial(open_aligner, graph, corpus))
        yield ExternalRagSystem(path.stem, ask, aligner, retrieval_reported=bool(named))

    return ExternalSystem(
        name=path.stem,
        system=f"answers {path.name}",
        source=content_hash((form, str(missing_are_wrong), *_texts(given.answers))),
        open=open_system,
        questions_a_batch=QUESTIONS_A_BATCH,
        covers=None if missing_are_wrong else frozenset(answers),
        prefix_source=content_hash(_texts(given.to_prefixes)) if given.to_prefixes else "",
    )


def _texts(answers: Mapping[str, OwnAnswer]) -> Iterator[str]:
    """The answers as texts; what could not be told of a step once is in them only where it is told, so that
    runs from then stay as they are."""
    for question, answer in sorted(answers.items()):
        plain = [OwnStep(one.action, one.query, one.observation) == one for one in answer.steps]
        more = "" if all(plain) else repr([astuple(one) for one in answer.steps])
        sure = "" if answer.confidence is None else f" {answer.confidence!r}"
        yield f"{question} {answer!r}{more}{sure}"


class _Names:
    """The ways to name a question."""

    def __init__(self, questions: Sequence[Row]) -> None:
        self._squeezer = Squeezer()
        self._ids = {question["id"] for question in questions}
        self._given: defaultdict[str, list[str]] = defaultdict(list)
        self._texts: defaultdict[str, list[str]] = defaultdict(list)
        for question in questions:
            if question["given_id"]:
                self._given[question["given_id"]].append(question["id"])
            self._texts[self._squeezer.squeeze(question["text"])].append(question["id"])

    def question(self, row: AnswerRow) -> str | Reject:
        """The id of the question that a row answers, or why there is none."""
        if row.question_id in self._ids:
            return row.question_id
        by_id = self._given.get(row.question_id, []) if row.question_id else []
        by_text = self._texts.get(self._squeezer.squeeze(row.question), []) if row.question else []
        for found in (by_id, by_text):
            if len(found) == 1:
                return found[0]
        told = f"the id {row.question_id!r}" if row.question_id else f"the text {row.question[:80]!r}"
        if by_id or by_text:
            return Reject(row.place, f"several kept questions have {told}: give their ids in Hopgrade")
        return Reject(row.place, f"no kept question has {told}")
