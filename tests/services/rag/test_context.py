"""What a model gets to read, and how its citations lead back to chunks."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.text.tokens import count_tokens
from services.rag.context import LEAST_BUDGET, Context, build_context, read_citations
from services.rag.protocol import Passage
from tests.examples import examples
from tests.services.rag.passages import passage

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
    assert context.repeated == ("chunk-7",)


def test_what_was_chosen_elsewhere_is_shown_though_it_repeats() -> None:
    again = passage(f"{HALDEN.text}  ", 7)
    context = build_context(QUESTION, [HALDEN, again, FAIR], ROOMY, repeats=True)
    assert sorted(chunks(context)) == ["chunk-3", "chunk-4", "chunk-7"]
    assert context.repeated == ()


def test_the_best_that_fit_are_taken_and_the_others_named() -> None:
    long = passage("Nobody went home that day. " * 30, 5)
    context = build_context("?", [FAIR, long, HALDEN], 80)
    assert chunks(context) == ["chunk-4", "chunk-3"]
    assert context.left_out == ("chunk-5",)


def test_sources_and_dates_are_shown() -> None:
    told = passage("It rained.", 1, source="The Ostby Post", published="2021-03-05", title="Rain")
    (block,) = build_context("?", [told], ROOMY).blocks
    assert block.as_read == "Title: Rain\nSource: The Ostby Post\nDate: 2021-03-05\n\nIt rained."


def test_no_passage_is_no_context_and_no_room_is_refused() -> None:
    assert build_context(QUESTION, [], ROOMY) == Context()
    with pytest.raises(ValueError, match="no room"):
        build_context(QUESTION, [FAIR], LEAST_BUDGET - 1)


@given(ranked(), st.integers(LEAST_BUDGET, 400))
def test_a_context_keeps_to_its_budget_and_shows_each_chunk_once(found: list[Passage], budget: int) -> None:
    context = build_context("Who won at Kaldmere?", found, budget)
    shown = chunks(context)
    assert context.tokens == sum(count_tokens(block.as_read) for block in context.blocks) <= budget
    assert len(set(shown)) == len(shown)
    assert {*shown, *context.repeated, *context.left_out} == {one.chunk for one in found}
    assert len(shown) + len(context.repeated) + len(context.left_out) == len({one.chunk for one in found})
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
