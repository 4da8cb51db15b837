"""`kg questions make`: questions from the paths of a corpus, by rules or by a model."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from shlex import quote
from typing import Annotated

import typer

from cli.completion import complete_paths, whole_id
from cli.console import print_json, remark, say
from cli.corpus import DiscardWork
from cli.options import MOST, AsJson, Corpus, DryRun, Engine, NoPreflight
from cli.preflight import preflight, print_parts, say_nothing_was_sent
from cli.remarks import remark_on_questions, report_spending
from cli.session import Session, existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.engine.choose import engine_of
from kg.errors import NothingToDoError, SettingsError
from kg.ledger import Counts, Outcome, counts_of, read_stage
from kg.llm.protocol import Estimate
from kg.paths.protocol import DEPTHS
from kg.settings import Settings
from kg.stages.path_finding import read_path_options
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.pipeline import makes_questions_anew, questions_stage
from services.preflight.asking import cost_lines
from services.preflight.job_needs import question_needs
from services.questions.checkable import LEAST_CONFIDENCE
from services.questions.choice import (
    QuestionChoice,
    QuestionJob,
    parse_bins,
    parse_kinds,
    parse_known,
    parse_wording,
    parse_worker,
    question_tools,
    write_question_choice,
)
from services.questions.dataset import dataset_version
from services.questions.draft import Made, count_kept
from services.questions.estimate import QuestionEstimate, estimate_questions
from services.questions.hand_work import at_stake, read_hand_work
from services.questions.make import add_questions, retry_failed_questions
from services.questions.review import discard_waiting
from services.questions.spans.facets import parse_facet
from services.settled_options import GivenQuestions, settle_questions

app = typer.Typer(rich_markup_mode=None)

Target = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Kept chain questions that each depth shall have; more paths are drawn until it has. With a "
        "model at work paths are taken in waves of 4 at least, no more for each question wanted than "
        "HOPGRADE_PATHS_PER_QUESTION. Default: as before, at first 200.",
        show_default=False,
    ),
]
Kinds = Annotated[
    str | None,
    typer.Option(
        "--kinds",
        "--kind",
        help="Kinds with commas: chain, comparison, temporal, null, bridge-entity, bridge-topic, inference "
        "for both bridges; or all. Default: as before, at first all.",
        show_default=False,
    ),
]
PerKind = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Kept questions of each other kind at most. Default: as before, at first 100.",
        show_default=False,
    ),
]
Generator = Annotated[
    str | None,
    typer.Option(
        help="Who words questions: rules, or model (HOPGRADE_GENERATE_MODEL); rules choose their facts. "
        "Default: as before, at first rules.",
        show_default=False,
    ),
]
Checks = Annotated[
    str | None,
    typer.Option(
        help="Who checks questions: rules, or rules and then a model (HOPGRADE_JUDGE_MODEL). Rules alone "
        "don't check whether a model's question is clear, makes sense and can't be answered from memory. "
        "Default: as before, at first rules.",
        show_default=False,
    ),
]
Bins = Annotated[
    str | None,
    typer.Option(
        help="Cut quartiles of difficulty within each depth, or global. Default: as before, at first depth.",
        show_default=False,
    ),
]
SpanClusters = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=DEPTHS[-1],
        help="Clusters that the evidence of a kept question must lie in at least; more paths are drawn until "
        "there are enough questions. Default: as before, at first 1.",
        show_default=False,
    ),
]
ClusterBy = Annotated[
    str | None,
    typer.Option(
        help="What these clusters are of: claims, communities, place, time, domain or articles. Default: as "
        "before, at first claims.",
        show_default=False,
    ),
]
Known = Annotated[
    str | None,
    typer.Option(
        help="Questions whose answer the checking model knows without the articles: reject, or keep. Models "
        "have read encyclopedias: keep them there; kg evaluate chat, which retrieves nothing by itself, says "
        "what a model knows. Default: as before, at first reject.",
        show_default=False,
    ),
]
PrefixChecks = Annotated[
    str | None,
    typer.Option(
        help="Who checks the questions of a chain's first hops, for runs with --prefixes: rules, or the "
        "model of --checks too, some requests for each. Default: as before, at first model.",
        show_default=False,
    ),
]
WordingOption = Annotated[
    str | None,
    typer.Option(
        "--wording",
        help="How rules word chains: nested (one sentence), stepwise (a sentence a fact), or any: nested "
        "where that reads well, else stepwise if no fact is a mere scene. Default: as before, at first any.",
        show_default=False,
    ),
]
LeastConfidence = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Rules ask only about facts that a reader would accept with at least this confidence; 0 asks "
        f"about all. Default: as before, at first {LEAST_CONFIDENCE}.",
        show_default=False,
    ),
]


@app.command(epilog="Example: kg questions make --corpus mine --target 100 --kinds chain,null")
def make(
    corpus: Corpus = None,
    target: Target = None,
    kinds: Kinds = None,
    per_kind: PerKind = None,
    generator: Generator = None,
    checks: Checks = None,
    bins: Bins = None,
    span_clusters: SpanClusters = None,
    cluster_by: ClusterBy = None,
    known: Known = None,
    prefix_checks: PrefixChecks = None,
    wording: WordingOption = None,
    least_confidence: LeastConfidence = None,
    path: Annotated[
        list[str],
        typer.Option(
            metavar="ID",
            help="Add a question from this path, saved or drawn; may be repeated.",
            autocompletion=complete_paths,
        ),
    ] = [],  # noqa: B006
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where a model gave no usable answer before.")
    ] = False,
    discard_work: DiscardWork = False,
    engine: Engine = None,
    no_preflight: NoPreflight = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make the questions of a corpus; kg run-all makes them with the same options.

    Questions that were made with other options are deleted, with the runs that answered them; where people
    reviewed them or judged answers, or an outside system answered, only with --discard-work. Reviews of
    questions that come again stay. --path and --retry-failed only add.
    """
    if path and retry_failed:
        raise SettingsError("--path and --retry-failed don't go together.", "Give one of them.")
    if discard_work and (path or retry_failed):
        raise SettingsError(
            "--path and --retry-failed leave all reviews as they are.", "Leave --discard-work out."
        )
    given = GivenQuestions(
        target,
        parse_kinds(kinds) if kinds else None,
        per_kind,
        parse_worker(generator) if generator else None,
        parse_worker(checks) if checks else None,
        parse_bins(bins) if bins else None,
        span_clusters,
        parse_facet(cluster_by) if cluster_by else None,
        parse_known(known) if known else None,
        parse_wording(wording) if wording else None,
        least_confidence,
        parse_worker(prefix_checks) if prefix_checks else None,
    )
    with open_session(engine) as session:
        name = existing_corpus(session.graph, corpus)
        if dry_run:
            choice = settle_questions(session.graph, name, given)
            _require_paths(session.graph, name)
            _print_estimate(estimate_questions(session.graph, name, choice, session.settings), as_json)
            return
        with writing_to(session.graph, name) as graph:
            paths = _require_paths(graph, name)
            job = _job(replace(session, graph=graph), name, given)
            with report_spending(job.tools.budget, session.progress):
                _try_prompts(job, session.settings, skip=no_preflight)
                if path:
                    made = add_questions(job, [whole_id(graph, "path", one, name) for one in path])
                elif retry_failed:
                    made = retry_failed_questions(job)
                else:
                    made = None
                    _warn(job, paths, discard_work)
                    write_question_choice(graph, name, job.choice)
                    questions_stage(job, paths)
                    if discard_work:
                        _discard(graph, name)
        _tell(session.graph, name, made, as_json)


