"""The examples in docstrings, run as a reader would type them."""

import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from matplotlib import pyplot as plt

import hopgrade
from kg.corpus import drop_corpus, list_corpora
from services.python_api.corpus import Corpus
from services.runs.records import drop_run
from tests.graph_reading import change
from tests.small_world import write_articles


def examples_of(module: str) -> Iterator[doctest.DocTest]:
    """Every docstring of a module that has examples."""
    for found in doctest.DocTestFinder(exclude_empty=True).find(import_module(module)):
        if found.examples:
            yield found


def run_examples(found: doctest.DocTest, corpus: Corpus) -> list[str]:
    """What went wrong, with `hopgrade`, a `corpus` and a `run` at hand; "valley" is the corpus' name.

    "articles.jsonl" holds the articles of the small world, "mine" is a corpus that is dropped, and "first" a
    folder for a comparison.
    """
    files = TemporaryDirectory()
    for name, meant in {
        "valley": corpus.name,
        "mine": f"{corpus.name} (mine)",
        "articles.jsonl": str(write_articles(Path(files.name))),
        "first": str(Path(files.name) / "first"),
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
        swept = {row["name"] for row in list_corpora(corpus.graph)} - there
        for made in (name for name in swept if name.startswith(f"{corpus.name} (")):
            drop_corpus(corpus.graph, made)
    return said
