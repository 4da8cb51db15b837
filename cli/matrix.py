"""The difficulty matrix of a run in a terminal, and how error goes with difficulty.

Error rates by the number of borders that the evidence crosses, in a terminal.

Matrices and shares as text blocks: readable without colour, and where blocks can't be shown.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from cli.completion import complete_runs
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
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.errors import NothingToDoError
from kg.ids import run_id
from kg.paths.protocol import DEPTHS
from kg.store.graph import Graph
from services.evaluate.matrix import (
    BIN_NAMES,
    BINS,
    SMALL,
    Association,
    Cell,
    CrossingCell,
    CrossingTable,
    Matrix,
    crossing_tables,
)
from services.evaluate.write_back import read_matrix, read_verdicts
from services.questions.funnel import read_funnel, why_few
from services.questions.spans.question_spans import renew_spans
from services.report.collect import choose_runs, collect_report, is_whole, read_worst_nodes
from services.report.content import Rate, RunFacts, Worst, plain
from services.report.run_facts import read_facts
from services.report.svg import svg_file
from services.report.svg_charts import heat_map
from services.report.written import verdict_lines
from services.statistics.trend import Correlation, Trend

app = typer.Typer(rich_markup_mode=None)


def print_crossings(tables: Sequence[CrossingTable]) -> None:
    """A line for each kind of border, a column for each number of crossings; then how errors rise with it."""
    most = max(cell.crossings for one in tables for cell in one.cells)
    rows = []
    for one in tables:
        cells = {cell.crossings: cell for cell in one.cells}
        rows.append(
            [one.border, *(_cell_text_crossing_tables(cells.get(number)) for number in range(most + 1))]
        )
    heads = ("borders", *(f"{number}" for number in range(most + 1)))
    out.print(table("Error rate by borders that the evidence must cross", heads, rows))
    say(
        f"Cell: error rate (questions), 95 % interval by cluster, mean distance; * fewer than {SMALL} "
        "questions. --json has the cells of each depth.",
        "dim",
    )
    out.print()
    trends = [[one.border, *_trend_texts(one.trend), *_trend_texts(one.trend_at_depth)] for one in tables]
    heads = ("borders", "z", "p", "z, equal depth", "p, equal depth")
    out.print(table("How errors rise with borders crossed", heads, trends))
    say(
        "Cochran-Armitage over crossings: z above 0 means more errors; p takes only clusters for "
        "independent. Deeper questions have more hops that can cross, and are harder anyway: equal depth "
        "compares questions with as many hops.",
        "dim",
    )


def _cell_text_crossing_tables(cell: CrossingCell | None) -> str:
    if cell is None:
        return "-"
    spread = cell.clustered or cell.interval
    between = f"{spread.low:.2f}-{spread.high:.2f}" if spread else "-"
    mark = "*" if cell.small else ""
    return f"{cell.error_rate:.2f} ({cell.n}){mark}\n{between}\nfar {cell.difficulty:.2f}"


def _trend_texts(trend: Trend | None) -> tuple[str, str]:
    return ("-", "-") if trend is None else (f"{trend.z:+.1f}", p_text(trend.p_clustered))


SHADES, PLAIN_SHADES = "\u2591\u2592\u2593\u2588", ".:+#"
BAR, PLAIN_BAR = "\u2588\u2591", "#."
STYLES = ("green", "yellow", "dark_orange", "red")
BAR_WIDTH = 20
_NARROW, _COLUMN = 8, 12


def print_heat_map(title: str, found: Matrix) -> None:
    """Error rates of a matrix, each behind a block that is the darker the higher it is."""
    shades = _encodable(SHADES, PLAIN_SHADES)
    say(title, "italic")
    out.print(" " * _NARROW + "".join(f"{name:<{_COLUMN}}" for name in BIN_NAMES.values()).rstrip())
    for depth in DEPTHS:
        line = Text(f"{f'{depth} hops':<{_NARROW}}")
        for quartile in BINS:
            line.append_text(_block(found.cell(depth, quartile), shades))
        line.rstrip()
        out.print(line)
    say(
        f"{shades[0]} up to .25, {shades[1]} to .50, {shades[2]} to .75, {shades[3]} above; "
        f"* fewer than {SMALL} questions; - none.",
        "dim",
    )


def print_bars(title: str, rates: Sequence[Rate]) -> None:
    """Shares as bars, with their numbers and intervals."""
    full, empty = tuple(_encodable(BAR, PLAIN_BAR))
    say(title, "italic")
    width = max((len(rate.name) for rate in rates), default=0)
    for rate in rates:
        if rate.rate is None:
            say(f"{rate.name:<{width}}  -")
            continue
        filled = round(rate.rate * BAR_WIDTH)
        span = f"{rate.interval.low:.2f} to {rate.interval.high:.2f}" if rate.interval else ""
        mark = "*" if rate.small else " "
        say(
            f"{rate.name:<{width}}  {full * filled}{empty * (BAR_WIDTH - filled)}  {rate.rate:.2f} {span}  "
            f"({rate.n:,}){mark}".rstrip()
        )


def _block(cell: Cell, shades: str) -> Text:
    if cell.error_rate is None:
        return Text(f"{'-':<{_COLUMN}}")
    level = _level(cell.error_rate)
    mark = "*" if cell.small else ""
    words = f" {cell.error_rate:.2f}{mark}"
    shown = Text(shades[level] * 4, style=STYLES[level])
    return shown.append(f"{words:<{_COLUMN - 4}}", style="default")


def _level(error_rate: float) -> int:
    """The quarter that an error rate falls into, 0 the best."""
    return min(len(STYLES) - 1, max(0, -(-int(error_rate * 1_000_000) // 250_000) - 1))


def _encodable(wanted: str, plain: str) -> str:
    """The characters that are wanted, or plain ones where the stream's encoding lacks them."""
    try:
        wanted.encode(out.encoding)
    except UnicodeEncodeError:
        return plain
    return wanted


