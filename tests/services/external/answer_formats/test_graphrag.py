"""Microsoft GraphRAG's results, with the texts in the context or in the index's text units."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from kg.errors import InputError, SettingsError
from services.external.answer_formats import read_graphrag
from tests.services.external.answer_formats.written import lines, only, rejects

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
    assert "hopgrade[parquet]" in caught.value.remedy
