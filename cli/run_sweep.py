"""`kg run sweep`: the same questions under other embedders, chunk sizes and numbers of passages."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.completion import complete_from
from cli.console import check_place, out, print_json, remark, say, table, write_whole
from cli.matrix import print_heat_map
from cli.preflight import preflight, say_nothing_was_sent
from cli.remarks import report_spending
from cli.run_start import Candidates, Reranker, chosen_generator, with_answer_model
from cli.session import existing_corpus, open_session
from kg.embed.choose import CHOICES
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget
from services.benchmarks.sweep import Setting, SweepRow, pending_links, plan_settings, sweep, sweep_costs
from services.benchmarks.sweep_report import (
    BY_SETTING,
    HOW_TO_READ,
    SHARES,
    change_sentences,
    setting_name,
    shares_of,
    sweep_markdown,
    sweep_verdict,
    whole_rows,
)
from services.preflight.asking import cost_lines
from services.preflight.job_needs import sweep_needs
from services.questions.rating import read_asked
from services.rag.retrieval.choose import RETRIEVERS
from services.rag.run_options import RETRIEVER, SYSTEMS, RunOptions, parse_system
from services.report.content import Rate
from services.runs.estimate import RunEstimate

app = typer.Typer(rich_markup_mode=None)

MOST_TOP = 100


@app.command("sweep", epilog="Example: kg run sweep --chunks small,large --top 5,10 --corpus ormelund")
def sweep_command(
    system: Annotated[
        str,
        typer.Argument(
            help=f"One of: {', '.join(SYSTEMS)}.",
            show_default="single-step",
            autocompletion=complete_from(SYSTEMS),
        ),
    ] = "single-step",
    corpus: options.Corpus = None,
    embedders: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=f"Embedders with commas, each {', '.join(CHOICES)}. Default: the corpus' own.",
            show_default=False,
        ),
    ] = None,
    chunks: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Chunk sizes with commas: small, medium, large, 128-256/50. Default: the corpus' own.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[str, typer.Option(metavar="LIST", help="Numbers of retrieved chunks with commas.")] = "10",
    retriever: Annotated[
        str, typer.Option(help=f"One of: {', '.join(RETRIEVERS)}.", autocompletion=complete_from(RETRIEVERS))
    ] = RETRIEVER,
    reranker: Reranker = None,
    candidates: Candidates = None,
    generator: options.AnswerGenerator = None,
    model: options.AnswerModel = None,
    provider: options.Provider = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST,
            help="Questions to ask at most, drawn evenly; the same in all settings. Default: all.",
            show_default=False,
        ),
    ] = None,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    markdown: options.MarkdownFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer chain questions anew under other embedders, chunk sizes and numbers of chunks (GRADE, A.7, A.8).

    Each embedder and chunk size gets a corpus of its own beside this one, with the same articles and
    questions; it stays, so that a sweep that was cut off goes on and another number of chunks costs only its
    answers. The first row is what the others are compared with: the corpus' own setting where it is there.
    Only kept chain questions are asked: those of other kinds, and imported ones, have no distance.
    """
    if markdown is not None:
        check_place(markdown, "--markdown")
    chosen = parse_system(system)
    tops = options.listed_numbers(top, "--top", MOST_TOP)
    run = RunOptions(
        system=chosen,
        generator=chosen_generator(generator, model, provider),
        retriever=retriever,
        reranker=reranker,
        candidates=candidates,
        question_limit=limit,
    )
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = plan_settings(
            session.graph, name, options.split_list(embedders or ""), options.split_list(chunks or "")
        )
        settings = with_answer_model(session.settings, provider, model, None)
        budget = role_budget("answer", settings) if run.generator == "model" else None
        costs = partial(sweep_costs, session.graph, name, found, tops, run, settings)
        if dry_run:
            questions = len(read_asked(session.graph, name)[:limit])
            _show_plan(found, questions, tops, costs(), as_json)
            return
        if needs := sweep_needs(run, pending_links(session.graph, name, found)):
            preflight(settings, needs, costs, session.progress, budget, skip=no_preflight)
        with report_spending(budget, session.progress):
            rows = sweep(session.graph, name, found, tops, run, settings, session.progress, budget)
    if markdown is not None:
        write_whole(markdown, sweep_markdown(name, rows), "--markdown")
        remark(f"Report written: {markdown}")
    if as_json:
        print_json({"corpus": name, "rows": [asdict(row) for row in rows]})
        return
    _print_rows(rows)
    drop = " ".join(quote(one.corpus(name)) for one in found[-1:])
    remark(f"The corpora of the settings stay: kg corpus list. One goes by kg corpus drop {drop}")


def _show_plan(
    found: Sequence[Setting],
    questions: int,
    tops: Sequence[int],
    costs: Mapping[str, Estimate | RunEstimate],
    as_json: bool,
) -> None:
    answers = len(found) * len(tops) * questions
    if as_json:
        told = {"settings": [asdict(one) for one in found], "questions": questions, "answers": answers}
        print_json(told | {"costs": {name: asdict(one) for name, one in costs.items()}})
        return
    asked = f"settings {len(found)}, numbers of chunks {len(tops)}, questions {questions:,}"
    say(f"{asked}: {answers:,} answers.")
    for one in found:
        say(f"  {one.embedder}, {one.size}")
    for line in cost_lines(costs):
        say(line)
    if costs:
        say_nothing_was_sent()


def _print_rows(rows: Sequence[SweepRow]) -> None:
    whole = whole_rows(rows)
    say(sweep_verdict(rows))
    shown = [(setting_name(row, rows), row.error.n, *map(_share, shares_of(row))) for row in whole]
    out.print(table(BY_SETTING, ("setting", "n", *SHARES), shown))
    depths = sorted({row.hops for row in rows if row.hops is not None})
    by_depth = {(setting_name(row, rows), row.hops): row for row in rows}
    lines = [
        (
            setting_name(one, rows),
            *(_share(by_depth[setting_name(one, rows), depth].error) for depth in depths),
        )
        for one in whole
    ]
    out.print(table("Wrong answers by reasoning depth", ("setting", *(f"{d} hops" for d in depths)), lines))
    for row in whole:
        if row.matrix is not None:
            out.print()
            print_heat_map(f"Error rates, {setting_name(row, rows)}", row.matrix)
    out.print()
    for line in change_sentences(rows):
        say(line)
    say(HOW_TO_READ, "dim")


def _share(found: Rate) -> str:
    return "-" if found.rate is None else f"{found.rate:.2f}"
