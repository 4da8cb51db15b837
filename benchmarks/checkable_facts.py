"""How well the confidence of facts tells which a reader accepts, and the weights that it goes by.

    python -m benchmarks.checkable_facts                      # the tables, by ten-fold cross-validation
    python -m benchmarks.checkable_facts --write              # fit on all labels, renew the weights
    python -m benchmarks.checkable_facts --sample CORPUS --out FILE   # facts of a corpus to be labelled

A sheet has a fact a line with its statement and an empty `right`; "yes" is for a fact that somebody who reads
it alone accepts as whole and checkable, and that its statement says. Labelled lines keep the features of a
fact in place of its statement, and `refused`, why rules ask nothing about it however sure it is
(`--labelled FILE`), so that no article is copied. There is a file for each kind of text.

The confidence is fitted on facts that are not refused. Recall counts refused ones as missed.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from kg.connect import open_graph
from kg.model import EntityType
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from services.questions.checkable import WEIGHTS, features, refusal
from services.questions.draft import Fact

LABELS = Path(__file__).resolve().parents[1] / "docs" / "evaluation" / "facts"
STRENGTH = 1.0
"""Inverse strength of the penalty on squared weights."""
REPEATS, FOLDS = 5, 10
THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)


def main() -> None:
    """Print the table, and renew or sample as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sample", metavar="CORPUS", default="")
    parser.add_argument("--labelled", type=Path, help="a labelled sheet, to print as lines with features")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=77)
    given = parser.parse_args()
    if given.sample:
        lines = [
            json.dumps(row, ensure_ascii=False) for row in sample(given.sample, given.number, given.seed)
        ]
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif given.labelled:
        print("\n".join(with_features(given.labelled)))
    else:
        print(table(given.labels, write=given.write))


def sample(corpus: str, number: int, seed: int) -> list[dict[str, str]]:
    """Facts of a corpus that paths may take, drawn at random, in the order of their ids."""
    with open_graph(Settings(), Silent()) as graph:
        rows = [dict(row) for row in graph.rows(query("facts/list_on_paths"), corpus=corpus)]
    drawn = random.Random(seed).sample(rows, min(number, len(rows)))
    return [row | {"right": ""} for row in sorted(drawn, key=lambda row: row["id"])]


def with_features(sheet: Path) -> list[str]:
    """The lines of a labelled sheet with features in place of statements."""
    return [_with_features(json.loads(line)) for line in sheet.read_text(encoding="utf-8").splitlines()]


def _with_features(row: dict[str, str]) -> str:
    ends: tuple[EntityType, EntityType] = (row["from_type"], row["to_type"])  # type: ignore[assignment]
    said = {name: row[name] for name in ("subject", "predicate", "object")}
    fact = Fact(0, "", "", **said, article="", sentence=row["sentence"], statement=row["statement"])
    seen = {name: round(float(value), 3) for name, value in features(fact, *ends).items() if value}
    told = {"right": row["right"], "refused": refusal(fact, *ends), "features": seen}
    return json.dumps(said | told, ensure_ascii=False)


def table(labels: Path, *, write: bool) -> str:
    """Precision and recall of each threshold for each kind of text, and with `write` new weights."""
    rows = [
        json.loads(line) | {"kind": path.stem}
        for path in sorted(labels.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if '"refused"' in line  # the others are labelled questions
    ]
    fit = [row for row in rows if not row["refused"]]
    names = sorted({name for row in rows for name in row["features"]})
    seen = np.array([[row["features"].get(name, 0.0) for name in names] for row in fit])
    right = np.array([row["right"] == "yes" for row in fit])
    model = LogisticRegression(C=STRENGTH, max_iter=2_000)
    told = np.zeros(len(fit))
    for repeat in range(REPEATS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
        told += cross_val_predict(model, seen, right, cv=folds, method="predict_proba")[:, 1] / REPEATS
    kinds = np.array([row["kind"] for row in fit])
    lines = [f"Area under the ROC curve, of facts that are not refused: {roc_auc_score(right, told):.2f}"]
    for kind in sorted({row["kind"] for row in rows}):
        of_kind = kinds == kind
        all_of_kind = [row for row in rows if row["kind"] == kind]
        lines += ["", *_lines(kind, all_of_kind, right[of_kind], told[of_kind])]
    if write:
        fitted = model.fit(seen, right)
        weights = dict(zip(names, (round(float(one), 3) for one in fitted.coef_[0]), strict=True))
        accepted = sum(row["right"] == "yes" for row in rows)
        measured = {
            str(least): [round(float(share), 3) for share in _measures(least, right, told, accepted)]
            for least in THRESHOLDS
        }
        told_weights = {
            "intercept": round(float(fitted.intercept_[0]), 3),
            "weights": weights,
            "labelled": len(rows),
            "measured": measured,
        }
        WEIGHTS.write_text(json.dumps(told_weights, indent=1) + "\n", encoding="utf-8")
    return "\n".join(lines)


def _lines(
    kind: str, rows: list[dict[str, str]], right: NDArray[np.bool_], told: NDArray[np.float64]
) -> list[str]:
    accepted = sum(row["right"] == "yes" for row in rows)
    refused = [row["right"] == "yes" for row in rows if row["refused"]]
    lines = [
        f"{kind}: {len(rows)} facts, {accepted} accepted ({accepted / len(rows):.2f}); {len(refused)} are "
        f"refused, of which {sum(refused)} are accepted",
        "",
        "| least confidence | facts | accepted of these (precision) | of those accepted (recall) |",
        "| --- | --- | --- | --- |",
    ]
    for threshold in (0.0, *THRESHOLDS):
        precision, recall = _measures(threshold, right, told, accepted)
        lines.append(f"| {threshold} | {(told >= threshold).sum()} | {precision:.2f} | {recall:.2f} |")
    return lines


def _measures(
    least: float, right: NDArray[np.bool_], told: NDArray[np.float64], accepted: int
) -> tuple[float, float]:
    """Precision and recall of the gate from a confidence on."""
    above = told >= least
    return float(right[above].mean()), float((right & above).sum() / accepted)


if __name__ == "__main__":
    main()
