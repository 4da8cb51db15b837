"""What a model is asked about a question: is it clear, is it sound, what is its answer.

Everything that an article or a model wrote stands inside a fence. A request depends on the draft and the
passages only, so that the same question has the same answer in the cache.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import Prompt, fenced, load_prompt, on_one_line
from kg.llm.protocol import JsonValue, ModelRequest, Schema, json_object
from services.questions.draft import Draft, Fact

ANSWER_TOKENS = 1_000
VERDICT_TOKENS = 1_000
"""Room for models that think before they answer."""

_COMPARING = frozenset({"comparison", "temporal"})
_CHOOSING = frozenset({"parallel"})
"""Kinds whose answer a guess gets right half of the time: the model is told not to make one."""

_CHAIN_VERDICTS = ("sound", "forced", "mixed up", "joined", "misread", "senseless")
_COMPARISON_VERDICTS = ("sound", "unlike", "unsupported", "mixed up", "joined", "wrong")


@dataclass(frozen=True, slots=True)
class ArticleHead:
    """Where a text is from; `published` is a day as ISO text. What is not known is empty."""

    title: str
    source: str
    published: str

    @property
    def origin(self) -> str:
        """Source and day in words."""
        return ", ".join(filter(None, (on_one_line(self.source), self.published)))


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as a model reads it."""

    text: str
    head: ArticleHead


def alone_request(draft: Draft) -> ModelRequest:
    """Whether question and answer can be understood on their own."""
    prompt = load_prompt("check-question-alone")
    return _request(
        prompt, _ALONE, VERDICT_TOKENS, question=_question(draft), answer=fenced(draft.answer, "answer")
    )


def sense_request(draft: Draft, articles: Mapping[str, ArticleHead]) -> ModelRequest | None:
    """Whether the question follows from its facts; none for a null question, whose last fact is missing."""
    if draft.kind == "null":
        return None
    comparing = draft.kind in _COMPARING
    prompt = load_prompt("check-question-comparison" if comparing else "check-question-chain")
    facts = "\n".join(_told(fact, articles) for fact in draft.facts)
    question = fenced(
        f"{on_one_line(draft.text)}\nAnswer: {on_one_line(draft.answer)}", "question and answer"
    )
    schema = _COMPARISON if comparing else _CHAIN
    return _request(prompt, schema, VERDICT_TOKENS, question=question, facts=fenced(facts, "facts"))


def _told(fact: Fact, articles: Mapping[str, ArticleHead]) -> str:
    head = articles.get(fact.article)
    by = f" ({head.origin})" if head is not None and head.origin else ""
    said = "; ".join(map(on_one_line, (fact.subject, fact.predicate, fact.object)))
    return f'{fact.index} {said}: "{on_one_line(fact.sentence)}"{by}'


def closed_book_request(draft: Draft) -> ModelRequest:
    """The answer without any text."""
    prompt = load_prompt("compare-from-memory" if draft.kind in _CHOOSING else "answer-closed-book")
    return _request(prompt, _ANSWER, ANSWER_TOKENS, question=_question(draft))


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
    return _request(prompt, _ANSWER, ANSWER_TOKENS, question=_question(draft), passages=shown)


def same_answer_request(draft: Draft, answer: str) -> ModelRequest:
    """Whether an answer says the same as the draft's."""
    accepted = "\n".join(dict.fromkeys(map(on_one_line, (draft.answer, *draft.accepted))))
    return _request(
        load_prompt("compare-answers"),
        _SAME,
        VERDICT_TOKENS,
        question=_question(draft),
        right=fenced(accepted, "right answer"),
        given=fenced(answer, "given answer"),
    )


def _request(prompt: Prompt, schema: Schema, room: int, **values: str) -> ModelRequest:
    return ModelRequest(prompt.fill(**values), prompt.id, schema, max_output_tokens=room)


def _question(draft: Draft) -> str:
    return fenced(on_one_line(draft.text), "question")


_TEXT: Mapping[str, JsonValue] = {"type": "string"}


def _schema(name: str, **properties: JsonValue) -> Schema:
    return Schema(name, json_object(**properties))


def _verdict(name: str, verdicts: Sequence[str]) -> Schema:
    return _schema(name, verdict={"type": "string", "enum": list(verdicts)}, reason=_TEXT)


_ALONE = _verdict("clarity", ("clear", "unclear"))
_CHAIN = _verdict("soundness", _CHAIN_VERDICTS)
_COMPARISON = _verdict("soundness", _COMPARISON_VERDICTS)
_ANSWER = _schema("answer", answer=_TEXT)
_SAME = _schema("sameness", same={"type": "boolean"}, reason=_TEXT)
