"""TREC files: what `ir_measures` makes of them is what our own measures say."""

import random
from collections.abc import Sequence
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.benchmarks.export_run import QueryRanking, known_ids, qrels_lines, rankings, run_lines, trec_id
from services.statistics.rankings import MEASURES, found_at

THEIRS = {
    "Recall@2": "R@2",
    "Recall@5": "R@5",
    "Recall@10": "R@10",
    "MRR@10": "RR@10",
    "MAP@10": "AP@10",
    "Hits@4": "Success@4",
    "Hits@10": "Success@10",
    "nDCG@10": "nDCG@10",
}


def by_ir_measures(folder: Path, ranked: Sequence[QueryRanking]) -> dict[str, float]:
    (folder / "a.run").write_text("".join(run_lines(ranked, "a system")), encoding="utf-8")
    (folder / "a.qrels").write_text("".join(qrels_lines(ranked)), encoding="utf-8")
    found = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in THEIRS.values()],
        ir_measures.read_trec_qrels(str(folder / "a.qrels")),  # type: ignore[no-untyped-call]
        ir_measures.read_trec_run(str(folder / "a.run")),  # type: ignore[no-untyped-call]
    )
    return {str(measure): value for measure, value in found.items()}


def by_ours(ranked: Sequence[QueryRanking]) -> dict[str, float]:
    asked = [one for one in ranked if one.gold]
    found = [found_at(one.ranking, one.gold) for one in asked]
    return {theirs: sum(MEASURES[ours](one) for one in found) / len(asked) for ours, theirs in THEIRS.items()}


def test_a_worked_example() -> None:
    ranked = [
        QueryRanking("q1", ("d3", "d1", "d2", "d4"), (("d1",), ("d2", "d4"), ())),
        QueryRanking("q2", ("d9",), ()),
    ]
    assert list(run_lines(ranked, "my run")) == [
        "q1 Q0 d3 1 4 my%20run\n",
        "q1 Q0 d1 2 3 my%20run\n",
        "q1 Q0 d2+d4 3 2 my%20run\n",
        "q1 Q0 d4 4 1 my%20run\n",
        "q2 Q0 d9 1 1 my%20run\n",
    ]
    assert list(qrels_lines(ranked)) == ["q1 0 d1 1\n", "q1 0 d2+d4 1\n", "q1 0 missing-3 1\n"]


@st.composite
def apart(draw: st.DrawFn) -> list[QueryRanking]:
    """Queries whose pieces of gold share no document."""
    ranked = []
    for query in range(draw(st.integers(1, 4))):
        documents = [f"d{at}" for at in range(12)]
        order = draw(st.permutations(documents))
        sizes = draw(st.lists(st.integers(0, 3), max_size=4))
        gold, at = [], 0
        for size in sizes:
            gold.append(tuple(sorted(order[at : at + size])))
            at += size
        ranking = tuple(draw(st.permutations(documents))[: draw(st.integers(0, 12))])
        ranked.append(QueryRanking(f"q{query}", ranking, tuple(gold)))
    return ranked


@settings(max_examples=60)
@given(ranked=apart())
def test_ir_measures_agrees_where_pieces_share_no_document(
    tmp_path_factory: pytest.TempPathFactory, ranked: list[QueryRanking]
) -> None:
    assert not any(one.overlapping for one in ranked)
    if any(one.gold for one in ranked) and any(one.ranking for one in ranked):
        folder = tmp_path_factory.mktemp("trec")
        assert by_ir_measures(folder, ranked) == pytest.approx(by_ours(ranked))


def test_a_document_with_two_pieces_is_flagged_and_never_counts_for_more(tmp_path: Path) -> None:
    ranked = [QueryRanking("q1", ("d1", "d3", "d2"), (("d1",), ("d1", "d2")))]
    assert ranked[0].overlapping
    assert by_ours(ranked)["R@2"] == 1.0
    assert by_ir_measures(tmp_path, ranked)["R@2"] == 0.5
    assert by_ir_measures(tmp_path, ranked)["R@5"] == 1.0


def test_more_than_three_ids_are_not_all_named_and_names_stay_apart() -> None:
    gold = (tuple("abcde"), tuple("abcdf"))
    names = [line.split()[2] for line in qrels_lines([QueryRanking("q", (), gold)])]
    assert names == ["a+b+c+2-more", "a+b+c+2-more#2"]


@given(id_=st.text(min_size=1))
def test_an_id_never_breaks_a_line(id_: str) -> None:
    assert len(f"q Q0 {trec_id(id_)} 1".split()) == 4


@given(first=st.text(min_size=1), second=st.text(min_size=1))
def test_different_ids_stay_different(first: str, second: str) -> None:
    assert (trec_id(first) == trec_id(second)) == (first == second)


def test_ids_of_the_set_are_used_where_they_are_one_things_own() -> None:
    names = known_ids([("q-1", "7"), ("q-2", "8 b"), ("q-3", "8 b"), ("q-4", ""), ("q-1", "7")])
    assert names == {"q-1": "7", "q-2": "q-2", "q-3": "q-3", "q-4": "q-4"}


def test_scores_never_tie() -> None:
    documents = [f"d{at}" for at in range(100)]
    random.Random(0).shuffle(documents)
    scores = [float(line.split()[4]) for line in run_lines([QueryRanking("q", tuple(documents), ())], "x")]
    assert scores == sorted(set(scores), reverse=True)


def test_a_null_question_has_no_judgement() -> None:
    chunk = {"hop": 1, "chunk": "c", "article": "a", "given_id": ""}
    row = {"id": "q", "unmatched": 0, "evidence": [chunk], "retrieved": [chunk]}
    told, null = (next(rankings([row | {"type": one}], "chunk", {"q": "q"})) for one in ("inference", "null"))
    assert list(qrels_lines([told])) == ["q 0 c 1\n"]
    assert (null.ranking, list(qrels_lines([null]))) == (told.ranking, [])
