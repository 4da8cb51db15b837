import json
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.evaluate.resolution_gold import evaluate_merging, evaluate_resolution
from services.evaluate.resolution_rows import (
    AliasRow,
    ExpressionRow,
    SurfaceRow,
    detect_format,
    read_rows,
)
from tests import small_world
from tests.examples import read_examples

Rows = list[dict[str, object]]


def gold_file(folder: Path, rows: Rows, name: str = "gold.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def surfaces(*names: str) -> Rows:
    return [{"surface": name, "count": 1, "chunks": ["c1"]} for name in names]


KG_RAG: Rows = [
    {
        "canonical_name": "Ana Brel",
        "type": "PERSON",
        "aliases": surfaces("Ana Brel", "Dr. Ana Brel", "The Owl"),
    },
    {"canonical_name": "Vell", "type": "PLACE", "aliases": surfaces("Vell")},
    {"canonical_name": "the Vell", "type": "PLACE", "aliases": surfaces("the Vell")},
]


def test_kg_rag_worked_by_hand(tmp_path: Path) -> None:
    """Merged: the two Ana Brels, and Vell with the Vell, which gold keeps apart; the Owl is missed."""
    scores = evaluate_merging(gold_file(tmp_path, KG_RAG))
    assert (scores.exact_precision.right, scores.exact_precision.n) == (1, 2)
    assert (scores.exact_recall.right, scores.exact_recall.n) == (1, 3)
    assert scores.b_cubed.items == 5
    assert scores.b_cubed.precision == pytest.approx((1 + 1 + 1 + 0.5 + 0.5) / 5)
    assert scores.b_cubed.recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    assert scores.errors[0].startswith('wrongly one: "Vell" (Vell), "the Vell" (the Vell)')
    assert scores.errors[1] == "apart: Ana Brel: Ana Brel, Dr. Ana Brel | The Owl"


def test_the_format_is_read_off_the_first_row(tmp_path: Path) -> None:
    seed = Path(__file__).parents[3] / "seed" / "gold"
    assert detect_format(seed / "aliases.jsonl") == "seed-aliases"
    assert detect_format(seed / "contextual.jsonl") == "seed-contextual"
    assert detect_format(gold_file(tmp_path, KG_RAG)) == "kg_rag"


@pytest.mark.parametrize("text", ["", "[1]\n", "{\n", '{"other": 1}\n'])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        detect_format(path)
    assert caught.value.remedy


def test_a_row_that_lacks_a_field_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gold.jsonl:2: a row of kg_rag lacks aliases"):
        evaluate_merging(gold_file(tmp_path, [KG_RAG[0], {"canonical_name": "x"}]))


@pytest.mark.parametrize(
    ("kind", "row", "where"),
    [
        (AliasRow, {"name": 5, "aliases": []}, "name"),
        (AliasRow, {"name": "Ana", "aliases": "Anna"}, "aliases"),
        (AliasRow, {"name": "Ana", "aliases": [{"alias": "Anna"}]}, "aliases.0.articles"),
        (ExpressionRow, {"expression": "she", "entity": "Ana", "articles": 3}, "articles"),
        (SurfaceRow, {"canonical_name": "Ana", "type": "PERSON", "aliases": ["Anna"]}, "aliases.0"),
    ],
)
def test_a_row_with_a_wrong_value_is_refused_with_its_line_and_field(
    tmp_path: Path, kind: type[AliasRow], row: dict[str, object], where: str
) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(f"\n{json.dumps(row)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"gold.jsonl:2: {where} of this row"):
        read_rows(path, kind)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read: there is no such file"):
        detect_format(tmp_path / "no.jsonl")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="can't be read: it is no UTF-8 text"):
        detect_format(path)


ALIASES: Rows = list(read_examples("services/evaluate/resolution_gold")["aliases"])
EXPRESSIONS: Rows = [
    {"expression": "Venning", "entity": "Orla Venning", "articles": ["prize"], "sentence": ""},
    {"expression": "the old lion", "entity": "Otto Pelham", "articles": ["history"], "sentence": ""},
]


def test_a_corpus_in_the_graph_against_both_seed_formats(graph: Graph, corpus: str, tmp_path: Path) -> None:
    small_world.ingest(graph, corpus, ("board", "history", "prize"))
    build_graph(graph, corpus, small_world.OPTIONS.build, small_world.tools(), Silent())
    path = gold_file(tmp_path, ALIASES, "aliases.jsonl")
    scores = evaluate_resolution(path, "seed-aliases", graph, corpus)
    assert (scores.names, scores.missing) == (6, 1)
    assert scores.errors[-1] == 'not in the graph: "the Quacks" (Norholm Health Board) in history'
    assert (scores.exact_precision.right, scores.exact_precision.n) == (1, 1)
    assert (scores.exact_recall.right, scores.exact_recall.n) == (1, 4)
    assert (scores.found_recall.right, scores.found_recall.n) == (1, 2)
    assert (scores.context_precision.right, scores.context_precision.n) == (1, 1)
    assert (scores.context_recall.right, scores.context_recall.n) == (1, 1)
    scores = evaluate_resolution(
        gold_file(tmp_path, EXPRESSIONS, "contextual.jsonl"), "seed-contextual", graph, corpus
    )
    assert (scores.context_recall.right, scores.context_recall.n) == (1, 2)
    assert (scores.context_precision.right, scores.context_precision.n) == (1, 1)
    assert scores.errors == ('missed: "the old lion" is Otto Pelham in history (no such name in the graph)',)
