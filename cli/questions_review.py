"""`kg questions review`: people keep, drop or edit questions, and see how far they agree."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.completion import complete_questions, whole_id
from cli.console import err, out, print_json, remark, say, table
from cli.options import MAX_SEED, MOST, AsJson, Corpus
from cli.review_session import HELP, Reviewing, SessionResult, review_queue
from cli.session import Session, existing_corpus, open_session
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.errors import NothingToDoError, SettingsError, command
from kg.store.graph import Row
from services.questions.review import (
    Embed,
    Reviewable,
    ReviewReport,
    draw_questions,
    parse_pool,
    read_report,
    read_reviews,
    split_questions,
    undo_review,
)
from services.questions.review_files import export_reviews, import_reviews
from services.statistics.agreement import Kappa

app = typer.Typer(rich_markup_mode=None)

LONGEST_NAME = 80
MOST_LISTED = 20
"""Ids of open questions that the report prints; --json has all."""


@app.command(epilog="Example: kg questions review --annotator ana --sample 50 --corpus ormelund")
def review(
    corpus: Corpus = None,
    annotator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides; any number of people may.", show_default=False),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, help="So many questions, drawn by --seed. Default: all.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of draw and order; the same for all annotators.")
    ] = 0,
    status: Annotated[
        str, typer.Option(help="kept, or rejected: to see whether the filters are right.")
    ] = "kept",
    again: Annotated[bool, typer.Option("--all", help="Also those that you decided before.")] = False,
    show_checks: Annotated[
        bool, typer.Option("--show-checks", help="Show what the filters said before you decide.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take your last decision back.")] = False,
    adjudicate: Annotated[
        bool,
        typer.Option(
            "--adjudicate",
            help="Settle questions on which annotators differ, ties first; what they decided is shown, and "
            "your decision counts alone.",
        ),
    ] = False,
    question: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Only this question, also with --undo.",
            show_default=False,
            autocompletion=complete_questions,
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Print who decided what, and Fleiss' kappa.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write your queue as JSON lines, to decide elsewhere.", show_default=False
        ),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option(
            "--import", metavar="FILE", help="Take the decisions in such a file.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look at questions with their evidence, and keep, drop or edit them.

    Each line is a decision: keep, drop, edit, skip, back or quit, or the first letter, and a reason if you
    like; edit asks for the new text on the next line. Every decision is saved at once. A question that more
    people drop than keep is not asked any more. Where as many drop as keep it is open: --report lists such
    questions, and --adjudicate lets somebody settle them. Composed questions come with the question, answer
    and evidence of each hop.
    """
    if sum((undo, report, export is not None, import_ is not None)) > 1:
        raise SettingsError(
            "--undo, --report, --export and --import are different jobs.", "Give one of them at a time."
        )
    if adjudicate and (report or export is not None or import_ is not None):
        raise SettingsError("--adjudicate is done here, a question at a time.", "Leave the other option out.")
    pool = parse_pool(status)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        if report:
            _report(session, name, as_json)
        elif import_ is not None:
            count = import_reviews(
                session.graph, name, _name(annotator), import_, datetime.now(UTC), _embed(session, name)
            )
            _print_result({"imported": count}, f"{count:,} decisions taken from {import_}", as_json)
        else:
            who = _require_name(annotator)
            question = question and whole_id(session.graph, "question", question, name)
            if undo:
                gone = undo_review(session.graph, name, who, question, _embed(session, name), adjudicate)
                _print_result(gone, f"forgotten: {gone['decision']} on {gone['question']}", as_json)
                return
            if adjudicate:
                _adjudicate(session, name, who, question, show_checks, as_json)
                return
            queue = draw_questions(session.graph, name, who, pool, sample, seed)
            if export is not None:
                count = export_reviews(session.graph, name, who, queue, export)
                _print_result({"exported": count}, f"{count:,} questions written to {export}", as_json)
                return
            _review(session, name, who, _queue_part(queue, question, again, name), show_checks, as_json)


def _adjudicate(
    session: Session, corpus: str, annotator: str, question: str | None, show_checks: bool, as_json: bool
) -> None:
    """Go through the questions on which annotators differ."""
    rows = read_reviews(session.graph, corpus)
    queue = [Reviewable(one, None) for one in split_questions(rows) if question in {None, one}]
    if not queue:
        raise NothingToDoError(
            f"annotators of corpus {corpus!r} differ on no {'such ' if question else ''}question.",
            f"See what they decided: {command('questions review --report --corpus', corpus)}",
        )
    others: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        others[row["question"]].append(row)
    _review(session, corpus, annotator, queue, show_checks, as_json, others)


