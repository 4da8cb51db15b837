"""Sheets for readers who judge what a model made: nothing on them tells what the model or a rule thought.

    triples.jsonl, links.jsonl, questions.jsonl, known.jsonl, answers.jsonl    what to label, from 1 on
    key.json                                                       what each number is; not for the readers

`known` are the questions that fell because the model answered them without the articles: another model, or
newer articles, would have kept them or seen them fall at a later check.

A reader copies the sheets into a folder labels/NAME beside them, and writes "yes" or "no" into the empty
fields. The same graph and seed give the same sheets.
"""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.model_results import Json, kept_questions, known_questions
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.graph_quality import read_named_statements
from tests.model_path import Manifest

T = TypeVar("T")

TRIPLES, LINKS, ANSWERS = 100, 100, 100
STATEMENTS = 3
"""Shown for each side of a link."""
FIELDS = {
    "triples": ("right",),
    "links": ("right",),
    "questions": ("right", "readable", "allegation"),
    "known": ("right", "readable", "allegation"),
    "answers": ("right",),
}
"""The fields of each sheet that readers fill in."""

INSTRUCTIONS = """# How to label these sheets

Copy each sheet into labels/YOUR-NAME beside them and write "yes" or "no" into its empty fields. Work alone,
and don't open key.json: it says what rules and models thought.

- triples.jsonl, `right`: the sentence says what the triple says; its ends can be told without the sentence,
  the relation holds between them in this direction, and a negation or a source is not lost. Where
  `attributed_to` names somebody the triple is kept as that one's word, not as a fact. A detail left out is no
  fault where the triple doesn't mislead without it.
- links.jsonl, `right`: a and b mean the same; "everywhere" or "in these statements", as `where` says.
- questions.jsonl and known.jsonl, `right`: the sentences of the chain say that the answer is right, and no
  other answer fits; `readable`: it is English that somebody understands at the first reading; `allegation`:
  it states as a fact what somebody only alleges, suspects or plans.
- answers.jsonl, `right`: the given answer says the same as one of the accepted ones, and nothing that
  contradicts it.
"""


