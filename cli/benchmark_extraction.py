"""`kg benchmark extraction | opinions`: what was read, measured on what people annotated.

`kg benchmark resolution`: merges and contextual links against gold.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import options
from cli.completion import complete_corpora
from cli.console import ConsoleProgress, out, print_json, say, table
from cli.options import MOST, AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.corpus import require_corpus
from kg.extract.choose import make_extractor
from kg.stages.build import require_built
from services.evaluate.extraction_gold import (
    ExtractionScore,
    FoundInDocument,
    OpinionScore,
    Share,
    match_documents,
    read_documents,
    read_labelled,
    score_extraction,
    score_opinions,
)
from services.evaluate.gold_formats import FORMATS, Gold, GoldDocument, draw, read_gold
from services.evaluate.resolution_gold import ResolutionScores, evaluate_merging, evaluate_resolution
from services.evaluate.resolution_gold import Share as PairShare
from services.evaluate.resolution_rows import detect_format
from services.questions.checkable import LEAST_CONFIDENCE, measured_gate

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


GoldFile = Annotated[
    Path, typer.Option("--gold", metavar="FILE", help="The annotations.", show_default=False)
]


@app.command(epilog="Example: kg benchmark extraction --gold seed/gold/triples.jsonl")
def extraction(
    gold: GoldFile,
    format: Annotated[  # noqa: A002
        str, typer.Option(help=f"Format of the gold: auto, {', '.join(FORMATS)}.")
    ] = "auto",
    articles: Annotated[
        Path | None,
        typer.Option(
            help="File or folder with the annotated texts. Default: where seed and kg_rag keep theirs.",
            show_default=False,
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            help="Score what this corpus holds, articles matched by id or title. Default: read them now.",
            show_default=False,
            autocompletion=complete_corpora,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST,
            help="Score so many documents, drawn by --seed. Default: all.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of the draw.")] = 7,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Score the documents that the draw leaves.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure how many annotated pairs are found by triples, and how many triples are right.

    Beside it stands how well the gate of --least-confidence tells which facts rules may ask about.
    """
    known = read_gold(gold, format, articles)
    chosen = draw(known.documents, sample, seed, held_out)
    scored, found, extractor = _from_corpus(corpus, chosen) if corpus is not None else _read_now(chosen)
    score = score_extraction(known, scored, found)
    about = {
        "gold": str(gold),
        "format": known.format,
        "extractor": extractor,
        "corpus": corpus,
        "documents": score.documents,
        "of_documents": len(known.documents),
        "sample": sample,
        "seed": seed if sample is not None else None,
        "held_out": held_out,
    }
    if as_json:
        print_json({**about, "score": extraction_json(score), "gate": _gate_json()})
        return
    _print_extraction(known, score, extractor, _sample_text(sample, seed, held_out))
    _print_gate()


def _gate_json() -> dict[str, object]:
    labelled, measures = measured_gate()
    return {"labelled": labelled, "default": LEAST_CONFIDENCE, "measures": [asdict(one) for one in measures]}


def _print_gate() -> None:
    labelled, measures = measured_gate()
    rows = [
        [
            f"{one.least:g}{' (default)' * (one.least == LEAST_CONFIDENCE)}",
            f"{one.precision:.2f}",
            f"{one.recall:.2f}",
        ]
        for one in measures
    ]
    title = f"Facts that rules ask about, over {labelled} facts that were labelled by hand"
    out.print(table(title, ("least confidence", "precision", "recall"), rows))
    say(
        "By cross-validation, not of these documents: docs/evaluation/facts.md. The threshold is "
        "--least-confidence of kg questions make.",
        "dim",
    )


def _from_corpus(
    corpus: str, documents: Sequence[GoldDocument]
) -> tuple[Sequence[GoldDocument], Sequence[FoundInDocument], str]:
    with open_session() as session:
        require_corpus(session.graph, corpus)
        return match_documents(session.graph, corpus, documents)


