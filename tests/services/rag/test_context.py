"""What a model gets to read, and how its citations lead back to chunks.

The same evidence for every system: what is paid for, what is free, and what a reading may spend.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SettingsError
from kg.text.tokens import count_tokens
from services.rag.context import (
    LEAST_BUDGET,
    LEAST_EVIDENCE_TOKENS,
    Context,
    EvidenceBudget,
    Piece,
    admitted_passages,
    build_context,
    read_citations,
    within_evidence,
)
from services.rag.protocol import Generation, Hit, Passage, RagQuestion, ReadTask
from services.rag.systems import MultiStep, SingleStep
from tests.examples import examples
from tests.services.rag.passages import passage
from tests.small_world import tools

QUESTION = "Who founded the company that owns the club that Mira Tolland plays for?"
TOLLAND = passage("Mira Tolland plays for the Ostby Rovers in the second division.", 1)
ROVERS = passage("The Ostby Rovers belong to Halden Shipping since the spring of that year.", 2)
HALDEN = passage("Halden Shipping was founded by Greta Lindqvist in a shed by the harbour.", 3)
FAIR = passage("The Harbour Fair takes place in Kaldmere whenever the weather allows it.", 4)
ROOMY = 1_000

texts = st.lists(
    st.one_of(st.sampled_from(["Ostby", "Rovers", "won", "the", "cup.", "Kaldmere"]), st.text(max_size=12)),
    max_size=60,
).map(" ".join)


@st.composite
def ranked(draw: st.DrawFn) -> list[Passage]:
    """Passages in any order: chunks of articles with what they share, some of them twice."""
    found = []
    for article in range(draw(st.integers(1, 3))):
        words = draw(texts).split(" ")
        size = draw(st.integers(1, 20))
        pieces = [" ".join(words[at : at + size + 4]) for at in range(0, len(words), size)]
        title = draw(st.text(max_size=200))
        ids = [f"{article}-{number}" for number in range(len(pieces))]
        found += [
            Passage(ids[number], piece, title, "A source", next_chunk=(*ids, "")[number + 1])
            for number, piece in enumerate(pieces)
        ]
    shuffled: list[Passage] = draw(st.permutations(found + found[:2]))
    return shuffled


def chunks(context: Context) -> list[str]:
    return [chunk for block in context.blocks for chunk in block.chunks]


def test_facts_come_in_the_order_of_the_hops_whatever_the_ranks() -> None:
    context = build_context(QUESTION, [HALDEN, FAIR, ROVERS, TOLLAND], ROOMY)
    assert chunks(context) == ["chunk-1", "chunk-2", "chunk-3", "chunk-4"]
    assert [block.number for block in context.blocks] == [1, 2, 3, 4]


def test_steps_go_before_names() -> None:
    steps = {"chunk-4": 1, "chunk-3": 2, "chunk-1": 3, "chunk-2": 3}
    context = build_context(QUESTION, [HALDEN, FAIR, ROVERS, TOLLAND], ROOMY, steps)
    assert chunks(context) == ["chunk-4", "chunk-3", "chunk-1", "chunk-2"]


def test_a_question_that_names_nothing_leaves_the_ranks() -> None:
    context = build_context("Who won?", [HALDEN, FAIR, TOLLAND], ROOMY)
    assert chunks(context) == ["chunk-3", "chunk-4", "chunk-1"]


def test_a_name_in_every_passage_makes_no_link() -> None:
    first, second = passage("Ostby Rovers met Mira Tolland.", 1), passage("Ostby Rovers lost at home.", 2)
    third = passage("Ostby Rovers sold Anton Brask to Kaldmere.", 3)
    context = build_context("What did Mira Tolland do?", [third, second, first], ROOMY)
    assert chunks(context) == ["chunk-1", "chunk-3", "chunk-2"]


def test_neighbours_are_joined_in_the_order_of_the_article_without_what_they_share() -> None:
    before = replace(passage("The cup was won. It rained in the second half.", 1), next_chunk="chunk-2")
    after = passage("It rained in the second half. Nobody went home.", 2)
    (block,) = build_context("?", [after, before], ROOMY).blocks
    assert block.chunks == ("chunk-1", "chunk-2")
    assert block.text == "The cup was won. It rained in the second half. Nobody went home."


def test_neighbours_that_share_nothing_are_joined_whole() -> None:
    before = replace(passage("The cup was won. Yes", 1), next_chunk="chunk-2")
    (block,) = build_context("?", [before, passage("Yes, it rained.", 2)], ROOMY).blocks
    assert block.text == "The cup was won. Yes Yes, it rained."


def test_what_a_better_passage_says_is_not_said_again() -> None:
    again = passage(f"{HALDEN.text}  ", 7)
    context = build_context(QUESTION, [HALDEN, again, HALDEN, FAIR], ROOMY)
    assert chunks(context) == ["chunk-3", "chunk-4"]
    assert context.repeats == ("chunk-7",)


def test_what_was_chosen_elsewhere_is_shown_though_it_repeats() -> None:
    again = passage(f"{HALDEN.text}  ", 7)
    context = build_context(QUESTION, [HALDEN, again, FAIR], ROOMY, repeats=True)
    assert sorted(chunks(context)) == ["chunk-3", "chunk-4", "chunk-7"]
    assert context.repeats == ()


def test_the_best_that_fit_are_taken_and_the_others_named() -> None:
    long = passage("Nobody went home that day. " * 30, 5)
    context = build_context("?", [FAIR, long, HALDEN], 80)
    assert chunks(context) == ["chunk-4", "chunk-3"]
    assert context.left_out == ("chunk-5",)


def test_sources_and_dates_are_shown() -> None:
    told = passage("It rained.", 1, source="The Ostby Post", published="2021-03-05", title="Rain")
    (block,) = build_context("?", [told], ROOMY).blocks
    assert block.full_text == "Title: Rain\nSource: The Ostby Post\nDate: 2021-03-05\n\nIt rained."


def test_no_passage_is_no_context_and_no_room_is_refused() -> None:
    assert build_context(QUESTION, [], ROOMY) == Context()
    with pytest.raises(ValueError, match="no room"):
        build_context(QUESTION, [FAIR], LEAST_BUDGET - 1)


@given(ranked(), st.integers(LEAST_BUDGET, 400))
def test_a_context_keeps_to_its_budget_and_shows_each_chunk_once(found: list[Passage], budget: int) -> None:
    context = build_context("Who won at Kaldmere?", found, budget)
    shown = chunks(context)
    assert context.tokens == sum(count_tokens(block.full_text) for block in context.blocks) <= budget
    assert len(set(shown)) == len(shown)
    assert {*shown, *context.repeats, *context.left_out} == {one.chunk for one in found}
    assert len(shown) + len(context.repeats) + len(context.left_out) == len({one.chunk for one in found})
    assert [block.number for block in context.blocks] == list(range(1, len(context.blocks) + 1))
    assert bool(context.blocks) == bool(found)


@given(ranked(), st.lists(st.integers(0, 30), max_size=5))
def test_every_citation_leads_to_a_retrieved_chunk_or_is_unknown(
    found: list[Passage], numbers: list[int]
) -> None:
    context = build_context("Who won?", found, ROOMY)
    cited = read_citations("Kaldmere " + "".join(f"[{number}]" for number in numbers), context)
    assert cited.text == "Kaldmere"
    assert set(cited.chunks) <= {one.chunk for one in found}
    there = {block.number for block in context.blocks}
    assert set(cited.unknown) == set(numbers) - there
    assert bool(cited.chunks) == bool(set(numbers) & there)


@examples("answer, text, cited, unknown")
def test_citations_are_read(answer: str, text: str, cited: list[str], unknown: list[int]) -> None:
    context = build_context(QUESTION, [TOLLAND, ROVERS, HALDEN], ROOMY)
    found = read_citations(answer, context)
    assert (found.text, list(found.chunks), list(found.unknown)) == (text, cited, unknown)


def piece(key: str, tokens: int) -> Piece:
    return Piece(key, " ".join(["lamp"] * tokens))


def test_a_reading_before_the_last_spends_half_and_the_last_the_rest() -> None:
    budget = EvidenceBudget(100)
    assert budget.admit("q", [piece("a", 30), piece("b", 25), piece("c", 20)], last=False) == (
        True,
        False,
        True,
    )
    assert budget.tokens_left("q") == 50
    assert budget.admit("q", [piece("b", 25), piece("c", 20), piece("d", 26)], last=True) == (
        True,
        True,
        False,
    )
    assert budget.tokens_left("q") == 25
    assert budget.tokens_left("another") == 100


def test_a_first_text_is_shown_where_it_fits_into_what_is_left() -> None:
    budget = EvidenceBudget(100)
    assert budget.admit("q", [piece("a", 90), piece("b", 5)], last=False) == (True, False)
    assert budget.admit("q", [piece("c", 11), piece("a", 90)], last=False) == (False, True)


def test_what_was_shown_is_told_in_the_order_of_the_first_showing() -> None:
    budget = EvidenceBudget(100)
    budget.admit("q", [piece("b", 30), piece("long", 90), piece("a", 15)], last=False)
    budget.admit("q", [piece("c", 40), piece("b", 30)], last=True)
    assert budget.shown_keys("q") == ("b", "a", "c")
    assert budget.shown_keys("another") == ()


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
        taken = budget.admit("q", pieces, last=last)
        shown |= {one.key for one, fits in zip(pieces, taken, strict=True) if fits}
        assert all(fits for one, fits in zip(pieces, taken, strict=True) if one.key in before)
    assert sum(length[key] for key in shown) == tokens - budget.tokens_left("q") <= tokens


class Reading:
    """A generator that keeps what it was shown, and answers with the first name."""

    name = "reading"

    def __init__(self) -> None:
        self.shown: list[tuple[str, ...]] = []

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generation]:
        for task in tasks:
            self.shown.append(tuple(one.chunk for one in task.passages))
            yield Generation("Ostby Rovers")

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generation]]:
        for question in questions:
            yield (question,), Generation("")


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
