"""How much of other people's annotations the rule extractor finds, and how fast.

    python -m benchmarks.extraction [--sets gold,kg_rag,redocred,musique] [--wikinews 40]

Needs the shared data folder: HOPGRADE_SHARED, or ../shared beside the checkout. Names are matched fuzzily
(equal words, or one name within the other at half its length or more, or rapidfuzz >= 88), pairs without
direction, predicates not at all.
"""

import argparse
import csv
import json
import os
import random
import re
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rapidfuzz import fuzz

from kg.extract.name_tables import countries
from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.model import Extraction, Triple
from kg.text.sentences import sentence_spans

SAMPLE_SEED = 7
REDOCRED_SAMPLE = 150
SILVER_SAMPLE = 200
MATCH_RATIO = 88

_STOP_WORDS = frozenset({"the", "a", "an", "of", "and"})


@dataclass(frozen=True)
class Entity:
    names: frozenset[str]
    sentences: frozenset[int]


@dataclass(frozen=True)
class Document:
    title: str
    text: str
    pairs: frozenset[tuple[str, str]] = frozenset()
    entities: tuple[Entity, ...] = ()
    related: frozenset[tuple[int, int]] = frozenset()
    published: datetime | None = None


def data_folder() -> Path | None:
    shared = Path(os.environ.get("HOPGRADE_SHARED", "../shared")) / "data"
    return shared if shared.is_dir() else None


def normal(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name)
    plain = (
        "".join(letter for letter in plain if not unicodedata.combining(letter))
        .lower()
        .replace("\u2019", "'")
    )
    plain = re.sub(r"[^\w\s]", " ", re.sub(r"'s\b", "", plain))
    return " ".join(word for word in plain.split() if word not in _STOP_WORDS)


def same_name(left: str, right: str) -> bool:
    if not left or not right:
        return False
    if left == right:
        return True
    few, many = sorted((set(left.split()), set(right.split())), key=len)
    if few <= many and len(few) / len(many) >= 0.5:
        return True
    return fuzz.token_sort_ratio(left, right) >= MATCH_RATIO


def rejoined(tokens: Sequence[str]) -> str:
    text = re.sub(r"\s+([,.;:!?)\]%])", r"\1", " ".join(tokens))
    text = re.sub(r"([(\[])\s+", r"\1", text)
    text = re.sub(r"\s+('s|'re|'ve|'ll|n't|'m|'d)\b", r"\1", text)
    return re.sub(r'" ([^"]*?) "', r'"\1"', text)


def redocred(folder: Path) -> list[Document]:
    rows = json.loads((folder / "redocred/dev_revised.json").read_text(encoding="utf-8"))
    documents = []
    for row in random.Random(SAMPLE_SEED).sample(rows, REDOCRED_SAMPLE):
        entities = []
        for vertex in row["vertexSet"]:
            names = {rejoined(mention["name"].split()) for mention in vertex}
            names |= {mention["name"] for mention in vertex}
            names |= {countries()[name] for name in set(names) if name in countries()}
            found = frozenset(filter(None, map(normal, names)))
            entities.append(Entity(found, frozenset(mention["sent_id"] for mention in vertex)))
        related = frozenset((min(x["h"], x["t"]), max(x["h"], x["t"])) for x in row["labels"])
        text = " ".join(map(rejoined, row["sents"]))
        documents.append(Document(row["title"], text, entities=tuple(entities), related=related))
    return documents


def _kg_rag(folder: Path, triples_file: str, sample: int | None) -> list[Document]:
    base = folder / "kg_rag_multihop"
    chunks = {row["chunk_id"]: row for row in _rows(base / "data__processed__corpus.jsonl")}
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in _rows(base / triples_file):
        pairs[row["chunk_id"]].add((row["subject"], row["object"]))
    ids = (
        sorted(pairs) if sample is None else sorted(random.Random(SAMPLE_SEED).sample(sorted(pairs), sample))
    )
    return [
        Document(chunks[key]["source_title"], chunks[key]["text"], pairs=_normal_pairs(pairs[key]))
        for key in ids
    ]


def gold(folder: Path) -> list[Document]:
    return _kg_rag(folder, "gold__extraction_gold.jsonl", None)


def kg_rag(folder: Path) -> list[Document]:
    return _kg_rag(folder, "data__processed__resolution__triples_resolved.jsonl", SILVER_SAMPLE)


def musique(folder: Path) -> list[Document]:
    path = folder / "musique/openie_musique_train_gpt-3.5-turbo-1106_1890.json"
    rows = [x for x in json.loads(path.read_text(encoding="utf-8"))["docs"] if x["extracted_triples"]]
    documents = []
    for row in random.Random(SAMPLE_SEED).sample(rows, SILVER_SAMPLE):
        whole = [t for t in row["extracted_triples"] if len(t) == 3 and all(isinstance(x, str) for x in t)]
        documents.append(
            Document(row["title"], row["text"], pairs=_normal_pairs({(t[0], t[2]) for t in whole}))
        )
    return documents


