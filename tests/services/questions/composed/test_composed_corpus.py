"""Composed questions in a corpus: what is written, listed, exported, brought in again, asked and deleted."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from services.datasets.choose import choose_format
from services.datasets.export_dataset import ExportOptions, export_dataset
from services.datasets.import_dataset import import_dataset
from services.datasets.import_questions import import_questions
from services.datasets.records import QuestionRecord
from services.datasets.source import open_dataset
from services.questions.composed.pipeline import ComposeSize
from services.questions.composed.stage import ComposeJob, compose_stage, forget_composed
from services.questions.dataset import renew_version
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from services.web.views.page_question import QuestionView, read_question
from tests.conftest import ServerAddress
from tests.graph_reading import change, read, value
from tests.kg.store.test_async_graph import with_graph
from tests.kg_command import Ended, run_kg
from tests.small_world import tools

WANTED = ComposeSize(per_hops=5)
_FORGET_STAGE = """
CYPHER 25
MATCH (c:Corpus {name: $corpus}) REMOVE c.composed_fell, c.composed_reasons, c.composed_not_made
WITH c
MATCH (s:Stage {corpus: $corpus, name: 'composed'}) DETACH DELETE s
"""
_COUNT = "CYPHER 25 MATCH (q:Question {corpus: $corpus}) WHERE q.kind IN $kinds RETURN count(q) AS n"
_ANSWERS = """
CYPHER 25
MATCH (a:Answer {corpus: $corpus})
RETURN count(CASE WHEN EXISTS { (a)-[:TO]->(:Question {kind: 'sequential'}) } THEN 1 END) AS composed,
       count(CASE WHEN NOT EXISTS { (a)-[:TO]->() } THEN 1 END) AS dangling
