"""What a judge is asked about an answer, and what his reply says: right or wrong, or 0, 1 or 2."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from kg.ids import content_hash
from kg.llm.prompts import Prompt, fenced, load_prompt
from kg.llm.protocol import JsonValue, ModelRequest, Reply, Schema, json_object

Scale = Literal["binary", "0-2"]
"""`binary` is GRADE's judge (section 3.4); `0-2` AgenticRAGTracer's (figure 23), right from 1."""

RIGHT_FROM = 1
FULL_SCORE = 2

ROOM = 300
"""Tokens for a reason of twenty words and a verdict."""

USUAL: Mapping[Scale, int] = MappingProxyType({"binary": 20, "0-2": 14})
"""Tokens that an ordinary reply takes: 214 recorded binary ones took 16 on average, 14 to 18 by recording; a
score is written in two tokens less than "right"."""

LONGEST_WHY = 300


@dataclass(frozen=True, slots=True)
class Judgeable:
    """An answer as a judge sees it; `key` is the right answer, `accepted` are other names for it."""

    id: str
    question: str
    key: str
    accepted: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an answer is right; `score` is 0, 1 or 2 on that scale, None on the binary one."""

    correct: bool
    score: int | None
    why: str


def judge_prompt(scale: Scale) -> Prompt:
    """The prompt of a scale."""
    return load_prompt("judge-binary") if scale == "binary" else load_prompt("judge-score")


def judge_request(answer: Judgeable, scale: Scale) -> ModelRequest:
    """Is this answer right?"""
    prompt = judge_prompt(scale)
    others = [name for name in dict.fromkeys(answer.accepted) if name != answer.key]
    key = answer.key + (f"\nalso called: {'; '.join(others)}" if others else "")
    messages = prompt.fill(
        question=fenced(answer.question, "question"),
        key=fenced(key, "key"),
        answer=fenced(answer.text, "answer"),
    )
    return ModelRequest(
        messages, prompt.id, _SCHEMAS[scale], max_output_tokens=ROOM, expected_output_tokens=USUAL[scale]
    )


def given_on(answer: Judgeable, scale: Scale) -> str:
    """A hash of all that a verdict rests on: with another text, key or prompt, an answer is judged anew."""
    shown = (answer.question, answer.key, *answer.accepted, answer.text)
    return content_hash((judge_prompt(scale).id, *shown))


def read_judgement(reply: Reply) -> Judgement:
    """What a reply says; it fits the schema of its scale already."""
    said = reply.value
    if not isinstance(said, dict):
        raise TypeError(f"a reply that fits its schema is an object, not {type(said).__name__}")
    why = " ".join(str(said["reason"]).split())[:LONGEST_WHY]
    if "score" in said:
        score = int(said["score"])
        return Judgement(score >= RIGHT_FROM, score, why)
    return Judgement(said["verdict"] == "right", None, why)


def plain_judgement(correct: bool, scale: Scale, why: str) -> Judgement:
    """A verdict that takes no judge."""
    score = FULL_SCORE if correct else 0
    return Judgement(correct, score if scale == "0-2" else None, why)


def _schema(name: str, verdict: str, values: Sequence[JsonValue], kind: str) -> Schema:
    # The reason comes first, so that a model has thought before it decides.
    properties: dict[str, JsonValue] = {
        "reason": {"type": "string"},
        verdict: {"type": kind, "enum": list(values)},
    }
    return Schema(name, json_object(**properties))


_SCHEMAS: dict[Scale, Schema] = {
    "binary": _schema("mark", "verdict", ("right", "wrong"), "string"),
    "0-2": _schema("score", "score", (0, 1, FULL_SCORE), "integer"),
}
