"""Scores of an extraction, by hand, and the readers of every gold format.

How well facts are told from opinions: the score by hand, and on labelled sentences of the seed corpus.
"""

import json
from pathlib import Path

import pytest

from kg.errors import InputError, SettingsError
from services.evaluate.extraction_gold import (
    FoundInDocument,
    FoundTriple,
    Label,
    LabelledSentence,
    read_labelled,
    score_extraction,
    score_opinions,
    share_of,
)
from services.evaluate.gold_formats import (
    Gold,
    GoldDocument,
    GoldEntity,
    draw,
    join_tokens,
    matching_form,
    read_gold,
    same_name,
)
from tests.examples import examples

SEED = Path(__file__).parents[3] / "seed" / "gold"


def entity(*names: str, sentences: tuple[int, ...] = (), named: bool = True) -> GoldEntity:
    return GoldEntity(frozenset(map(matching_form, names)), frozenset(sentences), named)


DOCUMENT = GoldDocument(
    id="one",
    title="",
    text="",
    published_at=None,
    entities=(
        entity("Ana Brel", "Brel", sentences=(0,)),
        entity("Norvik Energy", sentences=(0, 2)),
        entity("Oslo", sentences=(1,)),
        entity("2009", sentences=(0,), named=False),
    ),
    pairs=frozenset({(0, 1), (1, 2), (0, 3)}),
)
GOLD = Gold("redocred", (DOCUMENT,), complete=True, named=True)


def found(*triples: tuple[str, str, bool], names: tuple[str, ...] = ()) -> FoundInDocument:
    rules = (FoundTriple(left, right, "verb", kept) for left, right, kept in triples)
    return FoundInDocument(tuple(rules), frozenset(names))


def test_a_score_by_hand() -> None:
    one = found(
        ("Norvik Energy", "Brel", True),  # related, the other way round
        ("Norvik Energy", "Oslo", False),  # related, not kept, in two sentences
        ("Ana Brel", "Oslo", True),  # linked and not related
        ("Ana Brel", "a bicycle", True),  # not linked
        names=("Ana Brel", "Norvik Energi"),
    )
    score = score_extraction(GOLD, [DOCUMENT], [one])
    assert (score.triples, score.triples_kept) == (4, 3)
    assert (score.pairs.hits, score.pairs.n) == (2, 3)
    assert (score.pairs_kept.hits, score.pairs_kept.n) == (1, 3)
    assert score.near_pairs is not None
    assert (score.near_pairs.hits, score.near_pairs.n) == (1, 2)
    assert score.right is not None
    assert (score.right.hits, score.right.n) == (2, 3)
    assert score.by_rule == {"verb": (2, 3)}
    assert score.names_exact is not None
    assert (score.names_exact.hits, score.names_exact.n) == (1, 3)
    assert score.names_fuzzy is not None
    assert score.names_fuzzy.hits == 2


def test_gold_that_is_not_complete_tells_no_precision() -> None:
    score = score_extraction(Gold("kg_rag", (DOCUMENT,), False, False), [DOCUMENT], [found()])
    assert (score.right, score.near_pairs, score.names_exact, score.by_rule) == (None, None, None, {})
    assert score.pairs.value == 0


