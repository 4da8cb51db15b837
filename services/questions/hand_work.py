"""What people did on questions, and what becomes of it when the questions are made anew.

Reviews outlive their questions: they wait until a question with the same id, so of the same path and words,
is there again, and then count as before. Runs do not, nor do the verdicts by hand on their answers.
"""

from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.questions.review import settle_questions
from services.questions.review_text import Embed


@dataclass(frozen=True, slots=True)
class HandWork:
    """How much people did: `waiting` reviews are of questions that the corpus no longer has.

    `annotators` made the other reviews; `runs` are those that answered the questions.
    """

    reviews: int
    waiting: int
    verdicts: int
    annotators: tuple[str, ...]
    runs: tuple[str, ...]


def read_hand_work(graph: Graph, corpus: str) -> HandWork:
    """What was done on the questions that a corpus has."""
    (row,) = graph.rows(query("reviews/count_hand_work"), corpus=corpus)
    return HandWork(
        row["reviews"], row["waiting"], row["verdicts"], tuple(row["annotators"]), tuple(row["runs"])
    )


def take_up_reviews(graph: Graph, corpus: str, embed: Embed) -> None:
    """Join waiting reviews to the questions that came again, which then follow them."""
    rows = graph.rows(query("reviews/take_up_reviews"), corpus=corpus)
    settle_questions(graph, corpus, [row["question"] for row in rows], embed)


def discard_waiting(graph: Graph, corpus: str) -> None:
    """Delete the reviews of questions that the corpus no longer has."""
    graph.rows(query("reviews/delete_waiting"), corpus=corpus)
