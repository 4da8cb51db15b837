"""The process that reads articles for another one: pickled articles in, pickled extractions out."""

import os
import pickle
import sys

from kg.extract.article import read_article
from kg.extract.pipeline import load_model


def main() -> None:
    """Read articles from standard input until it ends, which it does with the process that asks."""
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get between two results.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    model = load_model()
    while True:
        try:
            item = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the process that started this one
            pickle.dump(read_article(model, item), results, pickle.HIGHEST_PROTOCOL)
            results.flush()
        except (EOFError, BrokenPipeError):
            return
