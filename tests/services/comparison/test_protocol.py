"""One hash for one protocol, and words for what changed between two."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.comparison.locking import changes_between
from services.comparison.protocol import (
    JsonData,
    Protocol,
    canonical_json,
    document_hash,
    protocol_document,
    protocol_hash,
)
from tests.services.comparison.written_protocol import protocol, protocols

_DOCUMENTS: st.SearchStrategy[JsonData] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def test_the_hash_of_a_protocol_stays_what_it_was() -> None:
    # Worked out once: archives and locks of earlier versions rest on it.
    assert canonical_json({"b": [1, 0.5, None], "a": "é"}) == '{"a":"\\u00e9","b":[1,0.5,null]}'
    assert document_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_a_number_that_is_none_has_no_hash() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        document_hash({"a": float("nan")})


@settings(max_examples=25)
@given(protocols(), protocols())
def test_two_protocols_have_one_hash_only_if_they_are_equal(one: Protocol, other: Protocol) -> None:
    assert (protocol_hash(one) == protocol_hash(other)) == (one == other)
    assert protocol_hash(Protocol.model_validate_json(one.model_dump_json())) == protocol_hash(one)


@given(_DOCUMENTS, _DOCUMENTS)
def test_there_are_changes_where_the_hashes_differ(one: JsonData, other: JsonData) -> None:
    assert bool(changes_between(one, other)) == (document_hash(one) != document_hash(other))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text, []),
        (
            lambda text: text.replace('"smallest":0.05', '"smallest":0.02', 1),
            ["hypotheses.H1.smallest: 0.05 became 0.02"],
        ),
        (lambda text: text.replace('"size":20', '"size":30'), ["pool.size: 20 became 30"]),
        (lambda text: text.replace('"questions":40,"v', '"questions":null,"v'), [
            "dataset.questions: 40 became null"]),
        (lambda text: text.replace('"looks":[1.0]', '"looks":[0.5,1.0]'), [
            "inference.looks.1: 1.0 became 0.5", "inference.looks.2: 1.0 was added"]),
    ],
)  # fmt: skip
def test_a_change_is_told_by_its_place(change: Callable[[str], str], told: list[str]) -> None:
    text = canonical_json(protocol_document(protocol()))
    old, new = Protocol.model_validate_json(text), Protocol.model_validate_json(change(text))
    found = changes_between(protocol_document(old), protocol_document(new))
    assert [str(one) for one in found] == told


def test_parts_go_by_their_names_wherever_they_stand() -> None:
    first: JsonData = {"id": "a", "n": 1}
    second: JsonData = {"id": "b", "n": 2}
    old: JsonData = {"parts": [first, second]}
    new: JsonData = {"parts": [{"id": "c", "n": 3}, {"id": "b", "n": 5}]}
    assert [str(one) for one in changes_between(old, new)] == [
        'parts.a: {"id":"a","n":1} is gone',
        "parts.b.n: 2 became 5",
        'parts.c: {"id":"c","n":3} was added',
    ]
    turned: JsonData = {"parts": [second, first]}
    assert [str(one) for one in changes_between(old, turned)] == ['parts (order): ["a","b"] became ["b","a"]']