"""


def job(graph: Graph, corpus: str, wanted: ComposeSize = WANTED) -> ComposeJob:
    return ComposeJob(graph, corpus, wanted, "rules", Settings(), tools().embedder, Silent())


def leave_as_before(graph: Graph, corpus: str) -> None:
    """Delete the composed questions of a corpus, and that there ever were any."""
    forget_composed(graph, corpus)
    change(graph, _FORGET_STAGE, corpus=corpus)
    renew_version(graph, corpus)


@pytest.fixture(scope="module")
def composed(graph: Graph, small_corpus: str) -> Iterator[str]:
    """The small world with composed questions beside its others."""
    compose_stage(job(graph, small_corpus))
    yield small_corpus
    leave_as_before(graph, small_corpus)


def records(graph: Graph, corpus: str) -> list[QuestionRecord]:
    found = open_dataset(graph, corpus, {}, 0).questions()
    return [one for one in found if one.kind in {"sequential", "parallel"}]


def test_every_hop_keeps_its_question_and_its_evidence(graph: Graph, composed: str) -> None:
    found = records(graph, composed)
    assert found
    for one in found:
        assert (one.kind, one.type, one.bin) == ("sequential", "inference", None)
        assert one.difficulty.keys() == {"min", "mean", "power"}
        assert [hop.hop for hop in one.hop_questions] == list(range(1, one.hops + 1))
        assert [hop.topology for hop in one.hop_questions] == ["start"] + ["inference"] * (one.hops - 1)
        assert [prefix.hops for prefix in one.prefixes] == list(range(1, one.hops))
        assert one.prefixes[0].text == one.hop_questions[0].text
        assert one.hop_questions[-1].answer == one.answer
        assert {gold.hop for gold in one.gold} == set(range(1, one.hops + 1))
        assert [fact.hop for fact in one.facts] == list(range(1, one.hops + 1))


def test_the_page_tells_each_hop_alone_and_the_question_up_to_it(
    graph: Graph, composed: str, server_address: ServerAddress
) -> None:
    one = max(records(graph, composed), key=lambda record: record.hops)

    async def read_view(opened: AsyncGraph) -> QuestionView | None:
        return await read_question(opened, composed, one.id)

    view = with_graph(server_address, read_view)
    assert view is not None
    assert [hop.text for hop in view.hop_questions] == [hop.text for hop in one.hop_questions]
    assert [hop.topology for hop in view.hop_questions] == [hop.topology for hop in one.hop_questions]
    assert [hop.so_far for hop in view.hop_questions] == [*(prefix.text for prefix in one.prefixes), one.text]


@pytest.mark.campaign
def test_what_is_there_stays_and_comes_again_the_same(graph: Graph, composed: str) -> None:
    before = records(graph, composed)
    assert not compose_stage(job(graph, composed)).ran
    assert compose_stage(job(graph, composed), again=True).ran
    assert records(graph, composed) == before


@pytest.mark.campaign
def test_other_options_compose_others(graph: Graph, composed: str) -> None:
    before = len(records(graph, composed))
    fewer = compose_stage(job(graph, composed, replace(WANTED, per_hops=1)))
    assert fewer.counts["kept"] == len(records(graph, composed)) < before
    compose_stage(job(graph, composed))
    assert len(records(graph, composed)) == before


def test_a_corpus_without_a_graph_has_nothing_to_compose(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match="not built yet"):
        compose_stage(job(graph, corpus))


@pytest.mark.campaign
@pytest.mark.usefixtures("kg_environment")
def test_the_command_tells_where_questions_fell_and_lists_show_them(
    composed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def kg(*arguments: str) -> Ended:
        return run_kg(capsys, monkeypatch, *arguments)

    told = kg("questions", "compose", "--per-hops", "5", "--corpus", composed, "--json").json
    (column,) = told["columns"]
    assert (column["kind"], column["hops"]) == ("sequential", 2)
    assert column["drawn"] == column["kept"] + sum(column["fell"].values())
    assert told["atoms"]["made"] == told["atoms"]["kept"] + sum(told["atoms"]["fell"].values())
    assert sum(sum(hops.values()) for hops in told["domains"].values()) == column["kept"]
    table = kg("questions", "compose", "--per-hops", "5", "--corpus", composed).out
    assert "Sequential questions" in table
    assert "Sequential questions" in kg("questions", "funnel", "--corpus", composed).out
    listed = kg("questions", "list", "--kind", "sequential,parallel", "--corpus", composed, "--json").json
    assert len(listed) == column["kept"]
    shown = kg("questions", "show", listed[0]["id"]).out
    assert "Its hops" in shown
    assert "inference" in shown
    refused = kg("questions", "compose", "--hops", "2,5", "--corpus", composed)
    assert refused.code == 2
    assert "Give some of 2, 3, 4" in refused.err


@pytest.mark.campaign
def test_our_own_format_and_the_tracer_rows_keep_every_hop(
    graph: Graph, composed: str, corpus: str, tmp_path: Path
) -> None:
    before = {one.text: one for one in records(graph, composed)}
    for name in ("hopgrade", "tracer"):
        options = ExportOptions(verify=True)
        export_dataset(graph, composed, choose_format(name), tmp_path / name, options, Silent())
    import_dataset(graph, corpus, tmp_path / "hopgrade", Settings(), Silent(), new_ids=True)
    brought = {one.text: one for one in records(graph, corpus)}
    assert brought.keys() == before.keys()
    for text, one in brought.items():
        assert [(hop.text, hop.topology, hop.accepted) for hop in one.hop_questions] == [
            (hop.text, hop.topology, hop.accepted) for hop in before[text].hop_questions
        ]
        assert [prefix.text for prefix in one.prefixes] == [prefix.text for prefix in before[text].prefixes]

    path = tmp_path / "tracer" / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["id"] in {one.id for one in before.values()}]
    row = rows[0]
    assert row["type"] == row["hop_2"]["qa_type"] == "inference"
    assert row["hop_2"]["final_question"] == row["final_question"]
    assert row["hop_1"]["doc"].startswith('"')

    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = import_questions(graph, corpus, path, "", tools().embedder, Silent())
    assert (found.form, found.questions, found.whole) == ("tracer", len(before), len(before))
    forget_composed(graph, corpus)
    assert not records(graph, corpus)
    atomic = value(graph, _COUNT, corpus=corpus, kinds=["atomic"])
    assert atomic == sum(one.hops for one in before.values())


@pytest.mark.campaign
def test_runs_ask_them_and_their_answers_go_with_them(graph: Graph, composed: str) -> None:
    ids = frozenset(one.id for one in records(graph, composed))
    options = RunOptions(system="single-step", name="of-composed", covers=ids)
    run = start_run(graph, composed, options, Settings(), tools().embedder, Silent())

    def answers() -> tuple[int, int]:
        (row,) = read(graph, _ANSWERS, corpus=composed)
        return row["composed"], row["dangling"]

    assert answers() == (len(ids), 0)
    forget_composed(graph, composed)
    assert answers() == (0, 0)
    assert value(graph, _COUNT, corpus=composed, kinds=["sequential", "parallel", "atomic"]) == 0
    drop_run(graph, composed, run)
    assert compose_stage(job(graph, composed)).ran
