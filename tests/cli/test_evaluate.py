"""`kg evaluate`, as a team with a system of its own uses it, over the small world."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.store.graph import Graph, Row
from services.answers import INSUFFICIENT
from services.rag.model_generator import FROM_MEMORY
from services.runs.records import drop_run, list_runs
from tests.cli.command_tree import find
from tests.cli.conftest import Kg
from tests.examples import examples
from tests.gold_replies import gold_responder
from tests.graph_reading import read
from tests.kg_command import Ended
from tests.scripted_endpoint import Answer, Asked, Status, scripted_endpoint
from tests.web_system import Received, Sent, web_system

BASELINE = "single-step"
QUESTIONS = """
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, q.text AS text, q.answer AS answer,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(c:Chunk) RETURN DISTINCT c.id ORDER BY c.id } AS evidence
ORDER BY id
"""
MODULE = """
import asyncio

async def answer(question):
    await asyncio.sleep(0)
    return {"answer": "Greta Lindqvist", "retrieved": ["no such chunk at all in any article of this"]}
"""

BREAKS = """
print("printed at import")

def answer(question):
    print("printed at a question")
    if question.startswith("Wh"):
        raise ValueError("this one never works")
    return {"answer": "x", "retrieved": ["chunk-1"]}
"""


@pytest.fixture(autouse=True)
def _without_other_runs(graph: Graph, small_corpus: str) -> Iterator[None]:
    yield
    for row in list_runs(graph, small_corpus):
        if row["name"] != BASELINE:
            drop_run(graph, small_corpus, row["name"])


@pytest.fixture
def questions(graph: Graph, small_corpus: str) -> list[Row]:
    return read(graph, QUESTIONS, corpus=small_corpus)


def test_answers_of_a_file_are_compared_with_the_first_run_by_rules(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path
) -> None:
    rows: list[dict[str, object]] = [
        {"id": row["id"], "answer": row["answer"], "retrieved": row["evidence"]} for row in questions[1:]
    ]
    rows += [{"id": "nobody's", "answer": "x"}, {"id": questions[1]["id"], "answer": "again"}]
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ended = kg("evaluate", "answers", str(path), "--name", "ours-0.4", "--corpus", small_corpus)
    assert ended.code == 0, ended.err
    assert f"Error rate of ours-0.4 beside {BASELINE}" in ended.out
    assert f"Baseline: {BASELINE}, the first run of Hopgrade's own" in ended.out
    assert "Gate: kg run gate ours-0.4 --baseline single-step" in ended.out
    assert "no answer to 1 of the kept questions" in ended.err
    assert "rows set aside: 2" in ended.err
    assert f"{path}:{len(rows) - 1}: no kept question has the id" in ended.err
    page = tmp_path / "reports" / small_corpus / "ours-0.4.html"
    assert f"Report: {page.relative_to(tmp_path)}" in ended.out
    assert "ours-0.4" in page.read_text(encoding="utf-8")
    again = kg(
        "evaluate",
        "answers",
        str(path),
        "--name",
        "ours-0.4",
        "--corpus",
        small_corpus,
        "--json",
        "--no-report",
    ).json
    whole = again["error_rates"][0]
    assert (whole["scope"], whole["n"], whole["rate"]["rate"]) == ("all", len(questions) - 1, 0)
    assert (again["report"], again["not_answered"], len(again["set_aside"])) == (None, 1, 2)
    assert again["retrieval"]["unaligned_texts"] == 0


@pytest.mark.campaign
def test_what_a_file_leaves_out_can_count_as_wrong(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path
) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"question": questions[0]["text"], "answer": "x"}), encoding="utf-8")
    ended = kg(
        "evaluate",
        "answers",
        str(path),
        "--missing-as-errors",
        "--no-report",
        "--corpus",
        small_corpus,
        "--json",
    )
    assert (ended.json["answers"], ended.json["errors"]) == (len(questions), len(questions) - 1)


def test_an_endpoint_is_asked_and_a_second_start_asks_nothing(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path
) -> None:
    known = {row["text"]: row["answer"] for row in questions}

    def respond(request: Received) -> Sent:
        body = request.body
        assert isinstance(body, dict)
        return Sent({"out": {"text": known[body["q"]]}, "found": []})

    (tmp_path / "rag.yaml").write_text(
        'request: {body: {q: "{question}"}}\nresponse: {answer: out.text, retrieved: found}\n'
    )
    with web_system(respond) as web:
        call = (
            "evaluate",
            "endpoint",
            web.url,
            "--map",
            "rag.yaml",
            "--name",
            "ours",
            "--model",
            "gpt-x",
            "--corpus",
            small_corpus,
        )
        first = kg(*call, "--limit", "5", "--baseline", "none")
        assert first.code == 0, first.err
        assert "Error rate of ours" in first.out
        assert "Gate" not in first.out
        assert len(web.received) == 5
        kg(*call, "--limit", "5")
        assert len(web.received) == 5
        assert kg(*call, "--json").json["answers"] == len(questions)
        assert len(web.received) == len(questions)
    runs = kg("run", "list", "--corpus", small_corpus, "--json").json
    assert [row["generator"] for row in runs if row["name"] == "ours"] == ["gpt-x"]


def test_a_slip_in_the_map_of_what_is_retrieved_is_told_before_all_are_asked(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path
) -> None:
    form = 'request: {{body: {{q: "{{question}}"}}}}\nresponse: {{answer: answer, retrieved: {}}}\n'
    (tmp_path / "slip.yaml").write_text(form.format("docs"))
    (tmp_path / "mended.yaml").write_text(form.format("documents"))
    with web_system(lambda _: Sent({"answer": "Oda Wexler", "documents": []})) as web:
        call = ("evaluate", "endpoint", web.url, "--name", "ours", "--corpus", small_corpus, "--no-report")
        once = (*call, "--concurrency", "1")
        slip = kg(*once, "--map", "slip.yaml")
        assert (slip.code, len(web.received)) == (2, 8)
        assert len(questions) > 8
        assert "nothing is at 'docs', where the map looks for what was retrieved" in slip.err
        few = kg(*once, "--map", "slip.yaml", "--limit", "8")
        assert few.code == 0, few.err
        assert "nothing is at 'docs', where the map looks for what was retrieved, in any reply" in few.err
        mended = kg(*once, "--map", "mended.yaml", "--limit", "9")
        assert mended.code == 0, mended.err
        assert "nothing is at" not in mended.err


def test_a_file_with_names_of_its_own_is_read_by_a_map(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path
) -> None:
    rows = [{"user_input": row["text"], "out": {"said": row["answer"], "docs": []}} for row in questions]
    (tmp_path / "ragas.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call = ("evaluate", "answers", "ragas.jsonl", "--name", "ours", "--corpus", small_corpus, "--no-report")
    for form, code, told in (
        ("request: {params: {q: x}}", 2, "rows.yaml has no response"),
        ("response: {answer: out.said}", 2, "it has none of question_id, id, _id, question, query"),
        ("response: {question: user_input, answer: said}", 2, "nothing is at 'said'"),
        ("response: {question: user_input, answer: out.said, retrieved: documents}", 2, "at 'documents'"),
        ("response: {question: user_input, answer: out.said, retrieved: out.docs}", 0, ""),
    ):
        (tmp_path / "rows.yaml").write_text(form)
        ended = kg(*call, "--map", "rows.yaml")
        assert (ended.code, told in ended.err) == (code, True), ended.err
    again = kg(*call, "--map", "rows.yaml", "--json").json["error_rates"][0]
    assert (again["n"], again["rate"]["rate"]) == (len(questions), 0)


def test_a_model_answers_from_memory_with_the_bare_question_or_from_our_chunks(
    kg: Kg, graph: Graph, small_corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPGRADE_MODEL_CUTOFF", "2031-01-09")

    def respond(asked: Asked) -> Answer:
        return {"answer": "from memory"} if "from memory" in asked.system else "Answer: something else"

    with scripted_endpoint(respond, models=("one",)) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        url = endpoint.environment()["OPENAI_BASE_URL"]
        call = ("evaluate", "chat", "one", "--corpus", small_corpus, "--limit", "3", "--no-report", "--json")
        for told, options in (("calls", ()), ("calls_expected", ("--retriever", "hybrid"))):
            dry = kg(*call, *options, "--dry-run")
            assert dry.json[told] == dry.json["to_ask"] == 3
        assert not endpoint.requests
        memory = kg(*call, "--base-url", url)
        assert memory.code == 0, memory.err
        assert memory.json["run"] == "chat-one"
        assert memory.json["retrieval"]["answers_without_retrieval_told"] == 3
        asked = len(endpoint.requests)
        assert all("passage" not in one.question for one in endpoint.requests)
        bare = kg(*call, "--bare")
        assert bare.json["run"] == "chat-one-bare"
        assert {one.system for one in endpoint.requests[asked:]} == {""}
        asked = len(endpoint.requests)
        ours = kg(*call, "--retriever", "hybrid")
        assert ours.json["run"] == "single-step-hybrid-one"
        assert ours.json["retrieval"]["answers_without_retrieval_told"] == 0
        assert all("passage" in one.question for one in endpoint.requests[asked:])
        reranked = kg(*call, "--retriever", "hybrid", "--reranker", "lexical", "--candidates", "20")
        assert reranked.json["run"] == "single-step-hybrid-reranked-one"
        assert "no retriever" in kg(*call, "--reranker", "lexical").err
    runs = "MATCH (r:Run {corpus: $corpus}) WHERE r.model_cutoff IS NOT NULL RETURN DISTINCT r.name AS name"
    known = {row["name"] for row in read(graph, runs, corpus=small_corpus)}
    assert known >= {"chat-one", "chat-one-bare", "single-step-hybrid-one"}


def test_a_chat_model_is_tried_first_and_asked_as_its_settings_say(
    kg: Kg, small_corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = (
        gold_responder(wrong=names, otherwise=lambda _: {"answer": "-"}) for names in ((), (FROM_MEMORY,))
    )
    unfit = True

    def respond(asked: Asked) -> Answer | Status:
        return wrong(asked) if unfit else right(asked)

    monkeypatch.setenv("HOPGRADE_PREFLIGHT", "true")
    with scripted_endpoint(respond, models=("tried",)) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        call = (
            "evaluate",
            "chat",
            "tried",
            "--corpus",
            small_corpus,
            "--limit",
            "2",
            "--no-report",
            "--json",
        )
        refused = kg(*call)
        assert refused.code == 2
        assert "the model 'tried' fails the prompt answer-closed-book (none of 3 passed)" in refused.err
        assert "The job, answers: about 2 calls, " in refused.err
        assert len(endpoint.requests) == 3
        unfit = False
        # A reply that comes too late is asked for so many times as the option says, and no more.
        endpoint.faults = ["500", "500", "500"]
        patient = kg(*call, "--no-preflight", "--retries", "0", "--concurrency", "1")
        assert patient.json["errors"] == 2
        assert len(endpoint.requests) == 3 + 2
        endpoint.faults = []
        # Failed answers are pending too, and what a model said to gold items stays until something changes.
        assert kg(*call, "--retry-failed").code == 2
        assert len(endpoint.requests) == 3 + 2
        ended = kg(*call, "--retry-failed", "--no-preflight")
    assert ended.code == 0, ended.err
    assert ended.json["errors"] == 0
    assert len(endpoint.requests) == 3 + 2 + 2


@pytest.mark.campaign
def test_a_function_of_this_folder_is_asked(
    kg: Kg, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "module_of_test_evaluate.py").write_text(MODULE)
    call = (
        "evaluate",
        "callable",
        "module_of_test_evaluate:answer",
        "--corpus",
        small_corpus,
        "--limit",
        "4",
    )
    ended = kg(*call, "--report", "page.html")
    assert ended.code == 0, ended.err
    assert "Error rate of answer beside" in ended.out
    assert "4 retrieved texts on 4 answers are in no chunk" in ended.err
    assert (tmp_path / "page.html").is_file()


@pytest.mark.campaign
def test_what_fails_for_good_keeps_no_run_from_its_end(
    kg: Kg, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "module_that_breaks_of_test_evaluate.py").write_text(BREAKS)
    module = "module_that_breaks_of_test_evaluate"
    call = ("evaluate", "callable", f"{module}:answer", "--corpus", small_corpus, "--json", "--no-report")
    first = kg(*call)
    assert first.json["errors"] >= 8, "fewer would not be taken for a system that is down"
    assert first.json["errors"] < first.json["answers"]
    assert first.json["retrieval"]["answers_without_retrieval_told"] == 0
    assert "printed at import" in first.err
    assert "printed at a question" in first.err
    again = kg(*call, "--retry-failed")
    assert again.code == 0, again.err
    assert again.json["errors"] == first.json["errors"]


def test_a_module_that_fails_is_told_with_its_line(
    kg: Kg, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "module_without_key.py").write_text("import os\n\nKEY = os.environ['NO_SUCH_KEY_AT_ALL']\n")
    ended = kg("evaluate", "callable", "module_without_key:answer", "--corpus", small_corpus)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "module_without_key.py:3: KeyError: 'NO_SUCH_KEY_AT_ALL'" in ended.err


@pytest.mark.campaign
def test_steps_of_an_agent_in_a_file_are_analysed_logged_and_sent_as_spans(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    firsts = kg(
        "questions", "list", "--status", "prefix", "--limit", "999", "--corpus", small_corpus, "--json"
    )
    prefixes: list[Row] = firsts.json
    search = {"action": "look up", "query": "a query of mine", "top_k": 4, "retrieves": True}
    steps = [{"action": "plan", "thought": "a thought of mine"}, search, {**search, "fault": "unknown tool"}]
    rows: list[dict[str, object]] = [
        {"id": row["id"], "answer": "Greta Lindqvist", "retrieved": row["evidence"], "steps": steps}
        for row in questions
    ]
    rows += [{"id": row["id"], "answer": row["answer"]} for row in prefixes[1:]]
    rows += [{"id": questions[0]["id"], "answer": "x", "steps": [{**search, "top_k": "ten"}]}]
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call = ("evaluate", "answers", str(path), "--corpus", small_corpus, "--no-report")
    without = kg(*call)
    assert f"{len(prefixes) - 1} of them answer prefix questions" in without.err
    assert f'{path}:{len(rows)}: step 1: "top_k" is not a number' in without.err
    with web_system(lambda _: Sent(b"")) as collector:
        base = collector.url.removesuffix("/answer")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", base)
        ended = kg(*call, "--name", "spans", "--prefixes", "--logs", "logs", "--otel-contents")
        sent = b"".join(one.body for one in collector.received if isinstance(one.body, bytes))
    assert ended.code == 0, ended.err
    assert "leaves out 1." in ended.err
    assert "Hop by hop: kg run analyse spans" in ended.out
    assert b"a query of mine" in sent
    (folder,) = (tmp_path / "logs").iterdir()
    assert "a thought of mine" in (folder / "query_1.md").read_text(encoding="utf-8")
    (found,) = kg("run", "analyse", "spans", "--corpus", small_corpus, "--json").json["runs"]
    total = found["hops"]["total"]
    assert total["steps"]["wrong"]["value"] == 2
    assert total["steps"]["top_k"]["value"] == 4
    assert total["fault_kinds"] == {"unknown tool": len(questions)}
    assert total["depths"]["reached"]["n"] > 0


@pytest.mark.campaign
def test_what_a_system_keeps_to_itself_is_not_shown_as_zero(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path
) -> None:
    chosen = [row for row in questions if row["evidence"]][:12]

    def analysed(name: str, **told: object) -> Ended:
        path = tmp_path / f"{name}.jsonl"
        rows = [{"id": row["id"], "answer": "Nobody", **told} for row in chosen]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        kg("evaluate", "answers", str(path), "--corpus", small_corpus, "--no-report")
        return kg("run", "analyse", name, "--corpus", small_corpus)

    bare = analysed("bare")
    assert "does not list its steps" in " ".join(bare.out.split())
    assert "does not tell what it retrieved" in " ".join(bare.out.split())
    assert "How it searches" not in bare.out
    assert re.search(r"stops early +not told", bare.out)
    found = analysed("found", retrieved=chosen[0]["evidence"][:1])
    assert "planning" not in found.out
    assert "How it searches" not in found.out
    silent = analysed("silent", steps=[{"action": "retrieve", "query": "goat"}])
    assert "How it searches" in silent.out
    assert "retrieval" not in silent.out


def test_every_way_in_has_prefixes_logs_and_spans() -> None:
    for way in ("answers", "endpoint", "chat", "callable", "graphrag"):
        leaf, _ = find(f"kg evaluate {way}")
        options = {name for one in leaf.options for name in one.opts}
        assert {"--prefixes", "--logs", "--otel", "--otel-contents"} <= options, way


@examples("arguments, told")
def test_a_mistake_is_told_in_one_sentence_before_anything_is_asked(
    kg: Kg, small_corpus: str, arguments: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    ended = kg("evaluate", *arguments, "--corpus", small_corpus)
    assert ended.code == 2, ended.err
    assert told in ended.err
    assert ended.err.startswith("error: ")


@pytest.mark.campaign
@pytest.mark.parametrize("rule", [None, "exact"])
def test_answers_in_sentences_are_right_unless_exact_match_decides(
    kg: Kg, small_corpus: str, questions: list[Row], tmp_path: Path, rule: str | None
) -> None:
    path = tmp_path / "sentences.jsonl"
    rows = [{"id": row["id"], "answer": _in_a_sentence(row["answer"])} for row in questions]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    chosen = () if rule is None else ("--judge", rule)
    call = ("evaluate", "answers", str(path), "--name", "talks", "--corpus", small_corpus, *chosen)
    told = kg(*call, "--no-report", "--json").json
    assert (told["answer_match"], told["exact_match"]) == (1, _silent(questions))
    assert 0 < told["token_f1"] < 1
    assert told["judge"] == ("answer match" if rule is None else "exact match")
    wrong = 0 if rule is None else len(questions) * (1 - _silent(questions))
    assert told["error_rates"][0]["rate"]["hits"] == pytest.approx(wrong)
    assert told["wrong_with_gold"]["wrong"] == pytest.approx(wrong)
    ended = kg(*call, "--no-report")
    assert f"Error rates go by {told['judge']}." in ended.out
    assert "answer match 1.00, exact match 0" in ended.out
    assert ("the gold answer stands, beside other names" in ended.err) == (rule is not None)
    again = kg(*call[:-2] if rule else call, "--no-report", "--json").json
    assert again["judge"] == told["judge"]


def test_a_rule_that_there_is_not_is_told_with_those_that_there_are(
    kg: Kg, small_corpus: str, tmp_path: Path
) -> None:
    (tmp_path / "none.jsonl").touch()
    ended = kg("evaluate", "answers", "none.jsonl", "--judge", "gpt-9", "--corpus", small_corpus)
    assert ended.code == 2
    assert "'gpt-9' is no rule for answers." in ended.err
    assert "Use --judge match or --judge exact." in ended.err


def _in_a_sentence(answer: str) -> str:
    return answer if answer == INSUFFICIENT else f"The answer is {answer}."


def _silent(questions: list[Row]) -> float:
    return [row["answer"] for row in questions].count(INSUFFICIENT) / len(questions)
