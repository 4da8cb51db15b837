"""Triples that come with a set: their file, and what they add to what was read."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.extract.protocol import ExtractionInput
from kg.model import Claim, EntityType, Extraction, Mention, Span, Triple
from kg.text.sentences import sentence_spans
from services.benchmarks.given_extractor import (
    GivenExtractor,
    GivenPassage,
    add_triples,
    find_passage,
    match_triples,
    read_triples,
)

BODY = "Casualties of the siege were many, and casualties went on. Tolland plays for the Ostby Rovers in red."
ITEM = ExtractionInput(BODY, "Mira Tolland", None, sentence_spans(BODY))


def write(path: Path, *docs: object) -> Path:
    path.write_text(json.dumps({"docs": docs}))
    return path


def mention(surface: str, name: str, kind: EntityType) -> Mention:
    start = BODY.index(surface)
    return Mention(surface, name, kind, start, start + len(surface))


def read() -> Extraction:
    span: Span = ITEM.sentences[1]
    text = BODY[span.start : span.end]
    triple = Triple("Mira Tolland", "plays for", "Ostby Rovers", "PERSON", "ORG", rule="verbs")
    return Extraction(
        (Claim(text, text, span.start, span.end, 0.9, (triple,)),),
        (mention("Tolland", "Mira Tolland", "PERSON"),),
    )


def test_a_file_is_read_and_matched_by_text(tmp_path: Path) -> None:
    path = write(
        tmp_path / "openie.json",
        {
            "passage": "A\nB  c.",
            "extracted_entities": ["A"],
            "extracted_triples": [["A", "is", "B"], ["A", "B"]],
        },
        {"passage": "Elsewhere", "extracted_entities": [], "extracted_triples": []},
        {"extracted_entities": ["A"]},
    )
    given = read_triples(path)
    assert find_passage(given, "A", "B c.") == GivenPassage(("A",), (("A", "is", "B"),))
    assert find_passage(given, "any title", "Elsewhere") is not None
    assert find_passage(given, "A", "B d.") is None
    assert [one.reason for one in given.rejected] == [
        "1 of its triples are not three texts",
        "it has no passage",
    ]
    found = match_triples(given, [("A", "B c."), ("A", "B d.")])
    assert (found.matched, found.without) == (1, 1)
    assert [one.reason for one in found.unmatched] == ["no passage of the corpus reads: Elsewhere"]


@pytest.mark.parametrize("content", ["", "[]", '{"docs": 1}', "\x00"])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "openie.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_triples(path)
    assert "openie.json" in caught.value.message
    assert caught.value.remedy


def test_a_given_triple_joins_the_claim_of_its_sentence_under_the_names_that_were_read() -> None:
    given = GivenPassage((), (("Tolland", "wears", "red"), ("Mira Tolland", "plays for", "Ostby Rovers")))
    found = add_triples(ITEM, read(), given)
    (claim,) = found.claims
    assert [(one.subject, one.predicate, one.object, one.rule) for one in claim.triples] == [
        ("Mira Tolland", "plays for", "Ostby Rovers", "verbs"),
        ("Mira Tolland", "wears", "red", "given"),
    ]
    assert (claim.triples[1].subject_type, claim.triples[1].object_type) == ("PERSON", "CONCEPT")


def test_a_sentence_without_a_claim_gets_one_that_nobody_checked() -> None:
    found = add_triples(
        ITEM, Extraction((), read().mentions), GivenPassage((), (("Tolland", "is in", "siege"),))
    )
    (claim,) = found.claims
    assert claim.start == 0
    assert claim.doubt


def test_names_are_added_where_none_was_read_and_common_nouns_never() -> None:
    given = GivenPassage(("Ostby Rovers", "Tolland", "Casualties", "siege", "Atlantis"), ())
    found = add_triples(ITEM, read(), given)
    assert [(one.surface, one.name, one.type) for one in found.mentions] == [
        ("Tolland", "Mira Tolland", "PERSON"),
        ("Ostby Rovers", "Ostby Rovers", "MISC"),
    ]


def test_what_the_passage_can_not_have_told_is_dropped_and_told() -> None:
    given = GivenPassage(
        (),
        (
            ("Tolland", "visited", "Atlantis"),
            ("she", "wears", "red"),
            ("casualties", "of", "siege"),
            ("Tolland", "is", "Mira Tolland"),
        ),
    )
    found = add_triples(ITEM, read(), given)
    assert found.claims == read().claims
    assert {one.reason for one in found.failures} == {
        "1 given triple dropped: its object is not in the passage",
        "1 given triple dropped: its subject or object is empty, a pronoun or too long",
        "1 given triple dropped: its subject is its object",
        "1 given triple dropped: neither subject nor object is a name",
    }


class Ahead:
    """An extractor that reads everything before it gives anything."""

    name = "ahead"
    closed = False

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        try:
            for _ in list(items):
                yield read()
        finally:
            self.closed = True


def test_each_passage_gets_its_own_whoever_reads_ahead(tmp_path: Path) -> None:
    triples = [["Tolland", "wears", "red"]]
    doc = {"passage": f"Mira Tolland\n{BODY}", "extracted_entities": [], "extracted_triples": triples}
    inner = Ahead()
    given = GivenExtractor(inner, read_triples(write(tmp_path / "t.json", doc)))
    other = ExtractionInput(BODY, "Another", None, ITEM.sentences)
    first, second = given.extract([other, ITEM])
    assert first == read()
    assert len(second.claims[0].triples) == 2
    assert given.name.startswith("ahead+given-")
    reading = given.extract([ITEM, ITEM])
    next(reading)
    assert isinstance(reading, Iterator)
    inner.closed = False
    del reading
    assert inner.closed
