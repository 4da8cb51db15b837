"""The list of questions, and one question with its path, its evidence and every answer.

Ask the graph a question and see the answer, the path to it, the steps and what was retrieved."""

from asyncio import gather
from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from kg.errors import HopgradeError, NothingToDoError, command
from kg.paths.protocol import QUESTION_HOPS
from services.evaluate.matrix import BIN_NAMES
from services.questions.draft import QUERY_TYPES
from services.questions.review import ReviewReport, read_report
from services.rag.ask import AskResult
from services.rag.retrieval.choose import DEFAULT, RETRIEVERS
from services.rag.run_options import SYSTEMS
from services.report.html_values import MINUS, Column, Entry, Row, TableView, name, none, plural, whole
from services.statistics.agreement import Kappa
from services.web.api.resources import Shared
from services.web.pages.parameters import (
    CorpusName,
    Id,
    address,
    by_wholeness,
    one_of,
    read_runs,
    require_known,
    require_run,
    short_text,
    whole_number,
)
from services.web.pages.pictures import answer_picture, question_picture
from services.web.pages.rendering import PageRoute, page, status_of
from services.web.views.page_answer import Answered
from services.web.views.page_question import (
    CAUSES,
    OUTCOMES,
    Filters,
    Outcome,
    OutcomeCounts,
    QuestionRow,
    read_outcome_counts,
    read_question,
    read_questions,
)

NO_CRITERION = "no criterion named"


def review_sentence(found: ReviewReport) -> str:
    """How many questions were decided, and what came of it."""
    if not found.questions:
        return "Nobody has decided on a question yet."
    return (
        f"{plural(found.questions, 'question')} decided, {found.shared:,} by two or more people: "
        f"{found.dropped:,} dropped, {found.edited:,} edited, {len(found.open):,} tied and still asked. "
        f"People differ on {found.split:,}, of which {found.adjudicated:,} were adjudicated."
    )


def review_tables(found: ReviewReport) -> tuple[TableView, ...]:
    """Who decided what, how far people agree, why they dropped questions, and how filters err."""
    tables = (_annotators(found), _agreement(found), _failed(found), _filters(found))
    return tuple(view for view in tables if found.questions and view.rows)


def _annotators(found: ReviewReport) -> TableView:
    return TableView(
        "Decisions by person",
        "person",
        tuple(map(Column, ("keep", "drop", "edit", "all"))),
        tuple(
            Row(
                name(one.annotator),
                tuple(Entry(whole(number)) for number in (one.keep, one.drop, one.edit, one.total)),
            )
            for one in found.annotators
        ),
    )


def _agreement(found: ReviewReport) -> TableView:
    kappas = {"keep, drop or edit": found.decisions, "retain or discard": found.retained}
    return TableView(
        "How far people agree",
        "decision",
        tuple(map(Column, ("questions", "Fleiss\u2019 kappa", "95% interval"))),
        tuple(Row(label, _kappa(kappa)) for label, kappa in kappas.items()),
        ("Over questions that two or more people decided; 1 is perfect agreement, 0 is chance.",),
    )


def _kappa(found: Kappa | None) -> tuple[Entry, ...]:
    if found is None:
        return (Entry("0"), none("no question of two people"), none("none"))
    return (
        Entry(whole(found.n)),
        none("all decisions are alike") if found.value is None else Entry(_number(found.value)),
        none("none") if (of := found.interval) is None else Entry(f"{_number(of.low)} to {_number(of.high)}"),
    )


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", MINUS)


def _failed(found: ReviewReport) -> TableView:
    ordered = sorted(found.failed.items(), key=lambda one: (-one[1], one[0]))
    return TableView(
        "Dropped for",
        "criterion",
        (Column("decisions"),),
        tuple(Row(criterion or NO_CRITERION, (Entry(whole(number)),)) for criterion, number in ordered),
    )


def _filters(found: ReviewReport) -> TableView:
    return TableView(
        "Rejected questions: how many people would keep",
        "filter",
        tuple(map(Column, ("reviewed", "would keep"))),
        tuple(
            Row(one.filter, (Entry(whole(one.questions)), Entry(whole(one.wanted)))) for one in found.filters
        ),
    )


router = APIRouter(route_class=PageRoute, include_in_schema=False)

RETRIEVED = 10
EXAMPLES = 3


