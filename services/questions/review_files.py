"""Reviews as JSON lines, so that annotators without this graph can take part, in any editor.

An export has a line for each question of the annotator's queue, with evidence, and his decision or an empty
one; what others decided is not in it. An import takes the lines that have a decision.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias, get_args

from kg.errors import InputError
from kg.store.graph import Graph, Row
from services.questions.review import (
    Decision,
    Embed,
    Pool,
    Review,
    Reviewable,
    draw_questions,
    read_reviews,
    record_reviews,
    show_questions,
    speaks_against,
)

Line: TypeAlias = Mapping[str, object]


def sheet_lines(graph: Graph, corpus: str, annotator: str, queue: Sequence[Reviewable]) -> list[Line]:
    """The queue of an annotator with what he decided, a line a question."""
    made = {
        row["question"]: row
        for row in read_reviews(graph, corpus)
        if row["annotator"] == annotator and not row["adjudicates"]
    }
    shown = show_questions(graph, [one.id for one in queue])
    return [_line(row, annotator, made.get(row["id"])) for row in shown]


def draw_sheet(
    graph: Graph, corpus: str, annotator: str, pool: Pool, sample: int | None, seed: int
) -> list[Line]:
    """The lines of a queue that is drawn now; see `draw_questions`."""
    return sheet_lines(graph, corpus, annotator, draw_questions(graph, corpus, annotator, pool, sample, seed))


def sheet_text(lines: Iterable[Line]) -> str:
    """Lines as JSON lines."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def export_reviews(graph: Graph, corpus: str, annotator: str, queue: Sequence[Reviewable], path: Path) -> int:
    """Write the queue of an annotator with what he decided; how many lines.

    Raises:
        InputError: the file can't be written.
    """
    lines = sheet_lines(graph, corpus, annotator, queue)
    try:
        path.write_text(sheet_text(lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}.", "Name another file.") from error
    return len(lines)


def import_reviews(
    graph: Graph, corpus: str, annotator: str | None, path: Path, now: datetime, embed: Embed
) -> int:
    """Take the decisions of a file, in the name of `annotator` if given; how many. See `take_lines`."""
    return take_lines(graph, corpus, annotator, _lines(path), now, embed)


def take_lines(
    graph: Graph,
    corpus: str,
    annotator: str | None,
    lines: Iterable[tuple[str, Line]],
    now: datetime,
    embed: Embed,
) -> int:
    """Take the decisions of lines, each with its place, in the name of `annotator` if given; how many.

    A line without a time counts as decided now; of two decisions of one annotator on one question the later
    one stays. Nothing is written unless every line can be used.

    Raises:
        InputError: a line is no decision on a question of this corpus, or an edit gives its answer away.
    """
    found = [_review(place, line, annotator, now) for place, line in lines if _cell(line, "decision")]
    shown = {row["id"]: row for row in show_questions(graph, list({one.question for one, _ in found}))}
    for one, place in found:
        _refuse(one, place, corpus, shown.get(one.question))
    known = {
        (row["question"], row["annotator"]): row["at"].to_native()
        for row in read_reviews(graph, corpus)
        if not row["adjudicates"]
    }
    latest: dict[tuple[str, str], Review] = {}
    for one, _ in found:
        key = one.question, one.annotator
        before = latest[key].at if key in latest else known.get(key)
        if before is None or one.at >= before:
            latest[key] = one
    record_reviews(graph, corpus, list(latest.values()), embed)
    return len(latest)


def _line(shown: Row, annotator: str, made: Row | None) -> Line:
    asked = shown["question"]
    return {
        "id": shown["id"],
        "text": asked["text"],
        "answer": asked["answer"],
        "accepted": asked["accepted"],
        "kind": asked["kind"],
        "hops": asked["hops"],
        "evidence": shown["facts"],
        "hop_questions": shown["hop_questions"],
        "annotator": annotator,
        "decision": made["decision"] if made else "",
        "reason": made["reason"] if made else "",
        "new_text": made["text"] if made else "",
        "at": made["at"].to_native().isoformat() if made else "",
    }


def _lines(path: Path) -> Iterator[tuple[str, Line]]:
    """The lines of a file with their places."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{path} can't be read: {reason}.", "Name a file of --export.") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{path.name}:{number}"
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{place} is no JSON: {error}.", "Mend the line, or take it out.") from error
        if not isinstance(value, dict):
            raise InputError(f"{place} is no JSON object.", "Mend the line, or take it out.")
        yield place, value


def _review(place: str, line: Line, annotator: str | None, now: datetime) -> tuple[Review, str]:
    said = _cell(line, "decision").casefold()
    decision: Decision | None = next((one for one in get_args(Decision) if one == said), None)
    if decision is None:
        raise InputError(
            f"{place}: {said!r} is no decision.",
            f"Use one of {', '.join(get_args(Decision))}, or leave it empty.",
        )
    name = annotator or _cell(line, "annotator")
    if not name:
        raise InputError(f"{place} names no annotator.", "Say whose decisions these are: --annotator NAME.")
    text = _cell(line, "new_text") if decision == "edit" else ""
    return Review(
        _cell(line, "id"), name, decision, _cell(line, "reason"), text, _moment(place, line, now)
    ), place


def _moment(place: str, line: Line, now: datetime) -> datetime:
    said = _cell(line, "at")
    if not said:
        return now
    try:
        found = datetime.fromisoformat(said)
    except ValueError as error:
        raise InputError(
            f"{place}: {said!r} is no time.", "Write 2026-11-21T09:30:00+00:00, or leave it empty."
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _refuse(review: Review, place: str, corpus: str, shown: Row | None) -> None:
    """Raise where a decision does not fit the question that it is about."""
    if shown is None or shown["question"]["corpus"] != corpus:
        raise InputError(
            f"{place}: corpus {corpus!r} has no question {review.question!r}.",
            "Import into the corpus whose questions were exported.",
        )
    if shown["question"]["status"] == "prefix":
        raise InputError(
            f"{place}: {review.question!r} is the first part of a question.", "Review the whole."
        )
    if review.decision == "edit" and (reason := speaks_against(shown, review.text)):
        raise InputError(f"{place}: the new text can't be used: {reason}.", "Write another into new_text.")


def _cell(line: Line, name: str) -> str:
    value = line.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""
