"""Files of answers: in whichever of three ways the objects stand in them, each has its place."""

import json
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.model import Reject
from services.external.answer_formats import read_hipporag, read_lightrag
from services.external.replies import AnswerRow
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
