"""The extractor that asks a language model, with the requests of many articles under way at once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import chain

from kg.extract.model_article import planned_requests, read_article
from kg.extract.model_requests import check_prompt, claims_prompt, triples_prompt
from kg.extract.model_steps import Running
from kg.extract.protocol import ExtractionInput
from kg.extract.version import MODEL_VERSION
from kg.llm.protocol import Estimate, Model, ModelOutcome, ModelRequest
from kg.model import Extraction

ARTICLES_AT_ONCE = 48
"""Articles that may be begun and not yet handed on: enough for a few dozen requests under way."""


def model_extractor_name(model: str) -> str:
    """What is recorded with all that a model extracted: "model-1/MODEL/write-claims@1+check-claims@1+..."."""
    prompts = "+".join(prompt.id for prompt in (claims_prompt(), check_prompt(), triples_prompt()))
    return f"model-{MODEL_VERSION}/{model}/{prompts}"


def estimate(model: Model, items: Iterable[ExtractionInput]) -> Estimate:
    """What reading these articles takes, if every sentence is a fact and none is asked about twice.

    Repairs of answers that were no JSON, and second questions about what an answer left out, come on top.
    """
    return model.estimate(chain.from_iterable(map(planned_requests, items)))


class ModelExtractor:
    """Reads articles with a model; the model is opened when the first article comes, and closed at the end.

    `articles_at_once` bounds what is held in memory; it should be several times the model's concurrency.
    """

    def __init__(
        self,
        model: str,
        open_model: Callable[[], AbstractContextManager[Model]],
        articles_at_once: int = ARTICLES_AT_ONCE,
    ) -> None:
        self._name = model_extractor_name(model)
        self._open_model = open_model
        self._most = articles_at_once

    @property
    def name(self) -> str:
        """The version of this extractor, the model, and the prompts with theirs."""
        return self._name

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily; what failed for an article stands in its extraction.

        Raises:
            ModelRefusedError: the endpoint refused for good.
            ModelUnavailableError: the endpoint does not answer.
            BudgetReachedError: the budget is spent. All articles before the one that is not finished have
                been handed on by then; what was answered for others is in the model's cache.
        """
        with self._open_model() as model:
            desk = _Desk(iter(items), self._most)
            while desk.is_busy():
                # The requests end when all open articles wait for outcomes; then they are asked for anew.
                for outcome in model.ask(desk.requests()):
                    desk.receive(outcome)
                    yield from desk.finished()
                yield from desk.finished()


@dataclass(slots=True)
class _Reading:
    """An article under way: its steps, and the outcomes that came so far of those it waits for."""

    steps: Running[Extraction]
    outcomes: list[ModelOutcome] = field(default_factory=list)


@dataclass(slots=True)
class _Desk:
    """The articles under way, in order, and the requests that are ready or sent."""

    items: Iterator[ExtractionInput]
    most: int
    under_way: deque[_Reading] = field(default_factory=deque)
    ready: deque[tuple[_Reading, ModelRequest]] = field(default_factory=deque)
    sent: deque[_Reading] = field(default_factory=deque)

    def is_busy(self) -> bool:
        """Whether there is an article under way, or one to begin."""
        return bool(self.under_way) or self._begin()

    def requests(self) -> Iterator[ModelRequest]:
        """Requests that are ready; articles are begun when there are none."""
        while True:
            while not self.ready and self._begin():
                pass
            if not self.ready:
                return
            reading, request = self.ready.popleft()
            self.sent.append(reading)
            yield request

    def receive(self, outcome: ModelOutcome) -> None:
        """The outcome of the oldest request that was sent."""
        reading = self.sent.popleft()
        reading.outcomes.append(outcome)
        if len(reading.outcomes) == len(reading.steps.wanted):
            outcomes, reading.outcomes = reading.outcomes, []
            reading.steps.receive(outcomes)
            self._want(reading)

    def finished(self) -> Iterator[Extraction]:
        """The extractions that are due, in the order of their articles."""
        while self.under_way and self.under_way[0].steps.is_done:
            yield self.under_way.popleft().steps.result

    def _begin(self) -> bool:
        """Begin one more article, if there is one and room for it."""
        if len(self.under_way) >= self.most:
            return False
        item = next(self.items, None)
        if item is None:
            return False
        reading = _Reading(Running(read_article(item)))
        self.under_way.append(reading)
        self._want(reading)
        return True

    def _want(self, reading: _Reading) -> None:
        self.ready.extend((reading, request) for request in reading.steps.wanted)
