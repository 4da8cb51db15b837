"""`kg ingest` and `kg build`: from files to the graph."""

from shlex import quote

import typer

from cli import options
from cli.console import print_json, say
from cli.session import choose_corpus, open_session
from kg.corpus import refuse_other_embedder, require_corpus
from kg.ingest.columns import parse_mapping
from kg.ingest.read import check_files
from kg.ledger import describe
from kg.stages.articles import LengthLimits, ingest_articles
from kg.stages.build import BuildOptions, build_graph
from kg.stages.path_finding import PathOptions
from kg.text.chunks import parse_chunk_size
from services.pipeline import JobOptions, make_tools, open_for_job


def ingest(
    files: options.Files,
    corpus: options.CorpusToFill = "default",
    mapping: options.Map = [],  # noqa: B006
    min_tokens: options.MinTokens = 512,
    max_tokens: options.MaxTokens = 8192,
    chunks: options.Chunks = "medium",
    embedder: options.EmbedderOption = "builtin",
    as_json: options.AsJson = False,
) -> None:
    """Read article files into a corpus. Articles with the same text are merged; bad rows are set aside."""
    fields, limits = parse_mapping(mapping), LengthLimits(min_tokens, max_tokens)
    size = parse_chunk_size(chunks)
    check_files(files, fields)
    with open_session() as session:
        refuse_other_embedder(session.graph, corpus, embedder)
        tools = make_tools(embedder, session.settings)
        open_for_job(session.graph, corpus, JobOptions(BuildOptions(chunk_size=size)), tools)
        counts = ingest_articles(session.graph, corpus, files, fields, limits, session.progress)
    if as_json:
        print_json(counts)
        return
    say(f"corpus {corpus!r}: {describe(counts)}")
    if counts["set_aside"]:
        say(f"Why rows were set aside: kg corpus rejects --corpus {quote(corpus)}")


def build(
    corpus: options.Corpus = None,
    per_depth: options.PerDepth = 400,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Bring the graph of a corpus up to date: chunks, vectors, claims, triples, entities, paths."""
    with open_session() as session:
        name = choose_corpus(session.graph, corpus)
        known = require_corpus(session.graph, name)
        tools = make_tools(known.embedder, session.settings)
        size = parse_chunk_size(known.chunking)
        build_options = BuildOptions(size, seed, PathOptions(per_depth, seed))
        open_for_job(session.graph, name, JobOptions(build_options), tools)
        outcome = build_graph(session.graph, name, build_options, tools, session.progress)
    if as_json:
        print_json(outcome.counts)
        return
    say(f"corpus {name!r}: {describe(outcome.counts)}")


def register(app: typer.Typer) -> None:
    """Add these commands to the tree."""
    app.command(epilog="Example: kg ingest news.csv --corpus mine --map title=headline")(ingest)
    app.command(epilog="Example: kg build --corpus mine")(build)
