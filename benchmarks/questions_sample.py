"""Kept questions drawn at random, each with the sentences that it rests on, to be read by eye.

    python -m benchmarks.questions_sample --corpus NAME [--per-depth 15] [--per-kind 8] [--seed 1] [--json]
    python -m benchmarks.questions_sample --corpus NAME --sheets FOLDER [--per-depth 15] ...
    python -m benchmarks.questions_sample --labels docs/evaluation/questions
    python -m benchmarks.questions_sample --verdicts docs/evaluation/facts/untouched_questions.jsonl

Uses the graph that `kg` uses. The questions of a depth or kind are put into the order of their ids and drawn
with the seed, so the same questions give the same sample. What was read stands in
docs/evaluation/questions-read.md. `--sheets` writes read.jsonl, instructions.md and key.json for readers,
who fill in copies in labels/NAME of that folder; `--labels` prints what they found, with Wilson's intervals,
and how far they agree. `--verdicts` counts what a reader wrote down: a JSON line a question, with its `set`,
its `hops` and the `verdict`.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.model_results import Json
from benchmarks.model_sheets import question_rows
from benchmarks.model_tables import (
    AGREED,
    NO,
    YES,
    Labels,
    agreements,
    format_interval,
    read_labels,
    said_of,
    table,
)
from kg.connect import open_graph
from kg.corpus import require_corpus
from kg.paths.protocol import DEPTHS
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.questions.choice import KINDS
from services.questions.draft import QuestionKind
from services.statistics.intervals import wilson

ALL = 1_000_000_000
FIELDS = ("reads", "right", "only", "hops", "wrong")
"""What readers say of each question, beside a remark."""

INSTRUCTIONS = """# How to read these questions

Copy read.jsonl into labels/YOUR-NAME beside it and fill in the empty fields with "yes" or "no". Work alone,
and don't open key.json. `chain` has each fact that the question rests on, with its sentence; `passages` are
the texts that these are from. Judge by the passages alone, not by what you know of the world.

- `reads`: English that somebody understands at the first reading, with fitting nouns for what it describes.
- `right`: the sentences say that the answer is right. Pronouns and names are understood as the passages mean
  them. Of a null question (answer "Insufficient information."): it rests on nothing that is false, and the
  passages don't answer it.
- `only`: the passages hold no other answer that is as good.
- `hops`: every hop is needed: none of the facts can be left out, and no single sentence gives two of them
  away at once. Of other kinds than chains: both facts are needed to answer.
- `wrong`: "yes" where the question does harm in a test: its answer is wrong, it states something that the
  passages don't say, or it makes no sense. A clumsy question with a right answer is not wrong.
- `remark`: why, in a few words, wherever something is amiss.
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence that a question rests on; `fact` is the hop of a chain that was made of it, else empty."""

    article: str
    source: str
    sentence: str
    fact: str


@dataclass(frozen=True, slots=True)
class Sampled:
    """A drawn question; `hops` counts its facts."""

    id: str
    kind: str
    hops: int
    text: str
    answer: str
    evidence: tuple[Evidence, ...]


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", help="name of the corpus")
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="count the verdicts of a file instead")
    parser.add_argument("--per-depth", type=int, default=15, metavar="N", help="chain questions of a depth")
    parser.add_argument("--per-kind", type=int, default=8, metavar="N", help="questions of each other kind")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--sheets", type=Path, metavar="FOLDER", help="write sheets for readers instead")
    parser.add_argument("--labels", type=Path, metavar="FOLDER", help="count what readers wrote instead")
    given = parser.parse_args()
    if given.verdicts or given.labels:
        print(verdict_table(given.verdicts) if given.verdicts else label_tables(given.labels))
        return
    if not given.corpus:
        parser.error("give --corpus, --labels or --verdicts")
    with open_graph(Settings(), Silent()) as graph:
        require_corpus(graph, given.corpus)
        drawn = draw(graph, given.corpus, given.per_depth, given.per_kind, given.seed)
        if given.sheets:
            write_sheet(graph, drawn, given.sheets, given.seed)
            return
        questions = [read(graph, id_) for id_ in drawn]
    if given.json:
        print(json.dumps([asdict(one) for one in questions], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(map(as_text, questions)))


def write_sheet(graph: Graph, drawn: Sequence[str], folder: Path, seed: int) -> None:
    """The sheet with empty fields, its key and what the fields mean."""
    shown, hidden = zip(*question_rows(graph, drawn), strict=True)
    empty = dict.fromkeys((*FIELDS, "remark"), "")
    lines = [{"number": number, **row, **empty} for number, row in enumerate(shown, start=1)]
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "read.jsonl").write_text(text, encoding="utf-8")
    key = {"seed": seed, "read": hidden}
    (folder / "key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (folder / "instructions.md").write_text(INSTRUCTIONS, encoding="utf-8")


def label_tables(folder: Path) -> str:
    """What readers found by depth, form and kind, counts with Wilson's interval, and their agreement."""
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))["read"]
    labels = read_labels(folder, "read", len(key), FIELDS)
    groups: dict[str, list[int]] = {}
    for number, row in enumerate(key, start=1):
        chain = row["kind"] == "chain"
        names = ["chains", f"{row['hops']} hops", row["generator"]] if chain else ["other kinds", row["kind"]]
        for name in names:
            groups.setdefault(name, []).append(number)
    fields = [*FIELDS, "all"]
    said = {who: {field: said_of(lines, field) for field in fields} for who, lines in _summed(labels).items()}
    rows = [
        [
            name,
            who,
            *(_share([found[field][n] == YES for n in numbers if n in found[field]]) for field in fields),
        ]
        for name, numbers in groups.items()
        for who, found in said.items()
    ]
    alike = [
        [field, *line] for field in fields for line in agreements({who: said[who][field] for who in said})
    ]
    return f"{table(['questions', 'reader', *fields], rows)}\n\n{table(AGREED, alike)}"


