"""`kg run start`: a RAG system answers the questions of a corpus."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_from
from cli.console import lead_on, print_json, remark, say
from cli.options import Logs, Otel, OtelContents, with_spans
from cli.preflight import preflight, print_answer_costs
from cli.remarks import report_spending
from cli.session import Session, existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.errors import SettingsError, UserError
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget, with_provider
from kg.settings import Settings
from kg.store.graph import Row
from kg.store.leases import answering_in
from services.answers import side_by_side
from services.evaluate.write_back import tell_cutoff
from services.preflight.job_needs import run_needs
from services.rag.context import LEAST_EVIDENCE_TOKENS
from services.rag.rerank import CHOICES, MOST_CANDIDATES, RERANKED
from services.rag.retrieval.choose import NAMED, RETRIEVERS
from services.rag.run_options import (
    MOST_REPEATS,
    RETRIEVER,
    SYSTEMS,
    GeneratorOption,
    RunOptions,
    parse_evidence,
    parse_rule,
    parse_system,
    repeat_options,
)
from services.runs.estimate import RunEstimate, estimate_run
from services.runs.records import Loss, list_errors, list_runs, read_loss
from services.runs.start import RunPlan, plan_run, start_run
from services.traces.logs import write_logs

app = typer.Typer(rich_markup_mode=None)

ERRORS_SHOWN = 5


Reranker = Annotated[
    str | None,
    typer.Option(
        "--reranker",
        "--rerank",
        help=f"Who orders what a search found anew: {', '.join(CHOICES)}. Default: nobody; decomposition, "
        "which reranks what all its searches found, lexical.",
        show_default=False,
    ),
]
Candidates = Annotated[
    int | None,
    typer.Option(
        "--candidates",
        min=1,
        max=MOST_CANDIDATES,
        help=f"Chunks of a search that the reranker reads. Default: {RERANKED} times --top, of decomposition "
        "--top.",
        show_default=False,
    ),
]
EvidenceTokens = Annotated[
    int | None,
    typer.Option(
        "--evidence-tokens",
        min=LEAST_EVIDENCE_TOKENS,
        max=options.MOST,
        help="Tokens of the graph's text that may be read for a question, over all readings. Default: no "
        "limit.",
        show_default=False,
    ),
]


@app.command(epilog="Example: kg run start multi-step --model some-model --limit 200 --corpus ormelund")
def start(
    system: Annotated[
        str, typer.Argument(help=f"One of: {', '.join(SYSTEMS)}.", autocompletion=complete_from(SYSTEMS))
    ],
    corpus: options.Corpus = None,
    generator: options.AnswerGenerator = None,
    model: options.AnswerModel = None,
    provider: options.Provider = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="Name of the run. Default: made of system, retriever and model.", show_default=False
        ),
    ] = None,
    retriever: Annotated[
        str,
        typer.Option(
            help=f"Who looks for chunks: {', '.join(RETRIEVERS)}; with {NAMED} behind it, first in the "
            "sources and days that a question names.",
            autocompletion=complete_from(RETRIEVERS),
        ),
    ] = RETRIEVER,
    top: options.Retrieved = 10,
    reranker: Reranker = None,
    candidates: Candidates = None,
    evidence: Annotated[
        str,
        typer.Option(
            help="What is read: what the system has retrieved; gold, the chunks that support the question, "
            "in its place; or none, so that it answers from memory. The last two are ceilings: kg run report "
            "sets them beside other runs of the same model."
        ),
    ] = "retrieved",
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST,
            help="Questions to ask at most, drawn evenly; more can follow later. Default: all.",
            show_default=False,
        ),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=MOST_REPEATS,
            help="Make so many runs that differ in the model's seed only, to see how far they vary. Default: "
            "one run.",
            show_default=False,
        ),
    ] = None,
    model_seed: Annotated[
        int,
        typer.Option("--seed", min=0, max=options.MAX_SEED, help="Seed of the model; of --repeat the first."),
    ] = 0,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Temperature of the model.")] = 0.0,
    concurrency: options.ModelConcurrency = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed before.")
    ] = False,
    prefixes: options.Prefixes = False,
    max_iterations: options.MaxIterations = None,
    evidence_tokens: EvidenceTokens = None,
    judge: options.Rule = None,
    logs: Logs = None,
    otel: Otel = False,
    otel_contents: OtelContents = False,
    engine: options.Engine = None,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Let a RAG system answer the kept questions; what is answered stays, so a run that was cut off goes on.

    single-step retrieves once and answers. multi-step lets an intermediate answer lead a second retrieval.
    decomposition asks sub-questions, and reranks what they retrieved. With --reranker, every search of any
    system is reranked; MultiHop-RAG's own pipeline is single-step with --reranker cross-encoder
    --candidates 20 --top 6 --evidence-tokens 2048. Agents decide from step to step: react
    plans and searches in turn, goal-seeking composes plans until its goal is reached, graph-agent walks from
    entity to entity, search-tags drives a model that was trained to search by tags. A run whose settings
    changed is made anew, unless verdicts stand on its answers: then give another --name. With --repeat, runs
    are called NAME-seed-0, NAME-seed-1 and so on, and kg run report tells how far they vary beside what other
    questions would change.
    """
    chosen = RunOptions(
        system=parse_system(system),
        generator=chosen_generator(generator, model, provider),
        name=name or "",
        retriever=retriever,
        top=top,
        reranker=reranker,
        question_limit=limit,
        retry_failed=retry_failed,
        prefixes=prefixes,
        most_iterations=max_iterations,
        evidence_tokens=evidence_tokens,
        rule=parse_rule(judge),
        seed=model_seed,
        temperature=temperature or None,
        candidates=candidates,
        evidence=parse_evidence(evidence),
    )
    if repeat and not temperature:
        remark("note: at temperature 0 most models answer alike whatever the seed; give --temperature.")
    with open_session(engine) as session:
        found = existing_corpus(session.graph, corpus)
        by_model = with_answer_model(session.settings, provider, model, concurrency)
        settings = with_spans(by_model, otel, otel_contents)
        embedder = embedder_of(session.graph, found, settings)
        several = [chosen] if repeat is None else repeat_options(chosen, repeat, settings)
        plans = [plan_run(session.graph, found, one, settings, embedder) for one in several]

        def costs() -> Mapping[str, RunEstimate]:
            return {
                "answers" if repeat is None else plan.settings.name: estimate_run(
                    session.graph, found, one, plan, settings, embedder
                )
                for one, plan in zip(several, plans, strict=True)
            }

        if dry_run:
            show_plans(plans, list(costs().values()), found, as_json)
            return
        for plan in plans:
            if plan.anew:
                tell_loss(read_loss(session.graph, found, plan.settings), plan.settings.name)
        budget = role_budget("answer", settings) if chosen.generator == "model" else None
        with ExitStack() as stack:
            leases = [
                stack.enter_context(answering_in(session.graph, found, plan.settings.name)) for plan in plans
            ]
            stack.enter_context(report_spending(budget, session.progress))
            tell_cutoff(session.graph, found, plans[0].cutoff, session.progress)
            if budget is not None and any(plan.asks for plan in plans):
                needs = run_needs([chosen.system], chosen.evidence)
                preflight(settings, needs, costs, session.progress, budget, skip=no_preflight)
            started = [
                start_run(graph, found, one, settings, embedder, session.progress, budget, plan)
                for graph, one, plan in zip(leases, several, plans, strict=True)
            ]
        if logs is not None:
            for run in started:
                remark(f"logs written: {write_logs(session.graph, found, run, logs)}")
        _show_runs(session, found, started, as_json)


