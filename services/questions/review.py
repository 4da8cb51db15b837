"""People look at questions: each annotator keeps, drops or edits, without seeing what the others decided.

A kept question that more of its annotators drop than keep is not asked any more; one who edits it wants it
kept. Where they differ, somebody may adjudicate: then that decision counts alone. The last edit gives it its
text. Annotators always see a question in the words in which it was made, so that all decide on the same.
Decisions on rejected questions change nothing: they tell how the filters err.

A new text for a question by hand: what it must not give away, and what follows from it.

Reviews outlive their questions, as `services.questions.hand_work` says.

What annotators decided, and how far they agree: Fleiss' kappa over questions that at least two decided.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from kg.errors import NothingToDoError, SettingsError, command
from kg.ids import node_id
from kg.queries import query
from kg.store.graph import Graph, Row, vector_of
from services.questions.dataset import renew_version
from services.questions.difficulty import difficulty_properties
from services.questions.draft import Draft, Stop
from services.questions.filters.hiding import ANSWER_HIDDEN, MIDDLE_HIDDEN
from services.statistics.agreement import Kappa, fleiss_kappa

Embed: TypeAlias = Callable[[list[str]], NDArray[np.float32]]
"""From questions to unit vectors, one a row, by the embedder of the corpus."""

CHECKS = (ANSWER_HIDDEN, MIDDLE_HIDDEN)


def speaks_against(shown: Row, text: str) -> str:
    """Why this can't be the text of a question, empty where nothing speaks against it.

    `shown` is a row of `reviews/read_questions`. The names of entities on the way are known for chains only.
    """
    if not text.strip():
        return "it is empty"
    asked = shown["question"]
    stops = tuple(
        Stop(one["id"], one["name"], one["type"], tuple(one["aliases"] or ())) for one in shown["stops"]
    )
    draft = Draft(
        kind=asked["kind"],
        text=text,
        answer=asked["answer"],
        accepted=tuple(asked["accepted"] or ()),
        answer_type=asked["answer_type"],
        generator="by hand",
        stops=stops,
        facts=(),
        answered_by=shown["answered_by"] or "",
        hidden=tuple(name for stop in stops[1:-1] for name in stop.names),
    )
    found = ((check.name, check.check([draft])[0]) for check in CHECKS)
    return next((f"{name}: {verdict.reason}" for name, verdict in found if not verdict.passed), "")


def write_texts(graph: Graph, texts: Mapping[str, str], embed: Embed) -> None:
    """Give questions, by id, another text, with its vector, similarities and difficulties.

    Bins stay: they are frozen with the dataset. So do path, evidence and answers of runs to the old text.
    """
    ids = list(texts)
    vectors = dict(zip(ids, embed([texts[one] for one in ids]), strict=True))
    support: dict[str, list[Row]] = defaultdict(list)
    for row in graph.read_in_batches(query("reviews/read_support"), ids):
        cosine = round(float(vectors[row["question"]] @ vector_of(row["vector"])), 6)
        support[row["question"]].append({"hop": row["hop"], "chunk": row["chunk"], "similarity": cosine})
    rows = (
        {
            "id": one,
            "properties": {"text": texts[one], **difficulty_properties(support[one])},
            "vector": vectors[one],
            "support": support[one],
        }
        for one in ids
    )
    graph.write_rows(query("reviews/write_texts"), rows, size=500)


Decision = Literal["keep", "drop", "edit"]

GENERAL_CRITERIA: Mapping[str, str] = MappingProxyType(
    {
        "factual": "the evidence says that the answer is right, and nothing is made up",
        "fluent": "it is natural English that makes sense at the first reading",
    }
)
"""What every question is held against (AgenticRAGTracer, appendix E), by the word that reasons begin with."""

_STEPS = {"steps": "each step follows from the one before, and none can be left out"}
_COMPARED = {"compared": "both sides are compared in one respect, and in the same unit"}
_ORDER = {"order": "both dates are of the events that are named, and each is known exactly enough"}
_DESCRIBES = {"describes": "all facts are of one thing, and no other thing fits all of them"}
_ABSENT = {"absent": "nothing that the corpus holds answers it"}
TYPE_CRITERIA: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "chain": _STEPS,
        "sequential": _STEPS,
        "comparison": _COMPARED,
        "parallel": _COMPARED,
        "temporal": _ORDER,
        "bridge entity": _DESCRIBES,
        "bridge topic": _DESCRIBES,
        "null": _ABSENT,
    }
)
"""What a question of a kind is held against besides."""


def criteria_of(kind: str) -> dict[str, str]:
    """What a question of a kind is held against, general ones first; imported kinds have only those."""
    return {**GENERAL_CRITERIA, **TYPE_CRITERIA.get(kind, {})}


_CRITERIA = frozenset(GENERAL_CRITERIA).union(*TYPE_CRITERIA.values())


def criterion_of(reason: str) -> str:
    """The criterion that a reason begins with ("factual: the fire was in May"), empty where it names none."""
    first = reason.split(maxsplit=1)[0].rstrip(":,.").casefold() if reason.strip() else ""
    return first if first in _CRITERIA else ""


Pool = Literal["kept", "rejected"]

STATUSES: dict[Pool, tuple[str, ...]] = {"kept": ("kept", "dropped"), "rejected": ("rejected",)}
"""What a pool is drawn from: a dropped question stays in it, for the next annotator may want it back."""


def parse_pool(given: str) -> Pool:
    """What is reviewed: kept questions, or rejected ones.

    Raises:
        SettingsError: it is neither.
    """
    for pool in get_args(Pool):
        if given == pool:
            found: Pool = pool
            return found
    raise SettingsError(f"{given!r} can't be reviewed.", f"Use --status {' or '.join(get_args(Pool))}.")


@dataclass(frozen=True, slots=True)
class Review:
    """What an annotator decided on a question, and why; `text` is the new one of an edit, else empty.

    One that `adjudicates` settles what annotators differ on, and counts in no agreement.
    """

    question: str
    annotator: str
    decision: Decision
    reason: str
    text: str
    at: datetime
    adjudicates: bool = False


@dataclass(frozen=True, slots=True)
class Reviewable:
    """A question in the queue of an annotator; `decision` is what he decided on it before."""

    id: str
    decision: Decision | None


def draw_questions(
    graph: Graph, corpus: str, annotator: str, pool: Pool, sample: int | None, seed: int
) -> list[Reviewable]:
    """So many questions of a pool, all by default, in an order that the seed gives.

    It is the same for every annotator, whatever was decided meanwhile, so that their questions overlap.
    """
    rows = graph.rows(
        query("reviews/list_questions"), corpus=corpus, statuses=list(STATUSES[pool]), annotator=annotator
    )
    order = np.random.default_rng(seed).permutation(len(rows))[:sample]
    return [Reviewable(rows[at]["id"], rows[at]["decision"]) for at in order.tolist()]


def show_questions(graph: Graph, ids: Sequence[str]) -> list[Row]:
    """Questions as annotators see them, in the order of `ids`: the rows of `reviews/read_questions`."""
    return list(graph.read_in_batches(query("reviews/read_questions"), ids))


def _review_id(corpus: str, question: str, annotator: str, adjudicates: bool) -> str:
    return node_id(corpus, "review", question, annotator, *(["adjudicated"] * adjudicates))


def record_reviews(graph: Graph, corpus: str, reviews: Sequence[Review], embed: Embed) -> None:
    """Keep decisions, and let the questions and the version of the dataset follow them."""
    rows = [
        {
            "question": one.question,
            "review": {
                "id": _review_id(corpus, one.question, one.annotator, one.adjudicates),
                "question": one.question,
                "annotator": one.annotator,
                "decision": one.decision,
                "reason": one.reason,
                "text": one.text,
                "at": one.at,
                "adjudicates": one.adjudicates,
            },
        }
        for one in reviews
    ]
    graph.write_rows(query("reviews/write_reviews"), rows, corpus=corpus)
    settle_questions(graph, corpus, [one.question for one in reviews], embed)


def undo_review(
    graph: Graph,
    corpus: str,
    annotator: str,
    question: str | None,
    embed: Embed,
    adjudicates: bool = False,
) -> Row:
    """Forget an annotator's own decision on a question, by default his last one, and return it.

    With `adjudicates` one that settled what others differed on.

    Raises:
        NothingToDoError: there is none.
    """
    rows = read_reviews(graph, corpus)
    made = [row for row in rows if row["annotator"] == annotator and row["adjudicates"] == adjudicates]
    if question is not None:
        made = [row for row in made if row["question"] == question]
    if not made:
        where = f"question {question!r}" if question else f"any question of corpus {corpus!r}"
        raise NothingToDoError(
            f"{annotator!r} has decided nothing on {where}.",
            f"See who decided: {command('questions review --report')}.",
        )
    gone = made[-1]
    ids = [_review_id(corpus, gone["question"], annotator, adjudicates)]
    graph.rows(query("corpus/delete_by_ids"), ids=ids)
    settle_questions(graph, corpus, [gone["question"]], embed)
    return gone


def read_reviews(graph: Graph, corpus: str) -> list[Row]:
    """All decisions in a corpus in the order in which they were made: the rows of `reviews/read_reviews`."""
    return graph.rows(query("reviews/read_reviews"), corpus=corpus)


def split_questions(rows: Sequence[Row]) -> list[str]:
    """The questions on which annotators differ and that nobody adjudicated, from `reviews/read_reviews`.

    Ties come first: of the others the majority has decided. AgenticRAGTracer discusses every one of them
    (appendix E).
    """
    settled = {row["question"] for row in rows if row["adjudicates"]}
    made: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["status"] != "rejected" and row["question"] not in settled:
            made[row["question"]]["drop" if row["decision"] == "drop" else "retain"] += 1
    split = [one for one, found in made.items() if len(found) > 1]
    return sorted(split, key=lambda one: (made[one]["drop"] != made[one]["retain"], one))


def settle_questions(graph: Graph, corpus: str, questions: Sequence[str], embed: Embed) -> None:
    """Make status and text of questions what their decisions ask for, and renew the dataset's version."""
    ids = list(dict.fromkeys(questions))
    settled = list(graph.read_in_batches(query("reviews/settle_questions"), ids))
    other = {row["id"]: row["wanted"] for row in settled if row["wanted"] != row["text"]}
    if other:
        write_texts(graph, other, embed)
    if other or any(row["changed"] for row in settled):
        renew_version(graph, corpus)