def _summed(labels: Labels) -> dict[str, dict[int, Json]]:
    """The labels with `all`: whether the first four are a yes and `wrong` is none."""
    good = {field: NO if field == "wrong" else YES for field in FIELDS}
    return {
        who: {
            number: line | {"all": YES if all(line[field] == good[field] for field in good) else NO}
            for number, line in lines.items()
        }
        for who, lines in labels.items()
    }


def _share(hits: Sequence[bool]) -> str:
    found = f"{sum(hits)} of {len(hits)}"
    return (
        f"{found}: {sum(hits) / len(hits):.2f} ({format_interval(wilson(sum(hits), len(hits)))})"
        if hits
        else found
    )


def verdict_table(file: Path) -> str:
    """How many questions of each set and depth a reader found right, awkward and wrong, as Markdown."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    counts = Counter((row["set"], hops, row["verdict"]) for row in rows for hops in (row["hops"], "all"))
    lines = [
        "| set | hops | read | right and readable | awkward | wrong |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, hops in dict.fromkeys((one, depth) for one, depth, _ in sorted(counts, key=str)):
        found = [counts[name, hops, verdict] for verdict in ("right", "awkward", "wrong")]
        cells = (f"{one} ({one / sum(found):.0%})" for one in found)
        lines.append(f"| {name} | {hops} | {sum(found)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(graph: Graph, corpus: str, per_depth: int, per_kind: int, seed: int) -> list[str]:
    """Ids of kept questions: so many chains of each depth, then so many of each other kind."""
    generator = random.Random(seed)
    drawn: list[str] = []
    for hops in DEPTHS:
        drawn += _some(_kept(graph, corpus, "chain", [hops]), per_depth, generator)
    for kind in KINDS[1:]:
        drawn += _some(_kept(graph, corpus, kind, []), per_kind, generator)
    return drawn


def _kept(graph: Graph, corpus: str, kind: QuestionKind, hops: Sequence[int]) -> list[str]:
    rows = graph.rows(
        query("questions/list_questions"),
        corpus=corpus,
        hops=list(hops),
        kinds=[kind],
        status="kept",
        rejected_by="",
        limit=ALL,
    )
    return sorted(row["id"] for row in rows)


def _some(ids: Sequence[str], number: int, generator: random.Random) -> list[str]:
    return generator.sample(ids, min(number, len(ids)))


def read(graph: Graph, question: str) -> Sampled:
    """A question with its evidence, in the order of its facts."""
    row = graph.rows(query("questions/read_question"), id=question)[0]
    found = row["question"]
    return Sampled(
        question,
        found["kind"],
        found["hops"],
        found["text"],
        found["answer"],
        tuple(
            Evidence(hop["article"] or "", hop["source"] or "", hop["sentence"], _fact(hop))
            for hop in row["hops"]
        ),
    )


def _fact(hop: Row) -> str:
    return f"{hop['subject']} | {hop['predicate']} | {hop['object']}" if hop["predicate"] else ""


def as_text(question: Sampled) -> str:
    """The question as somebody reads it who checks it."""
    lines = [f"{question.id}  {question.kind}, {question.hops} hops", f"Q: {question.text}"]
    lines.append(f"A: {question.answer}")
    for number, one in enumerate(question.evidence, start=1):
        told = ", ".join(part for part in (one.source, repr(one.article), one.fact) if part)
        lines.append(f"  {number}. {one.sentence}  ({told})")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