def chosen_generator(given: str | None, model: str | None, provider: str | None) -> GeneratorOption:
    """Who answers: as --generator says, a model where one is named, else rules.

    Raises:
        SettingsError: --generator names nobody, or rules beside a model.
    """
    named = "--model" if model is not None else "--provider" if provider is not None else ""
    if given == "rules" and named:
        raise SettingsError(
            f"--generator rules asks no model, but {named} names one.", "Leave one of them out."
        )
    match given or ("model" if named else "rules"):
        case "rules":
            return "rules"
        case "model":
            return "model"
        case other:
            raise SettingsError(f"{other!r} can't answer.", "Use --generator rules or --generator model.")


def with_answer_model(
    settings: Settings, provider: str | None, model: str | None, concurrency: int | None
) -> Settings:
    """The settings with the answering model and the number of requests at once that the options name."""
    chosen = with_provider(settings, "answer", provider, model)
    if concurrency is None:
        return chosen
    return chosen.model_copy(update={"hopgrade_model_concurrency": concurrency})


def tell_loss(loss: Loss, name: str) -> None:
    """Say what goes when a run is made anew.

    Raises:
        UserError: verdicts stand on its answers, which can't be had again for nothing.
    """
    why = f"other settings ({'; '.join(loss.changes)})" if loss.changes else "other questions"
    if loss.verdicts:
        raise UserError(
            f"run {name!r} was made with {why}, and to make it anew would delete {loss.answers:,} answers "
            f"with {loss.verdicts:,} verdicts, {loss.by_hand:,} of them by hand.",
            f"Give this one another name: --name NAME; or delete that one first: kg run drop {quote(name)}",
        )
    if loss.answers:
        remark(f"note: run {name!r} was made with {why}: its {loss.answers:,} answers are made anew.")


