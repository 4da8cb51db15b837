"""Thinking dropped, JSON found, pauses read, roles resolved: the small parts by worked examples."""

import json
import math
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.llm.protocol import JsonValue
from kg.llm.reading import (
    NotTheJsonError,
    one_json_value,
    read_answer_json,
    read_json,
    without_thinking,
)
from kg.llm.wire import retry_after_seconds
from tests.examples import examples
from tests.kg.llm.asking import CLAIMS

LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | LETTERS
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(LETTERS, inner), max_leaves=8)
CONTAINERS = st.lists(VALUES) | st.dictionaries(LETTERS, VALUES)


@examples("text, kept")
def test_thinking_is_dropped(text: str, kept: str) -> None:
    assert without_thinking(text) == kept


@given(VALUES)
def test_whole_json_is_read_as_it_is(value: JsonValue) -> None:
    assert one_json_value(f" \n{json.dumps(value)}\n") == value


@given(CONTAINERS, st.sampled_from(["json", "", "JSON"]))
def test_json_in_a_fence_is_read(value: JsonValue, language: str) -> None:
    written = json.dumps(value, indent=1)
    assert one_json_value(f"Here it is:\n```{language}\n{written}\n```\nAnything else?") == value


@pytest.mark.campaign
@given(CONTAINERS, CONTAINERS)
def test_two_values_are_none(one: JsonValue, other: JsonValue) -> None:
    first, second = json.dumps(one), json.dumps(other)
    for text in (f"{first}\n{second}", f"{first} or {second}", f"```json\n{first}\n```\nor {second}"):
        with pytest.raises(NotTheJsonError):
            one_json_value(text)


@pytest.mark.campaign
@given(CONTAINERS.filter(bool), st.data())
def test_a_part_of_a_value_is_none(value: JsonValue, data: st.DataObject) -> None:
    written = json.dumps(value)
    end = data.draw(st.integers(0, len(written) - 1))
    with pytest.raises(NotTheJsonError):
        one_json_value(written[:end])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Sure! {"a": [1]} I hope this helps.', {"a": [1]}),
        ('```json\n{"a": "```"}\n```', {"a": "```"}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1}}', {"a": 1}),
        ('{"a": 1}\n\nNote: I left out [two] and {x}.', {"a": 1}),
        ('See [the list] first: {"a": [{"b": "}"}]}', {"a": [{"b": "}"}]}),
        ('In the form {"a": ...} this is {"a": 1}', {"a": 1}),
        ('As in [note]:\n```\n{"a": 1}\n```', {"a": 1}),
        ("true", True),
    ],
)
def test_words_around_one_value_are_tolerated(text: str, value: JsonValue) -> None:
    assert one_json_value(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "None at all.",
        "The answer is 42.",
        '{"claims": [{"a": 1}, {"b": 2',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": "\\ud800"}',
        "{'a': 1}",
        '{"a": 1,}',
        "[" * 100_000,
        "[1] as in [2]",
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(NotTheJsonError):
        one_json_value(text)


@examples("text, reason")
def test_a_value_of_another_shape_is_refused_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(NotTheJsonError) as caught:
        read_json(text, CLAIMS.definition)
    assert reason in str(caught.value)


@examples("text")
def test_the_one_value_that_fits_is_read(text: str) -> None:
    assert read_answer_json(text, CLAIMS.definition)[1] == {"claims": ["a"]}


@examples("text")
def test_a_value_that_may_not_be_the_answer_is_not_read(text: str) -> None:
    with pytest.raises(NotTheJsonError):
        read_answer_json(text, CLAIMS.definition)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        # The endpoint's clock counts, however wrong it is.
        ({"retry-after": formatdate(1060, usegmt=True), "date": formatdate(1000, usegmt=True)}, 60.0),
        ({"retry-after": formatdate(1000, usegmt=True), "date": formatdate(1060, usegmt=True)}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:17:40", "date": formatdate(1000, usegmt=True)}, 60.0),
    ],
)
def test_the_pause_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds


@given(st.text(max_size=30))
def test_no_header_breaks_anything(text: str) -> None:
    found = retry_after_seconds({"retry-after": text, "retry-after-ms": text, "date": text})
    assert found is None or (found >= 0 and math.isfinite(found))
