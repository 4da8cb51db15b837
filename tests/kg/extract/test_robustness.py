"""What holds for any text: exact offsets, no crash, the same answer in any company."""

from collections.abc import Iterator
from itertools import count, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg.engine.processes import LocalEngine
from kg.extract.candidates import MAX_PHRASE_LETTERS
from kg.extract.choose import extractor_name
from kg.extract.entities import MAX_NAME_LETTERS
from kg.extract.protocol import ExtractionInput, TimeLimit
from kg.extract.rules import RuleExtractor
from kg.ingest.read import to_article
from kg.ingest.rows import RawRow
from kg.model import LITERAL_TYPES, ArticleRow, Extraction, Reject, Span
from kg.text.chunks import SMALL, chunk
from tests.examples import examples, read_examples
from tests.kg.extract.conftest import Read, as_input
from tests.representatives import representatives

PIECES = list(read_examples("kg/extract/robustness")["pieces"])
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


@pytest.mark.campaign
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


HARD = {
    "empty": "",
    "blank": " \n\n ",
    "words": "word " * 9000,
    "one sentence": "Angela Merkel met Emmanuel Macron and " * 1500,
    "nul": "\x00" * 500,
    "brackets": "((((" * 500,
    "initials": "A. " * 2000,
    "emoji": "😀" * 3000,
    "quotes": '"' * 999,
    "long": "John Carter visited Berlin on Monday. " * 1000,
}
LONGEST = {"words", "one sentence", "long"}


@pytest.mark.parametrize("name", representatives(HARD, *HARD.keys() - LONGEST))
def test_hard_texts_are_read(read: Read, name: str) -> None:
    body = HARD[name]
    assert_offsets_hold(body, read(body, "Some Title"))


@examples("word")
def test_two_prefixes_in_a_word_are_one_word(read: Read, word: str) -> None:
    body = f"Angela Merkel met the {word} of Nova Labs in Berlin on Monday."
    extraction = read(body)
    assert_offsets_hold(body, extraction)
    assert "Angela Merkel" in {mention.name for mention in extraction.mentions}


@pytest.mark.campaign
@pytest.mark.parametrize("letter", ["A", "Aa", "A-", "\U0001f3c6", "Ab "])
def test_names_are_bounded_in_letters(read: Read, letter: str) -> None:
    long = (letter * 9_000)[:9_000]
    body = f"Angela Merkel met {long[:190]} and {long} ({long[:9]}). {long[:190]} was sold to {long[:199]}."
    extraction = read(body, title=long[:1_000])
    names = [mention.name for mention in extraction.mentions]
    ends = [end for claim in extraction.claims for one in claim.triples for end in (one.subject, one.object)]
    assert all(len(name) <= MAX_NAME_LETTERS for name in names)
    assert all(len(end) <= MAX_PHRASE_LETTERS for end in ends)


@pytest.mark.campaign
def test_an_article_over_its_time_is_set_aside_and_the_others_are_read() -> None:
    ticks = count()
    extractor = RuleExtractor(LocalEngine(1), TimeLimit(50, lambda: next(ticks)))
    short, long = as_input("John Carter visited Berlin."), as_input("John Carter visited Berlin. " * 30)
    first, set_aside, last = extractor.extract([short, long, short])
    assert first == last
    assert first.mentions
    assert set_aside == Extraction(
        (), (), (Reject("", "reading it took more than 50 s of processor time (HOPGRADE_ARTICLE_SECONDS)"),)
    )


def test_an_article_that_can_not_be_read_is_set_aside_and_the_others_are_read(
    extractor: RuleExtractor,
) -> None:
    good = as_input("John Carter visited Berlin.")
    # Sentences beyond the body are what no segmentation gives, so this is a fault of ours, whatever it is.
    bad = ExtractionInput(None, "", None, [Span(0, 5)])  # type: ignore[arg-type]
    first, set_aside, last = extractor.extract([good, bad, good])
    assert first == last
    assert first.claims
    (failure,) = set_aside.failures
    assert failure.reason.startswith("it could not be read (AttributeError: ")


HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.sampled_from(
            [
                *("\ud800", "\u202e", "\u2066", "\x07\x1b[2J", "\u200d", "\u2028", "\ufffe", '"', "((("),
                *("e\u0301" * 300, "\U0001f3c6" * 300, "Ab" * 5_000, " " * 300),
                *("| a | b |\n|---|---|\n", "co-ex-vice-"),
            ]
        ),
        st.text(st.characters(exclude_categories=()), max_size=20),
    ),
    max_size=8,
).map("".join)


@pytest.mark.campaign
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=HOSTILE, title=HOSTILE, source=HOSTILE)
def test_any_text_ends_as_an_extraction_or_a_reject(read: Read, body: str, title: str, source: str) -> None:
    row, *_ = to_article(RawRow("f:1", {"body": body, "title": title, "source": source}), {})
    if isinstance(row, Reject):
        return
    assert isinstance(row, ArticleRow)
    row.title.encode()
    assert chunk(row.body, SMALL) or not row.body.strip()
    extraction = read(row.body, row.title)
    assert not extraction.failures
    assert_offsets_hold(row.body, extraction)


def test_the_name_is_known_without_loading(extractor: RuleExtractor) -> None:
    assert extractor.name == extractor_name()
    assert extractor.name.startswith("rules-")
