"""The same evidence for every system: so many tokens of the corpus for a question, over all its readings.

What counts is text that is shown for the first time, in WordPiece tokens of the text itself, without its
heading. Each question has a budget of its own, from which every reading of any of its sub-questions pays.

- A text that was shown before is free: reading it again tells nothing new.
- The last reading may spend all that is left; one before it half of what is left, or on a first text that
  fits into what is left, so that a later reading is never without evidence.
- Texts are taken in the order given, best first, and whole; one for which there is no room is passed over,
  and a shorter one behind it may still be taken.

So a system that retrieves twice has no more evidence than one that retrieves once. What a model's prompts
take beside that is told by the tokens that a run records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from kg.errors import SettingsError
from kg.text.tokens import count_tokens
from services.rag.protocol import Generated, Generator, Passage, ReadTask

LEAST_EVIDENCE_TOKENS = 64
"""With less, hardly a chunk could be read."""

KEPT = 2
"""An earlier reading takes at most one part in so many of what is left."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that is to be shown; `key` says which it is, such as the id of its chunk or claim."""

    key: str
    text: str


@dataclass(slots=True)
class _Account:
    """What was shown for a question, and what is left."""

    left: int
    chunks: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvidenceBudget:
    """What each question has left of `tokens`; one object for all readings of a system."""

    tokens: int
    _accounts: dict[str, _Account] = field(default_factory=dict)

    def admitted(self, question: str, pieces: Sequence[Piece], *, last: bool) -> tuple[bool, ...]:
        """Which texts may be shown for the question with this id, each in its place; they are paid for.

        `last` tells that nothing will be read for the question afterwards. A question without an id has a
        budget for this one reading.
        """
        account = self._accounts.setdefault(question, _Account(self.tokens)) if question else None
        account = account or _Account(self.tokens)
        room = account.left if last else account.left // KEPT
        taken: list[bool] = []
        for piece in pieces:
            free = piece.key in account.chunks
            tokens = 0 if free else _tokens(piece.text)
            first = not any(taken)
            fits = tokens <= room or (first and tokens <= account.left)
            taken.append(fits)
            if fits and not free:
                account.chunks[piece.key] = None
                account.left -= tokens
                room = max(room - tokens, 0)
        return tuple(taken)

    def left(self, question: str) -> int:
        """Tokens that the question with this id may still be shown."""
        account = self._accounts.get(question)
        return self.tokens if account is None else account.left

    def keys_shown(self, question: str) -> tuple[str, ...]:
        """The keys of all that the question with this id was shown, in the order of the first showing."""
        account = self._accounts.get(question)
        return () if account is None else tuple(account.chunks)


@dataclass(frozen=True, slots=True)
class WithinEvidence:
    """A generator that sees no more of a question's passages than its budget pays for."""

    generator: Generator
    budget: EvidenceBudget

    @property
    def name(self) -> str:
        """The generator's own: the budget is recorded beside it."""
        return self.generator.name

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generated]:
        """One answer a task, in order, from the passages that are paid for."""
        return self.generator.answer([self._within(task) for task in tasks])

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generated]]:
        """As the generator does: there is no evidence in it."""
        return self.generator.decompose(questions)

    def _within(self, task: ReadTask) -> ReadTask:
        last = not (task.on_the_way or task.part)
        return replace(task, passages=admitted_passages(self, task.question_id, task.passages, last=last))


def within_evidence(generator: Generator, tokens: int) -> Generator:
    """The generator, with at most so many tokens of evidence for each question.

    Raises:
        SettingsError: so few tokens are no evidence.
    """
    if tokens < LEAST_EVIDENCE_TOKENS:
        raise SettingsError(
            f"{tokens} tokens are too few to read anything.",
            f"Give a budget of evidence of at least {LEAST_EVIDENCE_TOKENS} tokens.",
        )
    return WithinEvidence(generator, EvidenceBudget(tokens))


def evidence_of(generator: Generator) -> EvidenceBudget | None:
    """The budget that a generator keeps to, for whoever shows evidence past it; None without one."""
    return generator.budget if isinstance(generator, WithinEvidence) else None


def admitted_passages(
    generator: Generator, question: str, passages: Sequence[Passage], *, last: bool
) -> tuple[Passage, ...]:
    """The passages that the question with this id may be shown, by the budget of `generator`."""
    budget = evidence_of(generator)
    if budget is None:
        return tuple(passages)
    pieces = [Piece(passage.chunk, passage.text) for passage in passages]
    taken = budget.admitted(question, pieces, last=last)
    return tuple(passage for passage, fits in zip(passages, taken, strict=True) if fits)


@lru_cache(maxsize=4_096)
def _tokens(text: str) -> int:
    """The tokens of a text; the same chunk is shown for many questions."""
    return count_tokens(text)
