"""Hopgrade's public Python API.

    import hopgrade

    with hopgrade.open_corpus("ormelund") as corpus:
        for question in corpus.questions(hops=[4], limit=3):
            print(question.text, "->", question.answer)
        print(corpus.run("single-step").matrix())

The names of `__all__` are the public API; they stay as they are between minor versions. They come from
`services.python_api` and are loaded when they are first used, so that `import hopgrade` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kg import __version__

if TYPE_CHECKING:
    from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
    from services.assertions import assert_max_error, assert_no_worse
    from services.benchmarks.multihop_rag_readers import Reproduction
    from services.comparison.verify import verify_archive
    from services.gate import Gate, GateCheck, GateRules
    from services.python_api.building import (
        compose_questions,
        review_report,
        review_sheet,
        run_all,
        take_reviews,
    )
    from services.python_api.comparisons import JudgedComparison, begin_comparison, multihop_rag
    from services.python_api.corpus import Corpus, corpora, open_corpus
    from services.python_api.gds import (
        gds,
        gds_client,
        write_communities,
        write_graph_embeddings,
        write_pagerank,
    )
    from services.python_api.plots import plot_depths, plot_matrix, plot_path
    from services.python_api.questions import Evidence, Question
    from services.python_api.runs import Run
    from services.rag.ask import AskResult, PathStep


__all__ = [
    "AskResult",
    "Corpus",
    "Evidence",
    "Gate",
    "GateCheck",
    "GateRules",
    "JudgedComparison",
    "OwnAnswer",
    "OwnStep",
    "OwnSystem",
    "PathStep",
    "Question",
    "Reproduction",
    "RetrievedText",
    "Run",
    "__version__",
    "assert_max_error",
    "assert_no_worse",
    "begin_comparison",
    "compose_questions",
    "corpora",
    "gds",
    "gds_client",
    "multihop_rag",
    "open_corpus",
    "plot_depths",
    "plot_matrix",
    "plot_path",
    "review_report",
    "review_sheet",
    "run_all",
    "take_reviews",
    "verify_archive",
    "write_communities",
    "write_graph_embeddings",
    "write_pagerank",
]

_MODULES = {
    "kg.own_system": ("OwnAnswer", "OwnStep", "OwnSystem", "RetrievedText"),
    "services.assertions": ("assert_max_error", "assert_no_worse"),
    "services.gate": ("Gate", "GateCheck", "GateRules"),
    "services.comparison.verify": ("verify_archive",),
    "services.benchmarks.multihop_rag_readers": ("Reproduction",),
    "services.python_api.building": (
        "compose_questions", "review_report", "review_sheet", "run_all", "take_reviews",
    ),
    "services.python_api.comparisons": ("JudgedComparison", "begin_comparison", "multihop_rag"),
    "services.python_api.corpus": ("Corpus", "corpora", "open_corpus"),
    "services.python_api.gds": (
        "gds", "gds_client", "write_communities", "write_graph_embeddings", "write_pagerank",
    ),
    "services.python_api.plots": ("plot_depths", "plot_matrix", "plot_path"),
    "services.python_api.questions": ("Evidence", "Question"),
    "services.python_api.runs": ("Run",),
    "services.rag.ask": ("AskResult", "PathStep"),
}  # fmt: skip


def __getattr__(name: str) -> object:
    """A name of the public API, from the module that makes it."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'hopgrade' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