@router.get("/c/{corpus}/ask")
async def ask(
    shared: Shared,
    corpus: CorpusName,
    question: str = "",
    system: str = "single-step",
    retriever: str = DEFAULT,
) -> Response:
    """The form, and below it the answer where something was asked."""
    embedder = await require_known(shared.graph, corpus)
    sought = short_text(question, "question")
    chosen = one_of(system, "system", SYSTEMS)
    finder = one_of(retriever, "retriever", RETRIEVERS)
    asking: AskResult | None = None
    failed: HopgradeError | None = None
    examples: Sequence[QuestionRow] = ()
    if not sought:
        examples = (await read_questions(shared.graph, corpus, Filters(kind="chain"))).rows[:EXAMPLES]
    else:
        try:
            shared.require_spending("rules", embedder)
            asking = await shared.in_thread(
                shared.warm.ask, corpus, embedder, sought, chosen, finder, RETRIEVED
            )
        except HopgradeError as error:
            failed = error
    return page(
        "ask.html",
        "Ask",
        corpus,
        "ask",
        status=status_of(failed) if failed else 200,
        question=sought,
        system=chosen,
        systems=SYSTEMS,
        retriever=finder,
        retrievers=RETRIEVERS,
        asking=asking,
        failed=failed,
        picture=answer_picture(asking.path) if asking else None,
        examples=examples,
    )


KINDS = ("", *QUERY_TYPES, "imported")
STATUSES = ("kept", "rejected")
OUTCOME_NAMES: Mapping[Outcome, str] = {
    "": "all",
    "answered": "answered",
    "right": "right",
    "wrong": "wrong",
}
CAUSE_NAMES = {
    "": "any",
    "retrieval": "evidence not retrieved",
    "reasoning": "evidence was there",
    "abstained": "abstained",
    "error": "error of the system",
}
MOST_PAGES = 100_000
GRID_RUNS = 3
"""Runs that the grid shows where none is chosen: the newest whole ones first."""


@router.get("/c/{corpus}/reviews")
async def reviews(shared: Shared, corpus: CorpusName) -> Response:
    """What people decided on the questions of a corpus, and how far they agree."""
    await require_known(shared.graph, corpus)
    found = await shared.in_thread(read_report, shared.lent, corpus)
    begin = f"Decide on some: {command('questions review --annotator NAME --corpus', corpus)}"
    return page(
        "figures.html",
        "Reviews",
        corpus,
        "questions",
        lead=review_sentence(found),
        views=review_tables(found),
        hint="" if found.questions else begin,
    )


@router.get("/c/{corpus}/questions")
async def questions(
    shared: Shared,
    corpus: CorpusName,
    hops: str = "",
    bin: str = "",  # noqa: A002  the name in the address
    kind: str = "",
    status: str = "kept",
    text: str = "",
    run: str = "",
    other: Annotated[str, Query(alias="with")] = "",
    outcome: str = "",
    cause: str = "",
    page_number: Annotated[str, Query(alias="page")] = "",
    chosen: Annotated[str, Query(alias="question")] = "",
) -> Response:
    """The questions that fit the filters, a page of them, with the answers of the chosen runs side by side.

    Where no run is chosen, the newest whole ones are shown, then others that answered anything; an outcome is
    then that of the first. `chosen` is the id of the question that a script opens beside the list.
    """
    await require_known(shared.graph, corpus)
    runs = await read_runs(shared.graph, corpus)
    for chosen_run in filter(None, (run, other)):
        require_run(runs, corpus, chosen_run)
    answered = [one.name for some in by_wholeness(runs) for one in some if one.answers]
    answered = answered or [one.name for one in runs]
    if outcome == "differs" and not other:
        other = next((name for name in answered if name != (run or answered[0])), "")
    shown = [name for name in dict.fromkeys((run, other)) if name] or answered[:GRID_RUNS]
    if (outcome or cause) and not run and answered:
        run = answered[0]
    wanted = Filters(
        hops=whole_number(hops, "hops", QUESTION_HOPS[0], QUESTION_HOPS[-1]),
        bin=whole_number(bin, "bin", 1, 4),
        kind=one_of(kind, "kind", KINDS),
        status=one_of(status, "status", STATUSES),
        text=short_text(text, "text"),
        run=run,
        other=other if other != run else "",
        outcome=one_of(outcome, "outcome", OUTCOMES),
        cause=one_of(cause, "cause", CAUSES),
        page=whole_number(page_number, "page", 1, MOST_PAGES) or 1,
    )
    found, counts = await gather(
        read_questions(shared.graph, corpus, wanted, shown),
        read_outcome_counts(shared.graph, corpus, wanted, shown),
    )
    return page(
        "questions.html",
        "Questions",
        corpus,
        "questions",
        wanted=wanted,
        found=found,
        shown=shown,
        counts=counts,
        modes=outcome_modes(corpus, wanted, counts),
        filters=active_filters(corpus, wanted),
        runs=runs,
        kinds=KINDS,
        statuses=STATUSES,
        causes=CAUSE_NAMES,
        chosen=short_text(chosen, "question"),
    )


def active_filters(corpus: str, wanted: Filters) -> list[tuple[str, str, str]]:
    """The filters that are set besides the outcome: name, the address without it, and how it is said."""
    said = {
        "text": f"\u201c{wanted.text}\u201d" if wanted.text else "",
        "hops": f"{wanted.hops} hops" if wanted.hops else "",
        "bin": BIN_NAMES[wanted.bin] if wanted.bin else "",
        "kind": wanted.kind,
        "status": wanted.status if wanted.status != "kept" else "",
        "run": wanted.run,
        "with": f"beside {wanted.other}" if wanted.other else "",
        "cause": CAUSE_NAMES[wanted.cause] if wanted.cause else "",
    }
    values = _parameters(wanted)
    return [
        (
            name,
            address(
                corpus,
                "questions",
                **{key: value for key, value in values.items() if key.rstrip("_") != name},
            ),
            label,
        )
        for name, label in said.items()
        if label
    ]


def _parameters(wanted: Filters) -> dict[str, str | int | None]:
    return {
        "text": wanted.text,
        "hops": wanted.hops,
        "bin": wanted.bin,
        "kind": wanted.kind,
        "status": wanted.status if wanted.status != "kept" else "",
        "run": wanted.run,
        "with_": wanted.other,
        "outcome": wanted.outcome,
        "cause": wanted.cause,
    }


def outcome_modes(corpus: str, wanted: Filters, counts: OutcomeCounts) -> list[dict[str, object]]:
    """What can be chosen with a click: all, wrong, right, and where two runs differ, each with its number.

    The run is the chosen one or else the first shown; none without a run. "answered" is among them where
    that leaves questions out. They begin anew with causes, which only wrong answers have.
    """
    if not counts.runs:
        return []
    run = wanted.run or counts.runs[0]
    other = wanted.other or next((name for name in counts.runs if name != run), "")
    numbers: dict[Outcome, int] = {
        "": counts.total,
        "answered": counts.answers(run),
        "wrong": counts.answers(run, "wrong"),
        "right": counts.answers(run, "right"),
        "differs": counts.differing(run, other),
    }
    labels: dict[Outcome, str] = {**OUTCOME_NAMES, "differs": f"differs from {other}"}
    return [
        {
            "outcome": outcome,
            "label": labels[outcome],
            "questions": number,
            "address": address(
                corpus, "questions", **{**_parameters(wanted), "outcome": outcome, "cause": ""}
            ),
        }
        for outcome, number in numbers.items()
        if outcome == wanted.outcome
        or not ((outcome == "answered" and number == counts.total) or (outcome == "differs" and not other))
    ]


@router.get("/c/{corpus}/questions/{id}")
async def question(shared: Shared, corpus: CorpusName, id_: Id) -> Response:
    """One question."""
    await require_known(shared.graph, corpus)
    found = await read_question(shared.graph, corpus, id_)
    if found is None:
        raise NothingToDoError(f"there is no question {id_!r}.", "Choose one of the list of questions.")
    return page(
        "question.html",
        found.text,
        corpus,
        "questions",
        view=found,
        picture=question_picture(corpus, found.stops, found.hops),
        told=[(answer, *what_came(answer, found.kind)) for answer in found.answers],
    )


def what_came(answer: Answered, kind: str) -> tuple[str, str]:
    """How an answer ended, in a word, and where it broke, in a sentence."""
    if answer.error:
        return "error", f"The system failed: {answer.error}"
    if answer.correct:
        return "right", ""
    verdict = "abstained" if answer.abstained else "wrong"
    if kind == "null":
        return verdict, "No article holds an answer, so the right one is to say so."
    if answer.broken_by == "retrieval" and answer.first_lost is not None:
        return (
            verdict,
            f"It broke in retrieval: no chunk that supports hop {answer.first_lost} was retrieved.",
        )
    if answer.broken_by == "reasoning":
        return verdict, "It broke in reasoning: the evidence of every hop was retrieved."
    return verdict, "Where it broke is not known."