def _review(
    session: Session,
    corpus: str,
    annotator: str,
    queue: Sequence[Reviewable],
    show_checks: bool,
    as_json: bool,
    others: Mapping[str, Sequence[Row]] | None = None,
) -> None:
    """Go through a queue; with what `others` decided, whoever decides adjudicates."""
    reviewing = Reviewing(
        session.graph,
        corpus,
        annotator,
        _embed(session, corpus),
        err if as_json else out,
        _line,
        show_checks,
        others is not None,
        others or {},
    )
    if queue:
        reviewing.tell(HELP, "dim")
    done = review_queue(reviewing, queue)
    if as_json:
        print_json({"decided": done.decided, "skipped": done.skipped, "left": done.left})
        return
    say(_summary(done) if queue else f"{annotator} has decided on all of them; --all shows them again.")
    if done.left:
        remark("The same command, with the same --sample, --seed and --status, goes on here.")


def _summary(done: SessionResult) -> str:
    decided = sum(done.decided.values())
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in sorted(done.decided.items()))
    return (
        f"decided {decided:,}{f' ({kinds})' if kinds else ''}, skipped {done.skipped:,}, left {done.left:,}"
    )


def _line() -> str | None:
    try:
        return input()
    except EOFError:
        return None


def _queue_part(
    queue: Sequence[Reviewable], question: str | None, again: bool, corpus: str
) -> Sequence[Reviewable]:
    """The part of a queue that is to be gone through."""
    if not queue:
        raise NothingToDoError(
            f"corpus {corpus!r} has no such questions to review.",
            f"Make some: kg questions make --corpus {quote(corpus)}",
        )
    if question is not None:
        found = [one for one in queue if one.id == question]
        if not found:
            raise NothingToDoError(
                f"question {question!r} is not among those to review.", "See the ids: kg questions list."
            )
        return found
    return [one for one in queue if again or one.decision is None]


def _name(given: str | None) -> str | None:
    name = None if given is None else " ".join(given.split())
    if name is not None and not 0 < len(name) <= LONGEST_NAME:
        raise SettingsError("this is no name of an annotator.", f"Give 1 to {LONGEST_NAME} letters.")
    return name


def _require_name(given: str | None) -> str:
    name = _name(given)
    if name is None:
        raise SettingsError("a review needs to know who decides.", "Add --annotator NAME.")
    return name


def _embed(session: Session, corpus: str) -> Embed:
    """The corpus' embedder, loaded when an edit needs it."""
    spec = require_corpus(session.graph, corpus).embedder
    loaded = cache(lambda: make_embedder(spec, session.settings))
    return lambda texts: loaded().embed_queries(texts)


def _print_result(value: object, sentence: str, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        say(sentence)


def _report(session: Session, corpus: str, as_json: bool) -> None:
    found = read_report(session.graph, corpus)
    if as_json:
        print_json({"corpus": corpus, **asdict(found)})
        return
    if not found.questions:
        say(f"Nobody has reviewed questions of {corpus!r}. Begin: kg questions review --annotator NAME")
        return
    _print_report(found, corpus)


def _print_report(found: ReviewReport, corpus: str) -> None:
    rows = [[one.annotator, one.keep, one.drop, one.edit, one.total] for one in found.annotators]
    out.print(table(f"Reviews in {corpus!r}", ("annotator", "keep", "drop", "edit", "all"), rows))
    say(
        f"{found.questions:,} questions decided, {found.shared:,} by two or more; "
        f"{found.dropped:,} dropped, {found.edited:,} edited, {len(found.open):,} tied"
    )
    say(f"Annotators differ on {found.split:,}, of which {found.adjudicated:,} were adjudicated.")
    if found.open:
        ids = ", ".join(found.open[:MOST_LISTED]) + (" ..." if len(found.open) > MOST_LISTED else "")
        remark(
            f"open, and still asked: {ids}. Settle them: "
            f"kg questions review --adjudicate --annotator NAME --corpus {quote(corpus)}"
        )
    say(f"Fleiss' kappa, keep / drop / edit: {_kappa(found.decisions)}")
    say(f"Fleiss' kappa, retain / discard:   {_kappa(found.retained)}")
    if found.failed:
        failed = sorted(found.failed.items(), key=lambda one: (-one[1], one[0]))
        say("Dropped for: " + ", ".join(f"{name or 'no criterion named'} {n:,}" for name, n in failed))
    if found.filters:
        lines = [[one.filter, one.questions, one.wanted] for one in found.filters]
        title = "Rejected questions: how many people would keep"
        out.print(table(title, ("filter", "reviewed", "would keep"), lines))


def _kappa(found: Kappa | None) -> str:
    if found is None:
        return "none yet, as no question was decided by two people"
    if found.value is None:
        return f"undefined, as everybody decided the same ({found.n:,} questions)"
    if found.interval is None:
        return f"{found.value:.2f} ({found.n:,} question)"
    bounds = f"{found.interval.low:.2f} to {found.interval.high:.2f}"
    return f"{found.value:.2f}, 95 % {bounds} ({found.n:,} questions)"