def write_sheets(graph: Graph, manifest: Manifest, folder: Path, seed: int) -> dict[str, int]:
    """Draw and write all sheets and the key; how many rows each sheet has."""
    chance = random.Random(seed)
    corpus, model = manifest.corpus, manifest.settings["HOPGRADE_MODEL"]
    parts = {
        "triples": list(_triples(graph, _some(_all_triples(graph, corpus), TRIPLES, chance))),
        "links": _some(
            [*_exact_links(graph, corpus, model), *_contextual_links(graph, corpus, model)], LINKS, chance
        ),
        "questions": list(question_rows(graph, [row["id"] for row in kept_questions(graph, corpus)])),
        "known": list(question_rows(graph, [row["id"] for row in known_questions(graph, corpus)])),
        "answers": _some(list(_judged_answers(graph, corpus)), ANSWERS, chance),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in parts.items():
        lines = [
            {"number": number, **shown, **dict.fromkeys(FIELDS[name], "")}
            for number, (shown, _) in enumerate(rows, start=1)
        ]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    key = {"seed": seed} | {name: [hidden for _, hidden in rows] for name, rows in parts.items()}
    (folder / "key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (folder / "instructions.md").write_text(INSTRUCTIONS, encoding="utf-8")
    return {name: len(rows) for name, rows in parts.items()}


def _some(items: Sequence[T], most: int, chance: random.Random) -> list[T]:
    return chance.sample(items, min(most, len(items)))


def _all_triples(graph: Graph, corpus: str) -> list[Row]:
    rows = graph.rows(query("facts/read_triples"), corpus=corpus)
    return sorted(rows, key=lambda row: str(row["id"]))


def _triples(graph: Graph, rows: Sequence[Row]) -> Iterator[tuple[Json, Json]]:
    claims = _by_id(graph, "claims/read_claims", [row["claim"] for row in rows])
    for row in rows:
        claim = claims[row["claim"]]
        shown = {name: row[name] for name in ("subject", "predicate", "object", "negated", "attributed_to")}
        told = {"claim": claim["text"], "sentence": claim["sentence"], "article": claim["title"]}
        yield shown | told, {"id": row["id"], "cluster": row["article"]}


def _exact_links(graph: Graph, corpus: str, model: str) -> Iterator[tuple[Json, Json]]:
    merged = [row["id"] for row in graph.rows(query("links/list_merged"), corpus=corpus)]
    for row in graph.read_in_batches(query("links/read_merged"), merged, sentences=0):
        for alias in row["aliases"]:
            if by_model(alias["evidence"], model):
                ends = [(row["id"], name) for name in (row["name"], alias["name"])]
                yield _link(graph, "everywhere", ends, [], [alias["evidence"]])


def _contextual_links(graph: Graph, corpus: str, model: str) -> Iterator[tuple[Json, Json]]:
    pairs = graph.rows(query("links/count_contexts"), corpus=corpus)
    for row in graph.rows(query("links/read_pairs"), rows=pairs, sentences=0):
        found = [one for one in row["clusters"] if by_model(one["evidence"], model)]
        if found:
            ends = [(row[side]["id"], row[side]["name"]) for side in ("a", "b")]
            said = sorted({one["evidence"] for one in found})
            yield _link(graph, "in these statements", ends, [one["cluster"] for one in found], said)


def _link(
    graph: Graph, where: str, ends: Sequence[tuple[str, str]], clusters: Sequence[str], said: Sequence[str]
) -> tuple[Json, Json]:
    """A link between two (id, name); in some clusters, or everywhere, where each name is looked for."""
    shown: Json = {"where": where}
    articles = []
    for side, (id_, name) in zip("ab", ends, strict=True):
        statements = read_named_statements(graph, id_, "" if clusters else name, clusters, STATEMENTS)
        shown |= {side: name, f"statements_{side}": statements}
        articles += [row["article"] for row in statements]
    names = {side: name for side, (_, name) in zip("ab", ends, strict=True)}
    return shown, names | {"said": list(said), "cluster": articles[0] if articles else names["a"]}


def by_model(evidence: str, model: str) -> bool:
    """Whether a link is the model's: its evidence is the model's name, mostly with a reason behind it."""
    return evidence == model or evidence.startswith(f"{model}: ")


def question_rows(graph: Graph, ids: Iterable[str]) -> Iterator[tuple[Json, Json]]:
    """What a sheet shows of each question, with the passages it rests on, and what its key says of it."""
    for id_ in ids:
        row = graph.rows(query("questions/read_question"), id=id_)[0]
        question = row["question"]
        chunks = list(dict.fromkeys(one["chunk"] for one in row["evidence"]))
        passages = _by_id(graph, "chunks/read_shown", chunks)
        claims = _by_id(graph, "claims/read_claims", [hop["claim"] for hop in row["hops"]])
        shown = {
            "question": question["text"],
            "answer": question["answer"],
            "accepted": question["accepted"],
            "kind": question["kind"],
            "chain": [
                {
                    "fact": [hop["subject"], hop["predicate"], hop["object"]],
                    "claim": claims[hop["claim"]]["text"],
                    "sentence": hop["sentence"],
                    "article": hop["article"],
                }
                for hop in row["hops"]
            ],
            "passages": [_passage(passages[chunk]) for chunk in chunks],
        }
        article = row["hops"][-1]["article"] if row["hops"] else id_
        hidden = {name: question[name] for name in ("kind", "hops", "generator")}
        yield shown, {"id": id_} | hidden | {"cluster": article}


def _passage(row: Row) -> Json:
    return {"title": row["title"], "text": row["body"][row["start"] : row["end"]]}


def _judged_answers(graph: Graph, corpus: str) -> Iterator[tuple[Json, Json]]:
    """The answers of all runs on which a judge was asked, in an order that tells nothing of the verdict."""
    for run in graph.rows(query("runs/list_runs"), corpus=corpus):
        name = run_id(corpus, run["name"])
        record = graph.rows(query("runs/read_record"), run=name)[0]["run"]
        rows = graph.rows(
            query("answers/list_for_judge"),
            run=name,
            judge=record.get("judge") or "",
            scale=record.get("judge_scale") or "",
        )
        for row in rows:
            if row["prompt"]:
                shown = {
                    "question": row["question"],
                    "accepted": list(dict.fromkeys((row["key"], *row["accepted"]))),
                    "given": row["text"],
                }
                yield (
                    shown,
                    {"id": row["id"], "run": run["name"], "judge": row["right"], "cluster": row["question"]},
                )


def _by_id(graph: Graph, statement: str, ids: Iterable[str]) -> dict[str, Row]:
    wanted = list(dict.fromkeys(ids))
    return {row["id"]: row for row in graph.rows(query(statement), ids=wanted)}