def take_up_reviews(graph: Graph, corpus: str, embed: Embed) -> None:
    """Join waiting reviews to the questions that came again, which then follow them."""
    rows = graph.rows(query("reviews/take_up_reviews"), corpus=corpus)
    settle_questions(graph, corpus, [row["question"] for row in rows], embed)


def discard_waiting(graph: Graph, corpus: str) -> None:
    """Delete the reviews of questions that the corpus no longer has."""
    graph.rows(query("reviews/delete_waiting"), corpus=corpus)


@dataclass(frozen=True, slots=True)
class AnnotatorCounts:
    """How often an annotator decided what."""

    annotator: str
    keep: int
    drop: int
    edit: int

    @property
    def total(self) -> int:
        """All decisions."""
        return self.keep + self.drop + self.edit


@dataclass(frozen=True, slots=True)
class FilterAudit:
    """Rejected questions that people looked at, by the filter that rejected them.

    `wanted` are those that more annotators would keep than drop, so that the filter was too strict.
    """

    filter: str
    questions: int
    wanted: int


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """The state of a review.

    `decisions` is the kappa over keep, drop and edit, `retained` that over retain (keep or edit) and discard,
    as AgenticRAGTracer counts (appendix E); None where no question has two annotators. `questions` were
    decided by somebody, `shared` by two or more, `dropped` are not asked any more, `edited` have another
    text. On `split` annotators differ, of which `adjudicated` were settled by somebody; `open` are the ids of
    those where as many drop as keep and nobody settled it: they are still asked. `failed` counts decisions to
    drop by the criterion that their reason begins with, "" where it names none.
    """

    questions: int
    shared: int
    dropped: int
    edited: int
    split: int
    adjudicated: int
    open: tuple[str, ...]
    annotators: tuple[AnnotatorCounts, ...]
    decisions: Kappa | None
    retained: Kappa | None
    filters: tuple[FilterAudit, ...]
    failed: Mapping[str, int]