def test_an_interval_widens_where_documents_hang_together() -> None:
    alone = share_of([(number % 2 == 0, str(number)) for number in range(40)])
    together = share_of([(number < 20, str(number // 20)) for number in range(40)])
    assert alone.value == together.value == 0.5
    assert alone.low is not None and together.low is not None
    assert together.low < alone.low
    assert share_of([]).value is None


@examples("left, right, same")
def test_names_match_nearly(left: str, right: str, same: bool) -> None:
    assert same_name(matching_form(left), matching_form(right)) is same


def test_the_seed_corpus_is_read_with_its_aliases() -> None:
    gold = read_gold(SEED / "triples.jsonl")
    assert (gold.format, len(gold.documents), gold.complete, gold.named) == ("seed", 51, False, True)
    first = gold.documents[0]
    (player,) = [one for one in first.entities if "rosalind ketteridge" in one.names]
    assert "roz ketteridge" in player.names
    assert player.named
    assert first.published_at is not None


def test_kg_rag_is_read(tmp_path: Path) -> None:
    chunk = {"chunk_id": "c1", "source_title": "Ana Brel", "text": "Ana Brel founded Norvik in 2009."}
    (tmp_path / "data__processed__corpus.jsonl").write_text(json.dumps(chunk) + "\n", encoding="utf-8")
    rows = [
        {"chunk_id": "c1", "subject": "Ana Brel", "relation": "founded", "object": "Norvik"},
        {"chunk_id": "c1", "subject": "Norvik", "relation": "founder", "object": "the Ana Brel"},
        {"chunk_id": "c1", "subject": "Norvik", "relation": "inception", "object": "2009"},
    ]
    gold_file = tmp_path / "gold.jsonl"
    gold_file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    gold = read_gold(gold_file)
    assert gold.format == "kg_rag"
    assert gold.documents[0].text == chunk["text"]
    assert len(gold.documents[0].pairs) == 2
    with pytest.raises(InputError, match="--articles"):
        read_gold(gold_file, articles=tmp_path / "elsewhere.jsonl")


def test_redocred_is_read(tmp_path: Path) -> None:
    row = {
        "title": "Ana Brel",
        "sents": [["Ana", "Brel", "'s", "firm", "is", "in", "Oslo", "."], ["Brel", "left", "."]],
        "vertexSet": [
            [
                {"name": "Ana Brel", "sent_id": 0, "type": "PER"},
                {"name": "Brel", "sent_id": 1, "type": "PER"},
            ],
            [{"name": "Oslo", "sent_id": 0, "type": "LOC"}],
            [{"name": "2009", "sent_id": 1, "type": "TIME"}],
        ],
        "labels": [{"h": 1, "t": 0, "r": "P1"}, {"h": 0, "t": 1, "r": "P2"}],
    }
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    gold = read_gold(path)
    (document,) = gold.documents
    assert gold.complete and gold.named
    assert document.text == "Ana Brel's firm is in Oslo. Brel left."
    assert document.pairs == {(0, 1)}
    assert [one.named for one in document.entities] == [True, True, False]
    assert document.entities[0].sentences == {0, 1}


def test_musique_is_read(tmp_path: Path) -> None:
    triples = [["Ana Brel", "founded", "Norvik"], ["broken", "triple"], ["x", None, "y"]]
    docs = [{"title": "t", "text": "Some text.", "extracted_triples": triples}]
    path = tmp_path / "openie.json"
    path.write_text(json.dumps({"docs": docs, "avg_ent_chars": 3}), encoding="utf-8")
    gold = read_gold(path)
    assert gold.format == "musique"
    assert len(gold.documents[0].pairs) == 1


def test_tokens_become_text() -> None:
    assert (
        join_tokens(["He", "said", ",", '"', "Go", "!", '"', "(", "twice", ")"]) == 'He said, "Go!" (twice)'
    )


@examples("text, complaint")
def test_what_is_no_gold_is_refused_in_a_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "gold.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        read_gold(path)


def test_a_missing_key_in_a_later_entry_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    good = {"chunk_id": "c", "subject": "a", "object": "b"}
    path.write_text("\n".join(map(json.dumps, [good, {"chunk_id": "c"}])), encoding="utf-8")
    with pytest.raises(InputError, match="entry 2 has no object, subject"):
        read_gold(path)
    with pytest.raises(SettingsError, match="xml"):
        read_gold(path, "xml")


def documents(number: int) -> list[GoldDocument]:
    return [GoldDocument(str(n), "", "", None, (), frozenset()) for n in range(number)]


def test_a_sample_and_the_rest_are_the_whole() -> None:
    whole = documents(20)
    drawn, rest = draw(whole, 8, 7, False), draw(whole, 8, 7, True)
    assert len(drawn) == 8
    assert {one.id for one in (*drawn, *rest)} == {one.id for one in whole}
    assert len(rest) == 12
    assert draw(whole, 8, 7, False) == drawn
    assert draw(whole, 8, 8, False) != drawn
    assert list(draw(whole, None, 7, False)) == whole


@pytest.mark.parametrize(("sample", "held_out"), [(21, False), (20, True), (None, True)])
def test_a_draw_that_can_not_be_is_refused(sample: int | None, held_out: bool) -> None:
    with pytest.raises(SettingsError):
        draw(documents(20), sample, 7, held_out)


OPINIONS = Path(__file__).parents[3] / "seed" / "gold" / "opinions.jsonl"
FACT = "The council approved the budget on Monday."
OPINION = "What a terrible night!"


def labelled(article: str, sentence: str, label: Label) -> LabelledSentence:
    return LabelledSentence(article, sentence, label, "")


def test_a_score_of_opinions_by_hand() -> None:
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
    held_out = [row for row in read_labelled(OPINIONS) if row.half == "held-out"]
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
