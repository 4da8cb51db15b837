"""`kg ask`: questions answered in the open: one, one after another, or a demonstration over known ones.

An answer to one question as a reader sees it: the answer, the path, the steps, the chunks.

`kg ask --demo`: a few questions of each type, asked for show, with what would have been right.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_from
from cli.console import err, lead_on, out, print_json, remark, say, table
from cli.corpus import clear_corpus
from cli.job import DEMO_CORPUS, make_bundled
from cli.preflight import preflight, print_answer_costs, say_nothing_was_sent
from cli.remarks import report_spending
from cli.run_start import Candidates, EvidenceTokens, Reranker, tell_loss
from cli.session import Session, choose_corpus, open_session
from kg.corpus import list_corpora
from kg.embed.choose import embedder_of
from kg.errors import HopgradeError, SettingsError
from kg.llm.roles import role_budget, with_provider
from kg.store.leases import answering_in
from services.preflight.job_needs import run_needs
from services.rag.ask import (
    ALL,
    QUERY_TYPES,
    Asker,
    AskResult,
    DemonstrationAnswer,
    QueryType,
    TypeRow,
    draw_questions,
    open_asker,
    parse_type,
    rates_by_type,
    read_demonstration,
)
from services.rag.graph_search.cache import SnapshotCache
from services.rag.protocol import Step
from services.rag.reader import READER
from services.rag.retrieval.choose import DEFAULT, RETRIEVERS
from services.rag.run_options import SYSTEMS, GeneratorOption, RunOptions, check_limits, parse_system
from services.runs.estimate import estimate_question, estimate_run
from services.runs.records import read_loss
from services.runs.start import plan_run, start_run
from services.traces.logs import write_logs

app = typer.Typer(rich_markup_mode=None)


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
    embedder = embedder_of(graph, corpus, settings)
    plain = plan_run(graph, corpus, options, settings, embedder).settings.name
    chosen = replace(options, name=f"demo-{plain}"[:80], covers=frozenset(questions))
    if (plan := plan_run(graph, corpus, chosen, settings, embedder)).anew:
        tell_loss(read_loss(graph, corpus, plan.settings), plan.settings.name)
    budget = role_budget("answer", settings) if chosen.generator == "model" else None
    with answering_in(graph, corpus, plan.settings.name) as mine, report_spending(budget, session.progress):
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
    shown = read_demonstration(graph, corpus, run, questions)
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


def _print(
    shown: Sequence[DemonstrationAnswer], run: str, corpus: str, generator: str, folder: Path | None
) -> None:
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


SHOWN_CHARACTERS = 160

SHOWN_ARTICLES = 3
"""So many of the best chunks are named by their articles where the chunks themselves aren't shown."""


def print_asking(asking: AskResult, chunks: bool = True) -> None:
    """Print an answer with where it was read and how the system came to it; `chunks` shows what was read."""
    if asking.error:
        say(f"no answer: {asking.error}", "bold")
    else:
        say(asking.reading.answer or "no answer", "bold")
    for told in asking.remarks:
        say(told)
    if asking.reading.sentence:
        say(f"read in: {asking.reading.sentence}")
    if asking.path:
        say("\nPath", "bold")
        for step in asking.path:
            said_by = f" (says {step.attributed_to})" if step.attributed_to else ""
            say(f"  {step.subject} -> {step.predicate} -> {step.object}{said_by}")
    if len(asking.steps) > 2:
        say("\nSteps", "bold")
        for taken in asking.steps:
            say(_step_line(taken))
    if not asking.hits:
        say("\nNo chunk was found for this question; another --retriever may find some.")
        return
    if not chunks:
        titles = dict.fromkeys(passage.title for passage in asking.passages[:SHOWN_ARTICLES])
        say(f"\nread first: {'; '.join(titles)}", "dim")
        return
    rows = [
        [rank, f"{hit.score:.3f}", passage.title, _beginning(passage.text)]
        for rank, (hit, passage) in enumerate(zip(asking.hits, asking.passages, strict=True), start=1)
    ]
    out.print()
    out.print(table("Retrieved chunks", ("rank", "score", "article", "text"), rows, one_line=True))
    if not asking.error:
        say(_who(asking.generator), "dim")


