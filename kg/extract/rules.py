"""The extractor that needs no network and no key: spaCy's parse and rules over it."""

from collections.abc import Iterable, Iterator
from itertools import chain

from kg.errors import SettingsError
from kg.extract.article import read_or_set_aside
from kg.extract.pipeline import load_model
from kg.extract.protocol import ExtractionInput, TimeLimit
from kg.extract.version import RULES_VERSION
from kg.extract.worker_pool import WorkOrder, available_processes, read_together
from kg.model import Extraction

SENTENCES_BEFORE_HELP = 400
"""How many sentences this process reads alone before it starts others: about what a start costs."""


class RuleExtractor:
    """Reads articles one at a time, each wholly in one process, so that none changes what another gives.

    With `processes` above 1 (by default as many as there are cores) a long stream is read by so many
    processes; what is read is the same. An article that can't be read within `limit` is set aside with the
    reason. Raises SettingsError when no English model is installed.
    """

    def __init__(self, processes: int | None = None, limit: TimeLimit | None = None) -> None:
        if processes is not None and processes < 1:
            raise SettingsError(f"{processes} processes can't read anything.", "Give 1 or more.")
        self._model = load_model()
        self._processes = processes or available_processes()
        self._limit = limit or TimeLimit()

    @property
    def name(self) -> str:
        """The version of the rules and the model ("rules-1/en_core_web_sm-3.8.0")."""
        return f"rules-{RULES_VERSION}/{self._model.name}"

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily; a long stream some articles ahead.

        Close the iterator to end the other processes before the stream ends.
        """
        stream = iter(items)
        sentences = 0
        for item in stream:
            if self._processes > 1 and sentences >= SENTENCES_BEFORE_HELP:
                order = WorkOrder(self._processes, self._limit.seconds)
                yield from read_together(chain([item], stream), self._read, order)
                return
            sentences += len(item.sentences)
            yield self._read(item)

    def _read(self, item: ExtractionInput) -> Extraction:
        return read_or_set_aside(self._model, item, self._limit)
