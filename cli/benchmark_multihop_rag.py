"""`kg benchmark multihop-rag`: the paper's tables of embedders and of readers, beside what it prints."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.console import out, print_json, remark, say, table
from cli.options import AsJson
from cli.preflight import preflight, print_answer_costs, print_parts, say_nothing_was_sent
from cli.remarks import report_spending
from cli.session import open_session
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.settings import Settings
from kg.text.chunks import parse_chunk_size
from services.benchmarks.embedders import NO_RERANKER, Cell
from services.benchmarks.multihop_rag import (
    CHUNKS,
    Experiment,
    check_experiment,
    paper_name,
    published_results,
)
from services.benchmarks.multihop_rag_readers import (
    ALL,
    EVIDENCE,
    How,
    Reproduction,
    plan_reproduction,
    reproduce,
)
from services.preflight.job_needs import run_needs
from services.settled_options import DEFAULT_EMBEDDER
from services.statistics.rankings import Mean

app = typer.Typer(rich_markup_mode=None)

_REJECTS_SHOWN = 3
_BAR = 20


@app.command(
    "multihop-rag",
    epilog="Example: kg benchmark multihop-rag corpus.json MultiHopRAG.json --model gpt-x --model llama-y",
)
def multihop_rag(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="MultiHop-RAG's corpus.json.", show_default=False)
    ],
    questions: Annotated[
        Path,
        typer.Argument(
            metavar="QUESTIONS",
            help="MultiHopRAG.json, or the folder of the sample of 500 queries.",
            show_default=False,
        ),
    ],
    embedder: Annotated[
        list[str],
        typer.Option(
            "--embedder",
            help="builtin, sentence-transformers:MODEL or openai:MODEL; repeatable. Default: builtin.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    reranker: Annotated[
        str,
        typer.Option(
            help="Rerankers, with commas: lexical, cross-encoder[:MODEL], http:URL; none always is."
        ),
    ] = "lexical",
    model: Annotated[
        list[str],
        typer.Option(
            "--model",
            help="Name of a model that answers, in place of HOPGRADE_ANSWER_MODEL; repeatable, each has its "
            "rows in table 6 and figure 3. Rules do without a model or a provider.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    provider: options.Provider = None,
    chunks: Annotated[str, typer.Option(help="Chunk size in tokens, as in 128-256/0.")] = str(CHUNKS),
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST,
            help="Ask so many queries, of all types alike. Default: all.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of the sample and the intervals.")
    ] = 0,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Reproduce tables 5 and 6 and figure 3 of MultiHop-RAG with what is at hand, beside what it prints.

    The articles become a corpus of their own, which is found again the next time; replies of a model are
    kept, so that the same command goes on where it was stopped. With --dry-run the corpus is made and
    searched, and no language model asked.
    """
    used = embedder or [DEFAULT_EMBEDDER]
    how = How(used, options.split_list(reranker), model, provider, parse_chunk_size(chunks), seed)
    experiment = check_experiment(corpus, questions, limit, seed)
    with open_session() as session:
        graph, progress = session.graph, session.progress
        _tell_rejects(experiment)
        planned = plan_reproduction(graph, session.settings, experiment, how, progress)
        if dry_run:
            _print_costs(planned.costs, as_json)
            return

        def trial(asked: Settings, cost: Mapping[str, Estimate], budget: Budget | None) -> None:
            needs = run_needs(["single-step"])
            preflight(asked, needs, partial(dict, cost), progress, budget, skip=no_preflight)

        with report_spending(planned.budget, progress):
            made = reproduce(graph, planned, trial, progress)
    if as_json:
        print_json(made.as_dict())
        return
    _print_retrieval(made)
    _print_accuracy(made)
    _print_types(made)
    out.print()
    say("What differs from the paper", "italic")
    for said in made.differences:
        say(f"- {said}")


def _print_costs(costs: Mapping[str, Estimate], as_json: bool) -> None:
    """What the answers of each reader would take, and those of all together."""
    total = sum(costs.values(), Estimate())
    if as_json:
        print_json(asdict(total) | {"readers": {name: asdict(one) for name, one in costs.items()}})
    elif len(costs) < 2:
        print_answer_costs(total)
    else:
        print_parts({**{f"answers of {name}": one for name, one in costs.items()}, "all": total})
        say_nothing_was_sent()