def show_plans(
    plans: Sequence[RunPlan], estimates: Sequence[Estimate | RunEstimate], corpus: str, as_json: bool
) -> None:
    """What runs would ask, and what that takes."""
    if as_json:
        documents = [
            {
                **asdict(plan.settings),
                "corpus": corpus,
                "questions": plan.questions,
                "answered": plan.answered,
                "to_ask": len(plan.pending),
                "prefixes": plan.prefixes.questions,
                "prefixes_to_ask": len(plan.prefixes.pending),
                "anew": plan.anew,
                **asdict(estimate),
            }
            for plan, estimate in zip(plans, estimates, strict=True)
        ]
        print_json(documents[0] if len(documents) == 1 else {"corpus": corpus, "runs": documents})
        return
    for plan, estimate in zip(plans, estimates, strict=True):
        _show_plan(plan, estimate)


def _show_plan(plan: RunPlan, estimate: Estimate | RunEstimate) -> None:
    say(
        f"Run {plan.settings.name!r} by {plan.settings.generator}: {plan.questions:,} questions, "
        f"{plan.answered:,} answered, {len(plan.pending):,} to ask."
    )
    if plan.prefixes.questions:
        say(f"Prefix questions: {plan.prefixes.questions:,}, {len(plan.prefixes.pending):,} of them to ask.")
    if plan.anew:
        say("What it depends on has changed, so it would be made anew and its answers be deleted.")
    print_answer_costs(estimate)


def _show_runs(session: Session, corpus: str, names: Sequence[str], as_json: bool) -> None:
    rows = {row["name"]: row for row in list_runs(session.graph, corpus)}
    if as_json:
        documents = [{"corpus": corpus, **rows[name]} for name in names]
        print_json(documents[0] if len(documents) == 1 else {"corpus": corpus, "runs": documents})
        return
    for name in names:
        _show_run(session, corpus, rows[name])
    if len(names) > 1:
        lead_on("How far they vary", "run report", *names, "--corpus", corpus)
    else:
        lead_on("Where it fails", "run matrix", *names, "--corpus", corpus)


def _show_run(session: Session, corpus: str, row: Row) -> None:
    name = row["name"]
    say(
        f"Run {name!r}: {row['answers']:,} questions answered by {row['generator']}, {row['right']:,} right "
        f"by {row['judge']}, {row['abstained']:,} abstentions, {row['errors']:,} failed."
    )
    say(f"{side_by_side(row['answer_match'], row['exact_match'], row['f1']).capitalize()}.", "dim")
    if row["errors"]:
        remark(
            f"note: {row['errors']:,} could not be answered and count as wrong. Ask them again: the same "
            "command with --retry-failed."
        )
        for why in list_errors(session.graph, corpus, name, ERRORS_SHOWN):
            remark(f"  {why['answers']:,} times: {why['error']}")
