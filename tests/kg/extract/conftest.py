"""One loaded extractor for the tests of this folder; loading takes a second or two."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kg.extract.choose import make_extractor
from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.model import Extraction, Triple
from kg.text.sentences import sentence_spans
from tests import scripted_reader
from tests.scripted_endpoint import Endpoint, scripted_endpoint

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


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A model that reads simple English."""
    with scripted_endpoint(scripted_reader.read) as running:
        yield running


@pytest.fixture
def model_read(endpoint: Endpoint, tmp_path: Path) -> Callable[..., list[Extraction]]:
    """Articles read by the model of `endpoint`."""

    def run(*bodies: str, title: str = "", **settings: object) -> list[Extraction]:
        extractor = make_extractor("model", endpoint.settings(tmp_path, **settings))
        return list(extractor.extract(as_input(body, title) for body in bodies))

    return run
