"""LightRAG's results, in the forms of `aquery_llm`, of its server and of its own script."""

from pathlib import Path

from services.answers import is_abstention
from services.external.answer_formats import read_lightrag
from tests.services.external.answer_formats.written import lines, only

DATA = {
    "status": "success",
    "message": "Query executed successfully",
    "data": {
        "entities": [{"entity_name": "Halden Shipping", "source_id": "chunk-1"}],
        "relationships": [{"src_id": "Halden Shipping", "tgt_id": "Greta Lindqvist", "source_id": "chunk-1"}],
        "chunks": [
            {"content": "Halden Shipping was founded by Greta Lindqvist.", "file_path": "founder.txt",
             "chunk_id": "chunk-1", "reference_id": "1"},
            {"content": "Greta Lindqvist studied at Verrin University.", "file_path": "teacher.txt",
             "chunk_id": "chunk-2", "reference_id": "2"},
        ],
        "references": [{"reference_id": "1", "file_path": "founder.txt"}],
    },
    "metadata": {"query_mode": "mix", "keywords": {"high_level": ["founding"], "low_level": ["Halden"]}},
}  # fmt: skip


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
