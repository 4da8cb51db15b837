"""How long an answer is, by a count that no spelling gets past, and an answer cut at a length."""

from math import ceil

from kg.text.tokens import count_tokens
from services.rag.context import first_words

LETTERS_A_TOKEN = 16
"""The most letters that a token is taken for; of usual text it has some five. Our tokens alone would take
a word of thousands of letters for one."""


def answer_length(text: str) -> int:
    """Tokens by our count, and at least one for every `LETTERS_A_TOKEN` letters."""
    return max(count_tokens(text), ceil(len(text) / LETTERS_A_TOKEN))


def cut_answer(text: str, length: int) -> str:
    """The beginning of a text that is no longer than this, at the end of a word where that can be."""
    return first_words(text, length)[: length * LETTERS_A_TOKEN]
