"""Measures of rankings: by hand, and against `ir_measures`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.statistics.rankings import MEASURES, Official, found_at, multihop_rag_official
from tests.examples import read_examples

ir_measures = pytest.importorskip("ir_measures", reason="the extra [benchmark] is not installed")

IDS = [f"p{number}" for number in range(14)]
NAMES_THERE: dict[str, str] = read_examples("services/statistics/rankings")["names_there"]


def measured(ranking: list[str], gold: list[list[str]]) -> dict[str, float]:
    found = found_at(ranking, gold)
    return {name: measure(found) for name, measure in MEASURES.items()}


def test_an_example_by_hand() -> None:
    ranking = ["a", "x", "b", "y", "z", "c"]
    found = found_at(ranking, [["a"], ["b"], ["d"]])
    assert found == [1, 3, None]
    values = measured(ranking, [["a"], ["b"], ["d"]])
    assert values["Recall@2"] == pytest.approx(1 / 3)
    assert values["Recall@5"] == pytest.approx(2 / 3)
    assert values["AllGold@10"] == 0
    assert (values["Hits@4"], measured(ranking, [["d"], ["z"]])["Hits@4"]) == (1, 0)
    assert values["MRR@10"] == 1
    assert values["MAP@10"] == pytest.approx((1 / 1 + 2 / 3) / 3)
    assert values["nDCG@10"] == pytest.approx((1 + 1 / 2) / (1 + 0.6309297536 + 1 / 2))
    assert measured(ranking, [["a"], ["b"]])["AllGold@5"] == 1


def test_any_passage_of_a_group_finds_the_piece_and_only_once() -> None:
    gold = [["a", "b"], ["c"]]
    assert found_at(["b", "a", "x"], gold) == [1, None]
    assert measured(["b", "a", "x"], gold)["Recall@2"] == 0.5
    assert measured(["b", "a", "c"], gold)["MAP@10"] == pytest.approx((1 + 2 / 3) / 2)


def test_nothing_retrieved_is_nothing_found() -> None:
    assert set(measured([], [["a"]]).values()) == {0.0}


@given(
    ranking=st.permutations(IDS).flatmap(lambda ids: st.integers(0, 14).map(lambda n: ids[:n])),
    gold=st.sets(st.sampled_from([*IDS, "nowhere"]), min_size=1, max_size=6),
)
def test_groups_of_one_are_what_ir_measures_computes(ranking: list[str], gold: set[str]) -> None:
    ours = measured(ranking, [[one] for one in gold])
    qrels = [ir_measures.Qrel("q", one, 1) for one in gold]
    run = [ir_measures.ScoredDoc("q", one, float(len(ranking) - place)) for place, one in enumerate(ranking)]
    wanted = {name: ir_measures.parse_measure(there) for name, there in NAMES_THERE.items()}
    theirs = ir_measures.calc_aggregate(list(wanted.values()), qrels, run)
    for name, measure in wanted.items():
        assert ours[name] == pytest.approx(theirs[measure], abs=1e-9), name


@given(
    ranking=st.permutations(IDS),
    gold=st.lists(st.lists(st.sampled_from(IDS), min_size=1, max_size=3), min_size=1, max_size=5),
)
def test_values_stay_between_0_and_1_and_all_gold_means_full_recall(
    ranking: list[str], gold: list[list[str]]
) -> None:
    values = measured(ranking, gold)
    assert all(0 <= value <= 1 + 1e-12 for value in values.values())
    assert (values["AllGold@10"] == 1) == (values["Recall@10"] == 1)
    assert values["Recall@2"] <= values["Recall@4"] <= values["Recall@5"] <= values["Recall@10"]


def test_the_official_way_by_hand() -> None:
    texts = ["nothing here", "The first fact.\nAnd the second one is long.", "The first  fact.", "third"]
    facts = ["the second one", "The first fact.", "missing"]
    # Both facts are new at rank 2: (2 / 2) / 3. At rank 3 one is found again, which adds nothing.
    assert multihop_rag_official(texts, facts) == Official(1.0, 1.0, 0.5, (2 / 2) / 3)


def test_the_official_way_counts_a_fact_across_blanks_and_line_ends_but_not_case() -> None:
    assert multihop_rag_official(["a b\nc"], ["ab c"]).hits_at_4 == 1
    assert multihop_rag_official(["A B C"], ["a b c"]).hits_at_4 == 0


def test_the_official_way_looks_no_further_than_ten() -> None:
    texts = ["x"] * 10 + ["fact"]
    assert multihop_rag_official(texts, ["fact"]) == Official(0, 0, 0, 0)
    assert multihop_rag_official(texts[1:], ["fact"]) == Official(0, 1, 0.1, 0.1)
    assert multihop_rag_official(["x"] * 4 + ["fact"], ["fact"]).hits_at_4 == 0