def _tell_rejects(experiment: Experiment) -> None:
    if experiment.rejected:
        remark(f"{len(experiment.rejected):,} rows are no queries that can be used.")
    for one in experiment.rejected[:_REJECTS_SHOWN]:
        remark(f"  {one.place}: {one.reason}")


def _print_retrieval(made: Reproduction) -> None:
    paper = published_results()
    rows = [[_label(cell), *_script(cell)] for cell in made.cells]
    for name, by_reranker in paper.retrieval.items():
        mark = " *" if name in {paper_name(cell.embedder) for cell in made.cells} else ""
        rows.append([f"paper: {name}{mark}", *(f"{value:.4f}" for value in by_reranker["none"])])
        reranked = [f"{value:.4f}" for value in by_reranker["reranked"]]
        rows.append([f"paper: {name}\n+ {paper.reranker}", *reranked])
    title = f"Table 5: {made.supported:,} queries with evidence, by the authors' script"
    out.print(table(title, ("embedder + reranker", *paper.retrieval_columns), rows))
    say(f"paper: {paper.places['retrieval']}; * measured here too.", "dim")
    rows = [
        [_label(cell), *(_mean(cell.means.get(name)) for name in paper.retrieval_columns)]
        for cell in made.cells
    ]
    out.print()
    title = "The same with MAP as commonly defined, and intervals by cluster"
    out.print(table(title, ("embedder + reranker", *paper.retrieval_columns), rows))


def _label(cell: Cell) -> str:
    return cell.embedder if cell.reranker == NO_RERANKER else f"{cell.embedder}\n+ {cell.reranker}"


def _script(cell: Cell) -> list[str]:
    found = cell.official
    if found is None:
        return ["-"] * len(published_results().retrieval_columns)
    values = (found.mrr_at_10, found.map_at_10, found.hits_at_10, found.hits_at_4)
    return [f"{value:.4f}" for value in values]


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    span = "" if mean.interval is None else f"\n{mean.interval.low:.2f} to {mean.interval.high:.2f}"
    return f"{mean.value:.4f}{span}"


def _print_accuracy(made: Reproduction) -> None:
    paper = published_results()
    whole = {(one.reader, one.evidence): one for one in made.accuracy if one.query_type == ALL}
    rows = []
    for reader in made.readers:
        given = [whole.get((reader, evidence)) for evidence in EVIDENCE]
        rows.append([f"{reader}, any word", *(_mean(one.any_word if one else None) for one in given)])
        rows.append([f"{reader}, match", *(_mean(one.matched if one else None) for one in given)])
    rows += [[f"paper: {name}", *(f"{value:.2f}" for value in row)] for name, row in paper.accuracy.items()]
    out.print()
    out.print(table("Table 6: accuracy of answers", ("reader", *EVIDENCE), rows))
    say(f"paper: {paper.places['accuracy']}. Ground-truth evidence leaves null queries out.", "dim")
    for one in whole.values():
        if one.errors:
            remark(
                f"note: {one.errors:,} answers of {one.reader} from {one.evidence} are errors and count as "
                "wrong."
            )


def _print_types(made: Reproduction) -> None:
    paper = published_results()
    kept = [one for one in made.accuracy if one.evidence == EVIDENCE[0] and one.query_type != ALL]
    # As the figure has them: the readers of a query type side by side.
    rows = [
        [
            one.query_type,
            one.reader,
            f"{one.any_word.n:,}",
            "#" * round(one.any_word.value * _BAR) + "." * (_BAR - round(one.any_word.value * _BAR)),
            _mean(one.any_word),
            _mean(one.matched),
        ]
        for one in sorted(kept, key=lambda one: one.query_type)
    ]
    out.print()
    title = f"Figure 3: accuracy from {EVIDENCE[0]} by query type"
    out.print(table(title, ("query type", "reader", "n", "", "any word", "match"), rows))
    say(f"paper: {paper.places['by_type']}. {paper.by_type}", "dim")
