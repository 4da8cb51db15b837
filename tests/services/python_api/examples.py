"""The examples in docstrings, run as a reader would type them."""

import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from matplotlib import pyplot as plt

import hopgrade
from kg.corpus import drop_corpus, list_corpora
from services.benchmarks.multihop_rag import CHUNKS
from services.benchmarks.retrieval_sets import corpus_name, file_hash
from services.python_api.corpus import Corpus
from services.runs.records import drop_run
from services.settled_options import DEFAULT_EMBEDDER
from tests.graph_reading import change
from tests.multihop_rag_files import write_set
from tests.small_world import write_articles


def examples_of(module: str) -> Iterator[doctest.DocTest]:
    """Every docstring of a module that has examples."""
    for found in doctest.DocTestFinder(exclude_empty=True).find(import_module(module)):
        if found.examples:
            yield found


def run_examples(found: doctest.DocTest, corpus: Corpus) -> list[str]:
    """What went wrong, with `hopgrade`, a `corpus` and a `run` at hand; "valley" is the corpus' name.

    "articles.jsonl" holds the articles of the small world, "mine" is a corpus that is dropped, "first" a
    folder for a comparison; "labels.jsonl" and "sheet.jsonl" are for what people say; "corpus.json" and
    "MultiHopRAG.json" are a small set of that form.
    """
    files = TemporaryDirectory()
    set_corpus, set_questions = write_set(Path(files.name), "2023-12-01")
    of_set = corpus_name(file_hash(set_corpus), DEFAULT_EMBEDDER, CHUNKS)
    for name, meant in {
        "valley": corpus.name,
        "mine": f"{corpus.name} (mine)",
        "articles.jsonl": str(write_articles(Path(files.name))),
        "first": str(Path(files.name) / "first"),
        "labels.jsonl": str(Path(files.name) / "labels.jsonl"),
        "sheet.jsonl": str(Path(files.name) / "sheet.jsonl"),
        "corpus.json": str(set_corpus),
        "MultiHopRAG.json": str(set_questions),
    }.items():
        for example in found.examples:
            example.source = example.source.replace(f'"{name}"', repr(meant))
    found.globs = {"hopgrade": hopgrade, "corpus": corpus}
    if runs := corpus.runs():
        found.globs["run"] = runs[-1]
    said: list[str] = []
    before = {run.name for run in corpus.runs()}
    there = {row["name"] for row in list_corpora(corpus.graph)}
    try:
        doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    finally:
        files.cleanup()
        plt.close("all")
        change(corpus.graph, "MATCH (s:Standard {corpus: $corpus}) DETACH DELETE s", corpus=corpus.name)
        for made in {run.name for run in corpus.runs()} - before:
            drop_run(corpus.graph, corpus.name, made)
        new = {row["name"] for row in list_corpora(corpus.graph)} - there
        for made in (name for name in new if name.startswith(f"{corpus.name} (") or name == of_set):
            drop_corpus(corpus.graph, made)
    return said
