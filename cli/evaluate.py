"""`kg evaluate`: the system that a team already has, brought through the same runs and reports."""

import sys
from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli import options as own
from cli.completion import complete_from
from cli.console import remark
from cli.evaluate_run import Afterwards, Trial, evaluate, reading_costs
from cli.options import Logs, Otel, OtelContents, with_spans
from cli.run_start import Candidates, Reranker
from cli.session import Session, existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.errors import SettingsError
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget
from kg.model import Reject
from services.comparison.pool_systems import requested_run
from services.external.adapters.adapt import adapt, only_retrieves
from services.external.adapters.pipelines import generator_answerer
from services.external.align import passage_finder
from services.external.calls import Patience
from services.external.endpoint import EndpointMap, ResponseMap, external_endpoint, read_map
from services.external.given_answers import (
    ANSWER_FORMATS,
    OWN,
    UNWANTED_PREFIX,
    external_answers,
    read_answers,
)
from services.external.outside_system import estimate_chat, external_callable, external_chat, load_object
from services.preflight.job_needs import chat_needs, run_needs
from services.rag.retrieval.choose import RETRIEVERS
from services.rag.run_options import RunOptions, parse_reader, parse_rule
from services.rag.systems import open_generator, reader_of
from services.runs.estimate import RunEstimate, estimate_run
from services.runs.start import RunPlan

REJECTS_SHOWN = 5
NO_RETRIEVER = "none"

SystemModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Model that the system answers with, kept with the run: reports set it beside that model's runs "
        "on gold evidence and from memory, and it judges no answer of its own. Default: unknown.",
        show_default=False,
    ),
]

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg evaluate answers answers.jsonl --name ours-0.4 --corpus ormelund")
def answers(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Answers, JSON lines or CSV with a header: id or question, answer, retrieved, steps.",
        ),
    ],
    form: Annotated[
        str, typer.Option("--format", help=f"Who wrote the file: {', '.join(ANSWER_FORMATS)}.")
    ] = OWN,
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="FILE",
            help="YAML that says where id, question, answer, retrieved and so on are in a row. Default: "
            "under these names.",
            show_default=False,
        ),
    ] = None,
    missing_as_errors: Annotated[
        bool,
        typer.Option("--missing-as-errors", help="Count questions that the file leaves out as wrong."),
    ] = False,
    prefixes: Annotated[
        bool,
        typer.Option(
            "--prefixes",
            help="Take answers to prefix questions too, of the first hops of others. Their ids: kg questions "
            "list --status prefix --json.",
        ),
    ] = False,
    standard: own.Standard = None,
    corpus: options.Corpus = None,
    name: own.Name = None,
    model: SystemModel = None,
    baseline: own.Baseline = None,
    rule: own.Rule = None,
    report: own.Report = None,
    no_report: own.NoReport = False,
    logs: Logs = None,
    otel: Otel = False,
    otel_contents: OtelContents = False,
    seed: own.StatisticsSeed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Evaluate answers that a system wrote into a file; nothing is asked.

    Questions are known by their id, or by their text. Retrieved texts that are not our chunks are looked for
    in the articles. Rows that fit no question are told and set aside.
    """
    decides = parse_rule(rule)
    places = None if map_ is None else _row_places(map_)
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        run, covers = _requested_run(session, found, standard, name)
        given = read_answers(session.graph, found, file, form, prefixes, places)
        _tell_set_aside(given.set_aside)
        missing = [id_ for id_ in given.missing if covers is None or id_ in covers]
        if missing and not missing_as_errors:
            whose = "kept questions" if standard is None else "questions of the comparison"
            remark(
                f"note: {file} has no answer to {len(missing):,} of the {whose}, which are left out. Count "
                "them as wrong: --missing-as-errors."
            )
        if prefixes and given.prefixes_missing:
            answered, left_out = len(given.to_prefixes), len(given.prefixes_missing)
            remark(
                f"note: {file} answers {answered:,} prefix questions, and leaves out {left_out:,}. List all: "
                f"kg questions list --status prefix --limit {answered + left_out} --json "
                f"--corpus {quote(found)}"
            )
        outside = replace(external_answers(file, form, given, missing_as_errors), generator=model or "")
        chosen = RunOptions(name=run, outside=outside, prefixes=prefixes, covers=covers, rule=decides)
        told = {
            "set_aside": [{"place": one.place, "reason": one.reason} for one in given.set_aside],
            "not_answered": len(missing),
        }
        after = Afterwards(baseline, report, no_report, seed, as_json, logs)
        evaluate(session, found, chosen, after, with_spans(session.settings, otel, otel_contents), told=told)


def _row_places(path: Path) -> ResponseMap:
    places = read_map(path).response
    if places is None:
        raise SettingsError(
            f"{path} has no response, which says where a row has its answer.",
            "See docs/how-to/own-system.md for what a map holds.",
        )
    return places


@app.command(epilog="Example: kg evaluate endpoint http://localhost:9000/answer --map rag.yaml --name ours")
def endpoint(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where questions are sent.")],
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="FILE",
            help='YAML that says what is sent and where the answer is. Default: posts {"question": ...}.',
            show_default=False,
        ),
    ] = None,
    corpus: options.Corpus = None,
    name: own.Name = None,
    model: SystemModel = None,
    baseline: own.Baseline = None,
    standard: own.Standard = None,
    limit: own.Limit = None,
    concurrency: own.Concurrency = 8,
    timeout: own.Timeout = 120.0,
    retries: own.Retries = 3,
    retry_failed: own.RetryFailed = False,
    prefixes: options.Prefixes = False,
    rule: own.Rule = None,
    report: own.Report = None,
    no_report: own.NoReport = False,
    logs: Logs = None,
    otel: Otel = False,
    otel_contents: OtelContents = False,
    seed: own.StatisticsSeed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Evaluate a system behind an HTTP endpoint; a run that was cut off goes on where it was."""
    decides = parse_rule(rule)
    form = EndpointMap() if map_ is None else read_map(map_)
    patience = Patience(concurrency, timeout, retries, stops=not retry_failed)
    outside = replace(external_endpoint(url, form, patience), generator=model or "")
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        run, covers = _requested_run(session, found, standard, name)
        chosen = RunOptions(
            name=run,
            outside=outside,
            question_limit=limit,
            retry_failed=retry_failed,
            prefixes=prefixes,
            covers=covers,
            rule=decides,
        )
        at = "" if form.response is None else form.response.retrieved or ""
        after = Afterwards(baseline, report, no_report, seed, as_json, logs, at)
        evaluate(session, found, chosen, after, with_spans(session.settings, otel, otel_contents))