def _who(generator: str) -> str:
    if generator == READER:
        return f"Answered by the rules reader {generator}: a baseline without a model."
    return f"Answered by the model {generator}."


def _step_line(step: Step) -> str:
    """A step in a line: what it asked, and what came of it."""
    came = " | ".join(step.observation.splitlines())
    fault = f" ({step.fault})" if step.fault else ""
    return f"  {step.index} {step.action}{fault}: {_beginning(step.query)} -> {_beginning(came)}"


def _beginning(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN_CHARACTERS else plain[:SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " ..."


ENDINGS = frozenset({"exit", "quit", "q", ":q"})
"""What ends a conversation besides the end of the input."""


@app.command(epilog='Example: kg ask "Who coaches the Mariners?" --corpus ormelund')
def ask(
    question: Annotated[
        str | None,
        typer.Argument(
            help="The question, in quotes. Without one, questions are read one after another.",
            show_default=False,
        ),
    ] = None,
    corpus: options.Corpus = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="The question, said as an option.", show_default=False)
    ] = None,
    system: Annotated[
        str,
        typer.Option(
            "--system", help=f"RAG system: {', '.join(SYSTEMS)}.", autocompletion=complete_from(SYSTEMS)
        ),
    ] = "single-step",
    retriever: Annotated[
        str,
        typer.Option(
            help=f"Who looks for chunks: {', '.join(RETRIEVERS)}.", autocompletion=complete_from(RETRIEVERS)
        ),
    ] = DEFAULT,
    retrieved: options.Retrieved = 10,
    reranker: Reranker = None,
    candidates: Candidates = None,
    evidence_tokens: EvidenceTokens = None,
    max_iterations: options.MaxIterations = None,
    provider: options.Provider = None,
    model: options.AnswerModel = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Ask questions of the corpus whose answers are known.")
    ] = False,
    type_: Annotated[
        str, typer.Option("--type", "-t", help=f"Questions of --demo: {', '.join((*QUERY_TYPES, ALL))}.")
    ] = ALL,
    num: Annotated[
        int, typer.Option("--num", "-n", min=1, max=options.MOST, help="Questions of each type in --demo.")
    ] = 2,
    parallel: Annotated[
        int, typer.Option("--parallel", "-p", min=1, max=256, help="Requests to the model at once.")
    ] = 5,
    logs: Annotated[
        Path | None,
        typer.Option(help="Folder for the traces of --demo, as Markdown and JSON.", show_default=False),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Where there is no corpus yet, make the bundled one first.")
    ] = False,
    reinit: Annotated[
        bool,
        typer.Option(
            "--reinit", help="Make the bundled corpus anew first; asks before what there is of it is deleted."
        ),
    ] = False,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Answer questions from a corpus; show the steps, the chunks read and a path to the answer.

    By rules without a model; with --provider or --model that model answers, and the agents (--system react,
    goal-seeking, graph-agent, search-tags) decide by it what to look for next. --dry-run tells what a
    question would take; prompts are tried on gold items before --demo only, since a trial costs more than a
    question.
    """
    given = _question(question, query)
    chosen = RunOptions(
        system=parse_system(system),
        generator=_generator(provider, model),
        retriever=retriever,
        top=retrieved,
        most_iterations=max_iterations,
        reranker=reranker,
        candidates=candidates,
        evidence_tokens=evidence_tokens,
    )
    check_limits(chosen)
    types = parse_type(type_)
    _check(given, demo, logs, as_json, dry_run)
    with open_session() as opened:
        if reinit:
            clear_corpus(opened, DEMO_CORPUS, yes=False)
        if reinit or (quick and not list_corpora(opened.graph)):
            make_bundled(opened)
        settings = with_provider(opened.settings, "answer", provider, model)
        settings = settings.model_copy(update={"hopgrade_model_concurrency": parallel})
        session = Session(settings, opened.graph, opened.progress)
        name = choose_corpus(session.graph, corpus)
        if demo:
            run_demo(session, name, chosen, types, num, logs, as_json, skip_trial=no_preflight)
        elif given is not None and dry_run:
            _tell_cost(session, name, chosen, given, as_json)
        elif given is not None:
            _ask_one(session, name, chosen, given, as_json)
        else:
            _converse(session, name, chosen)


def _ask_one(session: Session, corpus: str, chosen: RunOptions, question: str, as_json: bool) -> None:
    with _asker(session, corpus, chosen) as asker:
        asking = asker.ask(question)
    if as_json:
        print_json(asdict(asking))
    else:
        print_asking(asking)
        lead_on("Let it answer every question of the corpus", "run start", chosen.system, "--corpus", corpus)


def _tell_cost(session: Session, corpus: str, chosen: RunOptions, question: str, as_json: bool) -> None:
    graph, settings = session.graph, session.settings
    embedder = embedder_of(graph, corpus, settings)
    estimate = estimate_question(graph, corpus, chosen, question, settings, embedder)
    if as_json:
        print_json(asdict(estimate))
        return
    print_answer_costs(estimate)
    say_nothing_was_sent()


def _converse(session: Session, corpus: str, chosen: RunOptions) -> None:
    """Answer one question after another; one that can't be answered ends nothing."""
    with _asker(session, corpus, chosen) as asker:
        remark(f"Ask about corpus {corpus!r}; an empty line or exit ends.")
        for line in _lines():
            try:
                print_asking(asker.ask(line), chunks=False)
            except HopgradeError as error:
                remark(f"{error.message} {error.remedy}")
            say("")


