"""How much of other people's annotations the rules find: `kg benchmark extraction` on all sets at once.

    python -m benchmarks.extraction [--sets gold,kg_rag,redocred,musique,seed] [--held-out] [--wikinews 40]

Needs the shared data folder (HOPGRADE_SHARED, or ../shared beside the checkout) for all sets but the seed
corpus. `--wikinews N` prints N random triples with their claims, to be judged by eye.
"""

import argparse
import csv
import os
import random
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.text.sentences import sentence_spans
from services.evaluate.extraction_gold import ExtractionScore, Share, read_documents, score_extraction
from services.evaluate.gold_formats import draw, read_gold

SAMPLE_SEED = 7
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Set:
    file: str
    sample: int | None


SETS = {
    "gold": Set("kg_rag_multihop/gold__extraction_gold.jsonl", None),
    "kg_rag": Set("kg_rag_multihop/data__processed__resolution__triples_resolved.jsonl", 200),
    "redocred": Set("redocred/dev_revised.json", 150),
    "musique": Set("musique/openie_musique_train_gpt-3.5-turbo-1106_1890.json", 200),
}


def data_folder() -> Path | None:
    shared = Path(os.environ.get("HOPGRADE_SHARED", "../shared")) / "data"
    return shared if shared.is_dir() else None


def wikinews(folder: Path) -> Iterator[ExtractionInput]:
    dateline = re.compile(r"^\s*\w+day, \w+ \d+, \d{4}\s*")
    with (folder / "wikinews/wikinews_2019.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            body = dateline.sub("", row["text"]).strip()
            published = datetime.fromisoformat(row["date"]).replace(tzinfo=UTC)
            yield ExtractionInput(body, row["title"], published, sentence_spans(body))


def measure(name: str, folder: Path | None, extractor: RuleExtractor, held_out: bool) -> str:
    if name == "seed":
        path, sample = ROOT / "seed/gold/triples.jsonl", None
    elif folder is None:
        return "no data: set HOPGRADE_SHARED to the folder that holds data/"
    else:
        path, sample = folder / SETS[name].file, SETS[name].sample
    gold = read_gold(path)
    documents = draw(gold.documents, sample, SAMPLE_SEED, held_out and sample is not None)
    return as_line(score_extraction(gold, documents, read_documents(extractor, documents)))


def as_line(score: ExtractionScore) -> str:
    parts = [f"pair recall {number(score.pairs)} of {score.pairs.n} (kept {number(score.pairs_kept)})"]
    if score.near_pairs is not None and score.right is not None:
        parts.append(f"in one sentence {number(score.near_pairs)}")
        parts.append(f"precision of {score.right.n} linked of {score.triples}: {number(score.right)}")
    if score.names_exact is not None and score.names_fuzzy is not None:
        parts.append(f"names exact {number(score.names_exact)}, fuzzy {number(score.names_fuzzy)}")
    parts.append(f"{score.triples / score.documents:.1f} triples a document")
    line = "; ".join(parts)
    if score.by_rule:
        rules = ", ".join(f"{rule} {right}/{n}" for rule, (right, n) in score.by_rule.items())
        line += f"\n           by rule: {rules}"
    return line


def number(share: Share) -> str:
    return "-" if share.value is None else f"{share.value:.3f}"


def print_sample(folder: Path, extractor: RuleExtractor, count: int, seed: int) -> None:
    lines = []
    for extraction in extractor.extract(wikinews(folder)):
        for claim in extraction.claims:
            for x in claim.triples:
                marks = f"{x.rule} {x.confidence}{' NOT' * x.negated} {x.attributed_to} {claim.doubt}"
                ends = f"{x.subject} ({x.subject_type}) | {x.predicate} | {x.object} ({x.object_type})"
                lines.append(f"{ends}  [{marks.strip()}]\n    {claim.text}")
    print(f"{len(lines)} triples; {count} drawn with seed {seed}:")
    print("\n".join(random.Random(seed).sample(lines, min(count, len(lines)))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument(
        "--sets", default="gold,kg_rag,redocred,musique", help="which sets, with commas between"
    )
    parser.add_argument("--held-out", action="store_true", help="the documents that the samples leave")
    parser.add_argument("--wikinews", type=int, default=0, metavar="N", help="print N random triples")
    parser.add_argument("--seed", type=int, default=1, help="seed of those")
    options = parser.parse_args()
    folder = data_folder()
    extractor = RuleExtractor()
    print(extractor.name)
    start = time.monotonic()
    for name in filter(None, options.sets.split(",")):
        print(f"{name:10} {measure(name, folder, extractor, options.held_out)}", flush=True)
    print(f"{time.monotonic() - start:.0f} s in all")
    if options.wikinews and folder is not None:
        print_sample(folder, extractor, options.wikinews, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
