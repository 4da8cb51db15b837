"""`kg ask --demo`: a few questions of each type, asked for show, with what would have been right."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote

from cli.console import out, print_json, say, table
from cli.model_remarks import spending_told
from cli.preflight import preflight
from cli.run_start import tell_loss
from cli.session import Session
from kg.corpus import require_corpus
from kg.embed.choose import make_embedder
from kg.llm.open import role_budget
from kg.store.leases import answering_in
from services.preflight.job_needs import run_needs
from services.rag.anew import read_loss
from services.rag.demonstration import (
    QueryType,
    Shown,
    TypeRow,
    draw_questions,
    rates_by_type,
    read_shown,
)
from services.rag.run_estimate import estimate_run
from services.rag.run_options import RunOptions
from services.rag.start import plan_run, start_run
from services.rag.trace_logs import write_logs


def run_demo(
    session: Session,
    corpus: str,
    options: RunOptions,
    types: Sequence[QueryType],
    number: int,
    logs: Path | None,
    as_json: bool,
    *,
    skip_trial: bool = False,
) -> None:
    """Ask so many kept questions of each type, and print each with its answer, and the rates by type.

    The answers are a run like any other, whose name begins with "demo-"; with a model its prompts are tried
    before, but for `skip_trial`.

    Raises:
        NothingToDoError: the corpus has no question of these types.
        SettingsError: an option can't work.
        ModelError: a model can't go on; what was answered is kept.
    """
    graph, settings = session.graph, session.settings
    questions = draw_questions(graph, corpus, types, number)
    embedder = make_embedder(require_corpus(graph, corpus).embedder, settings)
    plain = plan_run(graph, corpus, options, settings, embedder).settings.name
    chosen = replace(options, name=f"demo-{plain}"[:80], covers=frozenset(questions))
    if (plan := plan_run(graph, corpus, chosen, settings, embedder)).anew:
        tell_loss(read_loss(graph, corpus, plan.settings), plan.settings.name)
    budget = role_budget("answer", settings) if chosen.generator == "model" else None
    with answering_in(graph, corpus, plan.settings.name) as mine, spending_told(budget):
        if budget is not None and plan.asks:
            asked = (graph, corpus, chosen, plan, settings, embedder)
            preflight(
                settings,
                run_needs([chosen.system]),
                lambda: {"answers": estimate_run(*asked)},
                session.progress,
                budget,
                skip=skip_trial,
            )
        run = start_run(mine, corpus, chosen, settings, embedder, session.progress, budget, plan)
    shown = read_shown(graph, corpus, run, questions)
    folder = write_logs(graph, corpus, run, logs) if logs is not None else None
    if as_json:
        print_json(
            {
                "corpus": corpus,
                "run": run,
                "answered_by": plan.settings.generator,
                "logs": None if folder is None else str(folder),
                "rates": [asdict(row) for row in rates_by_type(shown)],
                "questions": [asdict(one) for one in shown],
            }
        )
        return
    _print(shown, run, corpus, plan.settings.generator, folder)


def _print(shown: Sequence[Shown], run: str, corpus: str, generator: str, folder: Path | None) -> None:
    for one in shown:
        mark = "right" if one.correct else "wrong"
        say(f"{one.question}", "bold")
        say(f"  {mark}: {one.error or one.text or 'no answer'}")
        if not one.correct:
            say(f"  expected: {one.gold or 'that it is not known'}")
        say(f"  {one.query_type}, {one.steps} steps, {one.seconds:.1f} s, {one.tokens:,} tokens", "dim")
    say("")
    columns = ("type", "right", "of", "share", "95 % interval")
    out.print(table(f"Run {run!r} by {generator}", columns, [_row(row) for row in rates_by_type(shown)]))
    say("So few questions say little; all of them: kg run start SYSTEM.", "dim")
    if folder is not None:
        say(f"Traces: {folder}")
    first = next((one for one in shown if not one.correct), shown[0])
    say(f"Look closer: kg run trace {quote(first.answer_id)} --corpus {quote(corpus)}")


def _row(row: TypeRow) -> list[object]:
    share = f"{row.right / row.questions:.0%}" if row.questions else ""
    between = f"{row.interval.low:.0%} to {row.interval.high:.0%}" if row.interval else ""
    return [row.query_type, row.right, row.questions, share, between]