def wikinews(folder: Path) -> list[Document]:
    with (folder / "wikinews/wikinews_2019.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    dateline = re.compile(r"^\s*\w+day, \w+ \d+, \d{4}\s*")
    return [
        Document(
            row["title"],
            dateline.sub("", row["text"]).strip(),
            published=datetime.fromisoformat(row["date"]).replace(tzinfo=UTC),
        )
        for row in rows
    ]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _normal_pairs(pairs: set[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    found = {(normal(left), normal(right)) for left, right in pairs}
    return frozenset(pair for pair in found if pair[0] and pair[1] and pair[0] != pair[1])


def triples_of(extraction: Extraction) -> list[Triple]:
    return [triple for claim in extraction.claims for triple in claim.triples]


def score_pairs(documents: Sequence[Document], extractions: Sequence[Extraction]) -> str:
    wanted = hit = total = 0
    for document, extraction in zip(documents, extractions, strict=True):
        found = {(normal(t.subject), normal(t.object)) for t in triples_of(extraction)}
        total += len(triples_of(extraction))
        wanted += len(document.pairs)
        hit += sum(any(_same_pair(pair, other) for other in found) for pair in document.pairs)
    return f"pair recall {hit / wanted:.3f} of {wanted}; {total / len(documents):.1f} triples a document"


def _same_pair(left: tuple[str, str], right: tuple[str, str]) -> bool:
    straight = same_name(left[0], right[0]) and same_name(left[1], right[1])
    return straight or (same_name(left[0], right[1]) and same_name(left[1], right[0]))


def score_redocred(documents: Sequence[Document], extractions: Sequence[Extraction]) -> str:
    wanted = hit = near = near_hit = linked = right = total = 0
    by_rule: dict[str, Counter[bool]] = defaultdict(Counter)
    for document, extraction in zip(documents, extractions, strict=True):
        got: set[tuple[int, int]] = set()
        for triple in triples_of(extraction):
            total += 1
            left, right_ids = _entities_of(document, triple.subject), _entities_of(document, triple.object)
            pairs = {(min(a, b), max(a, b)) for a in left for b in right_ids if a != b}
            if pairs:
                linked += 1
                is_right = bool(pairs & document.related)
                right += is_right
                by_rule[triple.rule.split("+")[0]][is_right] += 1
                got |= pairs
        close = {(a, b) for a, b in document.related if _share_sentence(document, a, b)}
        wanted, hit = wanted + len(document.related), hit + len(document.related & got)
        near, near_hit = near + len(close), near_hit + len(close & got)
    rules = ", ".join(f"{rule} {n[True]}/{n.total()}" for rule, n in sorted(by_rule.items()))
    return (
        f"pair recall {hit / wanted:.3f}, in one sentence {near_hit / near:.3f}; "
        f"precision of {linked} linked of {total}: {right / linked:.3f}\n           by rule: {rules}"
    )


def _entities_of(document: Document, name: str) -> list[int]:
    plain = normal(name)
    return [i for i, x in enumerate(document.entities) if any(same_name(plain, other) for other in x.names)]


def _share_sentence(document: Document, left: int, right: int) -> bool:
    return not document.entities[left].sentences.isdisjoint(document.entities[right].sentences)


SETS: dict[str, tuple[Callable[[Path], list[Document]], Callable[..., str]]] = {
    "gold": (gold, score_pairs),
    "kg_rag": (kg_rag, score_pairs),
    "redocred": (redocred, score_redocred),
    "musique": (musique, score_pairs),
}


def as_input(document: Document) -> ExtractionInput:
    spans = sentence_spans(document.text)
    return ExtractionInput(document.text, document.title, document.published, spans)


def print_sample(folder: Path, extractor: RuleExtractor, count: int, seed: int) -> None:
    lines = []
    for extraction in extractor.extract(map(as_input, wikinews(folder))):
        for claim in extraction.claims:
            for x in claim.triples:
                marks = f"{x.rule} {x.confidence}{' NOT' * x.negated} {x.attributed_to}"
                ends = f"{x.subject} ({x.subject_type}) | {x.predicate} | {x.object} ({x.object_type})"
                lines.append(f"{ends}  [{marks}]\n    {claim.text}")
    print(f"{len(lines)} triples; {count} drawn with seed {seed}:")
    print("\n".join(random.Random(seed).sample(lines, min(count, len(lines)))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(SETS), help="which annotated sets, with commas between")
    parser.add_argument(
        "--wikinews", type=int, default=0, metavar="N", help="print N random triples to judge by eye"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of that sample")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        print("No data: set HOPGRADE_SHARED to the folder that holds data/.")
        return 2
    extractor = RuleExtractor()
    print(extractor.name)
    sentences, seconds = 0, 0.0
    for name in filter(None, options.sets.split(",")):
        load, score = SETS[name]
        documents = load(folder)
        inputs = [as_input(document) for document in documents]
        start = time.process_time()
        extractions = list(extractor.extract(inputs))
        seconds += time.process_time() - start
        sentences += sum(len(item.sentences) for item in inputs)
        print(f"{name:10} {score(documents, extractions)}", flush=True)
    if seconds:
        print(f"{sentences / seconds:.0f} sentences a CPU-second ({sentences} in {seconds:.1f} s)")
    if options.wikinews:
        print_sample(folder, extractor, options.wikinews, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
