"""One loaded extractor for the tests of this folder; loading takes a second or two."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.model import Extraction, Triple
from kg.text.sentences import sentence_spans

FRIDAY = datetime(2019, 1, 4, tzinfo=UTC)

Read = Callable[..., Extraction]


def as_input(body: str, title: str = "", published_at: datetime | None = FRIDAY) -> ExtractionInput:
    return ExtractionInput(body, title, published_at, sentence_spans(body))


def triples_of(extraction: Extraction) -> list[Triple]:
    return [triple for claim in extraction.claims for triple in claim.triples]


def facts_of(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(triple.subject, triple.predicate, triple.object) for triple in triples_of(extraction)}


@pytest.fixture(scope="package")
def extractor() -> RuleExtractor:
    return RuleExtractor()


@pytest.fixture(scope="package")
def read(extractor: RuleExtractor) -> Read:
    def run(body: str, title: str = "", published_at: datetime | None = FRIDAY) -> Extraction:
        (extraction,) = extractor.extract([as_input(body, title, published_at)])
        return extraction

    return run
