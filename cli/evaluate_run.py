"""What follows once it is known who answers: the run, the comparison with a baseline, the report.

The end of an evaluation in a terminal and as JSON.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import quote

from cli.console import check_place, out, print_json, remark, say, table, write_whole
from cli.matrix import print_worst
from cli.preflight import preflight
from cli.remarks import report_spending
from cli.run_evidence import print_retrieval
from cli.run_start import ERRORS_SHOWN, show_plans, tell_loss
from cli.session import Session
from kg.embed.choose import embedder_of
from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.settings import Settings
from kg.store.leases import answering_in
from services.answers import EXACT_MATCH, side_by_side
from services.evaluate.matrix import SMALL
from services.evaluate.write_back import tell_cutoff
from services.external.against_baseline import ScopeRow, Standing, choose_baseline, standing
from services.preflight.job_needs import Need
from services.rag.run_options import RunOptions
from services.report.content import HopLoss, Rate
from services.report.html import render_html
from services.report.make import make_report
from services.report.run_facts import miss_note, several_tests_note
from services.report.written import render_report_latex, render_report_markdown
from services.runs.estimate import RunEstimate, estimate_run
from services.runs.records import list_errors, read_loss
from services.runs.start import RunPlan, plan_run, start_run
from services.statistics.intervals import Interval
from services.traces.logs import write_logs

LOST_AT = "retrieval of "


def print_standing(
    found: Standing, corpus: str, asks: bool = True, chosen: bool = False, retrieved_at: str = ""
) -> None:
    """The table of error rates, where chains broke, the worst entities, and what a reader must know.

    `asks` says that the system can be asked again, unlike a file; `chosen` that nobody named the baseline.
    `retrieved_at` as in `Afterwards`.
    """
    out.print()
    title = f"Error rate of {found.run}"
    if found.baseline:
        columns: tuple[str, ...] = ("", "n", found.run, found.baseline, "difference [95 %]", "")
        out.print(
            table(f"{title} beside {found.baseline}", columns, [_comparison_row(row) for row in found.rows])
        )
        say("Difference: below 0 is better; interval by clusters of questions that share an article.", "dim")
        if chosen:
            say(
                f"Baseline: {found.baseline}, the first run of Hopgrade's own systems by rules. "
                "Another: --baseline RUN.",
                "dim",
            )
        if note := several_tests_note([(row.scope, row.interval, bool(row.shown)) for row in found.rows]):
            say(note)
    else:
        out.print(table(title, ("", "n", found.run), [_alone(row) for row in found.rows]))
    if any(row.n < SMALL for row in found.rows):
        say(f"* fewer than {SMALL} questions.", "dim")
    rules = side_by_side(found.whole.answer_match, found.whole.exact_match, found.whole.f1)
    say(f"Error rates go by {found.judge or EXACT_MATCH}. Over all answers of {found.run}: {rules}.", "dim")
    if found.retrieval:
        out.print()
        print_retrieval(found.retrieval)
    if broken := _describe_losses(found.losses):
        say(f"First broken hop: {broken}")
    print_worst(found.worst)
    for note in notes(found, corpus, asks, retrieved_at):
        remark(f"note: {note}")
    say(f"Hop by hop: kg run analyse {quote(found.run)} --corpus {quote(corpus)}")
    if found.baseline:
        say(
            f"Gate: kg run gate {quote(found.run)} --baseline {quote(found.baseline)} --max-drop .03 "
            f"--corpus {quote(corpus)}"
        )


def standing_json(found: Standing) -> dict[str, object]:
    """The same as plain values."""
    return {
        "run": found.run,
        "baseline": found.baseline or None,
        "answers": found.answers,
        "errors": found.errors,
        "left_out": found.unshared,
        "error_rates": [asdict(row) for row in found.rows],
        "first_broken_hop": dict(broken_parts(found.losses)),
        "worst_entities": [asdict(one) for one in found.worst],
        "retrieval": {
            "unaligned_texts": found.unaligned,
            "answers_with_unaligned": found.with_unaligned,
            "answers_without_retrieval_told": found.untold,
            "measures": {name: asdict(mean) for name, mean in found.retrieval.items()},
        },
        "judge": found.judge,
        "answer_match": found.whole.answer_match,
        "exact_match": found.whole.exact_match,
        "token_f1": found.whole.f1,
        "wrong_with_gold": {"wrong": found.wrong, "with_gold": found.with_key},
    }


def broken_parts(losses: Sequence[HopLoss]) -> Mapping[str, int]:
    """Of the wrong answers to chain questions, how many broke where first; parts without any are left out."""
    deepest = max((len(loss.retrieval) for loss in losses), default=0)
    parts = {
        f"{LOST_AT}hop {hop + 1}": sum(sum(loss.retrieval[hop : hop + 1]) for loss in losses)
        for hop in range(deepest)
    }
    parts["reasoning"] = sum(loss.reasoning for loss in losses)
    parts["error"] = sum(loss.errors for loss in losses)
    parts["not told"] = sum(loss.untold for loss in losses)
    return {name: number for name, number in parts.items() if number}


def notes(found: Standing, corpus: str, asks: bool = True, retrieved_at: str = "") -> list[str]:
    """What a reader must know before the numbers."""
    said = []
    if found.errors:
        again = " Ask them again: the same command with --retry-failed." if asks else ""
        said.append(f"{found.errors:,} answers are errors and count as wrong.{again}")
    if found.unshared:
        said.append(
            f"{found.unshared:,} answers are to questions that {found.baseline!r} did not answer, and are "
            "left out of the table."
        )
    if found.unaligned:
        said.append(
            f"{found.unaligned:,} retrieved texts on {found.with_unaligned:,} answers are in no chunk of the "
            "corpus, and count as nothing found."
        )
    if retrieved_at and found.untold and found.untold + found.errors == found.answers:
        said.append(
            f"nothing is at {retrieved_at!r}, where the map looks for what was retrieved, in any reply, so "
            "where the wrong answers broke is not known."
        )
    elif found.untold:
        said.append(
            f"on {found.untold:,} answers the system did not tell what it retrieved, so where the wrong ones "
            "broke is not known."
        )
    if found.long_answers and found.judge == EXACT_MATCH:
        said.append(
            "most answers are whole sentences, which exact match calls wrong. Go by answer match: "
            f"kg run judge {quote(found.run)} --judge match --corpus {quote(corpus)}"
        )
    if missed := miss_note(found.wrong, found.with_key, found.run, corpus):
        said.append(missed)
    return said


def _comparison_row(row: ScopeRow) -> list[object]:
    difference = "-" if row.difference is None else f"{row.difference:+.2f} {_span(row.interval)}"
    return [
        row.scope,
        _count(row),
        _rate(row.rate),
        "-" if row.baseline is None else _rate(row.baseline),
        difference,
        _in_words(row),
    ]


def _in_words(row: ScopeRow) -> str:
    if not row.tested:
        return "not tested apart"
    if row.p_value is None or row.difference is None:
        return "too few clusters"
    if not row.shown:
        return "not shown to differ"
    return "better" if row.difference < 0 else "worse"


def _alone(row: ScopeRow) -> list[object]:
    interval = row.rate.interval
    span = "" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]"
    return [row.scope, _count(row), f"{_rate(row.rate)}{span}"]


def _count(row: ScopeRow) -> str:
    return f"{row.n:,}{'*' if row.n < SMALL else ''}"


def _rate(rate: Rate) -> str:
    return "-" if rate.rate is None else f"{rate.rate:.2f}"


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"[{interval.low:+.2f}, {interval.high:+.2f}]"


def _describe_losses(losses: Sequence[HopLoss]) -> str:
    """The parts as shares of the wrong answers to chain questions, retrieval first, with their number."""
    wrong = sum(loss.wrong for loss in losses)
    shares = {name: _percent(number, wrong) for name, number in broken_parts(losses).items()}
    lost_at = [name for name in shares if name.startswith(LOST_AT)]
    hops = [f"{name.removeprefix(LOST_AT)} {shares.pop(name)}" for name in lost_at]
    lost = sum(sum(loss.retrieval) for loss in losses)
    retrieval = [f"retrieval {_percent(lost, wrong)} ({', '.join(hops)})"] if hops else []
    parts = [*retrieval, *(f"{name} {share}" for name, share in shares.items())]
    return f"{', '.join(parts)} of {wrong:,} wrong" if parts else ""


def _percent(number: int, whole: int) -> str:
    return f"{number / whole:.0%}".replace("%", " %")


REPORTS = Path("reports")
_RENDERERS = {".md": render_report_markdown, ".tex": render_report_latex}
"""How a report is written by the end of its file's name; any other is a page."""

