"""`kg run report` and `kg run matrix`: what runs show, as tables, as a page, as Markdown, LaTeX or JSON.

A report in a terminal of 80 columns, and the plain words for its comparisons.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from markupsafe import Markup

from cli.console import (
    check_place,
    lead_on,
    out,
    p_text,
    print_json,
    remark,
    say,
    shorten,
    table,
    write_whole,
)
from cli.matrix import (
    WORST_SHOWN,
    correlation_text,
    print_associations,
    print_bars,
    print_crossings,
    print_grid,
    print_heat_map,
)
from cli.options import MAX_SEED, AsJson, Corpus, HtmlFile, LatexFile, MarkdownFile, Runs
from cli.run_evidence import (
    cell_text,
    print_ceilings,
    print_grounds,
    print_losses,
    print_retrieval,
    print_silences,
    rate_text,
    span,
)
from cli.session import existing_corpus, open_session
from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import BIN_NAMES, SMALL, Cell
from services.report.content import (
    Compared,
    CostPoint,
    LinkShare,
    Rate,
    Repeats,
    Report,
    RunFacts,
    RunSection,
    Worst,
    report_json,
)
from services.report.html import render_html
from services.report.html_summary import decided_sentences, run_sentences
from services.report.make import make_report
from services.report.run_facts import several_tests_note
from services.report.written import render_report_latex, render_report_markdown
from services.statistics.intervals import Interval

app = typer.Typer(rich_markup_mode=None)

NAME_WIDTH = 52
_AGGREGATES = {"min": "min", "mean": "mean", "power": "power, -3"}


def print_report(report: Report) -> None:
    """The verdict, then everything in a report, run by run, the comparisons, and what a reader must know."""
    for sentence in _verdict(report):
        say(sentence.striptags())
    say(f"\n{_heading(report)}", "bold")
    for section in report.runs:
        print_run(section)
    if report.repeats:
        out.print()
        _print_repeats(report.repeats)
    if len(report.costs) > 1:
        out.print()
        _print_costs(report.costs)
    if report.links:
        out.print()
        _print_links(report.links)
    for first, second in dict.fromkeys((one.first, one.second) for one in report.comparisons):
        out.print()
        pair = [one for one in report.comparisons if (one.first, one.second) == (first, second)]
        _print_comparisons(first, second, pair)
    if report.notes:
        out.print()
        say("To know", "italic")
        for note in report.notes:
            say(f"- {note}")


def _verdict(report: Report) -> list[Markup]:
    """Where one run fails; of several how often each is wrong and what the comparisons show."""
    if len(report.runs) == 1:
        return run_sentences(report.runs[0])
    return [*(run_sentences(run)[0] for run in report.runs), *decided_sentences(report)]


def _heading(report: Report) -> str:
    version = f", questions {report.dataset}" if report.dataset else ""
    runs = "run" if len(report.runs) == 1 else "runs"
    return f"Report on {len(report.runs)} {runs} over corpus {report.corpus!r}{version}"


def print_run(section: RunSection) -> None:
    """One run: what it is, its matrix, and where it fails."""
    facts, found = section.facts, section.matrix
    say(f"\nRun {facts.name!r}", "bold")
    parts = (facts.system, facts.retriever, facts.reranker, facts.generator)
    say(f"{', '.join(filter(None, parts))}; judged by {facts.judge}")
    cost = "" if facts.cost is None else f", cost {facts.cost:,.4f}"
    say(
        f"{facts.answers:,} answers, {facts.errors:,} errors, {facts.abstained:,} abstentions, "
        f"{facts.input_tokens + facts.output_tokens:,} tokens, {facts.seconds:,.1f} s{cost}"
    )
    if told := _of_these(facts):
        say(f"Of the tokens {told}")
    out.print()
    print_grid(found)
    out.print()
    print_heat_map("Heat map of the error rates", found)
    out.print()
    print_bars("Accuracy by depth, with intervals by cluster (questions)", list(_by_depth(found.by_depth)))
    out.print()
    print_bars("Accuracy by retrieval distance", list(_by_bin(found.by_bin)))
    out.print()
    print_associations(found)
    out.print()
    if section.crossings:
        print_crossings(section.crossings)
        out.print()
    _print_ablation(section)
    _print_kinds(section)
    print_ceilings(section)
    if section.retrieval:
        out.print()
        print_retrieval(section.retrieval)
    if section.losses:
        out.print()
        print_losses(section.losses)
    if section.hop_recall:
        out.print()
        print_bars("Questions whose evidence was retrieved", section.hop_recall)
    print_grounds(section.grounds)
    if section.silences is not None:
        out.print()
        print_silences(section.silences)
    for name, nodes in section.worst.items():
        _print_worst(name, nodes)
    _print_agreements(section)
    for other in section.rebinned:
        out.print()
        cut = "over all depths" if other.bins == "global" else "within a depth"
        by = f"{other.embedder}, chunks {other.chunking}, quartiles cut {cut}"
        print_heat_map(f"The same with distances by {by}", other.matrix)


def _of_these(facts: RunFacts) -> str:
    """How many tokens an endpoint had cached and how many went into thinking, where it tells; else empty."""
    parts = [
        f"{tokens:,} {what}"
        for tokens, what in ((facts.cached_input_tokens, "cached"), (facts.reasoning_tokens, "for thinking"))
        if tokens
    ]
    return ", ".join(parts)


def _by_depth(cells: Sequence[Cell]) -> Iterator[Rate]:
    return (_accuracy(f"{cell.hops} hops", cell) for cell in cells)


def _by_bin(cells: Sequence[Cell]) -> Iterator[Rate]:
    return (_accuracy(BIN_NAMES[cell.bin or 1], cell) for cell in cells)


def _accuracy(name: str, cell: Cell) -> Rate:
    wrong = cell.clustered or cell.interval
    interval = None if wrong is None else Interval(1 - wrong.high, 1 - wrong.low)
    rate = None if cell.error_rate is None else 1 - cell.error_rate
    return Rate(name, cell.n, cell.n - cell.errors, rate, interval)


def _print_ablation(section: RunSection) -> None:
    rows = [
        [
            _AGGREGATES[item.aggregate],
            *(correlation_text(item.by_depth.get(hops)) for hops in DEPTHS),
            "-" if item.average is None else f"{item.average:+.2f}",
        ]
        for item in section.ablation
    ]
    columns = ("aggregate", *(f"{hops} hops" for hops in DEPTHS), "average")
    out.print(table("r of quartile and error rate, by aggregate", columns, rows))


def _print_kinds(section: RunSection) -> None:
    if not section.kinds:
        return
    rows = [
        [
            row.kind,
            row.query_type,
            f"{row.accuracy.n:,}{'*' if row.accuracy.small else ''}",
            rate_text(row.accuracy),
            _number(row.answer_match),
            _number(row.exact_match),
            _number(row.any_word),
            _number(row.f1),
            f"{row.abstained:,}",
            f"{row.errors:,}",
        ]
        for row in section.kinds
    ]
    out.print()
    columns = ("kind", "query type", "n", "accuracy", "match", "EM", "any", "F1", "abst.", "err.")
    out.print(table("Accuracy by kind of question", columns, rows))


def _print_repeats(repeats: Sequence[Repeats]) -> None:
    rows = [
        [
            one.name,
            f"{len(one.runs)}",
            f"{one.accuracy.mean:.2f}\n{span(one.accuracy.interval)}",
            f"{min(one.accuracy.means):.2f}-{max(one.accuracy.means):.2f}",
            f"{one.accuracy.spread:.3f}",
            "-" if one.accuracy.cluster_error is None else f"{one.accuracy.cluster_error:.3f}",
            f"{one.accuracy.run_error:.3f}",
            cell_text(one.unsteady),
        ]
        for one in repeats
    ]
    columns = ("", "runs", "accuracy", "range", "spread", "SE, questions", "SE, runs", "unsteady")
    out.print(table("Runs that differ in the seed of the model only", columns, rows))
    say(
        "accuracy: mean, with a 95 % interval that allows for other questions, by cluster, and for other "
        "runs; unsteady: questions that some runs got right and others not.",
        "dim",
    )


def _print_costs(costs: Sequence[CostPoint]) -> None:
    rows = [
        [
            one.run,
            rate_text(one.accuracy).replace(", ", "\n"),
            f"{one.tokens:,.0f}",
            "-" if one.money is None else f"{one.money:,.2f}",
            f"{one.seconds:,.0f}",
            one.beaten_in_tokens or "none: front",
            "-" if one.money is None else one.beaten_in_money or "none: front",
        ]
        for one in costs
    ]
    columns = ("run", "accuracy", "tokens", "money", "s", "beaten by, tokens", "by, money")
    n = costs[0].accuracy.n
    out.print(table(f"Accuracy and cost of 1,000 questions, on {n:,} common ones", columns, rows))


def _print_worst(name: str, nodes: Sequence[Worst]) -> None:
    if not nodes:
        return
    rows = [
        [
            shorten(node.name, NAME_WIDTH),
            f"{node.wrong:,} of {node.answers:,}{'*' if node.answers < SMALL else ''}",
            _share(node),
        ]
        for node in nodes[:WORST_SHOWN]
    ]
    out.print()
    out.print(table(f"Fails most on {name}", (name, "wrong", "rate"), rows))


def _print_agreements(section: RunSection) -> None:
    if not section.agreements:
        return
    rows = [
        [
            f"{one.first} and {one.second}",
            f"{one.agreed:,} of {one.n:,}",
            _number(one.kappa),
            span(one.interval),
        ]
        for one in section.agreements
    ]
    out.print()
    out.print(table("Agreement of judges, and with people", ("judges", "agreed", "kappa", "95 %"), rows))


def _print_links(links: Sequence[LinkShare]) -> None:
    rows = [
        [
            f"{share.hops} hops",
            f"{share.questions:,}",
            *(f"{100 * part / share.questions:.1f} %" for part in (share.exact, share.context, share.either)),
        ]
        for share in links
    ]
    columns = ("", "questions", "exact", "contextual", "either")
    out.print(table("Questions that need a missing link", columns, rows))


def _print_comparisons(first: str, second: str, pair: Sequence[Compared]) -> None:
    rows = [
        [
            one.scope,
            f"{one.n:,}, {one.clusters:,}",
            f"{one.difference:+.2f}\n{span(one.interval)}",
            p_text(one.p_value),
            p_text(one.p_holm),
            p_text(one.naive_p),
            _number(one.design_effect),
            in_words(one),
        ]
        for one in pair
    ]
    columns = ("", "n, cl.", "difference", "p", "Holm", "naive", "deff", "in words")
    out.print(table(f"{second} less {first}: accuracy on the same questions", columns, rows))
    say(
        "n, cl.: questions and their clusters. difference: with its 95 % interval by cluster. p: "
        "sign-flip over clusters; Holm: adjusted over all comparisons here, what the words go by; naive: "
        "McNemar's, which takes questions for independent. deff: design effect of the clusters.",
        "dim",
    )
    if note := several_tests_note([(one.scope, one.interval, one.decided) for one in pair]):
        say(note)


def in_words(one: Compared) -> str:
    """What a comparison shows, in words that claim no more than it does."""
    if one.p_holm is None:
        return "too few clusters"
    if not one.decided:
        return "not shown to differ"
    return f"{one.second if one.difference > 0 else one.first} is better"


def _share(node: Worst) -> str:
    return f"{node.wrong / node.answers:.2f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


@app.command(epilog="Example: kg run report single-step decomposition --html report.html")
def report(
    runs: Runs = None,
    corpus: Corpus = None,
    html: HtmlFile = None,
    latex: LatexFile = None,
    markdown: MarkdownFile = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the sign-flips.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Report on runs: where they fail, why, and whether they differ; its numbers go into the graph too."""
    given = {
        "--html": (html, render_html),
        "--latex": (latex, render_report_latex),
        "--markdown": (markdown, render_report_markdown),
    }
    files = [(option, path, render) for option, (path, render) in given.items() if path is not None]
    for option, path, _ in files:
        check_place(path, option)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        made = make_report(session.graph, name, runs or [], session.progress, seed)
    for option, path, render in files:
        write_whole(path, render(made), option)
        remark(f"{'Page written' if option == '--html' else 'Written'}: {path}")
    if as_json:
        print_json(report_json(made))
    elif not files:
        print_report(made)
        lead_on("Hop by hop", "run analyse", *(one.facts.name for one in made.runs), "--corpus", name)
