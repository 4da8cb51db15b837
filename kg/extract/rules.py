"""The extractor that needs no network and no key: spaCy's parse and rules over it.

It reads each article by itself, so an engine may have as many read at once as it has workers for.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial

from kg.engine.choose import Engine, Fault, Work
from kg.engine.processes import LocalEngine
from kg.extract.article import over_time, read_or_set_aside, set_aside
from kg.extract.pipeline import load_model
from kg.extract.protocol import RULES_VERSION, ExtractionInput, TimeLimit
from kg.model import Extraction

SENTENCES_BEFORE_HELP = 400
"""How many sentences a process reads alone before it starts others: about what a start costs."""

LOST = "each process that read it came to an end"


def open_reader(seconds: float) -> Callable[[ExtractionInput], Extraction]:
    """Load the English model; what reads an article with it, in so much processor time at most."""
    return partial(read_or_set_aside, load_model(), limit=TimeLimit(seconds))


class RuleExtractor:
    """Reads articles one at a time, each wholly in one process, so that none changes what another gives.

    `engine` (by default this machine) does the work; what is read is the same by any. An article that can't
    be read within `limit` is set aside with the reason, as one that ends each process that reads it. Raises
    SettingsError when no English model is installed.
    """

    def __init__(self, engine: Engine | None = None, limit: TimeLimit | None = None) -> None:
        self._model = load_model()
        self._engine = engine or LocalEngine()
        self._limit = limit or TimeLimit()

    @property
    def name(self) -> str:
        """The version of the rules and the model ("rules-1/en_core_web_sm-3.8.0")."""
        return f"rules-{RULES_VERSION}/{self._model.name}"

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily; a long stream some articles ahead.

        Close the iterator to end the other processes before the stream ends.
        """
        seconds = self._limit.seconds
        work = Work(
            key=f"{self.name}/{seconds}",
            opener=partial(open_reader, seconds),
            here=partial(read_or_set_aside, self._model, limit=self._limit),
            seconds=seconds,
            cost=_sentences,
            alone_until=SENTENCES_BEFORE_HELP,
        )
        outcomes = self._engine.map(work, items)
        try:
            for outcome in outcomes:
                yield self._set_aside(outcome) if isinstance(outcome, Fault) else outcome
        finally:
            if isinstance(outcomes, Generator):
                outcomes.close()

    def _set_aside(self, fault: Fault) -> Extraction:
        """An article that could not be read, with the reason in the words of this stage."""
        reasons = {"time": over_time(self._limit.seconds), "lost": LOST}
        return set_aside(reasons.get(fault.kind, f"it could not be read ({fault.reason})"))


def _sentences(item: ExtractionInput) -> int:
    return len(item.sentences)
