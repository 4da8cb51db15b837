"""`kg benchmark multihop-rag`: the paper's tables of embedders and of readers, beside what it prints."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli import options
from cli.console import out, print_json, remark, say, table
from cli.options import AsJson
from cli.preflight import preflight, print_answer_costs
from cli.remarks import spending_told
from cli.session import open_session
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget, with_provider
from kg.text.chunks import parse_chunk_size
from services.benchmarks.embedders import NO_RERANKER, Cell
from services.benchmarks.multihop_rag import (
    ALL,
    CHUNKS,
    EVIDENCE,
    Accuracy,
    Experiment,
    Ground,
    Ranking,
    accuracies,
    check_experiment,
    differences,
    open_experiment,
    paper_name,
    published,
    rank_all,
    reading_tasks,
)
from services.evaluate.prior_knowledge import tell_cutoff
from services.preflight.job_needs import run_needs
from services.rag.model_generator import answer_request
from services.rag.rerank import make_reranker
from services.rag.run_options import GeneratorOption
from services.rag.systems import open_answerer
from services.settled_options import DEFAULT_EMBEDDER
from services.statistics.rankings import Mean

app = typer.Typer(rich_markup_mode=None)

_REJECTS_SHOWN = 3
_BAR = 20


@app.command(
    "multihop-rag", epilog="Example: kg benchmark multihop-rag corpus.json MultiHopRAG.json --limit 200"
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
    model: options.AnswerModel = None,
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
    size = parse_chunk_size(chunks)
    names = [name for name in options.listed(reranker) if name != NO_RERANKER]
    experiment = check_experiment(corpus, questions, limit, seed)
    used = embedder or [DEFAULT_EMBEDDER]
    with open_session() as session:
        graph, progress = session.graph, session.progress
        settings = with_provider(session.settings, "answer", provider, model)
        by_model = model is not None or provider is not None
        budget = role_budget("answer", settings) if by_model else None
        rerankers = {NO_RERANKER: None, **{name: make_reranker(name, settings) for name in names}}
        _tell_rejects(experiment)
        ground = open_experiment(graph, settings, experiment, used[0], size, progress)
        ranking = rank_all(graph, settings, ground, used, rerankers, size, seed, progress)
        tasks = reading_tasks(graph, ground, ranking)
        option: GeneratorOption = "model" if by_model else "rules"
        with open_answerer(option, settings, budget) as answerer, spending_told(budget, progress):
            requests = (answer_request(task) for some in tasks.values() for _, task in some)
            costs = Estimate() if answerer.model is None else answerer.model.estimate(requests)
            if dry_run:
                print_json(asdict(costs)) if as_json else print_answer_costs(costs)
                return
            if answerer.model is not None:
                tell_cutoff(graph, ground.ready.corpus, settings.hopgrade_model_cutoff, progress)
                needs = run_needs(["single-step"])
                preflight(settings, needs, lambda: {"answers": costs}, progress, budget, skip=no_preflight)
            progress.begin("answers")
            found = accuracies(tasks, answerer.generator, progress)
            progress.end(f"{sum(len(some) for some in tasks.values()):,} answers")
            reader = answerer.generator.name
    said = differences(ground, ranking, reader, size)
    if as_json:
        print_json(_json(ground, ranking, reader, found, said, seed))
        return
    _print_retrieval(ground, ranking)
    _print_accuracy(reader, found)
    _print_types(reader, found)
    out.print()
    say("What differs from the paper", "italic")
    for one in said:
        say(f"- {one}")


def _tell_rejects(experiment: Experiment) -> None:
    if experiment.rejected:
        remark(f"{len(experiment.rejected):,} rows are no queries that can be used.")
    for one in experiment.rejected[:_REJECTS_SHOWN]:
        remark(f"  {one.place}: {one.reason}")


def _json(
    ground: Ground, ranking: Ranking, reader: str, found: Sequence[Accuracy], said: Sequence[str], seed: int
) -> dict[str, object]:
    return {
        "corpus": ground.ready.corpus,
        "articles": len({passage.article for passage in ground.ready.passages}),
        "questions": len(ground.experiment.questions),
        "asked": len(ground.experiment.asked),
        "seed": seed,
        "retrieval": [asdict(cell) | {"published_as": paper_name(cell.embedder)} for cell in ranking.cells],
        "best": {"embedder": ranking.best.embedder, "reranker": ranking.best.reranker},
        "reader": reader,
        "accuracy": [asdict(one) for one in found],
        "differences": list(said),
        "published": asdict(published()),
    }


def _print_retrieval(ground: Ground, ranking: Ranking) -> None:
    paper = published()
    rows = [[_label(cell), *_script(cell)] for cell in ranking.cells]
    for name, by_reranker in paper.retrieval.items():
        mark = " *" if name in {paper_name(cell.embedder) for cell in ranking.cells} else ""
        rows.append([f"paper: {name}{mark}", *(f"{value:.4f}" for value in by_reranker["none"])])
        reranked = [f"{value:.4f}" for value in by_reranker["reranked"]]
        rows.append([f"paper: {name}\n+ {paper.reranker}", *reranked])
    n = len(ground.supported)
    title = f"Table 5: {n:,} queries with evidence, by the authors' script"
    out.print(table(title, ("embedder + reranker", *paper.retrieval_columns), rows))
    say(f"paper: {paper.places['retrieval']}; * measured here too.", "dim")
    rows = [
        [_label(cell), *(_mean(cell.means.get(name)) for name in paper.retrieval_columns)]
        for cell in ranking.cells
    ]
    out.print()
    title = "The same with MAP as commonly defined, and intervals by cluster"
    out.print(table(title, ("embedder + reranker", *paper.retrieval_columns), rows))


def _label(cell: Cell) -> str:
    return cell.embedder if cell.reranker == NO_RERANKER else f"{cell.embedder}\n+ {cell.reranker}"


def _script(cell: Cell) -> list[str]:
    found = cell.official
    if found is None:
        return ["-"] * len(published().retrieval_columns)
    values = (found.mrr_at_10, found.map_at_10, found.hits_at_10, found.hits_at_4)
    return [f"{value:.4f}" for value in values]


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    span = "" if mean.interval is None else f"\n{mean.interval.low:.2f} to {mean.interval.high:.2f}"
    return f"{mean.value:.4f}{span}"


def _print_accuracy(reader: str, found: Sequence[Accuracy]) -> None:
    paper = published()
    whole = {one.evidence: one for one in found if one.query_type == ALL}
    rows = [
        [f"{reader}, any word", *(_mean(whole[one].any_word) if one in whole else "-" for one in EVIDENCE)],
        [f"{reader}, match", *(_mean(whole[one].matched) if one in whole else "-" for one in EVIDENCE)],
        *(
            [f"paper: {name}", *(f"{value:.2f}" for value in values)]
            for name, values in paper.accuracy.items()
        ),
    ]
    out.print()
    out.print(table("Table 6: accuracy of answers", ("reader", *EVIDENCE), rows))
    say(f"paper: {paper.places['accuracy']}. Ground-truth evidence leaves null queries out.", "dim")
    for one in whole.values():
        if one.errors:
            remark(f"note: {one.errors:,} answers from {one.evidence} are errors and count as wrong.")


def _print_types(reader: str, found: Sequence[Accuracy]) -> None:
    paper = published()
    kept = [one for one in found if one.evidence == EVIDENCE[0] and one.query_type != ALL]
    rows = [
        [
            one.query_type,
            f"{one.any_word.n:,}",
            "#" * round(one.any_word.value * _BAR) + "." * (_BAR - round(one.any_word.value * _BAR)),
            _mean(one.any_word),
            _mean(one.matched),
        ]
        for one in kept
    ]
    out.print()
    title = f"Figure 3: accuracy of {reader} from {EVIDENCE[0]} by query type"
    out.print(table(title, ("query type", "n", "", "any word", "match"), rows))
    say(f"paper: {paper.places['by_type']}. {paper.by_type}", "dim")
