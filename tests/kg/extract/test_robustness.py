"""What holds for any text: exact offsets, no crash, the same answer in any company."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg.extract.choose import extractor_name
from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.model import LITERAL_TYPES, Extraction, Span
from tests.kg.extract.conftest import Read, as_input

PIECES = [
    "Angela Merkel met Emmanuel Macron in Paris on Monday. ",
    "She said \u201cwe won\u2019t go\u201d. ",
    "The World Health Organization (WHO) is based in Geneva.\n\n",
    "قال محمد صلاح إنه سعيد. ",
    "Müller\u2019s co-founded\u00a0firm,\tNova Labs Inc., sold 50 % to O'Brien! ",
    "🏆⚽ Marta Silva scored 🙂🙂 twice. ",
    "\x00\x00 ",
    "()()(( ,,;; \"\" '' -- — ",
    "https://example.org/a?b=c x@y.org #Tag @User ",
    "\n",
    "   ",
    "He was born in St. Clair, Lambton County, Ontario, Canada (born 1 May 1900 in Rome). ",
    "JOHN CARTER WINS AGAIN. ",
    "e\u0301te\u0301 à Zürich\u200b. ",
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(st.characters(exclude_categories=()), max_size=20)), max_size=8
).map("".join)


def assert_offsets_hold(body: str, extraction: Extraction) -> None:
    for claim in extraction.claims:
        assert claim.sentence == body[claim.start : claim.end]
        assert claim.text.strip()
        assert 0 <= claim.factual <= 1
    for mention in extraction.mentions:
        assert mention.surface == body[mention.start : mention.end]
        assert mention.name.strip()
        assert mention.type not in LITERAL_TYPES
    starts = [mention.start for mention in extraction.mentions]
    assert starts == sorted(starts)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=TEXTS, title=st.sampled_from(["", "Nova Labs", "Angela Merkel", "(", "🏆"]))
def test_offsets_are_those_of_the_body(read: Read, body: str, title: str) -> None:
    assert_offsets_hold(body, read(body, title))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=TEXTS, cuts=st.lists(st.integers(0, 400), max_size=6))
def test_claims_keep_to_the_given_sentences(extractor: RuleExtractor, body: str, cuts: list[int]) -> None:
    edges = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    spans = [Span(left, right) for left, right in pairwise(edges)]
    (extraction,) = extractor.extract([ExtractionInput(body, "", None, spans)])
    assert_offsets_hold(body, extraction)
    assert {(claim.start, claim.end) for claim in extraction.claims} <= {(s.start, s.end) for s in spans}


def test_an_article_gives_the_same_alone_in_company_and_in_another_order(extractor: RuleExtractor) -> None:
    items = [as_input(piece * 3, title) for piece in PIECES for title in ("", "Nova Labs")]
    alone = [next(extractor.extract([item])) for item in items]
    assert list(extractor.extract(items)) == alone
    assert list(extractor.extract(reversed(items))) == alone[::-1]


def test_articles_are_read_one_by_one(extractor: RuleExtractor) -> None:
    taken: list[ExtractionInput] = []

    def articles() -> Iterator[ExtractionInput]:
        for _ in range(3):
            taken.append(as_input("John Carter visited Berlin."))
            yield taken[-1]

    next(extractor.extract(articles()))
    assert len(taken) == 1


@pytest.mark.parametrize(
    "body",
    [
        "",
        " \n\n ",
        "word " * 9000,
        "Angela Merkel met Emmanuel Macron and " * 1500,
        "\x00" * 500,
        "((((" * 500,
        "A. " * 2000,
        "😀" * 3000,
        '"' * 999,
        "John Carter visited Berlin on Monday. " * 1000,
    ],
    ids=["empty", "blank", "words", "one sentence", "nul", "brackets", "initials", "emoji", "quotes", "long"],
)
def test_hard_texts_are_read(read: Read, body: str) -> None:
    assert_offsets_hold(body, read(body, "Some Title"))


def test_the_name_is_known_without_loading(extractor: RuleExtractor) -> None:
    assert extractor.name == extractor_name()
    assert extractor.name.startswith("rules-")