def _try_prompts(job: QuestionJob, settings: Settings, *, skip: bool) -> None:
    needs = question_needs(job.choice)
    costs = partial(_costs, job.graph, job.corpus, job.choice, settings)
    preflight(settings, needs, costs, job.progress, job.tools.budget, skip=skip)


def tell_questions(graph: Graph, corpus: str, choice: QuestionChoice, settings: Settings) -> None:
    """Say what the questions of a corpus would take of models, before one is asked for."""
    for line in cost_lines(_costs(graph, corpus, choice, settings)):
        remark(line)


def _costs(graph: Graph, corpus: str, choice: QuestionChoice, settings: Settings) -> Mapping[str, Estimate]:
    return estimate_questions(graph, corpus, choice, settings).parts


def _job(session: Session, corpus: str, given: GivenQuestions) -> QuestionJob:
    graph, settings = session.graph, session.settings
    choice = settle_questions(graph, corpus, given)
    return QuestionJob(
        graph,
        corpus,
        choice,
        read_path_options(graph, corpus),
        question_tools(choice, settings),
        embedder_of(graph, corpus, settings),
        session.progress,
        engine_of(settings),
    )


def _warn(job: QuestionJob, paths: Outcome, discard_work: bool) -> None:
    """Say what goes with questions that are made anew; where people worked on them, only if they want it."""
    graph, corpus = job.graph, job.corpus
    if not makes_questions_anew(job, paths):
        return
    done = read_hand_work(graph, corpus)
    if (done.reviews or done.verdicts or done.outside) and not discard_work:
        raise at_stake(corpus, "questions", done, reviews=done.reviews)
    if done.runs:
        remark(
            f"note: the questions are made anew, and the runs that answered them are deleted: "
            f"{', '.join(done.runs)}."
        )


