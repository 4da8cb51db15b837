"""The same evidence for every system: what is paid for, what is free, and what a reading may spend."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SettingsError
from kg.text.tokens import count_tokens
from services.rag.evidence_budget import (
    LEAST_EVIDENCE_TOKENS,
    EvidenceBudget,
    Piece,
    admitted_passages,
    within_evidence,
)
from services.rag.protocol import Generated, Hit, Passage, RagQuestion, ReadTask
from services.rag.systems import MultiStep, SingleStep
from tests.services.rag.passages import passage
from tests.small_world import tools


def piece(key: str, tokens: int) -> Piece:
    return Piece(key, " ".join(["lamp"] * tokens))


def test_a_reading_before_the_last_spends_half_and_the_last_the_rest() -> None:
    budget = EvidenceBudget(100)
    assert budget.admitted("q", [piece("a", 30), piece("b", 25), piece("c", 20)], last=False) == (
        True,
        False,
        True,
    )
    assert budget.left("q") == 50
    assert budget.admitted("q", [piece("b", 25), piece("c", 20), piece("d", 26)], last=True) == (
        True,
        True,
        False,
    )
    assert budget.left("q") == 25
    assert budget.left("another") == 100


def test_a_first_text_is_shown_where_it_fits_into_what_is_left() -> None:
    budget = EvidenceBudget(100)
    assert budget.admitted("q", [piece("a", 90), piece("b", 5)], last=False) == (True, False)
    assert budget.admitted("q", [piece("c", 11), piece("a", 90)], last=False) == (False, True)


def test_what_was_shown_is_told_in_the_order_of_the_first_showing() -> None:
    budget = EvidenceBudget(100)
    budget.admitted("q", [piece("b", 30), piece("long", 90), piece("a", 15)], last=False)
    budget.admitted("q", [piece("c", 40), piece("b", 30)], last=True)
    assert budget.keys_shown("q") == ("b", "a", "c")
    assert budget.keys_shown("another") == ()


READINGS = st.lists(
    st.tuples(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.just(0)), max_size=6), st.booleans()),
    max_size=6,
)


@given(
    tokens=st.integers(1, 120),
    lengths=st.lists(st.integers(0, 60), min_size=8, max_size=8),
    readings=READINGS,
)
def test_no_more_than_the_budget_is_ever_shown(
    tokens: int, lengths: list[int], readings: list[tuple[list[tuple[str, int]], bool]]
) -> None:
    budget, shown = EvidenceBudget(tokens), set[str]()
    length = dict(zip("abcdefgh", lengths, strict=True))
    for wanted, last in readings:
        pieces = [piece(key, length[key]) for key, _ in wanted]
        before = set(shown)
        taken = budget.admitted("q", pieces, last=last)
        shown |= {one.key for one, fits in zip(pieces, taken, strict=True) if fits}
        assert all(fits for one, fits in zip(pieces, taken, strict=True) if one.key in before)
    assert sum(length[key] for key in shown) == tokens - budget.left("q") <= tokens


class Reading:
    """A generator that keeps what it was shown, and answers with the first name."""

    name = "reading"

    def __init__(self) -> None:
        self.shown: list[tuple[str, ...]] = []

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generated]:
        for task in tasks:
            self.shown.append(tuple(one.chunk for one in task.passages))
            yield Generated("Ostby Rovers")

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generated]]:
        for question in questions:
            yield (question,), Generated("")


PASSAGES = {
    f"chunk-{n}": passage(f"Ostby Rovers number {n}. " + "The crowd sings for them. " * 10, n)
    for n in range(1, 9)
}
EACH = count_tokens(PASSAGES["chunk-1"].text)


class Rounds:
    """Finds four chunks in the first round, four others in the second."""

    name = "rounds"

    def __init__(self) -> None:
        self.round = 0

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        first = 1 + 4 * self.round
        self.round += 1
        return [[Hit(f"chunk-{n}", 1.0) for n in range(first, first + 4)] for _ in questions]


def read(chunks: Sequence[str]) -> dict[str, Passage]:
    return {chunk: PASSAGES[chunk] for chunk in chunks}


def test_a_system_that_retrieves_twice_sees_no_more_than_one_that_retrieves_once() -> None:
    questions = [RagQuestion("q", "Who sings?", np.zeros(384, np.float32))]
    once, twice = Reading(), Reading()
    tokens = 4 * EACH
    SingleStep(Rounds(), read, within_evidence(once, tokens)).answer(questions)
    MultiStep(Rounds(), read, within_evidence(twice, tokens), tools().embedder).answer(questions)
    assert once.shown == [("chunk-1", "chunk-2", "chunk-3", "chunk-4")]
    first, second = twice.shown
    assert first == ("chunk-1", "chunk-2")
    assert set(second) == {"chunk-1", "chunk-2", "chunk-5", "chunk-6"}


def test_without_a_budget_everything_is_shown_and_too_little_is_refused() -> None:
    found = list(PASSAGES.values())
    assert admitted_passages(Reading(), "q", found, last=True) == tuple(found)
    with pytest.raises(SettingsError, match="at least"):
        within_evidence(Reading(), LEAST_EVIDENCE_TOKENS - 1)
