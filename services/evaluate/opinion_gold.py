"""How well facts are told from opinions, on sentences that somebody labelled."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from kg.errors import InputError
from kg.text.opinion import FACTUAL_FROM, factual_probability
from services.evaluate.extraction_gold import Share, share_of
from services.evaluate.gold_formats import read_gold_text

Label = Literal["fact", "opinion"]
LABELS: tuple[Label, ...] = get_args(Label)

_REMEDY = 'A line reads {"article": ..., "sentence": ..., "label": "fact" or "opinion"}.'


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with its label; `half` says whether the rules were written in its light."""

    article: str
    sentence: str
    label: Label
    half: str


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Of what was called so, how much is; of what is so, how much was called it."""

    precision: Share
    recall: Share


@dataclass(frozen=True, slots=True)
class OpinionScore:
    """How well the labels were told; `baseline` is the accuracy of always giving the commoner label."""

    sentences: int
    accuracy: Share
    baseline: Share
    fact: ClassScore
    opinion: ClassScore


def read_labelled(path: Path) -> list[Labelled]:
    """The labelled sentences of a JSONL file; its "half" is optional.

    Raises:
        InputError: the file can't be read, is empty, or a line is not of that form.
    """
    lines = read_gold_text(path, _REMEDY).split("\n")
    found = [_labelled(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise InputError(f"{path} has no labelled sentence.", _REMEDY)
    return found


def _labelled(path: Path, number: int, line: str) -> Labelled:
    try:
        row = json.loads(line)
        label, sentence = row["label"], row["sentence"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}:{number} is no labelled sentence.", _REMEDY) from error
    if label not in LABELS or not isinstance(sentence, str):
        raise InputError(f"{path}:{number} has the label {label!r}.", _REMEDY)
    article, half = str(row.get("article", number)), str(row.get("half", ""))
    return Labelled(article, sentence, cast(Label, label), half)


def score_opinions(rows: Sequence[Labelled]) -> OpinionScore:
    """Compare the labels of one or more sentences with those of `kg.text.opinion`."""
    told = ["fact" if factual_probability(row.sentence) >= FACTUAL_FROM else "opinion" for row in rows]
    commoner = Counter(row.label for row in rows).most_common(1)[0][0]

    def scored(label: Label) -> ClassScore:
        pairs = list(zip(rows, told, strict=True))
        return ClassScore(
            precision=share_of([(row.label == label, row.article) for row, one in pairs if one == label]),
            recall=share_of([(one == label, row.article) for row, one in pairs if row.label == label]),
        )

    return OpinionScore(
        sentences=len(rows),
        accuracy=share_of([(row.label == one, row.article) for row, one in zip(rows, told, strict=True)]),
        baseline=share_of([(row.label == commoner, row.article) for row in rows]),
        fact=scored("fact"),
        opinion=scored("opinion"),
    )
