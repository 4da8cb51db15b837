"""What the page shows of questions: a grid of them and runs, and one with its path, evidence and answers."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from kg.ids import run_id
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row
from services.datasets.question import HopQuestion
from services.questions.spans.question_spans import told_spans
from services.web.views.page_answer import Answered, read_answer
from services.web.views.page_entity import Named, Piece, marked_pieces
from services.web.views.questions import Evidence as EvidenceChunk
from services.web.views.questions import QuestionFacts, RestingOn

Outcome = Literal["", "answered", "right", "wrong", "differs"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Cause = Literal["", "retrieval", "reasoning", "abstained", "error"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
ROWS_A_PAGE = 30
AROUND = 120
"""Characters that are shown before and behind the sentences that make a chunk evidence."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which questions are wanted; what is empty or None stands for any. `page` counts from 1.

    `outcome` is of the run; "differs" are those that the two runs answered differently. `cause` is why the
    run is wrong: evidence that it did not retrieve, evidence that it had, an abstention, or a fault.
    """

    hops: int | None = None
    bin: int | None = None
    kind: str = ""
    status: str = "kept"
    text: str = ""
    run: str = ""
    other: str = ""
    outcome: Outcome = ""
    cause: Cause = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class QuestionRow(QuestionFacts):
    """A question in a list, with what the shown runs answered by their names; `answered` counts all runs'."""

    hops: int | None
    answered: int | None
    answers: Mapping[str, Answered]


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """A page of questions with how many there are in all."""

    rows: tuple[QuestionRow, ...]
    total: int
    pages: int


async def read_questions(
    graph: AsyncGraph, corpus: str, wanted: Filters, runs: Sequence[str] = ()
) -> QuestionPage:
    """The page that the filters ask for, with what the runs answered; empty beyond the last page."""
    found = await graph.rows(
        query("questions/list_with_answers"),
        **_question_filters(corpus, wanted),
        run=run_id(corpus, wanted.run) if wanted.run else "",
        other=run_id(corpus, wanted.other) if wanted.other else "",
        outcome=wanted.outcome,
        cause=wanted.cause,
        runs=_run_ids(corpus, runs),
        skip=(wanted.page - 1) * ROWS_A_PAGE,
        limit=ROWS_A_PAGE,
    )
    total = found[0]["total"] if found else 0
    rows = tuple(
        QuestionRow(
            **{key: row[key] for key in row if key not in ("total", "given")},
            answers={one["run"]: _grid_cell(one) for one in row["given"]},
        )
        for row in found
    )
    return QuestionPage(rows, total, -(-total // ROWS_A_PAGE))


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """How many questions have each pattern of outcomes of `runs`, in their order; "" stands for no answer."""

    runs: tuple[str, ...]
    patterns: Mapping[tuple[str, ...], int]

    @property
    def total(self) -> int:
        """All questions, answered or not."""
        return sum(self.patterns.values())

    def answers(self, run: str, outcome: Literal["", "right", "wrong"] = "") -> int:
        """How many a run answered, with an outcome those of it; 0 for a run that is not among them."""
        if run not in self.runs:
            return 0
        place = self.runs.index(run)
        return sum(
            count
            for pattern, count in self.patterns.items()
            if pattern[place] and outcome in ("", pattern[place])
        )

    def differing(self, run: str, other: str) -> int:
        """How many questions one of two runs answered right and the other wrong."""
        if run not in self.runs or other not in self.runs:
            return 0
        places = (self.runs.index(run), self.runs.index(other))
        return sum(
            count
            for pattern, count in self.patterns.items()
            if {pattern[place] for place in places} == {"right", "wrong"}
        )


async def read_outcome_counts(
    graph: AsyncGraph, corpus: str, wanted: Filters, runs: Sequence[str]
) -> OutcomeCounts:
    """The outcomes of runs on what the filters find, whatever outcome and cause they ask for."""
    rows = await graph.rows(
        query("questions/count_outcomes"), **_question_filters(corpus, wanted), runs=_run_ids(corpus, runs)
    )
    return OutcomeCounts(tuple(runs), {tuple(row["outcomes"]): row["questions"] for row in rows})


def _question_filters(corpus: str, wanted: Filters) -> dict[str, object]:
    return {
        "corpus": corpus,
        "status": wanted.status,
        "hops": [] if wanted.hops is None else [wanted.hops],
        "bins": [] if wanted.bin is None else [wanted.bin],
        "kinds": [wanted.kind] if wanted.kind else [],
        "text": wanted.text,
    }


def _run_ids(corpus: str, runs: Sequence[str]) -> list[str]:
    return [run_id(corpus, run) for run in runs]


def _grid_cell(row: Row) -> Answered:
    return Answered(
        row["run"],
        row["text"] or "",
        bool(row["right"]),
        bool(row["abstained"]),
        row["error"],
        row["broken_by"] or "",
        row["first_lost"],
    )


@dataclass(frozen=True, slots=True)
class Hop(RestingOn):
    """A fact that a question rests on, and where it stands; `link` is empty where it follows no path.

    `backwards` tells that the path goes from the fact's object to its subject.
    """

    backwards: bool
    title: str
    source: str
    published: str


@dataclass(frozen=True, slots=True)
class Evidence(EvidenceChunk):
    """A chunk that supports a hop, with its text.

    `pieces` are its text with the sentences of its hops marked, `excerpt` what stands around them; where none
    of these sentences stands in it, nothing is marked and the excerpt is empty.
    """

    text: str
    pieces: tuple[Piece, ...]
    excerpt: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class QuestionView(QuestionFacts):
    """One question; `spans` tells how many clusters its evidence lies in, empty where nothing is known.

    `error_rate` is over `rated` answers, None without any.
    """

    accepted: tuple[str, ...]
    hops_count: int | None
    status: str
    rejected_why: str
    stops: tuple[Named, ...]
    hops: tuple[Hop, ...]
    evidence: tuple[Evidence, ...]
    answers: tuple[Answered, ...]
    hop_questions: tuple[HopQuestion, ...] = ()
    spans: str = ""
    rated: int = 0


async def read_question(graph: AsyncGraph, corpus: str, id_: str) -> QuestionView | None:
    """A question of a corpus; None where there is none of that id."""
    rows = await graph.rows(query("questions/read_shown"), corpus=corpus, id=id_)
    return _view(rows[0]) if rows else None


def _view(row: Row) -> QuestionView:
    question = row["question"]
    evidence = tuple(_evidence(row))
    supports = {
        one.chunk: tuple(sorted({e.hop for e in evidence if e.chunk == one.chunk})) for one in evidence
    }
    return QuestionView(
        id=question["id"],
        text=question["text"],
        answer=question["answer"] or "",
        accepted=tuple(question["accepted"] or ()),
        kind=question["kind"],
        hops_count=question["hops"],
        bin=question["bin"],
        status=question["status"],
        rejected_by=question["rejected_by"] or "",
        rejected_why=question["rejected_why"] or "",
        difficulty=question["difficulty_min"],
        error_rate=question["error_rate"],
        rated=question["answers"] or 0,
        stops=tuple(
            Named(stop["id"], stop["name"], stop["type"] or "", stop["error_rate"], stop["answers"])
            for stop in row["entities"]
        ),
        hops=tuple(map(_hop, row["hops"])),
        evidence=evidence,
        hop_questions=tuple(_hop_questions(row)),
        answers=tuple(read_answer(answer, supports) for answer in row["answers"]),
        spans=told_spans(question),
    )


def _hop_questions(row: Row) -> Iterator[HopQuestion]:
    """Its hops as far as they have questions; the last one's question so far is the question itself."""
    question = row["question"]
    alone = {one["hop"]: one for one in row["alone"]}
    so_far = {one["hop"]: one for one in row["so_far"]}
    if alone or so_far:
        so_far[question["hops"]] = question
    for hop in sorted({*alone, *so_far}):
        single, whole = alone.get(hop, {}), so_far.get(hop, {})
        yield HopQuestion(
            hop,
            single.get("text") or "",
            single.get("answer") or "",
            whole.get("text") or "",
            whole.get("answer") or "",
            topology=single.get("topology") or "",
        )


def _evidence(row: Row) -> Iterator[Evidence]:
    sentences = {hop["index"]: hop["sentence"] for hop in row["hops"] if hop["sentence"]}
    borne: dict[str, set[str]] = {}
    for one in row["evidence"]:
        borne.setdefault(one["chunk"], set()).update(filter(None, [sentences.get(one["hop"])]))
    for one in row["evidence"]:
        pieces = mark_sentences(one["text"], borne[one["chunk"]])
        yield Evidence(
            hop=one["hop"],
            similarity=one["similarity"],
            chunk=one["chunk"],
            text=one["text"],
            article=one["article"],
            title=one["title"] or "",
            pieces=pieces,
            excerpt=excerpt_of(pieces),
        )


def mark_sentences(text: str, sentences: Collection[str]) -> tuple[Piece, ...]:
    """The text with these sentences marked wherever they stand in it, whatever white space is within them."""
    spans = [
        found.span()
        for sentence in sentences
        if (words := sentence.split())
        for found in re.finditer(r"\s+".join(map(re.escape, words)), text)
    ]
    return marked_pieces(text, spans)


def excerpt_of(pieces: Sequence[Piece], around: int = AROUND) -> tuple[Piece, ...]:
    """What is marked of a text with about so many characters before and behind it; empty where nothing is."""
    places = [place for place, piece in enumerate(pieces) if piece.marked]
    if not places:
        return ()
    first, last = places[0], places[-1]
    before = "".join(piece.text for piece in pieces[:first])
    behind = "".join(piece.text for piece in pieces[last + 1 :])
    if len(before) > around:
        before = "\u2026 " + before[-around:].partition(" ")[2]
    if len(behind) > around:
        behind = behind[:around].rpartition(" ")[0] + " \u2026"
    return (Piece(before, marked=False), *pieces[first : last + 1], Piece(behind, marked=False))


def _hop(row: Row) -> Hop:
    told = (
        "link",
        "subject",
        "predicate",
        "object",
        "claim",
        "sentence",
        "article",
        "title",
        "source",
        "attributed_to",
    )
    return Hop(
        index=row["index"],
        backwards=bool(row["reversed"]),
        published=row["published"] or "",
        **{name: row[name] or "" for name in told},
    )
