"""`kg corpus ingest` and `kg corpus build`: from files to the graph.

`kg corpus audit`: merges and links of a corpus for a human reader.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.console import print_json, remark, say
from cli.corpus import Clear, DiscardWork, Yes, clear_corpus
from cli.options import MAX_SEED, MOST, AsJson, Corpus
from cli.preflight import preflight, print_estimate
from cli.remarks import remark_on_failures, remark_on_outdated, reopen_failures, report_spending
from cli.session import Session, existing_corpus, open_session
from kg.extract.choose import parse_extractor
from kg.ingest.read import check_files
from kg.ingest.rows import parse_mapping
from kg.ledger import Counts, describe
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.paths.protocol import DEPTHS
from kg.stages.articles import MIN_TOKENS, ArticleLimits, ingest_articles
from kg.stages.build import Tools, build_graph, require_built
from kg.stages.resolution import parse_links
from kg.stages.vectors import SEARCHED, embed_for_search
from kg.store.graph import Row
from kg.store.leases import writing_to
from kg.text.chunks import MOST_CHUNKS, choose_size
from services.evaluate.graph_quality import Audit, draw_audit
from services.pipeline import JobOptions, require_consent_to_build
from services.preflight.job_needs import build_needs
from services.settled_options import GivenOptions, estimate_build, prepare_job, settle_options

app = typer.Typer(rich_markup_mode=None)

GROUPS = 30
"""How many groups of each kind GRADE read (appendix A.6)."""

MaxChunks = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_CHUNKS,
        help="Take the first so many chunks of an article and read no further; of the size of --chunks, "
        "medium without; fixed for a corpus. Default: the corpus' own, all for a new one.",
        show_default=False,
    ),
]


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


@app.command(epilog="Example: kg corpus ingest news.csv --corpus mine --map title=headline")
def ingest(
    files: options.Files,
    corpus: options.CorpusToFill = "default",
    mapping: options.Map = [],  # noqa: B006
    min_tokens: options.MinTokens = MIN_TOKENS,
    max_tokens: options.MaxTokens = 8_192,
    since: options.Since = None,
    until: options.Until = None,
    limit: options.FirstArticles = None,
    chunks: options.Chunks = None,
    max_chunks: MaxChunks = None,
    embedder: options.EmbedderOption = None,
    extractor: options.Extractor = None,
    clear: Clear = False,
    yes: Yes = False,
    as_json: options.AsJson = False,
) -> None:
    """Read article files into a corpus. Articles with the same text are merged; bad rows are set aside."""
    fields, days = parse_mapping(mapping), (options.day_of(since), options.day_of(until))
    limits = ArticleLimits(min_tokens, max_tokens, limit, *days)
    given = GivenOptions(
        embedder,
        choose_size(chunks, max_chunks),
        extractor=parse_extractor(extractor) if extractor else None,
    )
    check_files(files, fields)
    with open_session() as session:
        if clear:
            clear_corpus(session, corpus, yes)
        with writing_to(session.graph, corpus) as graph:
            job, tools = prepare_job(graph, corpus, given, session.settings)
            remark_on_chunks(job, tools)
            counts = ingest_articles(graph, corpus, files, fields, limits, session.progress)
    if as_json:
        print_json(counts)
        return
    say(f"corpus {corpus!r}: {describe(counts)}")
    if limit is not None:
        say(f"Of these files no more than {limit:,} articles are taken: --limit changes that.")
    if counts["set_aside"]:
        say(
            f"Articles of fewer than {min_tokens:,} or more than {max_tokens:,} tokens are set aside: "
            "--min-tokens and --max-tokens change that."
        )
        say(f"Why rows were set aside: kg corpus rejects --corpus {quote(corpus)}")


@app.command(epilog="Example: kg corpus build --corpus mine")
def build(
    corpus: options.Corpus = None,
    per_depth: options.PerDepth = None,
    seed: options.Seed = None,
    links: options.Links = None,
    through_hubs: options.ThroughHubs = None,
    concepts: options.Concepts = None,
    attributed: options.Attributed = None,
    all_vectors: Annotated[
        bool,
        typer.Option(
            "--all-vectors",
            help="Embed entities and facts too, which otherwise happens when a retriever first reads them.",
        ),
    ] = False,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", help="Try again what models could not read before: parts of articles, links."
        ),
    ] = False,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="List merged names and links for a human reader too, as kg corpus audit does."
        ),
    ] = False,
    discard_work: DiscardWork = False,
    engine: options.Engine = None,
    no_preflight: options.NoPreflight = False,
    dry_run: options.DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Bring the graph of a corpus up to date: chunks, vectors, claims, triples, entities, paths."""
    chosen = parse_links(links) if links else None
    with open_session(engine) as session:
        name = existing_corpus(session.graph, corpus)
        given = GivenOptions(
            per_depth=per_depth,
            seed=seed,
            links=chosen,
            through_hubs=through_hubs,
            concepts=concepts,
            attributed=attributed,
        )
        if dry_run:
            chosen_tools, job = settle_options(session.graph, name, given)
            print_estimate(
                estimate_build(session.graph, name, chosen_tools, job.build.seed, session.settings),
                as_json,
            )
            return
        with writing_to(session.graph, name) as graph:
            job, tools = prepare_job(graph, name, given, session.settings)
            if not discard_work:
                require_consent_to_build(graph, name, job.build, tools, anyhow=retry_failed)
            if retry_failed:
                reopen_failures(graph, name)
            with report_spending(tools.budget, session.progress):
                try_build(session, name, given, tools.budget, skip=no_preflight)
                outcome = build_graph(graph, name, job.build, tools, session.progress)
                if all_vectors:
                    embed_for_search(graph, name, tuple(SEARCHED), tools.embedder, session.progress)
            remark_on_failures(session.graph, name)
        remark_on_outdated(session.graph, name)
        if as_json:
            audited = {"audit": asdict(draw_audit(session.graph, name, GROUPS, 0))} if audit else {}
            print_json({**outcome.counts, **audited})
            return
        _print_built(name, require_built(session.graph, name), outcome.counts)
        if audit:
            say("")
            print_audit(session, name, GROUPS, 0, as_json=False)


def try_build(
    session: Session, corpus: str, given: GivenOptions, budget: Budget | None, *, skip: bool
) -> None:
    """Try the prompts by which a build asks models; see `cli.preflight.preflight`."""
    graph, settings = session.graph, session.settings
    chosen, job = settle_options(graph, corpus, given)
    needs = build_needs(chosen.extractor, chosen.links)

    def costs() -> Mapping[str, Estimate]:
        return estimate_build(graph, corpus, chosen, job.build.seed, settings).parts

    preflight(settings, needs, costs, session.progress, budget, skip=skip)


def _print_built(corpus: str, resolved: Row, counts: Counts) -> None:
    paths = sum(int(counts.get(f"paths_{depth}_hops", 0)) for depth in DEPTHS)
    say(f"corpus {corpus!r}: {resolved['entities']:,} entities, {paths:,} paths of 2 to 5 hops drawn.")
    of = f" --corpus {quote(corpus)}"
    say(f"Look at them: kg corpus graph{of}, kg graph paths list{of}, kg graph entity show NAME{of}", "dim")


def remark_on_chunks(job: JobOptions, tools: Tools) -> None:
    """Say so when chunks may be longer than what the embedder reads of them."""
    most, read = job.build.chunk_size.max_tokens, tools.embedder.max_tokens
    if most > read:
        remark(
            f"note: chunks have up to {most} tokens, of which {tools.embedder.name} reads the first {read}."
        )