def _discard(graph: Graph, corpus: str) -> None:
    done = read_hand_work(graph, corpus)
    discard_waiting(graph, corpus)
    if done.reviews or done.waiting:
        remark(f"note: {done.reviews:,} reviews stay, {done.waiting:,} are deleted with their questions.")


def _require_paths(graph: Graph, corpus: str) -> Outcome:
    line = read_stage(graph, corpus, "paths")
    if line is None or line["state"] != "done":
        raise NothingToDoError(
            f"the paths of corpus {corpus!r} are not drawn{' to the end' if line else ' yet'}.",
            f"Draw them: kg corpus build --corpus {quote(corpus)}",
        )
    return Outcome(line["key"], counts_of(line), ran=False)


def _tell(graph: Graph, corpus: str, made: list[Made] | None, as_json: bool) -> None:
    counts = _counts(graph, corpus)
    version = dataset_version(graph, corpus)
    if as_json:
        added = {} if made is None else {"added": len(made), "added_and_kept": count_kept(made)}
        print_json({"corpus": corpus, "dataset": version, **added, **counts})
    else:
        if made is not None:
            say(f"{len(made):,} questions made, {count_kept(made):,} of them kept.")
            for one in made:
                failed = one.failed
                end = f"rejected, {failed.filter}: {failed.reason}" if failed else "kept"
                say(f"  {one.draft.text or '(no question)'} -> {one.draft.answer} ({end})")
        say(
            f"corpus {corpus!r}: {counts.get('kept', 0):,} of {counts.get('drawn', 0):,} questions kept, "
            f"version {version}."
        )
        say("Look at them: kg questions funnel, kg questions list, kg questions show ID", "dim")
    remark_on_questions(graph, corpus)


def _counts(graph: Graph, corpus: str) -> Counts:
    line = read_stage(graph, corpus, "questions")
    return counts_of(line) if line is not None else {}


def _print_estimate(estimate: QuestionEstimate, as_json: bool) -> None:
    if as_json:
        print_json(asdict(estimate))
        return
    if not estimate.parts:
        say("No model is asked: questions are written and checked by rules.")
        return
    print_parts(estimate.parts)
    say(
        f"That is for about {estimate.paths:,} paths, until each depth has its target or is given up. "
        f"{estimate.assumption}".rstrip(),
        "dim",
    )
    say_nothing_was_sent()