_NOT_IN_FILES = re.compile(r"[^\w.@+-]+")


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What is done when all questions are answered: with which run to compare, and where the page goes.

    `logs` is the folder for the logs of each answer, None for none. `retrieved_at` is where a map looks for
    what was retrieved, empty where none does.
    """

    baseline: str | None
    report: Path | None
    no_report: bool
    seed: int
    as_json: bool
    logs: Path | None = None
    retrieved_at: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """The prompts that a run asks, to be tried before; `costs` of the answers that are pending."""

    needs: Sequence[Need]
    costs: Callable[[RunPlan], Estimate | RunEstimate]
    skip: bool = False


def reading_costs(
    session: Session, corpus: str, options: RunOptions, settings: Settings
) -> Callable[[RunPlan], RunEstimate]:
    """What answers take that a model reads from passages of a user's system: about as much as of ours."""

    def costs(plan: RunPlan) -> RunEstimate:
        embedder = embedder_of(session.graph, corpus, settings)
        ours = replace(options, generator="model", outside=None)
        return estimate_run(session.graph, corpus, ours, plan, settings, embedder)

    return costs


def evaluate(
    session: Session,
    corpus: str,
    options: RunOptions,
    afterwards: Afterwards,
    settings: Settings | None = None,
    budget: Budget | None = None,
    told: dict[str, object] | None = None,
    trial: Trial | None = None,
    dry_run: bool = False,
) -> None:
    """Let a system answer the questions of a corpus, compare it with a baseline, and write the report.

    `settings` and `budget` are the session's and its settings' where they are None; `told` is added to the
    JSON document. A `trial` is made where an answer is pending; `dry_run` only tells what it costs.

    Raises:
        UserError: the model fails a prompt; see `services.runs.start.start_run`; or a file can't be written
            at the report's place.
    """
    graph, settings = session.graph, settings or session.settings
    if afterwards.report is not None and not afterwards.no_report:
        check_place(afterwards.report, "--report")
    embedder = embedder_of(graph, corpus, settings)
    plan = plan_run(graph, corpus, options, settings, embedder)
    name = plan.settings.name
    if dry_run:
        costs = Estimate() if trial is None else trial.costs(plan)
        show_plans([plan], [costs], corpus, afterwards.as_json)
        return
    baseline = choose_baseline(graph, corpus, name, afterwards.baseline)
    if plan.anew:
        tell_loss(read_loss(graph, corpus, plan.settings), name)
    with answering_in(graph, corpus, name) as mine, report_spending(budget, session.progress):
        tell_cutoff(mine, corpus, plan.cutoff, session.progress)
        if trial is not None and plan.asks:
            answers = trial.costs
            preflight(
                settings,
                trial.needs,
                lambda: {"answers": answers(plan)},
                session.progress,
                budget,
                skip=trial.skip,
            )
        # What a user's function prints is no part of our output, least of all of a JSON document.
        with redirect_stdout(sys.stderr):
            start_run(mine, corpus, options, settings, embedder, session.progress, budget, plan)
        report = make_report(
            mine, corpus, [baseline, name] if baseline else [name], session.progress, afterwards.seed
        )
    found = standing(graph, corpus, name, baseline, afterwards.seed)
    page = None if afterwards.no_report else afterwards.report or _default_place(corpus, name)
    if page is not None:
        write_whole(page, _RENDERERS.get(page.suffix.lower(), render_html)(report), "--report")
    if afterwards.logs is not None:
        remark(f"logs written: {write_logs(graph, corpus, name, afterwards.logs)}")
    if afterwards.as_json:
        document = {"corpus": corpus, **standing_json(found), "report": page and str(page), **(told or {})}
        print_json(document)
        return
    print_standing(
        found,
        corpus,
        asks=told is None,
        chosen=afterwards.baseline is None,
        retrieved_at=afterwards.retrieved_at,
    )
    for why in list_errors(graph, corpus, name, ERRORS_SHOWN) if found.errors else ():
        remark(f"  {why['answers']:,} times: {why['error']}")
    if page is not None:
        say(f"Report: {page}")


def _default_place(corpus: str, name: str) -> Path:
    """A file for each run of each corpus: the same name in another corpus is another run."""
    folder = REPORTS / (_NOT_IN_FILES.sub("-", corpus).strip(".") or "corpus")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"the folder {folder} can't be made here: {error.strerror}.",
            "Name the file: --report FILE, or leave it out: --no-report.",
        ) from error
    return folder / f"{_NOT_IN_FILES.sub('-', name)}.html"
