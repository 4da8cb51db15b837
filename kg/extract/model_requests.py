"""What a model is asked about an article: which sentences are facts, whether claims hold, what they say.

Everything that an article or a model wrote stands inside a fence, in the user's message; what is asked for
stands outside. A request depends on its article and its numbers only, so that the same question has the same
answer in the cache.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

from kg.extract.model_text import NumberedArticle, listed, spelt_out
from kg.llm.prompts import Prompt, fenced, load_prompt
from kg.llm.protocol import JsonValue, Message, ModelRequest, Schema, json_object
from kg.model import EntityType

KINDS = ("fact", "opinion", "other")
VERDICTS = ("same", "more", "different", "unclear")
CONFIDENCE: Mapping[str, float] = {"sure": 0.95, "likely": 0.75, "unsure": 0.4}
"""What a model's words stand for: ranks, the lowest below what counts as stated; models can't tell more."""

BYTES_A_TOKEN = 2.0
"""English has about four letters a token, other scripts one or two bytes: so this is room enough."""

LETTERS_A_TOKEN = 5.0
ENTRY_TOKENS, CHECK_TOKENS, TRIPLES_TOKENS = 13, 12, 140
"""What an ordinary answer takes as JSON, for estimates: the frame of a claim, which is about as long as its
sentence; a verdict; the triples of a claim. In docs/evaluation/model.md 549 claims had 2.7 triples each, of
57 tokens; a verdict took 13."""

_TEXT: dict[str, JsonValue] = {"type": "string"}


def claims_prompt() -> Prompt:
    """The prompt that tells facts from opinions and writes claims."""
    return load_prompt("write-claims")


def check_prompt() -> Prompt:
    """The prompt that checks claims against their sentences."""
    return load_prompt("check-claims")


def triples_prompt() -> Prompt:
    """The prompt that takes claims apart into triples."""
    return load_prompt("find-triples")


def claims_request(article: NumberedArticle, numbers: Sequence[int]) -> ModelRequest:
    """Which of these sentences are facts, and what they say when they stand alone."""
    prompt = claims_prompt()
    messages = prompt.fill(article=_fenced_article(article, numbers), numbers=listed(numbers))
    room = 300 + sum(60 + _tokens(article.sentence(number)) for number in numbers)
    letters = sum(len(article.sentence(number)) for number in numbers)
    expected = ENTRY_TOKENS * len(numbers) + int(letters / LETTERS_A_TOKEN)
    return _request(prompt, messages, CLAIMS_SCHEMA, room, expected)


def check_request(
    article: NumberedArticle, claims: Mapping[int, str], numbers: Sequence[int]
) -> ModelRequest:
    """Whether these claims say what their sentences say."""
    prompt = check_prompt()
    messages = prompt.fill(
        article=_fenced_article(article, numbers),
        claims=_fenced_claims(claims, numbers),
        numbers=listed(numbers),
    )
    return _request(prompt, messages, CHECKS_SCHEMA, 300 + 60 * len(numbers), CHECK_TOKENS * len(numbers))


def triples_request(
    article: NumberedArticle, claims: Mapping[int, str], numbers: Sequence[int]
) -> ModelRequest:
    """The triples of these claims."""
    prompt = triples_prompt()
    heading = f"Title: {article.title or 'none'}\nDate: {spelt_out(article.published)}\n"
    messages = prompt.fill(claims=_fenced_claims(claims, numbers, heading), numbers=listed(numbers))
    room = 300 + sum(150 + 2 * _tokens(claims[number]) for number in numbers)
    return _request(prompt, messages, TRIPLES_SCHEMA, room, TRIPLES_TOKENS * len(numbers))


def _request(
    prompt: Prompt, messages: tuple[Message, ...], schema: Schema, room: int, expected: int
) -> ModelRequest:
    return ModelRequest(
        messages, prompt.id, schema, max_output_tokens=room, expected_output_tokens=min(room, expected)
    )


def _tokens(text: str) -> int:
    """Roughly the most tokens that a text takes."""
    return int(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)


def _fenced_article(article: NumberedArticle, numbers: Sequence[int]) -> str:
    return fenced(article.shown_with(numbers), "article")


def _fenced_claims(claims: Mapping[int, str], numbers: Sequence[int], heading: str = "") -> str:
    lines = [f"[{number}] {claims[number]}" for number in numbers]
    return fenced("\n".join([*([heading] if heading else []), *lines]), "statements")


def _one_of(values: Sequence[str]) -> dict[str, JsonValue]:
    return {"type": "string", "enum": list(values)}


def _listing(name: str, **properties: JsonValue) -> Schema:
    """An answer that lists an item for each number."""
    item = json_object(number={"type": "integer"}, **properties)
    items: dict[str, JsonValue] = {"type": "array", "items": item}
    return Schema(name, json_object(**{name: items}))


CLAIMS_SCHEMA = _listing("sentences", kind=_one_of(KINDS), claim=_TEXT)
CHECKS_SCHEMA = _listing("checks", verdict=_one_of(VERDICTS), reason=_TEXT)
TRIPLES_SCHEMA = _listing(
    "statements",
    facts={
        "type": "array",
        "items": json_object(
            subject=_TEXT,
            subject_type=_one_of(get_args(EntityType)),
            predicate=_TEXT,
            object=_TEXT,
            object_type=_one_of(get_args(EntityType)),
            negated={"type": "boolean"},
            attributed_to=_TEXT,
            confidence=_one_of(tuple(CONFIDENCE)),
        ),
    },
)