@app.command(epilog="Example: kg run matrix single-step --corpus ormelund")
def matrix(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="Name of the run. Default: the only one.",
            show_default=False,
            autocompletion=complete_runs,
        ),
    ] = None,
    corpus: Corpus = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Write it as a picture too.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print error rates by reasoning depth and retrieval distance, with intervals and correlations."""
    if svg is not None:
        check_place(svg, "--svg")
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        chosen = _choose_run(session.graph, name, run)
        renew_spans(session.graph, name)
        found = read_matrix(session.graph, name, chosen)
        worst = read_worst_nodes(session.graph, run_id(name, chosen))["entities"]
        facts = read_facts(session.graph, name, chosen)
        crossings = crossing_tables(read_verdicts(session.graph, name, chosen))
        thin = why_thin(session.graph, name, found)
        verdict = () if thin or as_json else read_verdict(session.graph, name, chosen)
    if svg is not None:
        write_whole(svg, svg_file(heat_map(found, chosen)), "--svg")
        remark(f"Picture written: {svg}")
    if as_json:
        print_json(
            {
                "corpus": name,
                "run": chosen,
                "too_few_questions": thin,
                "matrix": matrix_json(found),
                "crossings": plain(crossings),
                "worst_entities": worst_json(worst),
            }
        )
        return
    print_matrix(found, chosen, worst, facts, thin or verdict)
    if crossings:
        out.print()
        print_crossings(crossings)
    lead_on("Why it fails", "run report", chosen, "--corpus", name)


def _choose_run(graph: Graph, corpus: str, given: str | None) -> str:
    names = choose_runs(graph, corpus, [] if given is None else [given])
    if len(names) > 1:
        raise NothingToDoError(
            f"corpus {corpus!r} has {len(names)} runs: {', '.join(map(repr, names))}.", "Say which one."
        )
    return names[0]


def matrix_json(found: Matrix) -> dict[str, object]:
    """The matrix as plain values."""
    return asdict(found)


def why_thin(graph: Graph, corpus: str, found: Matrix) -> list[str]:
    """Why nothing can be read from a matrix whose cells are all too small, and what helps."""
    if not found.too_thin:
        return []
    answered = f"{found.total.n:,} chain questions were answered"
    first = f"No cell of this matrix can be read: {answered}, and a cell needs {SMALL}."
    columns = read_funnel(graph, corpus)
    questions = sum(column.kept for column in columns if column.kind == "chain")
    if not is_whole(found.total.n, questions):
        return [first, f"There are {questions:,}: the same command without --limit has all of them answered."]
    return [first, *why_few(columns)]


def read_verdict(graph: Graph, corpus: str, run: str) -> list[str]:
    """How often a run is wrong and where it fails first, in sentences."""
    return verdict_lines(collect_report(graph, corpus, [run], traces=False).runs[0])


def print_matrix(
    found: Matrix, run: str, worst: Sequence[Worst], facts: RunFacts | None = None, first: Sequence[str] = ()
) -> None:
    """The matrix as a table, with what it rests on below; `facts` tell who answered and who judged.

    `first` are lines that stand before it: the verdict, or why nothing can be read from it (`why_thin`).
    """
    for line in first:
        say(line, "bold")
    if first:
        say("")
    by_whom = f" by {facts.judge}, {facts.generator}" if facts else ""
    mark = " (too few questions to read anything from)" if found.too_thin else ""
    out.print(f"Run {run!r}: wrong answers{by_whom}, {found.total.n:,} questions{mark}", markup=False)
    print_grid(found)
    out.print()
    print_associations(found)
    if worst:
        say("")
        print_worst(worst)


WORST_SHOWN = 5


def print_worst(worst: Sequence[Worst]) -> None:
    """A line with the entities on which one run fails most, those that the page lists first."""
    if worst:
        named = (
            f"{shorten(one.name)} ({one.wrong:,} of {one.answers:,} wrong)" for one in worst[:WORST_SHOWN]
        )
        say(f"Fails most on entities: {', '.join(named)}")


def worst_json(worst: Sequence[Worst]) -> list[dict[str, object]]:
    """The same as plain values."""
    return [asdict(one) for one in worst[:WORST_SHOWN]]


def print_grid(found: Matrix) -> None:
    """The matrix as a table: error rate, number of questions and interval of each cell."""
    out.print(_grid(found))
    say(
        "Cell: error rate (questions), below it the 95 % interval by cluster, or where a cell has only one "
        f"cluster the Wilson 95 % interval; * fewer than {SMALL} questions. Columns: quartiles of the "
        "distance from question to its farthest evidence.",
        "dim",
    )
    if empty := [str(cell.hops) for cell in found.by_depth if cell.n == 0]:
        say(f"No questions of {' or '.join(empty)} hops: no path of that length, or none passed the checks.")


def print_associations(found: Matrix) -> None:
    """How error goes with difficulty, and what the matrix rests on."""
    out.print(_associations(found))
    say(
        "r, bins: Pearson of quartile and error rate; r, questions: point-biserial of distance and error, "
        "its p by cluster; trend: Cochran-Armitage over quartiles.",
        "dim",
    )
    say(_what_it_rests_on(found), "dim")


def _grid(found: Matrix) -> Table:
    rows = []
    for depth in DEPTHS:
        cells = [found.cell(depth, quartile) for quartile in BINS]
        total = next(cell for cell in found.by_depth if cell.hops == depth)
        rows.append([f"{depth} hops", *map(_cell_text, cells), _cell_text(total)])
    rows.append(["all", *map(_cell_text, found.by_bin), _cell_text(found.total)])
    title = "Error rate by reasoning depth and retrieval distance"
    return table(title, ("", *(BIN_NAMES[quartile] for quartile in BINS), "all"), rows)


def _cell_text(cell: Cell) -> Text:
    """The rate in the colour of its quarter, which a terminal shows, and its interval."""
    spread = cell.clustered or cell.interval
    if cell.error_rate is None or spread is None:
        return Text("-")
    mark = "*" if cell.small else ""
    shown = Text(f"{_share(cell.error_rate)} ({cell.n}){mark}", style=STYLES[_level(cell.error_rate)])
    return Text.assemble(shown, f"\n{_share(spread.low)} to {_share(spread.high)}")


def _associations(found: Matrix) -> Table:
    rows = [_association_row(f"{item.hops} hops", item) for item in found.associations]
    rows.append(_association_row("all", found.overall))
    columns = ("", "r, bins", "r, questions", "p by cluster", "trend p by cluster")
    return table("How error goes with retrieval distance", columns, rows)


def _association_row(name: str, item: Association) -> list[str]:
    trend = item.trend.p_clustered if item.trend else None
    return [
        name,
        correlation_text(item.bins),
        correlation_text(item.questions),
        p_text(item.questions.p_clustered if item.questions else None),
        p_text(trend),
    ]


def _what_it_rests_on(found: Matrix) -> str:
    clusters = found.clusters
    joined = f" Joined by any shared article they are {clusters.components}." if clusters.components else ""
    return (
        f"Along the diagonal r = {correlation_text(found.diagonal)}. Questions whose answer is in one "
        f"article are one cluster: {clusters.groups} clusters, the largest of {clusters.largest} "
        f"questions, worth {clusters.effective:.1f} of equal size.{joined} {found.small_cells} of 16 cells "
        f"are smaller than {SMALL} questions."
    )


def _share(value: float) -> str:
    return f"{value:.2f}"


def correlation_text(found: Correlation | None) -> str:
    """A correlation with its sign, or a dash where it is undefined."""
    return "-" if found is None else f"{found.r:+.2f}"
