"""Traces of runs over the small world: what is kept of each step, found again, logged, and deleted."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from kg.errors import NothingToDoError, SettingsError, UserError
from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.diagnose import diagnose
from services.evaluate.hop_traces import read_traces, read_traces_of, track_of
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from services.traces.logs import write_logs
from services.traces.shown import ShownTrace, find_trace, remarks_on, traces_of_run
from tests.graph_reading import change, read, value
from tests.small_world import tools

RUN = "traced"
LIMIT = 12
STEPS = "MATCH (s:Step {corpus: $corpus}) WHERE s.thought IS NOT NULL RETURN count(s)"
SAW = """
MATCH (:Run {id: $run})-[:GAVE]->(a)-[:TOOK]->(s:Step) WHERE s.retrieves
RETURN s.index AS index, s.top_k AS top_k,
       COLLECT { MATCH (s)-[t:SAW]->() RETURN t.rank ORDER BY t.rank } AS ranks,
       COLLECT { MATCH (s)-[:SAW]->(c) RETURN c.id } AS seen,
       COLLECT { MATCH (a)-[:RETRIEVED {step: s.index}]->(c) RETURN c.id } AS brought
"""


def started(graph: Graph, corpus: str) -> None:
    options = RunOptions(system="decomposition", name=RUN, top=4, question_limit=LIMIT)
    start_run(graph, corpus, options, Settings(), tools().embedder, Silent())


@pytest.fixture(scope="module")
def traced(graph: Graph, small_corpus: str) -> Iterator[str]:
    started(graph, small_corpus)
    yield small_corpus
    drop_run(graph, small_corpus, RUN)


@pytest.fixture(scope="module")
def traces(graph: Graph, traced: str) -> list[ShownTrace]:
    return list(traces_of_run(graph, traced, RUN))


def test_a_search_keeps_what_it_asked_for_and_saw(graph: Graph, traced: str) -> None:
    rows = read(graph, SAW, run=run_id(traced, RUN))
    assert len(rows) > LIMIT
    for row in rows:
        assert row["top_k"] == 4
        assert row["ranks"] == list(range(1, len(row["seen"]) + 1))
        # What the answer was read from, and this step brought first, this step saw.
        assert set(row["brought"]) <= set(row["seen"])
    assert any(row["brought"] for row in rows)


def test_a_trace_tells_where_each_hop_was_seen(traces: list[ShownTrace]) -> None:
    assert len(traces) == LIMIT
    for trace in traces:
        assert trace.system == "decomposition"
        assert [step.index for step in trace.steps] == list(range(1, len(trace.steps) + 1))
        assert all(step.seconds is not None for step in trace.steps)
        for hop in trace.chain:
            first = next((step.index for step in trace.steps if hop.hop in step.gold), None)
            assert hop.first_seen == first
    (chain, *_) = [one for one in traces if one.kind == "chain" and one.hops == 3]
    assert [hop.hop for hop in chain.chain] == [1, 2, 3]
    assert all(hop.fact and hop.evidence for hop in chain.chain)
    assert chain.chain[0].question
    assert chain.chain[2].answer == chain.gold
    # No prefix question was asked in this run.
    assert {hop.right for hop in chain.chain} == {None}


def test_a_trace_tells_why_it_failed_as_the_analysis_of_its_run_does(
    graph: Graph, traced: str, traces: list[ShownTrace]
) -> None:
    analysed = {
        one.answer: (one.failure, one.behaviours)
        for one in map(diagnose, read_traces(graph, run_id(traced, RUN)))
    }
    assert {one.answer: (one.failure, one.behaviours) for one in traces} == analysed
    assert any(one.failure is not None for one in traces)


@pytest.mark.campaign
def test_a_false_citation_and_an_answer_without_anything_read_are_remarked(
    graph: Graph, traced: str, traces: list[ShownTrace]
) -> None:
    (first, *_) = [one for one in traces if not one.abstained and not one.error]
    assert remarks_on(first) == ()
    mark = "MATCH (a:Answer {id: $id}) SET a.unknown_citations = $cited, a.passages_shown = $shown"
    change(graph, mark, id=first.answer, cited=2, shown=0)
    try:
        told = remarks_on(find_trace(graph, traced, first.answer))
        assert "cites 2 passages that were never shown" in told[0]
        assert "with no passage read" in told[1]
        (track,) = map(track_of, read_traces_of(graph, run_id(traced, RUN), [first.answer]))
        assert (track.miscited, track.unread) == (True, True)
    finally:
        change(graph, mark, id=first.answer, cited=0, shown=None)


def test_an_answer_is_found_by_either_id(graph: Graph, traced: str, traces: list[ShownTrace]) -> None:
    wanted = traces[3]
    assert find_trace(graph, traced, wanted.answer) == wanted
    assert find_trace(graph, traced, wanted.question, RUN) == wanted
    with pytest.raises(UserError, match="answered by 2 runs: 'single-step', 'traced'"):
        find_trace(graph, traced, wanted.question)
    with pytest.raises(NothingToDoError, match="no answer by run 'none' to a question"):
        find_trace(graph, traced, wanted.question, "none")


def test_logs_are_whole_and_number_the_questions(
    graph: Graph, traced: str, traces: list[ShownTrace], tmp_path: Path
) -> None:
    def now() -> datetime:
        return datetime(2031, 4, 2, 14, 15, 3)

    place = write_logs(graph, traced, RUN, tmp_path / "logs", now=now)
    again = write_logs(graph, traced, RUN, tmp_path / "logs", [traces[0].question], now)
    assert (place.name, again.name) == ("2031-04-02-141503-traced", "2031-04-02-141503-traced-2")
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == [place.name, again.name]
    queries = {f"query_{number}.md" for number in range(1, LIMIT + 1)}
    assert {path.name for path in place.iterdir()} == {*queries, "summary.md", "results.json"}
    results = json.loads((place / "results.json").read_text("utf-8"))
    answers, of_run = results["answers"], results["groups"][0]
    assert (of_run["right"], of_run["achieved"], of_run["iterations"]) == (
        sum(trace.correct for trace in traces),
        None,
        None,
    )
    assert [one["question_id"] for one in answers] == [trace.question for trace in traces]
    assert [one["file"] for one in answers] == [f"query_{number}.md" for number in range(1, LIMIT + 1)]
    right = sum(trace.correct for trace in traces)
    summary = (place / "summary.md").read_text("utf-8")
    assert f"{LIMIT} questions, {right} right, 0 errors." in summary
    causes = [(one.failure.cause, one.failure.hop, one.failure.why) for one in traces if one.failure]
    assert [(one["cause"], one["hop"], one["why"]) for one in answers if one["cause"]] == causes
    assert sum(causes[0][2] in line for line in summary.splitlines()) >= 1
    assert traces[5].text in (place / "query_6.md").read_text("utf-8")
    assert len(list(again.glob("query_*.md"))) == 1


def test_logs_of_a_goal_tell_how_it_ended(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    options = RunOptions(system="goal-seeking", name="seeking", top=4, question_limit=4)
    start_run(graph, small_corpus, options, Settings(), tools().embedder, Silent())
    try:
        place = write_logs(graph, small_corpus, "seeking", tmp_path)
    finally:
        drop_run(graph, small_corpus, "seeking")
    results = json.loads((place / "results.json").read_text("utf-8"))
    answers = results["answers"]
    assert {one["status"] for one in answers} <= {"achieved", "stopped"}
    assert all(1 <= one["iterations"] <= 5 for one in answers)
    lines = (place / "summary.md").read_text("utf-8").splitlines()
    (whole,) = (line for line in lines if line.startswith("| all |"))
    achieved = sum(one["status"] == "achieved" for one in answers)
    mean = sum(one["iterations"] for one in answers) / 4
    assert whole.endswith(f"| {achieved} ({achieved / 4:.1%}) | {mean:.1f} |")
    of_run, *parts = results["groups"]
    assert (of_run["group"], of_run["questions"]) == ("all", 4)
    assert (of_run["achieved"], of_run["stopped"], of_run["iterations"]) == (achieved, 4 - achieved, mean)
    assert sum(one["achieved"] for one in parts if one["group"].endswith(("hop", "hops"))) <= achieved
    assert (
        sum(line.endswith(f"| {answers[0]['status']} | {answers[0]['iterations']} |") for line in lines) >= 1
    )


def test_logs_that_can_t_be_written_leave_nothing(graph: Graph, traced: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="--logs DIR"):
        write_logs(graph, traced, RUN, tmp_path / "file")
    with pytest.raises(NothingToDoError):
        write_logs(graph, traced, "none", tmp_path / "logs")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_steps_from_before_they_had_chunks_show_those_of_the_answer(
    graph: Graph, traced: str, traces: list[ShownTrace]
) -> None:
    forgotten = (
        "MATCH (:Answer {id: $id})-[:TOOK]->(s) REMOVE s.retrieves WITH s MATCH (s)-[t:SAW]->() DELETE t"
    )
    change(graph, forgotten, id=traces[-1].answer)
    found = find_trace(graph, traced, traces[-1].answer)
    searches = [step for step in found.steps if step.retrieves]
    assert searches
    for step in searches:
        whole = next(one for one in traces[-1].steps if one.index == step.index)
        assert {one.chunk for one in step.seen} <= {one.chunk for one in whole.seen}


@pytest.mark.campaign
def test_steps_go_with_their_run(graph: Graph, small_corpus: str, traced: str) -> None:
    before = value(graph, STEPS, corpus=small_corpus)
    own = sum(len(trace.steps) for trace in traces_of_run(graph, traced, RUN))
    drop_run(graph, small_corpus, RUN)
    assert value(graph, STEPS, corpus=small_corpus) == before - own
    started(graph, small_corpus)
    assert value(graph, STEPS, corpus=small_corpus) == before
