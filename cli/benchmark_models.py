"""`kg benchmark prompts`: how a model does on the gold items of every prompt.

`kg benchmark clusters`: what spreading over clusters of claims adds to retrieval.

`kg benchmark embedders`: embedders and rerankers beside each other, as MultiHop-RAG compares them.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, get_args

import typer

from cli import options
from cli.console import ConsoleProgress, out, print_json, remark, say, table
from cli.options import MOST, AsJson, Provider
from cli.preflight import print_results, results_json
from cli.remarks import report_spending
from cli.session import existing_corpus, open_session, read_settings
from kg.corpus import require_corpus
from kg.embed.choose import embedder_of, make_embedder
from kg.errors import SettingsError
from kg.llm.protocol import Role
from kg.llm.roles import role_budget, with_provider
from kg.settings import Settings
from kg.text.chunks import parse_chunk_size
from services.benchmarks.cluster_spread import ablate_spread, format_change, made_cases
from services.benchmarks.embedders import (
    NO_RERANKER,
    SHOWN,
    Cell,
    SupportedQuestion,
    make_pool,
    measure_pool,
    questions_of_corpus,
    questions_of_file,
)
from services.preflight.asking import PromptResult, ask_prompts
from services.preflight.gold import gold_prompts
from services.rag.rerank import make_reranker
from services.rag.retrieval.choose import DEPTH

app = typer.Typer(rich_markup_mode=None)

_LABEL = "embedder + reranker"

TOP = 20
"""Chunks that a reranker is given, as in MultiHop-RAG."""


@app.command(epilog="Example: kg benchmark embedders --corpus ormelund --reranker lexical")
def embedders(
    corpus: options.Corpus = None,
    embedder: Annotated[
        list[str],
        typer.Option(
            "--embedder",
            help="builtin, sentence-transformers:MODEL or openai:MODEL; repeatable. Default: as the corpus.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    reranker: Annotated[
        str,
        typer.Option(
            help="Rerankers, with commas: lexical, cross-encoder[:MODEL], http:URL; none always is."
        ),
    ] = "lexical",
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="FILE",
            help="Ask the questions of this file. Default: those of the corpus, made or imported.",
            show_default=False,
        ),
    ] = None,
    chunks: options.Chunks = None,
    top: Annotated[
        int, typer.Option("--top", min=10, max=100, help="Chunks that a reranker is given.")
    ] = TOP,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, max=options.MOST, help="Ask so many questions. Default: all.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of the intervals.")] = 0,
    as_json: options.AsJson = False,
) -> None:
    """Measure embedders, with rerankers and without, on the questions of a corpus, as MultiHop-RAG does.

    Articles are cut and embedded anew in memory; the corpus stays as it is.
    """
    names = [name for name in options.split_list(reranker) if name != NO_RERANKER]
    with open_session() as session:
        graph, progress = session.graph, session.progress
        name = existing_corpus(graph, corpus)
        own = require_corpus(graph, name)
        size = parse_chunk_size(chunks or own.chunking)
        rerankers = {
            NO_RERANKER: None,
            **{option: make_reranker(option, session.settings) for option in names},
        }
        if questions is None:
            asked, left_out = questions_of_corpus(graph, name), 0
        else:
            asked, left_out = questions_of_file(graph, name, questions)
        cells: list[Cell] = []
        for option in embedder or [own.embedder]:
            progress.begin(f"embedder {option}")
            used = make_embedder(option, session.settings)
            pool = make_pool(graph, name, own, used, size, progress)
            cells += measure_pool(pool, used, rerankers, asked[:limit], top, seed, progress)
            progress.end(f"{len(pool.passages):,} chunks, {len(asked[:limit]):,} questions")
    if as_json:
        about = {
            "corpus": name, "chunking": str(size), "top": top, "seed": seed,
            "questions": len(asked[:limit]), "left_out": left_out,
        }  # fmt: skip
        print_json({**about, "cells": [asdict(cell) for cell in cells]})
        return
    _print(name, str(size), asked[:limit], cells, top)
    if left_out:
        remark(f"{left_out:,} questions are left out: none of their evidence is in the corpus.")


@app.command(epilog="Example: kg benchmark clusters --corpus ormelund --top 10")
def clusters(
    corpus: options.Corpus = None,
    top: Annotated[int, typer.Option("--top", min=1, max=DEPTH, help="Chunks that count as found.")] = 10,
    limit: Annotated[
        int, typer.Option(min=1, max=options.MOST, help="Ask so many questions, the first by id.")
    ] = 400,
    as_json: options.AsJson = False,
) -> None:
    """Measure what spreading over clusters and places in the graph add to retrieval, on a corpus' questions.

    An ablation, as GADMEC's: each retriever is held against the one that lacks what it adds.
    """
    with open_session() as session:
        graph = session.graph
        name = existing_corpus(graph, corpus)
        embedder = embedder_of(graph, name, session.settings)
        cases = made_cases(graph, name, embedder, limit)
        session.progress.begin("retrievers")
        found = ablate_spread(graph, name, embedder, cases, top)
        session.progress.end(f"{len(found)} on {len(cases):,} questions")
    groups = len({case.cluster for case in cases})
    if as_json:
        about = {"corpus": name, "top": top, "questions": len(cases), "clusters_of_questions": groups}
        print_json({**about, "rows": [asdict(one) for one in found]})
        return
    rows = [
        [
            one.retriever,
            *(f"{share:.3f}" for share in (one.hops, one.whole, one.clusters)),
            one.against or "-",
            *(format_change(change) if change else "-" for change in (one.hops_change, one.clusters_change)),
        ]
        for one in found
    ]
    head = ("retriever", "hops", "all", "clusters", "against", "points of hops", "points of clusters")
    out.print(table(f"Corpus {name!r}: {len(cases):,} questions, the first {top} chunks", head, rows))
    say(
        "hops: the share of a question's pieces of evidence that were found; all: of questions with every "
        "piece; clusters: of the clusters of claims behind the evidence, Cluster Recall. clustered: hybrid "
        "spread over clusters, the number is what each chunk before from the same cluster leaves of a score.",
        "dim",
    )
    say(f"Intervals of 95 % by cluster of questions, {groups:,} in all; p after Holm's correction.", "dim")


def _print(
    corpus: str, size: str, asked: Sequence[SupportedQuestion], cells: Sequence[Cell], top: int
) -> None:
    rows = [
        [
            _label(cell),
            *(f"{cell.means[name].value:.4f}" for name in SHOWN if name in cell.means),
        ]
        for cell in cells
    ]
    title = f"Corpus {corpus!r}: {len(asked):,} questions, chunks of {size} tokens, {top} reranked"
    out.print(table(title, (_LABEL, *(name.replace("Recall", "R") for name in SHOWN)), rows))
    say("Hits@k: any gold in the first k. R@k: the share of it, the paper's Hit@k.", "dim")
    official = [cell for cell in cells if cell.official is not None]
    if not official:
        say(
            "The official script wants facts word by word, which imports don't keep: --questions FILE.", "dim"
        )
        return
    out.print()
    rows = [
        [_label(cell), *(f"{value:.4f}" for value in _official(cell)), f"{cell.official_n:,}"]
        for cell in official
    ]
    columns = (_LABEL, "MRR@10", "MAP@10", "Hits@10", "Hits@4", "questions")
    out.print(table("As MultiHop-RAG's own script counts", columns, rows))


def _label(cell: Cell) -> str:
    """Both names in one column, each on a line of its own, so that the numbers fit beside them."""
    return cell.embedder if cell.reranker == NO_RERANKER else f"{cell.embedder}\n+ {cell.reranker}"


def _official(cell: Cell) -> tuple[float, ...]:
    found = cell.official
    if found is None:
        return ()
    return found.mrr_at_10, found.map_at_10, found.hits_at_10, found.hits_at_4


_SHOWN = 400
"""Characters of a reply that --verbose prints."""


@app.command(
    "prompts", epilog="Example: kg benchmark prompts --model some-model --prompt find-triples --verbose"
)
def prompts(
    model: Annotated[
        str | None,
        typer.Option(
            help="The model to measure. Default: HOPGRADE_MODEL and those of roles.", show_default=False
        ),
    ] = None,
    prompt: Annotated[
        list[str],
        typer.Option("--prompt", metavar="NAME", help="Only this prompt; may be repeated. Default: all."),
    ] = [],  # noqa: B006
    items: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, help="Gold items of each prompt at most. Default: all.", show_default=False
        ),
    ] = None,
    provider: Provider = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="List each item that did not pass, with why and what was said.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure a model on the gold items of the prompts: passed, cut off, not parsed, wrong, tokens, seconds.

    The items ship with Hopgrade, with hard cases among them, so that figures of two models can be compared.
    Replies that are kept cost nothing and take no time.
    """
    settings = _settings_of(read_settings(), provider, model)
    names = _names(prompt)
    budget = role_budget("answer", settings)
    with ConsoleProgress() as progress, report_spending(budget, progress):
        results = ask_prompts(names, settings, progress, items, budget)
    if as_json:
        print_json(results_json(results))
        return
    print_results(results, "Gold items", out)
    if verbose:
        _print_failed(results)


def _names(given: Sequence[str]) -> tuple[str, ...]:
    known = gold_prompts()
    unknown = [name for name in given if name not in known]
    if unknown:
        raise SettingsError(f"there is no prompt {unknown[0]!r}.", f"Use one of: {', '.join(known)}.")
    return tuple(dict.fromkeys(given)) or known


def _settings_of(settings: Settings, provider: str | None, model: str | None) -> Settings:
    if provider is None and model is None:
        return settings
    for role in get_args(Role):
        settings = with_provider(settings, role, provider, model)
    return settings


def _print_failed(results: Sequence[PromptResult]) -> None:
    for one in results:
        for outcome in one.outcomes:
            if outcome.result == "passed":
                continue
            hard = f" (hard: {outcome.item.note})" if outcome.item.hard else ""
            say(f"\n{one.prompt}, {outcome.item.id}{hard}: {outcome.result}", "bold")
            say(f"  {outcome.why}")
            if outcome.reply:
                text = " ".join(outcome.reply.split())
                say(f"  it said: {text[:_SHOWN]}{' ...' if len(text) > _SHOWN else ''}", "dim")