@app.command(epilog="Example: kg evaluate chat some-model --retriever hybrid --corpus ormelund")
def chat(
    model: Annotated[
        str | None,
        typer.Argument(help="Name of the model. Default: HOPGRADE_ANSWER_MODEL.", show_default=False),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="OpenAI-compatible endpoint, in place of HOPGRADE_ANSWER_BASE_URL; its key is "
            "HOPGRADE_ANSWER_API_KEY.",
            show_default=False,
        ),
    ] = None,
    retriever: Annotated[
        str,
        typer.Option(
            help=f"Who looks for chunks: {', '.join(RETRIEVERS)}; or none, and the model answers from "
            "memory.",
            autocompletion=complete_from((*RETRIEVERS, NO_RETRIEVER)),
        ),
    ] = NO_RETRIEVER,
    bare: Annotated[
        bool,
        typer.Option(
            "--bare", help="Send the question alone, to an endpoint that looks things up by itself."
        ),
    ] = False,
    top: options.Retrieved = 10,
    reranker: Reranker = None,
    candidates: Candidates = None,
    corpus: options.Corpus = None,
    name: own.Name = None,
    baseline: own.Baseline = None,
    standard: own.Standard = None,
    limit: own.Limit = None,
    concurrency: options.ModelConcurrency = None,
    timeout: own.ModelTimeout = None,
    retries: own.ModelRetries = None,
    retry_failed: own.RetryFailed = False,
    prefixes: options.Prefixes = False,
    rule: own.Rule = None,
    report: own.Report = None,
    no_report: own.NoReport = False,
    logs: Logs = None,
    otel: Otel = False,
    otel_contents: OtelContents = False,
    seed: own.StatisticsSeed = 0,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Evaluate a model behind an OpenAI-compatible endpoint, with or without our retrieval."""
    decides = parse_rule(rule)
    if bare and retriever != NO_RETRIEVER:
        raise SettingsError(
            "--bare sends the question alone, but --retriever adds chunks.", "Leave one of them out."
        )
    without = retriever == NO_RETRIEVER
    if without and (reranker or candidates):
        raise SettingsError(
            "there is no retriever whose chunks --reranker and --candidates could order anew.",
            "Name one with --retriever, or leave them out.",
        )
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        given: dict[str, object] = {
            "hopgrade_answer_model": model,
            "hopgrade_answer_base_url": base_url,
            "hopgrade_model_concurrency": concurrency,
            "hopgrade_model_timeout_seconds": timeout,
            "hopgrade_model_retries": retries,
        }
        kept = {key: value for key, value in given.items() if value is not None}
        settings = with_spans(session.settings, otel, otel_contents).model_copy(update=kept)
        budget = role_budget("answer", settings)
        run, covers = _requested_run(session, found, standard, name)
        chosen = RunOptions(
            generator="model",
            name=run,
            retriever="vector" if without else retriever,
            top=top,
            reranker=reranker,
            candidates=candidates,
            question_limit=limit,
            retry_failed=retry_failed,
            prefixes=prefixes,
            covers=covers,
            outside=external_chat(settings, budget, bare) if without else None,
            rule=decides,
        )
        after = Afterwards(baseline, report, no_report, seed, as_json, logs)

        def costs(plan: RunPlan) -> Estimate | RunEstimate:
            if without:
                pending = (*plan.pending, *plan.prefixes.pending)
                return estimate_chat(session.graph, pending, settings, budget, bare)
            embedder = embedder_of(session.graph, found, settings)
            return estimate_run(session.graph, found, chosen, plan, settings, embedder)

        trial = Trial(chat_needs(bare) if without else run_needs([chosen.system]), costs, no_preflight)
        evaluate(session, found, chosen, after, settings, budget, trial=trial, dry_run=dry_run)


@app.command("callable", epilog="Example: kg evaluate callable my_rag:answer --name ours --corpus ormelund")
def callable_(
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:NAME",
            help="A function from a question to an answer, or an object of neo4j-graphrag, LangChain, "
            "LlamaIndex or Haystack; looked for in this folder too.",
        ),
    ],
    reader: Annotated[
        str,
        typer.Option(help="Who answers from what an object finds that only retrieves: rules or model."),
    ] = "rules",
    corpus: options.Corpus = None,
    name: own.Name = None,
    model: SystemModel = None,
    baseline: own.Baseline = None,
    standard: own.Standard = None,
    limit: own.Limit = None,
    concurrency: own.Concurrency = 8,
    timeout: own.Timeout = 120.0,
    retries: own.Retries = 3,
    retry_failed: own.RetryFailed = False,
    prefixes: options.Prefixes = False,
    rule: own.Rule = None,
    report: own.Report = None,
    no_report: own.NoReport = False,
    logs: Logs = None,
    otel: Otel = False,
    otel_contents: OtelContents = False,
    seed: own.StatisticsSeed = 0,
    no_preflight: options.NoPreflight = False,
    as_json: options.AsJson = False,
) -> None:
    """Evaluate Python code of your own; a changed function needs a new --name, for it can't be told apart."""
    decides = parse_rule(rule)
    answered_by = parse_reader(reader)
    with redirect_stdout(sys.stderr):
        loaded = load_object(target, Path.cwd())
    with open_session() as session, ExitStack() as opened:
        found = existing_corpus(session.graph, corpus)
        reads = only_retrieves(loaded)
        if reads and model is not None:
            raise SettingsError(
                f"{target} only retrieves, and --model names who answers in a system that does so by itself.",
                "Leave --model out: --reader says who answers.",
            )
        budget = role_budget("answer", session.settings) if reads and answered_by == "model" else None
        answer = None
        if reads:
            generator = opened.enter_context(open_generator(answered_by, session.settings, budget))
            answer = generator_answerer(generator, passage_finder(session.graph, found))
        outside = external_callable(
            target,
            adapt(loaded, answer),
            Patience(concurrency, timeout, retries, stops=not retry_failed),
            *(reader_of(answered_by, session.settings) if reads else (model or "",)),
        )
        run, covers = _requested_run(session, found, standard, name)
        chosen = RunOptions(
            name=run,
            outside=outside,
            question_limit=limit,
            retry_failed=retry_failed,
            prefixes=prefixes,
            covers=covers,
            rule=decides,
        )
        trial = None
        if budget is not None:
            costs = reading_costs(session, found, chosen, session.settings)
            trial = Trial(run_needs([chosen.system]), costs, no_preflight)
        after = Afterwards(baseline, report, no_report, seed, as_json, logs)
        settings = with_spans(session.settings, otel, otel_contents)
        evaluate(session, found, chosen, after, settings, budget, trial=trial)


def _requested_run(
    session: Session, corpus: str, standard: Path | None, name: str | None
) -> tuple[str, frozenset[str] | None]:
    """The name of the run, empty for the default, and the ids of the questions to ask, None for all."""
    if standard is None:
        return name or "", None
    return requested_run(session.graph, corpus, standard, name or "")


def _tell_set_aside(rejects: tuple[Reject, ...]) -> None:
    if not rejects:
        return
    remark(f"note: rows set aside: {len(rejects):,}")
    others = [reject for reject in rejects if reject.reason != UNWANTED_PREFIX]
    for reject in others[:REJECTS_SHOWN]:
        remark(f"  {reject.place}: {reject.reason}")
    if len(others) > REJECTS_SHOWN:
        remark(f"  and {len(others) - REJECTS_SHOWN:,} more; all of them with --json.")
    if firsts := len(rejects) - len(others):
        remark(f"  {firsts:,} of them answer prefix questions; take these with --prefixes.")
