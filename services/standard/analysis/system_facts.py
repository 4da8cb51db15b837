"""What a system did over all its answers, counted while they are read."""

from services.standard.analysis.content import SystemFacts
from services.standard.protocol import SystemUnderTest
from services.standard.records import Answer


class Tally:
    """Counts over the answers of one system; each is added once and forgotten."""

    def __init__(self) -> None:
        self._answers = self._errors = self._abstained = 0
        self._evidence = self._most = self._words = self._read = self._written = 0
        self._seconds = 0.0
        self._cost: float | None = None

    def add(self, answer: Answer) -> None:
        """Count an answer; one that failed has no length."""
        self._answers += 1
        self._read += answer.input_tokens
        self._written += answer.output_tokens
        self._seconds += answer.seconds
        if answer.cost is not None:
            self._cost = (self._cost or 0.0) + answer.cost
        if answer.error:
            self._errors += 1
            return
        self._abstained += answer.abstained
        self._evidence += answer.evidence_tokens
        self._most = max(self._most, answer.evidence_tokens)
        self._words += answer.answer_tokens

    def facts(self, system: SystemUnderTest, questions: int) -> SystemFacts:
        """What was counted, of a system that was to answer so many questions."""
        good = self._answers - self._errors
        return SystemFacts(
            name=system.name,
            origin=f"run {system.run}" if system.selector is None else f"{system.system}, {system.selector}",
            answers=self._answers,
            missing=questions - self._answers,
            errors=self._errors,
            abstained=self._abstained,
            evidence_tokens=self._evidence / good if good else None,
            most_evidence_tokens=self._most,
            answer_tokens=self._words / good if good else None,
            input_tokens=self._read,
            output_tokens=self._written,
            seconds=self._seconds,
            cost=self._cost,
        )
