"""The reference of measures, of file formats and of decisions."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from services import answer_match, answers
from services.benchmarks.sweep import split_change
from services.comparison.calibration.labels import label_figures
from services.comparison.judging.measures import measures_of
from services.datasets.choose import FORMATS
from services.datasets.contamination import compare_with_set, known_cells
from services.datasets.graph_write import GRAPH_FORMATS
from services.datasets.question_files import FORMATS as QUESTION_FORMATS
from services.evaluate.graph_quality import need_of_links
from services.evaluate.hop_aware.tracks import depth_of
from services.evaluate.run_analysis import goal_rows
from services.evaluate.write_back import find_loss
from services.external.given_answers import ANSWER_FORMATS
from services.questions.difficulty import difficulty, quartile_bins
from services.report import comparisons, soundness
from services.statistics import agreement, intervals, paired, several_tests, trend
from services.statistics import rankings as retrieval
from services.statistics.clustered_means import cluster_interval, clustered_means, equivalence
from services.statistics.repeats import repeated_mean
from services.statistics.resampling import cluster_bootstraps, sign_flips
from tests.docs.markdown import WRITTEN, page, table

_DECISIONS = Path(__file__).parents[2] / "docs" / "decisions"

_NUMBER = re.compile(r"^# *[0-9]+[.:]? *")

_MEASURES: Mapping[str, Mapping[str, Callable[..., object]]] = {
    "Retrieval": {
        "Recall@k": retrieval.recall,
        "AllGold@k": retrieval.all_gold,
        "Hits@k": retrieval.hits,
        "MRR@k": retrieval.reciprocal_rank,
        "MAP@k": retrieval.average_precision,
        "nDCG@k": retrieval.ndcg,
        "MultiHop-RAG's own": retrieval.multihop_rag_official,
    },
    "Answers": {
        "Answer match": answer_match.match_answer,
        "Exact match": answers.exact_match,
        "Token F1": answers.token_f1,
        "Any-word match": answers.any_word_match,
        "Abstention": answers.is_abstention,
        "Where a chain broke": find_loss,
        "Right for the wrong reason": soundness.answer_grounds,
        "False answers, false silences, risk and coverage": soundness.answer_silences,
        "Cost against accuracy": soundness.cost_points,
    },
    "Difficulty": {
        "Retrieval distance": difficulty,
        "Quartiles of distance": quartile_bins,
        "Need of missing links": need_of_links,
        "Retrieval's and reasoning's part of a change": split_change,
        "Right from memory, by cell": known_cells,
        "Likeness to a published set": compare_with_set,
    },
    "Statistics of one run": {
        "Wilson's interval": intervals.wilson,
        "Interval by cluster": cluster_interval,
        "Pearson's r": trend.pearson,
        "Point-biserial r": trend.point_biserial,
        "Trend": trend.trend_test,
        "From run to run": repeated_mean,
    },
    "Two runs": {
        "Paired difference": paired.compare_paired,
        "Lost in retrieval, lost in reading": comparisons.compare_ceilings,
        "Mean by cluster": clustered_means,
        "Cluster bootstrap": cluster_bootstraps,
        "Sign-flip test": sign_flips,
        "McNemar's test": paired.mcnemar,
        "Equivalence": equivalence,
        "Holm's method": several_tests.holm,
    },
    "Agents": {
        "MaxD and unbroken depth": depth_of,
        "Goals achieved and iterations": goal_rows,
    },
    "Judges and judged comparisons": {
        "Cluster Recall, Hop Consistency, Evidence Alignment": measures_of,
        "Cohen's kappa": agreement.cohen_kappa,
        "Kappa by cluster": agreement.clustered_kappa,
        "Fleiss' kappa": agreement.fleiss_kappa,
        "A judge's errors by people's labels": label_figures,
        "What a judge's errors make of a difference": several_tests.corrected_difference,
    },
}


def measures() -> str:
    """Every measure with its definition and source, as the code has it."""
    return page(
        [
            "# Measures",
            WRITTEN,
            "One definition each, as it stands in the code. Where a question has no gold, or a cell no "
            "answer, a measure is undefined, not 0. Background: [difficulty](../explanation/difficulty.md), "
            "[statistics](../explanation/statistics.md).",
            *(part for title, listed in _MEASURES.items() for part in _measures(title, listed)),
        ]
    )


def formats() -> str:
    """The formats of files that are read and written."""
    return page(
        [
            "# File formats",
            WRITTEN,
            "## Articles",
            "`kg corpus ingest` and `kg run-all` read JSONL, a JSON array, CSV, TSV, and folders of `.txt` "
            "and `.md` files, which may begin with YAML front matter. Fields: title, body, source, category, "
            "author, published_at, url, id; `--map FIELD=COLUMN` names columns that can't be guessed. See "
            "[a corpus of news](../how-to/news-corpus.md).",
            "## Questions of other sets",
            "`kg questions import` reads these; the format is told from the content, or named by `--format`: "
            + ", ".join(f"`{name}`" for name in QUESTION_FORMATS)
            + ".",
            "## Answers of a system",
            "`kg evaluate answers` reads these. See [your own system](../how-to/own-system.md).",
            *table(
                ("format", "what is read"),
                ((f"`{name}`", _summary(reader)) for name, reader in ANSWER_FORMATS.items()),
            ),
            "## Datasets",
            "`kg dataset export` writes these. Each folder has a dataset card, and a `manifest.json` "
            "with the SHA-256 of each file. See [export a dataset](../how-to/export-dataset.md).",
            *table(("format", "what it holds"), ((f"`{one.name}`", one.summary) for one in FORMATS.values())),
            "## The graph",
            "`kg graph export` writes these. A README.md in the folder says how to load it.",
            *table(
                ("format", "what it is", "Neo4j makes the graph anew from it"),
                (
                    (f"`{one.name}`", one.purpose, "yes" if one.restores else "no")
                    for one in GRAPH_FORMATS.values()
                ),
            ),
            "## Runs",
            "`kg run export` writes a run and its judgements (qrels) as TREC files, for `ir_measures` and "
            "`trec_eval`, `kg run report --html FILE` a page, `kg run gate` JUnit XML. Every command "
            "with `--json` prints one JSON document.",
        ]
    )


def decisions() -> str:
    """The decision records in order."""
    titles = (
        (path.name, path.read_text(encoding="utf-8").partition("\n")[0])
        for path in sorted(_DECISIONS.glob("[0-9]*.md"))
    )
    rows = ((name[:4], f"[{_NUMBER.sub('', title)}]({name})") for name, title in titles)
    return page(
        [
            "# Decisions",
            WRITTEN,
            "Why it is so: what was decided, what was measured, and what was rejected. A record is not "
            "changed later; a new one says what it replaces.",
            *table(("number", "decision"), rows),
        ]
    )


def _measures(title: str, listed: Mapping[str, Callable[..., object]]) -> Iterator[str]:
    yield f"## {title}"
    for name, function in listed.items():
        yield f"### {name}"
        yield (inspect.getdoc(function) or "").replace("<", "&lt;")
        yield f"`{function.__module__}.{function.__qualname__}`"


def _summary(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