def _lines() -> Iterator[str]:
    """The questions that are typed or piped in."""
    typed = sys.stdin.isatty()
    while True:
        if typed:
            err.print("? ", end="", style="bold")
        line = sys.stdin.readline()
        question = line.strip()
        if not line or (typed and not question) or question.casefold() in ENDINGS:
            return
        if question:
            yield question


@contextmanager
def _asker(session: Session, corpus: str, chosen: RunOptions) -> Iterator[Asker]:
    graph, settings = session.graph, session.settings
    embedder = embedder_of(graph, corpus, settings)
    budget = role_budget("answer", settings) if chosen.generator == "model" else None
    snapshots = SnapshotCache(graph, corpus, settings.hopgrade_cache)
    with (
        report_spending(budget, session.progress),
        open_asker(graph, corpus, chosen, settings, embedder, budget, snapshots) as asker,
    ):
        yield asker


def _question(argument: str | None, option: str | None) -> str | None:
    """The question that was given, None where none was.

    Raises:
        SettingsError: there are two, or it is empty.
    """
    if argument is not None and option is not None:
        raise SettingsError("there are two questions.", "Leave out the one behind --query.")
    given = option if argument is None else argument
    if given is not None and not given.strip():
        raise SettingsError("the question is empty.", 'Ask one: kg ask "Who owns the club?"')
    return given


def _generator(provider: str | None, model: str | None) -> GeneratorOption:
    return "rules" if provider is None and model is None else "model"


def _check(question: str | None, demo: bool, logs: Path | None, as_json: bool, dry_run: bool) -> None:
    """Make sure that what was asked for goes together.

    Raises:
        SettingsError: it does not.
    """
    if demo and question is not None:
        raise SettingsError("--demo chooses the questions itself.", "Leave out the question, or --demo.")
    if logs is not None and not demo:
        raise SettingsError(
            "--logs goes with --demo.", "For all questions: kg run start SYSTEM --logs FOLDER."
        )
    if dry_run and question is None:
        raise SettingsError(
            "--dry-run needs a question.", 'Give one: kg ask "Who owns the club?" --model NAME --dry-run'
        )
    if as_json and not demo and question is None:
        raise SettingsError("--json needs a question.", 'Give one: kg ask "Who owns the club?" --json')
