"""How well facts are told from opinions: the score by hand, and on labelled sentences of the seed corpus."""

from pathlib import Path

import pytest

from kg.errors import InputError
from services.evaluate.extraction_gold import Label, Labelled, read_labelled, score_opinions
from tests.examples import examples

GOLD = Path(__file__).parents[3] / "seed" / "gold" / "opinions.jsonl"
FACT = "The council approved the budget on Monday."
OPINION = "What a terrible night!"


def labelled(article: str, sentence: str, label: Label) -> Labelled:
    return Labelled(article, sentence, label, "")


def test_a_score_by_hand() -> None:
    score = score_opinions(
        [
            labelled("a", FACT, "fact"),
            labelled("b", FACT, "fact"),
            labelled("c", FACT, "opinion"),
            labelled("d", OPINION, "opinion"),
            labelled("e", OPINION, "fact"),
        ]
    )
    assert (score.accuracy.hits, score.accuracy.n) == (3, 5)
    assert (score.baseline.hits, score.baseline.n) == (3, 5)
    assert (score.fact.precision.hits, score.fact.precision.n) == (2, 3)
    assert (score.fact.recall.hits, score.fact.recall.n) == (2, 3)
    assert (score.opinion.precision.hits, score.opinion.precision.n) == (1, 2)
    assert (score.opinion.recall.hits, score.opinion.recall.n) == (1, 2)


def test_on_sentences_that_the_rules_were_not_weighed_on_they_beat_the_commoner_label() -> None:
    held_out = [row for row in read_labelled(GOLD) if row.half == "held-out"]
    score = score_opinions(held_out)
    assert len(held_out) == 192
    assert (score.accuracy.value or 0) >= 0.84
    assert (score.accuracy.value or 0) > (score.baseline.value or 1) + 0.04
    assert (score.opinion.recall.value or 0) >= 0.6


@examples("text, complaint")
def test_what_is_no_label_is_refused_in_a_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "opinions.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        read_labelled(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_labelled(tmp_path / "none.jsonl")
