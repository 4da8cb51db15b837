"""What a model is asked about a question: is it clear, is it sound, what is its answer.

Everything that an article or a model wrote stands inside a fence. A request depends on the draft and the
passages only, so that the same question has the same answer in the cache.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import Prompt, fenced, load_prompt, on_one_line
from kg.llm.protocol import JsonValue, ModelRequest, Schema, json_object
from services.questions.draft import Draft, QuestionKind
from services.questions.shown_facts import ArticleHead, ShownFacts

ANSWER_TOKENS = 1_000
VERDICT_TOKENS = 1_000
"""Room for models that think before they answer."""

EXPECTED_ANSWER = 10
EXPECTED_SIDES = 45
EXPECTED_VERDICT = 12
"""Tokens of an ordinary answer: of the recorded ones with their JSON, an answer is 9, a "sound" 9 and a
refusal 35."""

_CHOOSING: frozenset[QuestionKind] = frozenset({"comparison", "temporal", "parallel"})
_WORD_TYPES = frozenset({"YES_NO", "ORDER"})

_SENSE: Mapping[QuestionKind, str] = {
    "comparison": "comparison",
    "temporal": "comparison",
    "bridge entity": "bridge",
    "bridge topic": "bridge",
    "null": "null",
}
"""Which prompt judges the sense of a kind; of all others the one for chains."""

_SENSE_VERDICTS: Mapping[str, tuple[str, ...]] = {
    "chain": ("sound", "forced", "mixed up", "joined", "misread", "senseless"),
    "comparison": ("sound", "unlike", "unsupported", "mixed up", "joined", "wrong"),
    "bridge": ("sound", "mixed up", "loose", "wrong", "senseless"),
    "null": ("sound", "impossible", "contradicted", "senseless"),
}

_KINDS_OF_ANSWER = {"YES_NO": "Yes or No", "ORDER": "Before or After", "NONE": "Insufficient information"}
_ANY_NAME = "a name, a date or a number"


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as a model reads it."""

    text: str
    head: ArticleHead


def alone_request(draft: Draft) -> ModelRequest:
    """Whether question and answer can be understood on their own, the answer as one of its kind."""
    return _request(
        load_prompt("check-question-alone"),
        _ALONE,
        VERDICT_TOKENS,
        EXPECTED_VERDICT,
        question=_question(draft),
        answer=fenced(draft.answer, "answer"),
        kind=_KINDS_OF_ANSWER.get(draft.answer_type, _ANY_NAME),
    )


def sense_request(draft: Draft, shown: ShownFacts) -> ModelRequest:
    """Whether the question says what its facts say, by the prompt of its kind."""
    sort = _SENSE.get(draft.kind, "chain")
    question = f"{on_one_line(draft.text)}\nAnswer: {on_one_line(draft.answer)}"
    return _request(
        load_prompt(f"check-question-{sort}"),
        _verdict("soundness", _SENSE_VERDICTS[sort]),
        VERDICT_TOKENS,
        EXPECTED_VERDICT,
        question=fenced(question, "question and answer"),
        facts=shown.facts(draft.facts, titles=draft.kind == "bridge topic"),
        names=shown.names(draft.stops, draft.facts, draft.path),
    )


def is_guessable(draft: Draft) -> bool:
    """Whether a guess is right about half of the time: yes or no, before or after, one of two."""
    return draft.kind in _CHOOSING or draft.answer_type in _WORD_TYPES


def closed_book_request(draft: Draft) -> ModelRequest:
    """The answer without any text; where a guess may be right, with what is known of each side."""
    if is_guessable(draft):
        prompt, schema, expected = load_prompt("compare-from-memory"), _SIDES, EXPECTED_SIDES
    else:
        prompt, schema, expected = load_prompt("answer-closed-book"), _ANSWER, EXPECTED_ANSWER
    return _request(prompt, schema, ANSWER_TOKENS, expected, question=_question(draft))


def evidence_request(draft: Draft, passages: Sequence[ChunkText]) -> ModelRequest:
    """The answer from passages, which come in no telling order."""
    shown = "\n\n".join(
        fenced(
            f"{on_one_line(one.head.title)} ({one.head.origin or 'no source'})\n{one.text}",
            f"passage {number}",
        )
        for number, one in enumerate(sorted(passages, key=lambda one: (one.head.title, one.text)), start=1)
    )
    prompt = load_prompt("answer-from-evidence")
    return _request(
        prompt, _ANSWER, ANSWER_TOKENS, EXPECTED_ANSWER, question=_question(draft), passages=shown
    )


def same_answer_request(draft: Draft, answer: str) -> ModelRequest:
    """Whether an answer says the same as the draft's."""
    accepted = "\n".join(dict.fromkeys(map(on_one_line, (draft.answer, *draft.accepted))))
    return _request(
        load_prompt("compare-answers"),
        _SAME,
        VERDICT_TOKENS,
        EXPECTED_VERDICT,
        question=_question(draft),
        right=fenced(accepted, "right answer"),
        given=fenced(answer, "given answer"),
    )


def _request(prompt: Prompt, schema: Schema, room: int, expected: int, **values: str) -> ModelRequest:
    return ModelRequest(
        prompt.fill(**values), prompt.id, schema, max_output_tokens=room, expected_output_tokens=expected
    )


def _question(draft: Draft) -> str:
    return fenced(on_one_line(draft.text), "question")


_TEXT: Mapping[str, JsonValue] = {"type": "string"}


def _schema(name: str, **properties: JsonValue) -> Schema:
    return Schema(name, json_object(**properties))


def _verdict(name: str, verdicts: Sequence[str]) -> Schema:
    return _schema(name, verdict={"type": "string", "enum": list(verdicts)}, reason=_TEXT)


_ALONE = _verdict("clarity", ("clear", "unclear"))
_ANSWER = _schema("answer", answer=_TEXT)
_SIDES = _schema(
    "comparison",
    sides={"type": "array", "items": json_object(name=_TEXT, known=_TEXT)},
    answer=_TEXT,
)
_SAME = _schema("sameness", same={"type": "boolean"}, reason=_TEXT)
