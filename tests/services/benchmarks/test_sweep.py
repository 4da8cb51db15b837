"""The same questions under other chunk sizes and numbers of passages, answered anew."""

import json
from dataclasses import asdict, replace

import pytest
from pydantic import TypeAdapter

from kg.corpus import corpus_id, drop_corpus, own_corpora, read_settings
from kg.errors import CorpusError
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.benchmarks.sweep import SweepRow, plan_settings, split_change, sweep
from services.benchmarks.sweep_report import change_sentences, sweep_markdown, sweep_verdict
from services.rag.run_options import RunOptions
from services.report.content import Rate
from services.statistics.paired import PairedComparison


def share(value: float | None, n: int = 10) -> Rate:
    return Rate("", n if value is not None else 0, 0, value, None)


def row(found: float, wrong_found: float | None, wrong_missed: float | None) -> SweepRow:
    parts = (found * (wrong_found or 0), (1 - found) * (wrong_missed or 0))
    return SweepRow(
        "builtin", "", 10, None, share(sum(parts)), share(found), share(wrong_found), share(wrong_missed)
    )


@pytest.mark.parametrize(
    ("before", "after", "retrieval", "reasoning"),
    [
        # Errors .5 x .2 + .5 x .8 = .5, then .8 x .2 + .2 x .8 = .32: only more was found.
        (row(0.5, 0.2, 0.8), row(0.8, 0.2, 0.8), -0.18, 0.0),
        # .5, then .5 x .4 + .5 x .8 = .6: as much was found, and read worse.
        (row(0.5, 0.2, 0.8), row(0.5, 0.4, 0.8), 0.0, 0.1),
        # .5, then .4: (.75 - .5) x ((.2 - .8) + (.3 - .7)) / 2 = -.125 of -.1.
        (row(0.5, 0.2, 0.8), row(0.75, 0.3, 0.7), -0.125, 0.025),
        # Everything was found before: what isn't found counts as it does afterwards. .3, then .2 + .5.
        (row(1.0, 0.3, None), row(0.5, 0.4, 1.0), 0.325, 0.075),
    ],
)
def test_a_change_is_split_into_what_was_found_and_the_rest(
    before: SweepRow, after: SweepRow, retrieval: float, reasoning: float
) -> None:
    parts = split_change(before, after)
    assert parts == pytest.approx((retrieval, reasoning))
    assert before.error.rate is not None
    assert after.error.rate is not None
    assert parts is not None
    assert sum(parts) == pytest.approx(after.error.rate - before.error.rate)


def test_a_sweep_answers_the_same_questions_under_each_setting(
    graph: Graph, small_corpus: str, corpus: str
) -> None:
    """Of the small corpus; with smaller chunks and fewer of them less of the evidence is found."""
    chosen = plan_settings(graph, small_corpus, [], ["24-64/8", "16-48/8", "16-48/8"])
    assert [str(one.size) for one in chosen] == ["16-48/8", "24-64/8"]
    names = [one.corpus(small_corpus) for one in chosen]
    try:
        rows = sweep(graph, small_corpus, chosen, (1, 10), RunOptions(), Settings(), Silent())
        again = sweep(graph, small_corpus, chosen, (1, 10), RunOptions(), Settings(), Silent())
        assert again == rows
        found = {(row.chunking, row.top): row for row in rows if row.hops is None}
        assert len(found) == 4
        kept = [
            row
            for row in graph.rows(query("questions/list_of_status"), corpus=small_corpus, status="kept")
            if row["kind"] == "chain"
        ]
        assert {row.error.n for row in found.values()} == {len(kept)}
        for (size, top), whole in found.items():
            assert whole.matrix is not None
            assert (whole.matrix.total.n, whole.matrix.total.errors) == (whole.error.n, whole.error.hits)
            depths = {row.hops: row.error.n for row in rows if (row.chunking, row.top) == (size, top)}
            by_depth = {cell.hops: cell.n for cell in whole.matrix.by_depth if cell.n}
            assert by_depth | {None: len(kept)} == depths
        assert "# Sweep of" in (written := sweep_markdown(small_corpus, rows))
        assert written.count("**Error rates, ") == 4
        # What a sweep makes beside a corpus leaves it the only one.
        found_names = own_corpora(graph)
        assert small_corpus in found_names
        assert not set(names) & set(found_names)
        assert TypeAdapter(list[SweepRow]).validate_json(json.dumps([asdict(one) for one in rows])) == rows
        own = str(chosen[0].size)
        one, ten = found[own, 1].found.rate, found[own, 10].found.rate
        assert one is not None
        assert ten is not None
        assert one < ten
        first = rows[len(rows) // 4 - 1]
        assert (first.chunking, first.top, first.by_retrieval, first.by_reasoning) == (own, 1, 0, 0)
        gained = found[own, 10].by_retrieval
        assert gained is not None
        assert gained < 0
    finally:
        for name in names:
            drop_corpus(graph, name)
    assert read_settings(graph, small_corpus) is not None


def test_the_verdict_names_the_setting_that_is_wrong_least() -> None:
    first = replace(row(0.5, 0.2, 0.8), chunking="small")
    other = replace(row(0.8, 0.2, 0.8), chunking="large")
    assert sweep_verdict([first]) == "With small, top 10 50% of 10 answers are wrong."
    assert sweep_verdict([first, other]) == (
        "large, top 10 is wrong least often: 32% of 10 answers, against 50% with small, top 10; there are "
        "too few clusters of questions for a test."
    )
    worse = sweep_verdict([other, first])
    assert worse == "No setting is wrong less often than the first, large, top 10: 32% of 10 answers."
    nothing = replace(first, error=share(None))
    assert sweep_verdict([nothing, other]) == "No question was answered under all settings."


def test_a_change_that_rounds_to_nothing_has_no_sign() -> None:
    first = replace(row(0.5, 0.2, 0.8), chunking="small")
    change = PairedComparison(10, 0, -0.004, None, None, None, None, None, None, None)
    other = replace(first, chunking="large", change=change, by_retrieval=-0.018, by_reasoning=-0.001)
    (told,) = change_sentences([first, other])
    assert told == "large, top 10: errors change by 0.00; by what is retrieved \u22120.02, by reasoning 0.00."


def test_a_corpus_of_somebody_else_is_not_overwritten(graph: Graph, small_corpus: str, corpus: str) -> None:
    (setting,) = plan_settings(graph, small_corpus, [], ["24-64/8"])
    other = setting.corpus(small_corpus)
    graph.rows(
        query("corpus/write_corpus"), id=corpus_id(other), corpus=other, settings={"embedder": "builtin"}
    )
    try:
        with pytest.raises(CorpusError, match="no part of a sweep"):
            sweep(graph, small_corpus, [setting], (1,), RunOptions(), Settings(), Silent())
    finally:
        drop_corpus(graph, other)
