"""`kg ingest` and `kg build`: from files to the graph."""

from shlex import quote

import typer

from cli import options
from cli.console import print_json, remark, say
from cli.session import choose_corpus, open_session
from kg.corpus import require_corpus
from kg.corpus_lock import writing_to
from kg.ingest.columns import parse_mapping
from kg.ingest.read import check_files
from kg.ledger import describe
from kg.stages.articles import LengthLimits, ingest_articles
from kg.stages.build import Tools, build_graph
from kg.text.chunks import parse_chunk_size
from services.pipeline import JobOptions
from services.settled_options import GivenOptions, prepare_job


def ingest(
    files: options.Files,
    corpus: options.CorpusToFill = "default",
    mapping: options.Map = [],  # noqa: B006
    min_tokens: options.MinTokens = 512,
    max_tokens: options.MaxTokens = 8192,
    chunks: options.Chunks = None,
    embedder: options.EmbedderOption = None,
    as_json: options.AsJson = False,
) -> None:
    """Read article files into a corpus. Articles with the same text are merged; bad rows are set aside."""
    fields, limits = parse_mapping(mapping), LengthLimits(min_tokens, max_tokens)
    given = GivenOptions(embedder, parse_chunk_size(chunks) if chunks else None)
    check_files(files, fields)
    with open_session() as session, writing_to(session.settings, corpus):
        job, tools = prepare_job(session.graph, corpus, given, session.settings)
        remark_on_chunks(job, tools)
        counts = ingest_articles(session.graph, corpus, files, fields, limits, session.progress)
    if as_json:
        print_json(counts)
        return
    say(f"corpus {corpus!r}: {describe(counts)}")
    if counts["set_aside"]:
        say(f"Why rows were set aside: kg corpus rejects --corpus {quote(corpus)}")


def build(
    corpus: options.Corpus = None,
    per_depth: options.PerDepth = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Bring the graph of a corpus up to date: chunks, vectors, claims, triples, entities, paths."""
    with open_session() as session:
        name = choose_corpus(session.graph, corpus)
        require_corpus(session.graph, name)
        with writing_to(session.settings, name):
            given = GivenOptions(per_depth=per_depth, seed=seed)
            job, tools = prepare_job(session.graph, name, given, session.settings)
            outcome = build_graph(session.graph, name, job.build, tools, session.progress)
    if as_json:
        print_json(outcome.counts)
        return
    say(f"corpus {name!r}: {describe(outcome.counts)}")


def remark_on_chunks(job: JobOptions, tools: Tools) -> None:
    """Say so when chunks may be longer than what the embedder reads of them."""
    most, read = job.build.chunk_size.max_tokens, tools.embedder.max_tokens
    if most > read:
        remark(
            f"note: chunks have up to {most} tokens, of which {tools.embedder.name} reads the first {read}."
        )


def register(app: typer.Typer) -> None:
    """Add these commands to the tree."""
    app.command(epilog="Example: kg ingest news.csv --corpus mine --map title=headline")(ingest)
    app.command(epilog="Example: kg build --corpus mine")(build)
