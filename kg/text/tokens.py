"""WordPiece tokens of BERT uncased, the measure of every chunk and the input of the built-in embedder.

The steps are BERT's: drop control characters and accents, lower-case, make every punctuation mark and
every Chinese character a word of its own, then take the longest known piece of a word, again and again
(Devlin et al. 2019; the vocabulary's origin and licence are in vocab.NOTICE.txt). One thing differs:
a control character that Python counts as white space, such as a vertical tab, parts two words.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

LONGEST_WORD = 100
"""A longer word is one unknown token, as in BERT."""

LONGEST_RUN = 200
"""More characters in a row without white space are no word that anybody wrote: an embedded picture, a rule of
dashes, a minified script. Scripts that have no white space between their words don't count."""

LETTERS_A_TOKEN = 40
"""What has more characters for each token that it may have is no text: English has four or five. Without this
bound characters of which no token is made (zero-width, combining, controls) and white space would pass every
limit that is counted in tokens."""

_WITHOUT_BLANKS = (
    "\u0e00-\u109f\u1780-\u17ff\u3000-\u312f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0002fa1f"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, Chinese and Japanese letters and punctuation, for a regex class."""

UNBROKEN = re.compile(rf"(?<![^\s{_WITHOUT_BLANKS}])[^\s{_WITHOUT_BLANKS}]{{{LONGEST_RUN + 1},}}+")
"""A run of over `LONGEST_RUN` characters without white space, in a script that has it."""

_BLOCK_CHARS = 1 << 14
_CACHED_CHARS = 64
_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\S+")


class TokenSpan(NamedTuple):
    """A token's place: text[start:end]. `opens_word` is false for a piece inside a word."""

    start: int
    end: int
    opens_word: bool


def count_tokens(text: str) -> int:
    """How many WordPiece tokens `text` has, without [CLS] and [SEP]; time is linear in its length."""
    return sum(sum(map(len, _ids_of_words(block))) for block in _blocks(text))


def encode(text: str, max_tokens: int) -> list[int]:
    """The vocabulary ids of the first `max_tokens` tokens, with [CLS] before and [SEP] after them."""
    vocabulary = _vocabulary()
    ids = [vocabulary.cls]
    for block in _blocks(text):
        for word_ids in _ids_of_words(block):
            ids += word_ids
            if len(ids) > max_tokens:
                del ids[max_tokens + 1 :]
                return [*ids, vocabulary.sep]
    return [*ids, vocabulary.sep]


def token_spans(text: str) -> list[tuple[int, int]]:
    """The place of each token in `text`, in order: as many as `count_tokens` counts."""
    return [(span.start, span.end) for span in iter_token_spans(text)]


def iter_token_spans(text: str) -> Iterator[TokenSpan]:
    """As `token_spans`, one at a time; a character that stands for several letters may lie in two spans."""
    table = _vocabulary().table
    for match in _WORD.finditer(text):
        letters: list[str] = []
        origins: list[int] = []
        for place, char in enumerate(match.group(), match.start()):
            normal = table[ord(char)]
            if normal.startswith(" "):
                yield from _spans_of_word(letters, origins)
                yield TokenSpan(place, place + 1, True)
                letters, origins = [], []
            else:
                letters += normal
                origins += [place] * len(normal)
        yield from _spans_of_word(letters, origins)


def padding_id() -> int:
    """The id that fills a batch up to its longest row."""
    return _vocabulary().padding


class _CharacterTable(dict[int, str]):
    """What BERT makes of a character, worked out when it is first met (for `str.translate`)."""

    def __missing__(self, code: int) -> str:
        self[code] = normal = _normal(chr(code))
        return normal


class _Vocabulary(NamedTuple):
    ids: dict[str, int]
    tokens: list[str]
    table: _CharacterTable
    cls: int
    sep: int
    unknown: int
    padding: int


@cache
def _vocabulary() -> _Vocabulary:
    tokens = (files("kg.text") / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    ids = {token: number for number, token in enumerate(tokens)}
    return _Vocabulary(ids, tokens, _CharacterTable(), ids["[CLS]"], ids["[SEP]"], ids["[UNK]"], ids["[PAD]"])


def _blocks(text: str) -> Iterator[str]:
    """The text in stretches that end before white space, so that memory stays small on a huge text."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _BLOCK_CHARS)
        end = space.start() if space else len(text)
        yield text[start:end]
        start = end


def _ids_of_words(block: str) -> Iterator[tuple[int, ...]]:
    words = block.split()
    if max(map(len, words), default=0) <= _CACHED_CHARS:
        return map(_ids_of_short_word, words)
    return (ids for word in words for ids in _ids_of_word(word))


def _ids_of_word(word: str) -> Iterator[tuple[int, ...]]:
    if len(word) <= _CACHED_CHARS:
        yield _ids_of_short_word(word)
        return
    for part in _WORD.finditer(word.translate(_vocabulary().table)):
        yield _pieces(part.group()) if part.end() - part.start() <= LONGEST_WORD else (_vocabulary().unknown,)


@lru_cache(maxsize=1 << 16)
def _ids_of_short_word(word: str) -> tuple[int, ...]:
    parts = word.translate(_vocabulary().table).split()
    return tuple(number for part in parts for number in _pieces(part))


@lru_cache(maxsize=1 << 15)
def _pieces(word: str) -> tuple[int, ...]:
    """The ids of the longest known pieces from left to right, or [UNK] when a rest is unknown."""
    vocabulary = _vocabulary()
    if len(word) > LONGEST_WORD:
        return (vocabulary.unknown,)
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            number = vocabulary.ids.get(prefix + word[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return (vocabulary.unknown,)
    return tuple(found)


def _spans_of_word(letters: list[str], origins: list[int]) -> Iterator[TokenSpan]:
    if not letters:
        return
    vocabulary = _vocabulary()
    numbers = _pieces("".join(letters)) if len(letters) <= LONGEST_WORD else (vocabulary.unknown,)
    if numbers == (vocabulary.unknown,):
        yield TokenSpan(origins[0], origins[-1] + 1, True)
        return
    first = 0
    for number in numbers:
        after = first + len(vocabulary.tokens[number]) - (2 if first else 0)
        yield TokenSpan(origins[first], origins[after - 1] + 1, first == 0)
        first = after


def _normal(char: str) -> str:
    """The lower-case letters of a character, "" for one that is dropped, " x " for a word of its own."""
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    if category[0] == "C" or category == "Mn" or char == "\ufffd":
        return ""
    letters = (letter.lower() for letter in unicodedata.normalize("NFD", char))
    return "".join(
        f" {letter} " if _stands_alone(letter) else letter
        for letter in letters
        if unicodedata.category(letter[0]) != "Mn"
    )


def _stands_alone(letter: str) -> bool:
    ascii_sign = letter.isascii() and not letter.isalnum()
    return ascii_sign or unicodedata.category(letter[0])[0] == "P" or _is_chinese(letter[0])


def _is_chinese(char: str) -> bool:
    code = ord(char)
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )
