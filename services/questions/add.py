"""Questions that are added to those of a corpus: from saved paths, and where a model gave nothing before.

What there is stays as it is, with its reviews and answers. New ones go into the bins that were cut when the
questions were made, and change the version of the dataset.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from shlex import quote

from kg.errors import NothingToDoError
from kg.ledger import counts_of, read_stage, record_stage
from kg.queries import query
from kg.store.graph import Graph
from services.questions.dataset import place_added
from services.questions.draft import Draft, Made, QuestionKind
from services.questions.filters.solver import NOT_CHECKED
from services.questions.funnel import Tally, funnel_counts, shortages, tally
from services.questions.generate import WRITTEN
from services.questions.hand_work import take_up_reviews
from services.questions.kinds.make import draft_kinds
from services.questions.make import make_from_paths, no_more_than, open_making
from services.questions.making import Making
from services.questions.question_rows import question_id
from services.questions.tools import QuestionJob


def add_questions(job: QuestionJob, paths: Sequence[str]) -> list[Made]:
    """Make questions from these paths, but for those that have one; a later stage makes them as well.

    Raises:
        NothingToDoError: the corpus has no questions yet, or no such path; nothing is made then.
        ModelError: a model can't go on.
    """
    graph, corpus = job.graph, job.corpus
    _require_made(graph, corpus)
    rows = graph.rows(query("questions/find_paths"), corpus=corpus, ids=list(dict.fromkeys(paths)))
    unknown = set(paths) - {row["id"] for row in rows}
    if unknown:
        raise NothingToDoError(
            f"corpus {corpus!r} has no path {', '.join(map(repr, sorted(unknown)))}.",
            f"See the ids: kg graph paths list --saved --corpus {quote(corpus)}",
        )
    graph.rows(query("questions/mark_asked"), ids=[row["id"] for row in rows])
    with ExitStack() as stack:
        making = open_making(stack, job)
        made = list(make_from_paths(making, [row["id"] for row in rows if not row["asked"]], job.progress))
    _record(job, making)
    return made


def retry_failed_questions(job: QuestionJob) -> list[Made]:
    """Ask again where a model gave no question, or no verdict on one; what it gave comes from its cache.

    Raises:
        NothingToDoError: the corpus has no questions yet.
        ModelError: a model can't go on; what it did not answer can be asked for again.
    """
    graph, corpus = job.graph, job.corpus
    _require_made(graph, corpus)
    failed = {
        row["id"]: row["path"]
        for row in graph.rows(
            query("questions/list_failed"), corpus=corpus, written=WRITTEN, not_checked=NOT_CHECKED
        )
    }
    if not failed:
        return []
    with ExitStack() as stack:
        making = open_making(stack, job)
        paths = [path for path in failed.values() if path is not None]
        made = list(make_from_paths(making, paths, job.progress))
        others = _drafts_again(job, {id_ for id_, path in failed.items() if path is None})
        made += making.write(no_more_than(making.check(list(others.values())), _room(job)))
    # Only now, so that what is cut off before can still be found.
    renewed = {question_id(corpus, one.draft) for one in made}
    tried = others.keys() | {id_ for id_, path in failed.items() if path is not None}
    gone = sorted(tried - renewed)
    graph.rows(query("questions/delete_some"), ids=gone)
    _record(job, making)
    return made


def _drafts_again(job: QuestionJob, failed: Collection[str]) -> dict[str, Made]:
    """The questions of other kinds that failed, by id, as they were before any filter."""
    if not failed:
        return {}
    choice, corpus = job.choice, job.corpus
    drafts: Iterable[Draft] = draft_kinds(
        job.graph, corpus, choice.other_kinds, choice.per_kind, job.draw.seed, job.progress
    )
    return {id_: Made(draft) for draft in drafts if (id_ := question_id(corpus, draft)) in failed}


def _room(job: QuestionJob) -> dict[QuestionKind, int]:
    """How many kept questions of each other kind are still wanted."""
    tallies = tally(job.graph.rows(query("questions/count_questions"), corpus=job.corpus))
    most = job.choice.per_kind
    return {kind: most - tallies.get((kind, None), Tally()).kept for kind in job.choice.other_kinds}


def _require_made(graph: Graph, corpus: str) -> None:
    line = read_stage(graph, corpus, "questions")
    if line is None or line["state"] != "done":
        raise NothingToDoError(
            f"the questions of corpus {corpus!r} are not made yet, or not to the end.",
            f"Make them: kg questions make --corpus {quote(corpus)}",
        )


def _record(job: QuestionJob, making: Making) -> None:
    """Put the new questions into their bins, and note the version and the counts that there are now."""
    graph, corpus = job.graph, job.corpus
    place_added(graph, corpus, making.difficulties)
    take_up_reviews(graph, corpus, job.embedder.embed)
    line = read_stage(graph, corpus, "questions")
    if line is not None:
        counts = funnel_counts(graph, corpus, job.choice, shortages(counts_of(line)))
        record_stage(graph, corpus, "questions", line["key"], counts)
