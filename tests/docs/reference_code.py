"""The reference of measures, of file formats and of decisions."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import yaml

from kg.stages.resolution import count_gates
from services import answer_match, answers
from services.benchmarks.sweep import split_change
from services.comparison.judging.calibration import run_figures, youden
from services.comparison.judging.labels import label_figures
from services.comparison.judging.measures import measures_of
from services.datasets.choose import FORMATS, QUESTION_FORMATS
from services.datasets.contamination import compare_with_set
from services.datasets.description import read_statistics
from services.datasets.graph_write import GRAPH_FORMATS
from services.evaluate import matrix
from services.evaluate.causes import attribute, behaviours_of
from services.evaluate.diagnose import cascade_by_evidence, cascade_by_prefixes
from services.evaluate.graph_quality import need_of_links
from services.evaluate.hop_aware import Steps
from services.evaluate.hop_traces import depth_of
from services.evaluate.run_analysis import goal_rows
from services.evaluate.write_back import find_loss, known_cells
from services.external.given_answers import ANSWER_FORMATS
from services.questions.difficulty import difficulty, quartile_bins
from services.report import collect, comparisons, run_facts, soundness
from services.report.content import LinkShare
from services.statistics import agreement, intervals, paired, several_tests, trend
from services.statistics import rankings as retrieval
from services.statistics.clustered_means import cluster_interval, clustered_means, equivalence, repeated_mean
from services.statistics.resampling import cluster_bootstraps, sign_flips
from tests.docs.markdown import WRITTEN, page, table

_DECISIONS = Path(__file__).parents[2] / "docs" / "decisions"

_NUMBER = re.compile(r"^# *[0-9]+[.:]? *")

RANKED, KINDS = "How well evidence was retrieved", "Accuracy by kind of question"
MATRIX = "Error rates by reasoning depth and retrieval distance"
DISTANCE = "How error goes with retrieval distance"
ALL_CELLS = "Every cell and total with both intervals"
REBINNED = "Correlation of quartile and error rate by embedder and chunking"
LINKS = "Chain questions whose path needs a link that no single name gives"
GLANCE, DIFFERENCE = "Which run fails at which hop, by which cause", "Accuracy of B less that of A"

Measure: TypeAlias = tuple[Callable[..., object], str, *tuple[str, ...]]
"""What has the definition, the command that shows the figure, and in which tables where that is a report."""

MEASURES: Mapping[str, Mapping[str, Measure]] = {
    "Retrieval": {
        "Recall@k": (retrieval.recall, "run report", RANKED),
        "AllGold@k": (retrieval.all_gold, "run report", RANKED),
        "Hits@k": (retrieval.hits, "run report", RANKED),
        "MRR@k": (retrieval.reciprocal_rank, "run report", RANKED),
        "MAP@k": (retrieval.average_precision, "run report", RANKED),
        "nDCG@k": (retrieval.ndcg, "run report", RANKED),
        "Hops whose evidence was retrieved": (
            collect.hop_recall,
            "run report",
            "Hops of which a supporting chunk was retrieved",
        ),
        "MultiHop-RAG's own": (retrieval.multihop_rag_official, "benchmark retrieval"),
    },
    "Answers": {
        "Accuracy by kind": (run_facts.kind_rows, "run report", KINDS),
        "Answer match": (answer_match.match_answer, "run report", KINDS),
        "Exact match": (answers.exact_match, "run report", KINDS, "How often right"),
        "Token F1": (answers.token_f1, "run report", KINDS, "How often right"),
        "Any-word match": (answers.any_word_match, "run report", KINDS),
        "Abstention": (answers.is_abstention, "run report", KINDS),
        "Where a chain broke": (find_loss, "run report", "Where the chain broke first"),
        "Right for the wrong reason": (
            soundness.answer_grounds,
            "run report",
            "Right answers by the hops whose evidence was retrieved",
            "Right answers by the hops whose evidence was cited by the answer",
            "Right for the wrong reason",
            "Right for the wrong reason, by depth and distance",
        ),
        "False answers, false silences, risk and coverage": (
            soundness.answer_silences,
            "run report",
            "Answers and silences",
            "Risk against coverage",
        ),
        "Cost against accuracy": (soundness.cost_points, "run report", "Accuracy and what it takes"),
        "What fails most": (
            collect.read_worst_nodes,
            "run report",
            *(f"{kind} with the highest error rate" for kind in ("Entities", "Claims", "Articles")),
        ),
    },
    "Difficulty": {
        "Retrieval distance": (difficulty, "questions difficulty"),
        "Quartiles of distance": (quartile_bins, "questions difficulty"),
        "The difficulty matrix": (
            matrix.Matrix,
            "run report",
            *(MATRIX, ALL_CELLS, "Error rates by depth", "Accuracy by depth", "Accuracy by quartile"),
        ),
        "Error by distance": (
            matrix.Association,
            "run report",
            DISTANCE,
            "Correlation of quartile and error rate",
        ),
        "Ways to make one distance of the hops'": (
            collect.ablate,
            "run report",
            "Correlation of quartile and error by how a question's hops are made one",
        ),
        "Under other embedders and chunks": (
            collect.rebin,
            "run report",
            REBINNED,
            "Error rates with difficulty by an embedder and chunks",
        ),
        "Error by borders crossed": (
            matrix.CrossingTable,
            "run report",
            "Error rate by borders that the evidence must cross",
        ),
        "Questions that need a missing link": (LinkShare, "run report", LINKS),
        "Need of missing links": (need_of_links, "corpus graph"),
        "Census of gates": (count_gates, "corpus graph"),
        "Dataset statistics": (read_statistics, "dataset statistics"),
        "Retrieval's and reasoning's part of a change": (split_change, "run sweep"),
        "Right from memory, by cell": (known_cells, "dataset contamination"),
        "Likeness to a published set": (compare_with_set, "dataset contamination"),
    },
    "Statistics of one run": {
        "Wilson's interval": (intervals.wilson, "run report", ALL_CELLS),
        "Interval by cluster": (cluster_interval, "run report", ALL_CELLS),
        "Clusters of equal size": (intervals.effective_groups, "run report"),
        "Pearson's r": (trend.pearson, "run report", DISTANCE),
        "Point-biserial r": (trend.point_biserial, "run report", DISTANCE),
        "Trend": (trend.trend_test, "run report", DISTANCE),
        "From run to run": (repeated_mean, "run report", "Runs that repeat each other"),
        "Unsteady questions": (comparisons.repeated_runs, "run report", "Runs that repeat each other"),
    },
    "Two runs": {
        "Paired difference": (paired.compare_paired, "run report", DIFFERENCE),
        "Lost in retrieval, lost in reading": (
            comparisons.compare_ceilings,
            "run report",
            "Between its ceilings",
        ),
        "Mean by cluster": (clustered_means, "run report", DIFFERENCE),
        "Cluster bootstrap": (cluster_bootstraps, "standard report"),
        "Sign-flip test": (sign_flips, "run report", DIFFERENCE),
        "McNemar's test": (paired.mcnemar, "run report", DIFFERENCE),
        "Equivalence": (equivalence, "standard report"),
        "Holm's method": (several_tests.holm, "run report", DIFFERENCE),
        "Holm's method with looks": (several_tests.sequential_holm, "standard report"),
        "Power": (paired.power_of, "standard power"),
    },
    "Agents": {
        "MaxD and unbroken depth": (depth_of, "run report", GLANCE, "How deep it gets"),
        "Steps-C, Steps-I and top-k": (
            Steps,
            "run report",
            *(GLANCE, "How it searches", "Answers by number of searches", "Mean top-k by search"),
        ),
        "Cause and first failing hop": (
            attribute,
            "run report",
            *(GLANCE, "What failures are attributed to", "The first hop that failed"),
        ),
        "Behaviours": (behaviours_of, "run report", "How it behaved where it failed"),
        "What a miss leads to": (
            cascade_by_evidence,
            "run report",
            "What a miss leads to, by evidence",
        ),
        "The same by prefix questions": (
            cascade_by_prefixes,
            "run report",
            "What a miss leads to, by prefix questions",
        ),
        "Goals achieved and iterations": (goal_rows, "run report", "Goals by query type"),
    },
    "Judges and judged comparisons": {
        "Cluster Recall, Hop Consistency, Evidence Alignment": (measures_of, "standard report"),
        "Cohen's kappa": (agreement.cohen_kappa, "run report", "Agreement of judges on the same answers"),
        "Kappa by cluster": (
            agreement.clustered_kappa,
            "run report",
            "Agreement of judges on the same answers",
        ),
        "Fleiss' kappa": (agreement.fleiss_kappa, "questions review"),
        "A judge's discernment": (youden, "standard report"),
        "A judge on answers of a run": (run_figures, "standard report"),
        "A judge's errors by people's labels": (label_figures, "standard label"),
        "What a judge's errors make of a difference": (several_tests.corrected_difference, "standard report"),
    },
}


TESTED: Mapping[str, Mapping[str, str]] = yaml.safe_load(
    (Path(__file__).parent / "measures.yaml").read_text(encoding="utf-8")
)
"""How each of the measures is tested."""


def measures() -> str:
    """Every measure with its definition and source, as the code has it."""
    return page(
        [
            "# Measures",
            WRITTEN,
            "One definition each, as it stands in the code. Where a question has no gold, or a cell no "
            "answer, a measure is undefined, not 0. Background: [difficulty](../explanation/difficulty.md), "
            "[statistics](../explanation/statistics.md).",
            *(part for title, listed in MEASURES.items() for part in _measures(title, listed)),
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


def _measures(title: str, listed: Mapping[str, Measure]) -> Iterator[str]:
    yield f"## {title}"
    for name, (function, command, *tables) in listed.items():
        yield f"### {name}"
        yield (inspect.getdoc(function) or "").replace("<", "&lt;")
        where = "; ".join(tables)
        yield (
            f"`{function.__module__}.{function.__qualname__}`, shown by "
            f"`kg {command}`{f' under: {where}' if where else ''}"
        )
        yield _tested(name)


def _tested(name: str) -> str:
    """The worked example of a figure, and the test against a package that computes it too."""
    tests = TESTED[name]
    if "library" not in tests:
        return f"Worked example: `tests/{tests['example']}`."
    package, _, test = tests["library"].partition(" ")
    return f"Worked example: `tests/{tests['example']}`. Held against {package}: `tests/{test}`."


def _summary(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
