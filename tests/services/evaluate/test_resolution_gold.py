import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.evaluate.resolution_gold import b_cubed, evaluate_merging, evaluate_resolution, pairwise, share
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


THINGS_OF = {"a": "1", "b": "1", "c": "1", "d": "2", "e": "2"}
FOUND_THINGS = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}


def test_pairs_worked_by_hand() -> None:
    """Found joins ab and cd, gold joins ab, ac, bc and de: one of two is right, one of four is found."""
    precision, recall = pairwise(FOUND_THINGS, THINGS_OF)
    assert (precision.right, precision.n, precision.rate) == (1, 2, 0.5)
    assert (recall.right, recall.n, recall.rate) == (1, 4, 0.25)
    assert precision.interval is not None
    assert precision.interval.low < 0.5 < precision.interval.high


def test_b_cubed_worked_by_hand() -> None:
    """Precision: a and b 1, c and d 1/2, e 1, so 4/5. Recall: a and b 2/3, c 1/3, d and e 1/2, so 8/15."""
    scores = b_cubed(FOUND_THINGS, THINGS_OF)
    assert scores.precision == pytest.approx(4 / 5)
    assert scores.recall == pytest.approx(8 / 15)
    assert scores.f1 == pytest.approx(2 * (4 / 5) * (8 / 15) / (4 / 5 + 8 / 15))


def test_the_example_of_bagga_and_baldwin() -> None:
    """Their chains 1-5, 6-7, 8-12 with the second and the third joined: precision 16/21, recall 1."""
    gold = {str(i): "A" if i <= 5 else "B" if i <= 7 else "C" for i in range(1, 13)}
    found = {item: "A" if chain == "A" else "BC" for item, chain in gold.items()}
    scores = b_cubed(found, gold)
    assert scores.precision == pytest.approx(16 / 21, abs=1e-9)
    assert scores.recall == 1


def test_nothing_is_no_rate_and_no_mistake() -> None:
    assert share([]).rate is None
    assert b_cubed({}, {}).f1 == 1
    with pytest.raises(ValueError, match="same items"):
        b_cubed({"a": "x"}, {})


ITEMS = st.dictionaries(
    st.integers(0, 20), st.tuples(st.sampled_from("xyz"), st.sampled_from("123")), min_size=1
)


@given(ITEMS)
def test_scores_are_shares_and_swap_with_their_arguments(items: dict[int, tuple[str, str]]) -> None:
    found = {item: pair[0] for item, pair in items.items()}
    gold = {item: pair[1] for item, pair in items.items()}
    scores, swapped = b_cubed(found, gold), b_cubed(gold, found)
    assert 0 < scores.precision <= 1
    assert (scores.precision, scores.recall) == pytest.approx((swapped.recall, swapped.precision))
    assert b_cubed(gold, gold).f1 == 1
