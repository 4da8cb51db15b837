"""`kg evaluate graphrag`: Neo4j's own GraphRAG library over a corpus of ours."""

from dataclasses import replace
from typing import Annotated

import typer

from cli import options
from cli import options as own
from cli.completion import complete_from
from cli.evaluate_run import Afterwards, Trial, evaluate, reading_costs
from cli.options import Logs, Otel, OtelContents, with_spans
from cli.session import existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.llm.roles import role_budget
from services.external.adapters.graphrag_outside import (
    GRAPHRAG_RETRIEVERS,
    external_graphrag,
    parse_graphrag_retriever,
)
from services.preflight.job_needs import run_needs
from services.rag.run_options import RunOptions, parse_reader, parse_rule

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg evaluate graphrag --retriever hybrid --corpus ormelund")
def graphrag(
    retriever: Annotated[
        str,
        typer.Option(
            help=f"Retriever of the library: {', '.join(GRAPHRAG_RETRIEVERS)}.",
            autocompletion=complete_from(GRAPHRAG_RETRIEVERS),
        ),
    ] = "vector-cypher",
    reader: Annotated[
        str, typer.Option(help="Who answers: rules, or model (HOPGRADE_ANSWER_MODEL).")
    ] = "rules",
    top: options.Retrieved = 10,
    corpus: options.Corpus = None,
    name: own.Name = None,
    baseline: own.Baseline = None,
    limit: own.Limit = None,
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
    """Evaluate Neo4j's GraphRAG library (neo4j-graphrag) over the graph of a corpus.

    The library searches in copies of the chunks, which are deleted afterwards; vector-cypher goes on from
    them into the graph.
    """
    decides = parse_rule(rule)
    wanted, answered_by = parse_graphrag_retriever(retriever), parse_reader(reader)
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        budget = role_budget("answer", session.settings) if answered_by == "model" else None
        embedder = embedder_of(session.graph, found, session.settings)
        outside = external_graphrag(
            wanted, answered_by, session.settings, embedder, top, budget, stops=not retry_failed
        )
        chosen = RunOptions(
            name=name or "",
            outside=outside,
            question_limit=limit,
            retry_failed=retry_failed,
            prefixes=prefixes,
            rule=decides,
        )
        trial = None
        if budget is not None:
            # The library asks by a prompt of its own: tried is ours for the same task.
            like = replace(chosen, top=top)
            costs = reading_costs(session, found, like, session.settings)
            trial = Trial(run_needs([like.system]), costs, no_preflight)
        after = Afterwards(baseline, report, no_report, seed, as_json, logs)
        evaluate(
            session,
            found,
            chosen,
            after,
            with_spans(session.settings, otel, otel_contents),
            budget,
            trial=trial,
            dry_run=dry_run,
        )
