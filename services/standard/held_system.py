"""A system held to a budget of evidence and a cap on its answers, with what it showed as what it retrieved.

The evidence of an answer are the chunks that were paid for out of the budget, in the order in which they were
first shown, each with the step that brought it. An answer that is longer than the cap is cut at it, and its
last step has the fault `ANSWER_CUT`. Where no chunk is cited, the one in which the answer was read is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from services.rag.evidence_budget import EvidenceBudget, WithinEvidence
from services.rag.protocol import Answered, Asked, Generator, RagSystem, Retrieved
from services.standard.answer_length import cut_answer

ANSWER_CUT = "answer cut"
"""The fault of a step whose answer was longer than the cap."""


@dataclass(frozen=True, slots=True)
class HeldSystem:
    """A system that `make` makes for a batch of questions and a generator that keeps to their budgets."""

    name: str
    make: Callable[[Sequence[Asked], Generator], RagSystem]
    generator: Generator
    evidence_tokens: int
    answer_tokens: int

    def answer(self, questions: Sequence[Asked]) -> list[Answered]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        # A budget of its own for each batch: what was shown for thousands of questions would pile up.
        evidence = EvidenceBudget(self.evidence_tokens)
        system = self.make(questions, WithinEvidence(self.generator, evidence))
        return [
            held(answered, evidence.shown(answered.question), self.answer_tokens)
            for answered in system.answer(questions)
        ]


def held(answered: Answered, shown: Sequence[str], answer_tokens: int) -> Answered:
    """An answer of at most so many WordPiece tokens, with the chunks that were shown for it."""
    # From the last step to the first, so that of several that brought a chunk the first is left.
    brought = {hit.chunk: (hit.score, step.index) for step in reversed(answered.steps) for hit in step.hits}
    text, steps = cut_answer(answered.text, answer_tokens), answered.steps
    if text != answered.text and steps:
        steps = (*steps[:-1], replace(steps[-1], fault=ANSWER_CUT))
    return replace(
        answered,
        text=text,
        steps=steps,
        retrieved=tuple(Retrieved(chunk, rank, *brought[chunk]) for rank, chunk in enumerate(shown, start=1)),
        cited=answered.cited or tuple(chunk for chunk in shown if chunk == answered.chunk),
    )
