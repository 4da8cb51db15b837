"""Files of answers: in whichever of three ways the objects stand in them, each has its place.

HippoRAG's solutions, and the files of its first version.
LightRAG's results, in the forms of `aquery_llm`, of its server and of its own script.
Microsoft GraphRAG's results, with the texts in the context or in the index's text units.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from kg.errors import InputError, SettingsError, installation
from kg.model import Reject
from services.answers import is_abstention
from services.external.answer_formats import read_graphrag, read_hipporag, read_lightrag
from services.external.given_answers import read_own
from services.external.replies import AnswerRow
from tests.examples import examples, read_examples
from tests.services.external.answer_formats.written import lines, only, rejects

ROW = {"query": "Who founded Halden?", "result": "Greta Lindqvist"}


def test_lines_an_array_and_one_object_are_read(tmp_path: Path) -> None:
    as_lines = lines(tmp_path / "a.jsonl", ROW)
    as_array = tmp_path / "b.json"
    as_array.write_text(json.dumps([ROW], indent=4))
    as_object = tmp_path / "c.json"
    as_object.write_text(json.dumps(ROW, indent=4))
    as_line = tmp_path / "d.json"
    as_line.write_text(json.dumps(ROW))
    for path, place in ((as_lines, ":1"), (as_array, ":2"), (as_object, ":1"), (as_line, ":1")):
        row = only(read_lightrag(path))
        assert (row.question, row.answer.text) == ("Who founded Halden?", "Greta Lindqvist")
        assert row.place == f"{path}{place}"


def test_a_line_longer_than_what_is_looked_at_is_read_as_a_line(tmp_path: Path) -> None:
    long = {"query": "Who?", "result": {"response": "Greta", "references": [{"content": ["word " * 40_000]}]}}
    path = lines(tmp_path / "answers.jsonl", long, ROW)
    assert [row.answer.text for row in read_lightrag(path) if isinstance(row, AnswerRow)] == [
        "Greta",
        "Greta Lindqvist",
    ]


def test_bad_rows_are_set_aside_with_their_place_and_the_others_kept(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"query": "One?", "result": "1"}\n{"query": \n[]\n{"result": "2"}\n{"id": 7, "result": 3}\n'
    )
    found = list(read_lightrag(path))
    assert [type(one) for one in found] == [AnswerRow, Reject, Reject, Reject, Reject]
    told = {reject.place.rpartition(":")[2]: reject.reason for reject in rejects(iter(found))}
    assert set(told) == {"2", "3", "4", "5"}
    assert "invalid JSON" in told["2"]
    assert "question" in told["4"]
    assert "neither text nor an object" in told["5"]


def test_a_question_is_known_by_its_id_where_there_is_one(tmp_path: Path) -> None:
    row = only(read_lightrag(lines(tmp_path / "a.jsonl", {"id": "q-1", "result": "Greta"})))
    assert (row.question_id, row.question) == ("q-1", "")


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08\x00", None])
def test_a_file_that_is_no_text_is_refused_by_name(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "answers.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"answers\.json") as caught:
        list(read_hipporag(path))
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["answers.csv", "answers.txt"])
def test_a_table_that_pandas_wrote_is_read_as_the_same_rows_in_json(tmp_path: Path, name: str) -> None:
    rows: list[dict[str, object]] = [
        {
            "id": "question-1",
            "question": "Who, and when?",
            "answer": "Greta Lindqvist",
            "retrieved": ["chunk-1", "A text, with\na line break."],
            "steps": [{"action": "search", "query": "it's"}],
            "cost": 0.5,
            "confidence": 1,
        },
        {"id": "question-2", "question": "Who?", "answer": "", "retrieved": [], "error": "time-out"},
        {"question": "Where?", "answer": "Verrin", "input_tokens": 7},
    ]
    table = tmp_path / name
    pd.DataFrame(rows).to_csv(table, index=False)
    found, expected = list(read_own(table)), list(read_own(lines(tmp_path / "rows.jsonl", *rows)))
    assert [_without_place(one) for one in found] == [_without_place(one) for one in expected]
    assert isinstance(found[0], AnswerRow)
    assert found[0].place == f"{table}:2"


def _without_place(row: AnswerRow | Reject) -> AnswerRow:
    assert isinstance(row, AnswerRow), row
    return replace(row, place="")


@examples("table, texts")
def test_a_table_made_by_hand_lists_what_was_retrieved_in_a_cell_or_in_columns(
    tmp_path: Path, table: str, texts: list[str]
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(table, encoding="utf-8")
    row = only(read_own(path))
    assert (row.question, row.answer.text) == ("Who?", "Greta")
    assert [text.chunk for text in row.answer.retrieved] == texts
    assert row.answer.tells_retrieved == bool(texts)


def test_a_row_of_a_table_that_cannot_be_used_is_set_aside_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(
        "id,answer,retrieved,cost\nq-1,Greta,[chunk-1,\nq-2,Greta,chunk-1,cheap\nq-3,Greta\n,Greta,,\n"
    )
    told = {one.place.rpartition(":")[2]: one.reason for one in rejects(read_own(path))}
    assert told["2"] == '"retrieved" begins as a list and is none, as JSON or as Python writes it'
    assert told["3"] == '"cost" is not a number'
    assert "the header has 4 columns, this record has 2" in told["4"]
    assert "it has none of question_id, id" in told["5"]


SOLUTION: dict[str, Any] = read_examples("services/external/answer_formats/rows")["solution"]


def test_a_solution_has_its_documents_in_order_with_their_scores(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([SOLUTION]))
    row = only(read_hipporag(path))
    assert (row.question, row.answer.text) == ("Who founded Halden Shipping?", "Greta Lindqvist")
    assert [(one.title, one.score) for one in row.answer.retrieved] == [("Founder", 0.8123), ("", 0.1)]
    assert row.answer.retrieved[0].text.endswith("by Greta Lindqvist.")


def test_the_gold_answer_of_the_first_version_is_never_taken_for_the_answer(tmp_path: Path) -> None:
    answered = {
        "_id": "5a8b",
        "question": "Who?",
        "answer": "the gold answer",
        "retrieved": ["T\ntext"],
        "prediction": "Otto Pelham",
    }
    retrieved_only = {
        "_id": "5a8c",
        "question": "Who?",
        "answer": "the gold answer",
        "retrieved": ["T\ntext"],
    }
    path = lines(tmp_path / "qa.jsonl", answered, retrieved_only)
    first, _ = read_hipporag(path)
    assert isinstance(first, AnswerRow)
    assert (first.question_id, first.answer.text) == ("5a8b", "Otto Pelham")
    (reject,) = rejects(read_hipporag(path))
    assert reject.place == f"{path}:2"
    assert "no prediction" in reject.reason


def test_an_empty_answer_is_an_error(tmp_path: Path) -> None:
    row = only(read_hipporag(lines(tmp_path / "a.jsonl", SOLUTION | {"answer": None})))
    assert (row.answer.text, bool(row.answer.error)) == ("", True)


DATA: dict[str, Any] = read_examples("services/external/answer_formats/rows")["data"]


def reply(content: str) -> dict[str, object]:
    return {"content": content, "response_iterator": None, "is_streaming": False}


def test_a_result_of_aquery_llm_has_answer_chunks_and_what_was_searched_for(tmp_path: Path) -> None:
    result = DATA | {"llm_response": reply("Greta Lindqvist\n\n### References\n\n- [1] founder.txt")}
    answer = only(read_lightrag(lines(tmp_path / "a.jsonl", {"query": "Who?", "result": result}))).answer
    assert answer.text == "Greta Lindqvist"
    assert [one.text[:15] for one in answer.retrieved] == ["Halden Shipping", "Greta Lindqvist"]
    assert answer.retrieved[0].title == "founder.txt"
    (step,) = answer.steps
    assert (step.query, step.observation) == (
        "founding, Halden",
        "1 entities, 1 relationships, 2 chunks",
    )
    assert not answer.error


def test_the_fields_may_stand_in_the_row_itself(tmp_path: Path) -> None:
    row = {"query": "Who?", **DATA, "llm_response": reply("Greta Lindqvist")}
    answer = only(read_lightrag(lines(tmp_path / "a.jsonl", row))).answer
    assert (answer.text, len(answer.retrieved)) == ("Greta Lindqvist", 2)


def test_a_reply_of_the_server_has_its_texts_under_the_references(tmp_path: Path) -> None:
    result = {
        "response": "Greta Lindqvist",
        "references": [
            {"reference_id": "1", "file_path": "founder.txt", "content": ["First text.", "Second text."]},
            {"reference_id": "2", "file_path": "other.txt", "content": None},
        ],
        "response_time": 1.5,
    }
    answer = only(read_lightrag(lines(tmp_path / "a.jsonl", {"query": "Who?", "result": result}))).answer
    assert [(one.text, one.title) for one in answer.retrieved] == [
        ("First text.", "founder.txt"),
        ("Second text.", "founder.txt"),
    ]
    assert answer.seconds == 1.5


def test_its_sentence_for_nothing_found_is_an_abstention(tmp_path: Path) -> None:
    sorry = "Sorry, I'm not able to provide an answer to that question.[no-context]"
    result = {"status": "failure", "message": "Query returned no results", "llm_response": reply(sorry)}
    answer = only(read_lightrag(lines(tmp_path / "a.jsonl", {"query": "Who?", "result": result}))).answer
    assert is_abstention(answer.text)
    assert not answer.error


def test_a_failure_without_an_answer_is_an_error(tmp_path: Path) -> None:
    result = {"status": "failure", "message": "LightRAG query timeout", "data": {}, "llm_response": reply("")}
    answer = only(read_lightrag(lines(tmp_path / "a.jsonl", {"query": "Who?", "result": result}))).answer
    assert (answer.text, answer.error) == ("", "LightRAG query timeout")


SOURCES = [
    {"id": "15", "text": "Halden Shipping was founded by Greta Lindqvist."},
    {"id": "16", "text": "Greta Lindqvist studied at Verrin University."},
]
CONTEXT = {
    "reports": [{"id": "3", "title": "Halden", "content": "A model's summary."}],
    "entities": [{"id": "1", "entity": "HALDEN SHIPPING"}, {"id": "2", "entity": "GRETA LINDQVIST"}],
    "relationships": [],
    "claims": [],
    "sources": SOURCES,
}


def text_units(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    frame = pd.DataFrame(
        {
            "id": ["c0ffee", "decade"],
            "human_readable_id": [15, 16],
            "text": [row["text"] for row in SOURCES],
            "n_tokens": [9, 8],
        }
    )
    frame.to_parquet(folder / "text_units.parquet")


def test_a_local_search_has_answer_sources_and_counts(tmp_path: Path) -> None:
    row = {
        "query": "Who founded Halden?",
        "response": "Greta Lindqvist [Data: Entities (2); Sources (15, 16, +more)].",
        "context_data": CONTEXT,
        "completion_time": 2.5,
        "prompt_tokens": 900,
        "output_tokens": 12,
    }
    answer = only(read_graphrag(lines(tmp_path / "a.jsonl", row))).answer
    assert answer.text == "Greta Lindqvist."
    assert [one.text for one in answer.retrieved] == [source["text"] for source in SOURCES]
    assert [step.observation for step in answer.steps] == ["1 reports, 2 entities, 2 sources"]
    assert (answer.seconds, answer.input_tokens, answer.output_tokens) == (2.5, 900, 12)


def test_a_frame_that_pandas_turned_into_a_dictionary_is_read(tmp_path: Path) -> None:
    context = {"sources": pd.DataFrame(SOURCES).to_dict()}
    row = {"query": "Who?", "response": "Greta", "context_data": context}
    answer = only(read_graphrag(lines(tmp_path / "a.jsonl", row))).answer
    assert [one.text for one in answer.retrieved] == [source["text"] for source in SOURCES]


def test_each_question_of_a_drift_search_is_a_step(tmp_path: Path) -> None:
    context = {
        "Who owns the Rovers?": {"sources": SOURCES[:1], "entities": []},
        "Who founded Halden?": {"sources": SOURCES[1:]},
    }
    row = {"query": "Who?", "response": "Greta", "context_data": context}
    answer = only(read_graphrag(lines(tmp_path / "a.jsonl", row))).answer
    assert [step.query for step in answer.steps] == ["Who owns the Rovers?", "Who founded Halden?"]
    assert [one.step for one in answer.retrieved] == [1, 2]


def test_candidates_that_did_not_fit_the_prompt_are_left_out(tmp_path: Path) -> None:
    sources = [SOURCES[0] | {"in_context": True}, SOURCES[1] | {"in_context": False}]
    row = {"query": "Who?", "response": "Greta", "context_data": {"sources": sources}}
    answer = only(read_graphrag(lines(tmp_path / "a.jsonl", row))).answer
    assert [one.text for one in answer.retrieved] == [SOURCES[0]["text"]]


def test_a_global_search_retrieved_no_text_of_an_article(tmp_path: Path) -> None:
    row = {"query": "Who?", "response": "Greta", "context_data": CONTEXT | {"sources": []}}
    answer = only(read_graphrag(lines(tmp_path / "a.jsonl", row))).answer
    assert answer.retrieved == ()
    assert answer.steps[0].observation == "1 reports, 2 entities"


@pytest.mark.parametrize("folder", [".", "output"])
def test_numbers_are_looked_up_in_the_text_units(tmp_path: Path, folder: str) -> None:
    text_units(tmp_path / folder)
    in_context = {"query": "Who?", "response": "Greta", "context_data": {"sources": [{"id": "16"}]}}
    cited = {"query": "Who?", "response": "Greta [Data: Reports (3); Sources (16, 15)]"}
    found = list(read_graphrag(lines(tmp_path / "a.jsonl", in_context, cited)))
    assert not rejects(iter(found))
    one, two = (row.answer.retrieved for row in found)  # type: ignore[union-attr]
    assert [text.text for text in one] == [SOURCES[1]["text"]]
    assert [text.text for text in two] == [SOURCES[1]["text"], SOURCES[0]["text"]]


def test_a_number_without_text_units_stays_as_something_that_can_not_be_found(tmp_path: Path) -> None:
    row = {"query": "Who?", "response": "Greta [Data: Sources (15)]"}
    (retrieved,) = only(read_graphrag(lines(tmp_path / "a.jsonl", row))).answer.retrieved
    assert (retrieved.text, retrieved.chunk) == ("", "text unit 15")


def test_text_units_that_are_none_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "text_units.parquet").write_bytes(b"no parquet")
    path = lines(tmp_path / "a.jsonl", {"query": "Who?", "response": "Greta"})
    with pytest.raises(InputError, match=r"text_units\.parquet"):
        list(read_graphrag(path))


def test_a_context_that_was_saved_as_text_is_set_aside_with_what_to_do(tmp_path: Path) -> None:
    row = {"query": "Who?", "response": "Greta", "context_data": "{'sources': id text}"}
    (reject,) = rejects(read_graphrag(lines(tmp_path / "a.jsonl", row)))
    assert "reformat_context_data" in reject.reason


def test_without_the_package_that_reads_parquet_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text_units(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SettingsError, match=r"text_units\.parquet") as caught:
        read_graphrag(lines(tmp_path / "a.jsonl", {"query": "Who?", "response": "Greta"}))
    assert installation("parquet") in caught.value.remedy
