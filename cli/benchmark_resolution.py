"""`kg benchmark resolution`: merges and contextual links against gold."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli.console import out, print_json, say, table
from cli.options import MOST, AsJson, Corpus
from cli.session import existing_corpus, open_session, require_built
from services.evaluate.resolution_gold import ResolutionScores, evaluate_merging, evaluate_resolution
from services.evaluate.resolution_gold import Share as PairShare
from services.evaluate.resolution_rows import detect_format

app = typer.Typer(rich_markup_mode=None)

MOST_SUGGESTED = 50

GoldFormat = Literal["auto", "seed-aliases", "seed-contextual", "kg_rag"]


@app.command(epilog="Example: kg benchmark resolution --gold seed/gold/aliases.jsonl --corpus ormelund")
def resolution(
    gold: Annotated[
        Path, typer.Option("--gold", metavar="FILE", help="Gold names, as JSON lines.", show_default=False)
    ],
    corpus: Corpus = None,
    kind: Annotated[
        GoldFormat,
        typer.Option("--format", help="Format of the gold file; auto looks at its first row."),
    ] = "auto",
    errors: Annotated[
        int, typer.Option("--errors", min=0, max=MOST, help="Print so many of the worst errors.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure precision and recall of merged names and contextual links against a gold file.

    kg_rag's resolved aliases are merged anew from the file and need no graph; the others are compared with a
    corpus. What gold does not cover is not counted as wrong.
    """
    chosen = detect_format(gold) if kind == "auto" else kind
    name: str | None = None
    if chosen == "kg_rag":
        scores = evaluate_merging(gold)
    else:
        with open_session() as session:
            name = existing_corpus(session.graph, corpus)
            require_built(session.graph, name)
            scores = evaluate_resolution(gold, chosen, session.graph, name)
    if as_json:
        document = asdict(scores) | {"errors": scores.errors[:errors]}
        print_json({"corpus": name, "gold": str(gold), **document})
        return
    _print_scores(scores, errors)


def _print_scores(scores: ResolutionScores, errors: int) -> None:
    rows = [
        ["merges, precision", *_cells(scores.exact_precision), "pairs of gold names that are one entity"],
        ["merges, recall", *_cells(scores.exact_recall), "pairs of one gold entity"],
        ["merges, recall of names found", *_cells(scores.found_recall), "the same, without missing names"],
        ["context, precision", *_cells(scores.context_precision), "links between entities that gold knows"],
        ["context, recall", *_cells(scores.context_recall), _context_of(scores)],
    ]
    title = f"Resolution against {scores.format}: {scores.names:,} names, {scores.missing:,} not in the graph"
    out.print(table(title, ("", "rate", "95 % interval", "right", "of", "counted"), rows))
    found = scores.b_cubed
    say(
        f"B-cubed over {found.items:,} names: precision {found.precision:.3f}, recall {found.recall:.3f}, "
        f"F1 {found.f1:.3f}"
    )
    say("Intervals allow for an entity's pairs going together. Names outside gold are not judged.", "dim")
    if scores.missing:
        say(
            f"{scores.missing:,} of the names are no node: extraction saw no name there and made no triple.",
            "dim",
        )
    if scores.errors and not errors:
        say(f"See what went wrong: --errors {min(len(scores.errors), MOST_SUGGESTED)}", "dim")
    _print_errors(scores.errors, errors)


def _context_of(scores: ResolutionScores) -> str:
    if scores.format == "seed-contextual":
        return "expressions in an article, linked or merged"
    return "pairs of entities that gold calls one"


def _cells(found: PairShare) -> Sequence[object]:
    if found.rate is None or found.interval is None:
        return ["-", "-", found.right, found.n]
    return [
        f"{found.rate:.3f}",
        f"{found.interval.low:.3f} to {found.interval.high:.3f}",
        found.right,
        found.n,
    ]


def _print_errors(lines: Sequence[str], wanted: int) -> None:
    for line in lines[:wanted]:
        say(line)
    if 0 < wanted < len(lines):
        say(f"... and {len(lines) - wanted:,} more.", "dim")