def report_reviews(rows: Sequence[Row]) -> ReviewReport:
    """The state of a review from its decisions, the rows of `reviews/read_reviews`."""
    by_question: dict[str, Counter[str]] = defaultdict(Counter)
    by_annotator: dict[str, Counter[str]] = defaultdict(Counter)
    about = {row["question"]: row for row in rows}
    settled = {row["question"] for row in rows if row["adjudicates"]}
    for row in rows:
        if row["adjudicates"]:
            continue
        by_question[row["question"]][row["decision"]] += 1
        by_annotator[row["annotator"]][row["decision"]] += 1
    asked = {one: made for one, made in by_question.items() if about[one]["status"] != "rejected"}
    return ReviewReport(
        questions=len(by_question),
        shared=sum(made.total() > 1 for made in by_question.values()),
        dropped=sum(about[one]["status"] == "dropped" for one in asked),
        edited=sum(made["edit"] > 0 for made in asked.values()),
        split=sum(all(_retained(made).values()) for made in asked.values()),
        adjudicated=len(settled & asked.keys()),
        open=tuple(
            sorted(
                one
                for one, made in asked.items()
                if one not in settled and _retained(made)["retain"] == made["drop"]
            )
        ),
        annotators=tuple(
            AnnotatorCounts(name, made["keep"], made["drop"], made["edit"])
            for name, made in sorted(by_annotator.items())
        ),
        decisions=fleiss_kappa(list(by_question.values())),
        retained=fleiss_kappa([_retained(made) for made in by_question.values()]),
        filters=_audit(by_question, about),
        # No Counter: dataclasses.asdict would count its pairs.
        failed=dict(Counter(criterion_of(row["reason"]) for row in rows if row["decision"] == "drop")),
    )


def read_report(graph: Graph, corpus: str) -> ReviewReport:
    """The state of the review of a corpus."""
    return report_reviews(read_reviews(graph, corpus))


def _retained(made: Mapping[str, int]) -> dict[str, int]:
    return {"retain": made.get("keep", 0) + made.get("edit", 0), "discard": made.get("drop", 0)}


def _audit(by_question: Mapping[str, Counter[str]], about: Mapping[str, Row]) -> tuple[FilterAudit, ...]:
    seen: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for question, made in by_question.items():
        if about[question]["status"] == "rejected":
            name = about[question]["rejected_by"] or ""
            seen[name] += 1
            wanted[name] += _retained(made)["retain"] > made["drop"]
    return tuple(FilterAudit(name, seen[name], wanted[name]) for name in sorted(seen))
