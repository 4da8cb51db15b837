"""The answers of a run as files to read: one a question, a summary, and a JSON for programs.

    DIR/2031-04-02-141503-react/query_1.md ... query_12.md, summary.md, results.json

The folder has its name only when it is whole. Questions are in the order of kind, hops and id, so that two
runs over the same questions number them alike.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from tempfile import mkdtemp

from kg.errors import NothingToDoError, SettingsError, command
from kg.store.graph import Graph
from services.rag.agents.goal_seeking.primitives import read_ending
from services.traces.rendered import inline_code, trace_markdown
from services.traces.shown import ShownTrace, cause_of, format_count, outcome_of, traces_of_run

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


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """What a group of answers comes to; steps, searches, seconds and iterations are means.

    `achieved` and `stopped` count the goals that were reached and those that were not, and `iterations` the
    plans made for either; None where no answer is of an agent that seeks a goal.
    """

    group: str
    questions: int
    right: int
    accuracy: float
    steps: float
    searches: float
    seconds: float | None
    input_tokens: int
    output_tokens: int
    achieved: int | None
    stopped: int | None
    iterations: float | None


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
            return _rename_folder(part, folder, f"{stamp}-{_NOT_IN_FOLDERS.sub('-', run)}")
        finally:
            rmtree(part, ignore_errors=True)
    except OSError as error:
        raise SettingsError(
            f"logs can't be written in {folder}: {error.strerror}.", "Give another folder: --logs DIR"
        ) from error


def _with_first(first: ShownTrace, rest: Iterator[ShownTrace]) -> Iterator[ShownTrace]:
    yield first
    yield from rest


def _rename_folder(part: Path, folder: Path, name: str) -> Path:
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
        logged.append((_log_answer(file, trace), outcome_of(trace), cause_of(trace)))
    answers = [one for one, *_ in logged]
    groups = list(_groups(answers))
    (part / "summary.md").write_text(
        _summary(run, corpus, logged, groups), encoding="utf-8", errors="replace"
    )
    document = {"run": run, "corpus": corpus, "groups": [asdict(one) for one in groups]}
    text = json.dumps(document | {"answers": [asdict(one) for one in answers]}, ensure_ascii=False, indent=2)
    (part / "results.json").write_text(text + "\n", encoding="utf-8", errors="replace")


def _log_answer(file: str, trace: ShownTrace) -> LoggedAnswer:
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
        answer=trace.answer_text,
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


def _groups(answers: Sequence[LoggedAnswer]) -> Iterator[GroupFigures]:
    """Figures over all answers, then of each type of query, then of each number of hops."""
    seeks = any(one.status for one in answers)
    yield _figures("all", answers, seeks)
    types = [one.query_type or one.kind for one in answers]
    for name in sorted(set(types)):
        yield _figures(name, [one for one, type_ in zip(answers, types, strict=True) if type_ == name], seeks)
    for hops in sorted({one.hops for one in answers if one.hops}):
        yield _figures(format_count(hops, "hop"), [one for one in answers if one.hops == hops], seeks)


def _figures(group: str, answers: Sequence[LoggedAnswer], seeks: bool) -> GroupFigures:
    right = sum(one.correct for one in answers)
    statuses = [one.status for one in answers]
    return GroupFigures(
        group=group,
        questions=len(answers),
        right=right,
        accuracy=right / len(answers),
        steps=fmean(one.steps for one in answers),
        searches=fmean(one.searches for one in answers),
        seconds=_mean([one.seconds for one in answers if one.seconds is not None]),
        input_tokens=sum(one.input_tokens for one in answers),
        output_tokens=sum(one.output_tokens for one in answers),
        achieved=statuses.count("achieved") if seeks else None,
        stopped=statuses.count("stopped") if seeks else None,
        iterations=_mean([one.iterations for one in answers if one.iterations is not None]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _summary(
    run: str,
    corpus: str,
    logged: Sequence[tuple[LoggedAnswer, str, str]],
    groups: Sequence[GroupFigures],
) -> str:
    heads = ["questions", "n", "right", "accuracy", "steps", "searches", "seconds", "tokens in", "tokens out"]
    whole = groups[0]
    seeks = whole.achieved is not None
    heads += ["goals achieved", "iterations"] if seeks else []
    errors = sum(bool(one.error) for one, *_ in logged)
    means = "Steps, searches, seconds and iterations" if seeks else "Steps, searches and seconds"
    ended = " status | iterations |" if seeks else ""
    lines = [
        f"# Run {inline_code(run)} of {inline_code(corpus)}",
        "",
        f"{whole.questions} questions, {whole.right} right, {errors} errors.",
        "",
        f"| {' | '.join(heads)} |",
        f"| --- |{' ---: |' * (len(heads) - 1)}",
        *map(_group_row, groups),
        "",
        f"{means} are means.",
        "",
        f"| file | question | outcome | cause |{ended}",
        f"| --- | --- | --- | --- |{' --- | ---: |' * seeks}",
    ]
    lines += [
        f"| [{one.file}]({one.file}) | {' | '.join(map(inline_code, (one.question, outcome, cause)))} |"
        + (f" {one.status} | {one.iterations if one.iterations is not None else ''} |" if seeks else "")
        for one, outcome, cause in logged
    ]
    return "\n".join(lines) + "\n"


def _group_row(one: GroupFigures) -> str:
    cells = [
        one.group if one.group.replace(" ", "").isalnum() else inline_code(one.group),
        str(one.questions),
        str(one.right),
        f"{one.accuracy:.1%}",
        f"{one.steps:.1f}",
        f"{one.searches:.1f}",
        "" if one.seconds is None else f"{one.seconds:.2f}",
        f"{one.input_tokens:,}",
        f"{one.output_tokens:,}",
    ]
    if one.achieved is not None:
        achieved = f"{one.achieved} ({one.achieved / one.questions:.1%})"
        cells += [achieved, "" if one.iterations is None else f"{one.iterations:.1f}"]
    return f"| {' | '.join(cells)} |"
