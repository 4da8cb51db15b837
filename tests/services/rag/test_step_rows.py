"""Steps as rows of the graph: filters, and chunks that a step saw."""

import json

from hypothesis import given
from hypothesis import strategies as st

from kg.llm.protocol import Usage
from services.rag.answering import filters_json, filters_told, step_rows
from services.rag.protocol import Answered, Filters, Hit, Step

NAMES = st.tuples(st.text(min_size=1, max_size=9))


def test_no_filter_is_an_empty_text() -> None:
    assert filters_json(Filters()) == filters_told("") == ""


def test_filters_are_told_to_a_reader() -> None:
    filters = Filters(sources=("The Courier", "The Mirror"), since="2024-03-01")
    assert filters_told(filters_json(filters)) == "source: The Courier or The Mirror; since: 2024-03-01"


@given(st.builds(Filters, NAMES, NAMES, NAMES, st.text(max_size=9), st.text(max_size=9)))
def test_all_that_is_set_is_kept(filters: Filters) -> None:
    kept = json.loads(filters_json(filters))
    assert kept.get("sources") == list(filters.sources)
    assert kept.get("until", "") == filters.until


def test_a_chunk_is_seen_once_at_its_first_rank() -> None:
    hits = (Hit("a", 0.9), Hit("b", 0.8), Hit("a", 0.7), Hit("c", 0.6))
    step = Step(3, "search", "where", "3 chunks", hits, True, 20, seconds=1.23456)
    answered = Answered("q", "", (), (step,), (), Usage(), None, 1.0)
    (row,) = step_rows("news", "answer-1", answered)
    assert [(one["chunk"], one["rank"], one["score"]) for one in row["seen"]] == [
        ("a", 1, 0.9), ("b", 2, 0.8), ("c", 3, 0.6),
    ]  # fmt: skip
    assert (row["step"]["index"], row["step"]["top_k"], row["step"]["seconds"]) == (3, 20, 1.2346)
    other = step_rows("news", "answer-2", answered)
    assert row["step"]["id"] != other[0]["step"]["id"]
