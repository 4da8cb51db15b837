"""How many tokens a text may be for a model whose tokenizer nobody here has."""

import re
from math import ceil

_PIECE = re.compile(r"[A-Za-z]{1,4}| {2,}|[^A-Za-z ]")


def estimate_tokens(text: str) -> int:
    """An estimate that is rarely too low, for budgets and rate limits; time is linear in the text's length.

    Counted are four letters of a word at most, each digit, each other mark and line end, a run of spaces,
    and each byte of UTF-8 beyond ASCII, which is the most that a byte-level tokenizer can make of it. A
    single space is counted with the word behind it, as tokenizers do. English news comes out about a third
    above the WordPiece tokens of BERT.
    """
    ascii_only, beyond = _parts(text)
    return len(_PIECE.findall(ascii_only)) + beyond


def likely_tokens(text: str) -> int:
    """An estimate that is right on the average, for what a user is told before he pays.

    English has about four letters, blanks included, to a token (OpenAI, "What are tokens and how to count
    them?"); beyond ASCII, three bytes of UTF-8 are counted as one.
    """
    ascii_only, beyond = _parts(text)
    return ceil(len(ascii_only) / 4 + beyond / 3)


def _parts(text: str) -> tuple[str, int]:
    """The ASCII of a text, and the bytes of UTF-8 of all else."""
    ascii_only = text.encode("ascii", "ignore").decode("ascii")
    return ascii_only, len(text.encode("utf-8", "surrogatepass")) - len(ascii_only)
