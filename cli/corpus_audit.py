"""`kg corpus audit`: merges and links of a corpus for a human reader."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from cli.console import print_json, say
from cli.options import MAX_SEED, MOST, AsJson, Corpus
from cli.session import Session, existing_corpus, open_session, require_built
from kg.store.graph import Row
from services.evaluate.audit import Audit, draw_audit

app = typer.Typer(rich_markup_mode=None)

GROUPS = 30
"""How many groups of each kind GRADE read (appendix A.6)."""


@app.command(epilog="Example: kg corpus audit --groups 30 --corpus ormelund")
def audit(
    corpus: Corpus = None,
    groups: Annotated[int, typer.Option(min=1, max=MOST, help="How many of each kind.")] = GROUPS,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the draw.")] = 0,
    as_json: AsJson = False,
) -> None:
    """List merged names, contextual links and groups kept apart, with evidence, for a human reader."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        require_built(session.graph, name)
        print_audit(session, name, groups, seed, as_json)


def print_audit(session: Session, corpus: str, groups: int, seed: int, as_json: bool) -> None:
    """Print so many merged entities and contextual links, drawn by seed, and all groups kept apart."""
    found = draw_audit(session.graph, corpus, groups, seed)
    if as_json:
        print_json({"corpus": corpus, **asdict(found)})
        return
    _print_merged(found)
    _print_links(found)
    _print_kept_apart(found.kept_apart)
    say(
        "\nWrong? kg graph entity split ALIAS --from ENTITY, or kg graph entity merge ONE OTHER; both stay.",
        "dim",
    )


def _print_merged(found: Audit) -> None:
    say(
        f"Names merged everywhere: {len(found.merged)} of {found.merged_total} entities, seed {found.seed}",
        "bold",
    )
    for number, row in enumerate(found.merged, start=1):
        say(f"\n{number}. {row['name']} ({row['type']})", "bold")
        _quote(row["sentences"])
        for alias in row["aliases"]:
            say(f"   = {alias['name']}  [{alias['score']:.2f}: {alias['evidence']}]")
            _quote(alias["sentences"])


def _print_links(found: Audit) -> None:
    say(
        f"\nThe same in context: {len(found.links)} of {found.links_total} pairs of entities, "
        f"seed {found.seed}",
        "bold",
    )
    for number, row in enumerate(found.links, start=1):
        one, other, best = row["a"], row["b"], row["clusters"][0]
        clusters = len(row["clusters"])
        say(f"\n{number}. {one['name']} ({one['type']}) ~ {other['name']} ({other['type']})", "bold")
        say(
            f"   [{best['score']:.2f}: {best['evidence']}; in {clusters} cluster{'s' * (clusters != 1)}, "
            f"mirrored edges: {row['mirrored']}]"
        )
        for side in (one, other):
            say(f"   {side['name']}")
            _quote(side["sentences"])


def _print_kept_apart(groups: Sequence[Row]) -> None:
    say(f"\nKept apart: {len(groups)} group{'s' * (len(groups) != 1)}", "bold")
    for row in groups:
        parts: dict[int, list[str]] = {}
        for member in row["members"]:
            parts.setdefault(member["part"], []).append(f"{member['name']} ({member['type']})")
        say(f"   {' | '.join(', '.join(names) for _, names in sorted(parts.items()))}  [{row['reason']}]")


def _quote(found: Sequence[Row]) -> None:
    for row in found:
        say(f"      “{' '.join(row['sentence'].split())}” — {row['article']}", "dim")
