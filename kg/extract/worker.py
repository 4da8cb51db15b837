"""The process that reads articles for another one: pickled articles in, pickled extractions out."""

import os
import pickle
import sys

from kg.extract.article import read_or_set_aside
from kg.extract.pipeline import load_model
from kg.extract.protocol import TimeLimit

READY = "ready"
"""What a worker says first: from here on what ends it is the article that it reads."""


def main(seconds: float) -> None:
    """Read articles from standard input until it ends, which it does with the process that asks.

    `seconds` is the processor time that each may take.
    """
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get between two results.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    model, limit = load_model(), TimeLimit(seconds)
    answer: object = READY
    while True:
        try:
            pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
            item = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the process that started this one
        except (EOFError, BrokenPipeError):
            return
        answer = read_or_set_aside(model, item, limit)