def _read_now(
    documents: Sequence[GoldDocument],
) -> tuple[Sequence[GoldDocument], Sequence[FoundInDocument], str]:
    found: list[FoundInDocument] = []
    with ConsoleProgress() as progress:
        progress.begin("read annotated documents", len(documents))
        extractor = make_extractor()
        for one in read_documents(extractor, documents):
            found.append(one)
            progress.advance()
        progress.end(f"{len(found)} documents")
    return documents, found, extractor.name


def extraction_json(score: ExtractionScore) -> dict[str, object]:
    """The score as plain values, with the share beside the counts."""
    return {name: _with_value(value) for name, value in asdict(score).items()}


def _with_value(value: object) -> object:
    if isinstance(value, dict) and "hits" in value:
        return {**value, "value": value["hits"] / value["n"] if value["n"] else None}
    return value


def _sample_text(sample: int | None, seed: int, held_out: bool) -> str:
    if sample is None:
        return "all documents"
    return f"all but {sample} drawn with seed {seed}" if held_out else f"{sample} drawn with seed {seed}"


def _print_extraction(gold: Gold, score: ExtractionScore, extractor: str, drawn: str) -> None:
    measures = (
        ("related pairs found", score.pairs),
        ("the same, by facts kept for paths", score.pairs_kept),
        ("related pairs within one sentence found", score.near_pairs),
        ("triples between annotated entities that are right", score.right),
        ("the same, of facts kept for paths", score.right_kept),
        ("named entities found, exactly", score.names_exact),
        ("named entities found, nearly", score.names_fuzzy),
    )
    title = f"{gold.format} gold, {score.documents} of {len(gold.documents)} documents: {drawn}"
    rows = [_share_row(name, share) for name, share in measures if share is not None]
    out.print(table(title, ("measure", "hits", "of", "share", "95 % interval"), rows))
    each = score.triples / score.documents
    say(f"{score.triples:,} triples, {each:.1f} a document, {score.triples_kept:,} kept for paths.", "dim")
    say(f"Extracted by {extractor}. Pairs count without direction, predicates not at all.", "dim")
    if score.by_rule:
        rules = ", ".join(f"{rule} {right}/{n}" for rule, (right, n) in score.by_rule.items())
        say(f"Right of linked triples by rule: {rules}", "dim")


def _share_row(name: str, share: Share) -> list[object]:
    interval = "-" if share.low is None or share.high is None else f"{share.low:.3f} to {share.high:.3f}"
    value = "-" if share.value is None else f"{share.value:.3f}"
    return [name, share.hits, share.n, value, interval]


@app.command(epilog="Example: kg benchmark opinions --gold seed/gold/opinions.jsonl")
def opinions(gold: GoldFile, as_json: options.AsJson = False) -> None:
    """Measure how well the rules tell facts from opinions, by halves where the gold has them."""
    rows = read_labelled(gold)
    halves = {half: [row for row in rows if row.half == half] for half in sorted({row.half for row in rows})}
    scores = {half or "all": score_opinions(part) for half, part in halves.items()}
    if as_json:
        parts = {half: _opinion_json(score) for half, score in scores.items()}
        print_json({"gold": str(gold), "sentences": len(rows), "parts": parts})
        return
    for half, score in scores.items():
        _print_opinions(half, score)
    say("The rules are in kg/text/opinion.py; they were weighed on the tuning half only.", "dim")


def _opinion_json(score: OpinionScore) -> dict[str, object]:
    plain = asdict(score)
    for label in ("fact", "opinion"):
        plain[label] = {name: _with_value(value) for name, value in plain[label].items()}
    return {name: _with_value(value) for name, value in plain.items()}


def _print_opinions(half: str, score: OpinionScore) -> None:
    measures = (
        ("told right", score.accuracy),
        ("always the commoner label", score.baseline),
        ("called a fact, and is one", score.fact.precision),
        ("facts called so", score.fact.recall),
        ("called an opinion, and is one", score.opinion.precision),
        ("opinions called so", score.opinion.recall),
    )
    title = f"Fact or opinion: {score.sentences} sentences ({half})"
    rows = [_share_row(name, share) for name, share in measures]
    out.print(table(title, ("measure", "hits", "of", "share", "95 % interval"), rows))
    out.print()
