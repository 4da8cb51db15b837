"""A model that draws its replies as a protocol says: one temperature and one seed for all requests."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from kg.llm.protocol import Estimate, Model, ModelOutcome, ModelRequest, OnAnswer


@dataclass(frozen=True, slots=True)
class SampledModel:
    """A model that is asked with this temperature and seed, whatever a request says."""

    model: Model
    temperature: float
    seed: int

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    def ask(
        self, requests: Iterable[ModelRequest], on_answer: OnAnswer | None = None
    ) -> Iterator[ModelOutcome]:
        """One outcome a request; see `kg.llm.protocol.Model`."""
        return self.model.ask(map(self._sampled, requests), on_answer)

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """What these requests would take."""
        return self.model.estimate(map(self._sampled, requests))

    def _sampled(self, request: ModelRequest) -> ModelRequest:
        return replace(request, temperature=self.temperature, seed=self.seed)
