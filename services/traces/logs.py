"""The answers of a run as files to read: one a question, a summary, and a JSON for programs.

    DIR/2031-04-02-141503-react/query_1.md ... query_12.md, summary.md, results.json

The folder has its name only when it is whole. Questions are in the order of kind, hops and id, so that two
runs over the same questions number them alike.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from tempfile import mkdtemp

from kg.errors import NothingToDoError, SettingsError, command
from kg.store.graph import Graph
from services.rag.agents.goal_seeking.primitives import read_ending
from services.traces.read import traces_of_run
from services.traces.rendered import coded, trace_markdown
from services.traces.shown import ShownTrace, cause_of, counted, outcome_of

_NOT_IN_FOLDERS = re.compile(r"[^\w.@+-]+")


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """What the summary and the JSON say of an answer; `found` counts the hops whose evidence was seen.

    `status` and `iterations` are those of an agent that seeks a goal: "achieved" or "stopped", and how many
    plans it made; empty and None for other systems. Of a right answer `cause` and `why` are empty and `hop`
    is None, as it is where no hop can be told.
    """

    file: str
    question_id: str
    answer_id: str
    question: str
    kind: str
    query_type: str
    hops: int
    gold: str
    answer: str
    verdict: str
    correct: bool
    error: str
    cause: str
    hop: int | None
    why: str
    behaviours: tuple[str, ...]
    status: str
    iterations: int | None
    steps: int
    searches: int
    found: int
    faults: tuple[str, ...]
    seconds: float | None
    input_tokens: int
    output_tokens: int
    cost: float | None


def write_logs(
    graph: Graph,
    corpus: str,
    run: str,
    folder: Path,
    questions: Sequence[str] | None = None,
    now: Callable[[], datetime] = datetime.now,
) -> Path:
    """Write what a run did into a new folder within `folder`, and return the new one.

    Of the answers only those to these `questions` (ids), where they are given.

    Raises:
        NothingToDoError: the run has none of these answers.
        SettingsError: nothing can be written there.
    """
    wanted = None if questions is None else frozenset(questions)
    traces = (one for one in traces_of_run(graph, corpus, run) if wanted is None or one.question in wanted)
    first = next(traces, None)
    if first is None:
        raise NothingToDoError(
            f"run {run!r} of corpus {corpus!r} has no answer to log.", f"Start it: {command('run start')}"
        )
    stamp = now().strftime("%Y-%m-%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = Path(mkdtemp(prefix=".logs-", dir=folder))
        try:
            _write(part, run, corpus, _with_first(first, traces))
            part.chmod(0o755)
            return _named(part, folder, f"{stamp}-{_NOT_IN_FOLDERS.sub('-', run)}")
        finally:
            rmtree(part, ignore_errors=True)
    except OSError as error:
        raise SettingsError(
            f"logs can't be written in {folder}: {error.strerror}.", "Give another folder: --logs DIR"
        ) from error


def _with_first(first: ShownTrace, rest: Iterator[ShownTrace]) -> Iterator[ShownTrace]:
    yield first
    yield from rest


def _named(part: Path, folder: Path, name: str) -> Path:
    """Give the folder its name, with a number where two runs ended in one second."""
    number = 1
    while True:
        place = folder / (name if number == 1 else f"{name}-{number}")
        if not place.exists():
            return part.rename(place)
        number += 1


def _write(part: Path, run: str, corpus: str, traces: Iterator[ShownTrace]) -> None:
    logged = []
    for number, trace in enumerate(traces, start=1):
        file = f"query_{number}.md"
        (part / file).write_text(trace_markdown(trace), encoding="utf-8", errors="replace")
        logged.append((_logged(file, trace), outcome_of(trace), cause_of(trace)))
    answers = [one for one, *_ in logged]
    (part / "summary.md").write_text(_summary(run, corpus, logged), encoding="utf-8", errors="replace")
    document = {"run": run, "corpus": corpus, "answers": [_as_json(one) for one in answers]}
    text = json.dumps(document, ensure_ascii=False, indent=2)
    (part / "results.json").write_text(text + "\n", encoding="utf-8", errors="replace")


def _logged(file: str, trace: ShownTrace) -> LoggedAnswer:
    ending = read_ending(trace.steps[-1].thought) if trace.steps else None
    return LoggedAnswer(
        file=file,
        question_id=trace.question,
        answer_id=trace.answer,
        question=trace.text,
        kind=trace.kind,
        query_type=trace.query_type,
        hops=trace.hops,
        gold=trace.gold,
        answer=trace.said,
        verdict=trace.verdict,
        correct=trace.correct,
        error=trace.error,
        cause=trace.failure.cause if trace.failure is not None else "",
        hop=trace.failure.hop if trace.failure is not None else None,
        why=trace.failure.why if trace.failure is not None else "",
        behaviours=trace.behaviours,
        status=ending.status if ending is not None else "",
        iterations=ending.iterations if ending is not None else None,
        steps=len(trace.steps),
        searches=sum(step.retrieves for step in trace.steps),
        found=sum(hop.first_seen is not None for hop in trace.chain),
        faults=trace.faults,
        seconds=trace.seconds,
        input_tokens=trace.input_tokens,
        output_tokens=trace.output_tokens,
        cost=trace.cost,
    )


def _as_json(one: LoggedAnswer) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__slots__}


def _summary(run: str, corpus: str, logged: Sequence[tuple[LoggedAnswer, str, str]]) -> str:
    answers = [one for one, *_ in logged]
    heads = ["questions", "n", "right", "accuracy", "steps", "searches", "seconds", "tokens in", "tokens out"]
    seeks = any(one.status for one in answers)
    heads += ["goals achieved", "iterations"] if seeks else []
    lines = [
        f"# Run {coded(run)} of {coded(corpus)}",
        "",
        f"{len(answers)} questions, {sum(one.correct for one in answers)} right, "
        f"{sum(bool(one.error) for one in answers)} errors.",
        "",
        f"| {' | '.join(heads)} |",
        f"| --- |{' ---: |' * (len(heads) - 1)}",
        _group_row("all", answers, seeks),
    ]
    types = sorted({one.query_type or one.kind for one in answers})
    lines += [
        _group_row(coded(t), [one for one in answers if (one.query_type or one.kind) == t], seeks)
        for t in types
    ]
    depths = sorted({one.hops for one in answers})
    lines += [
        _group_row(counted(hops, "hop"), [one for one in answers if one.hops == hops], seeks)
        for hops in depths
        if hops
    ]
    means = "Steps, searches, seconds and iterations" if seeks else "Steps, searches and seconds"
    lines += ["", f"{means} are means.", ""]
    ended = " status | iterations |" if seeks else ""
    lines += [
        f"| file | question | outcome | cause |{ended}",
        f"| --- | --- | --- | --- |{' --- | ---: |' * seeks}",
    ]
    lines += [
        f"| [{one.file}]({one.file}) | {coded(one.question)} | {coded(outcome)} | {coded(cause)} |"
        + (f" {one.status} | {one.iterations if one.iterations is not None else ''} |" if seeks else "")
        for one, outcome, cause in logged
    ]
    return "\n".join(lines) + "\n"


def _group_row(label: str, group: Sequence[LoggedAnswer], seeks: bool) -> str:
    """What a group of answers comes to; with `seeks` also how many of its goals were achieved."""
    right = sum(one.correct for one in group)
    measured = [one.seconds for one in group if one.seconds is not None]
    cells = [
        label,
        str(len(group)),
        str(right),
        f"{right / len(group):.1%}",
        f"{fmean(one.steps for one in group):.1f}",
        f"{fmean(one.searches for one in group):.1f}",
        f"{fmean(measured):.2f}" if measured else "",
        f"{sum(one.input_tokens for one in group):,}",
        f"{sum(one.output_tokens for one in group):,}",
    ]
    if seeks:
        ended = [one.iterations for one in group if one.iterations is not None]
        achieved = sum(one.status == "achieved" for one in group)
        cells += [f"{achieved} ({achieved / len(group):.1%})", f"{fmean(ended):.1f}" if ended else ""]
    return f"| {' | '.join(cells)} |"
