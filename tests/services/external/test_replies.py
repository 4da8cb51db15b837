"""What a system may return, and what of it can't be read."""

from typing import Any

import pytest

from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.external.replies import BadReplyError, read_reply
from tests.examples import read_examples

STEP: dict[str, Any] = read_examples("services/external/replies")["step"]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Oda Wexler", OwnAnswer("Oda Wexler")),
        (OwnAnswer("as it is", seconds=1.0), OwnAnswer("as it is", seconds=1.0)),
        ({"answer": 1412}, OwnAnswer("1412", tells_retrieved=False)),
        ({"answer": "x", "retrieved": []}, OwnAnswer("x")),
        ({"answer": True}, OwnAnswer("Yes", tells_retrieved=False)),
        ({"text": "under its other name"}, OwnAnswer("under its other name", tells_retrieved=False)),
        ({"answer": None, "error": "no  luck"}, OwnAnswer("", error="no luck", tells_retrieved=False)),
        (
            {"answer": "", "retrieved": ["chunk-1", "two words"], "input_tokens": 7, "cost": 0.5},
            OwnAnswer("", (RetrievedText(chunk="chunk-1"), RetrievedText("two words")), (), 7, 0, 0.5),
        ),
        (
            {"answer": "x", "retrieved": [{"page_content": "b", "rank": 2}, {"id": 7, "rank": 1, "step": 3}]},
            OwnAnswer("x", (RetrievedText(chunk="7", step=3), RetrievedText("b"))),
        ),
        (
            {"answer": "half \ud83d", "retrieved": [{"text": "a \ud800"}, "b\udc00"], "error": ""},
            OwnAnswer("half \ufffd", (RetrievedText("a \ufffd"), RetrievedText(chunk="b\ufffd"))),
        ),
        (OwnAnswer("empty document", (RetrievedText(),)), OwnAnswer("empty document", (RetrievedText(),))),
        (
            {"answer": "x", "steps": ["plan", {"action": "retrieve", "query": "q"}]},
            OwnAnswer("x", steps=(OwnStep("plan"), OwnStep("retrieve", "q")), tells_retrieved=False),
        ),
        (
            {
                "answer": "x",
                "retrieved": [],
                "steps": [STEP, {"action": "read", "top_k": None, "fault": None}],
            },
            OwnAnswer("x", steps=(OwnStep(**STEP), OwnStep("read"))),
        ),
        (OwnAnswer("x", steps=(OwnStep(**STEP),)), OwnAnswer("x", steps=(OwnStep(**STEP),))),
        (
            {"answer": "x", "steps": [{"action": "read", "fault": "a " * 90}]},
            OwnAnswer("x", steps=(OwnStep("read", fault=("a " * 40)),), tells_retrieved=False),
        ),
    ],
)
def test_a_reply_is_read(reply: object, answer: OwnAnswer) -> None:
    assert read_reply(reply) == answer


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (None, "neither a text nor a mapping but nothing"),
        ({"result": "x"}, 'no "answer" (its fields: result)'),
        ({"answer": ["x"]}, '"answer" is not a text'),
        ({"answer": "x", "retrieved": "chunk-1"}, '"retrieved" is not a list'),
        ({"answer": "x", "retrieved": [{"score": 1}]}, "no text, chunk, title or url"),
        ({"answer": "x", "retrieved": [7]}, "neither a text nor a mapping"),
        ({"answer": "x", "cost": "free"}, '"cost" is not a number'),
        ({"answer": "x", "cost": float("nan")}, '"cost" is not a number'),
        ({"answer": "x", "steps": [{"query": "q"}]}, 'step 1: it has no "action"'),
        ({"answer": "x", "steps": ["a", {**STEP, "top_k": 2.5}]}, 'step 2: "top_k" is not a whole number'),
        ({"answer": "x", "steps": [{**STEP, "top_k": "ten"}]}, '"top_k" is not a number'),
        ({"answer": "x", "steps": [{**STEP, "fault": True}]}, '"fault" is not a text'),
        ({"answer": "x", "steps": [{**STEP, "retrieves": "yes"}]}, '"retrieves" is neither true nor false'),
        ({"answer": "x", "steps": [{**STEP, "seconds": -1}]}, '"seconds" is below 0'),
        ({"answer": "x", "steps": [{**STEP, "input_tokens": float("inf")}]}, '"input_tokens" is not a'),
        ({"answer": "x", "retrieved": [{"text": "y", "score": 10**400}]}, '"score" is not a number'),
        ({"answer": "x", "input_tokens": 10**30}, '"input_tokens" is too large'),
        ({"answer": "x", "seconds": -1}, '"seconds" is below 0'),
        # What Python lets a function return all the same.
        (OwnAnswer(None), 'no "answer"'),  # type: ignore[arg-type]
        (OwnAnswer("x", "chunk-1"), '"retrieved" is not a list'),  # type: ignore[arg-type]
        (OwnAnswer("x", (RetrievedText("y", score="high"),)), '"score" is not a number'),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_read_is_told(reply: object, why: str) -> None:
    with pytest.raises(BadReplyError) as caught:
        read_reply(reply)
    assert why in str(caught.value)


def test_a_value_with_plain_texts_is_read_as_a_mapping_is() -> None:
    loose = OwnAnswer("x", ["chunk-1"], ["plan"])  # type: ignore[arg-type]
    assert read_reply(loose) == OwnAnswer("x", (RetrievedText(chunk="chunk-1"),), (OwnStep("plan"),))
