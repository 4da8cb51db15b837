"""People look at questions: each annotator keeps, drops or edits, without seeing what the others decided.

A kept question that more of its annotators drop than keep is not asked any more; one who edits it wants it
kept. The last edit gives it its text. Annotators always see a question in the words in which it was made, so
that all decide on the same. Decisions on rejected questions change nothing: they tell how the filters err.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from kg.errors import NothingToDoError
from kg.ids import node_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.dataset import renew_version
from services.questions.review_text import Embed, write_texts

Decision = Literal["keep", "drop", "edit"]

Pool = Literal["kept", "rejected"]

STATUSES: dict[Pool, tuple[str, ...]] = {"kept": ("kept", "dropped"), "rejected": ("rejected",)}
"""What a pool is drawn from: a dropped question stays in it, for the next annotator may want it back."""


@dataclass(frozen=True, slots=True)
class Review:
    """What an annotator decided on a question, and why; `text` is the new one of an edit, else empty."""

    question: str
    annotator: str
    decision: Decision
    reason: str
    text: str
    at: datetime


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


def record_reviews(graph: Graph, corpus: str, reviews: Sequence[Review], embed: Embed) -> None:
    """Keep decisions, and let the questions and the version of the dataset follow them."""
    rows = [
        {
            "question": one.question,
            "review": {
                "id": node_id(corpus, "review", one.question, one.annotator),
                "question": one.question,
                "annotator": one.annotator,
                "decision": one.decision,
                "reason": one.reason,
                "text": one.text,
                "at": one.at,
            },
        }
        for one in reviews
    ]
    graph.write_rows(query("reviews/write_reviews"), rows, corpus=corpus)
    settle_questions(graph, corpus, [one.question for one in reviews], embed)


def undo_review(graph: Graph, corpus: str, annotator: str, question: str | None, embed: Embed) -> Row:
    """Forget an annotator's own decision on a question, by default his last one, and return it.

    Raises:
        NothingToDoError: there is none.
    """
    made = [row for row in read_reviews(graph, corpus) if row["annotator"] == annotator]
    if question is not None:
        made = [row for row in made if row["question"] == question]
    if not made:
        where = f"question {question!r}" if question else f"any question of corpus {corpus!r}"
        raise NothingToDoError(
            f"{annotator!r} has decided nothing on {where}.", "See who decided: kg questions review --report."
        )
    gone = made[-1]
    graph.rows(query("reviews/delete_review"), question=gone["question"], annotator=annotator)
    settle_questions(graph, corpus, [gone["question"]], embed)
    return gone


def read_reviews(graph: Graph, corpus: str) -> list[Row]:
    """All decisions in a corpus in the order in which they were made: the rows of `reviews/read_reviews`."""
    return graph.rows(query("reviews/read_reviews"), corpus=corpus)


def settle_questions(graph: Graph, corpus: str, questions: Sequence[str], embed: Embed) -> None:
    """Make status and text of questions what their decisions ask for, and renew the dataset's version."""
    ids = list(dict.fromkeys(questions))
    settled = list(graph.read_in_batches(query("reviews/settle_questions"), ids))
    other = {row["id"]: row["wanted"] for row in settled if row["wanted"] != row["text"]}
    if other:
        write_texts(graph, other, embed)
    if other or any(row["changed"] for row in settled):
        renew_version(graph, corpus)
