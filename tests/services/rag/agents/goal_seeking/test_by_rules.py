"""Goal seeking by rules: it follows hops, looks where a question says, and knows when to stop."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from services.rag.agents.goal_seeking.insights import EvidencePiece, Insights, PastQuery, Silence
from services.rag.agents.goal_seeking.make import RulesEvaluator, RulesPlanner, goal_seeking
from services.rag.agents.goal_seeking.plans import SearchPlan
from services.rag.agents.goal_seeking.primitives import Verdict
from services.rag.agents.loop import AgentSystem
from services.rag.metadata import index_metadata
from services.rag.protocol import Hit, RagAnswer, RagQuestion
from services.rag.question_words import words
from tests.services.rag.agents import world
from tests.services.rag.agents.goal_seeking.scripted_goals import METADATA, actions, faults_of, last
from tests.services.rag.agents.world import QUESTION, SIMPLE, ByLastName, asked, place

ABOUT_TWO = "Do The Ostby Post article and the Norholm Echo article both say that the harbour dues rise?"


def answer(*questions: str, retriever: ByLastName | None = None, most: int | None = None) -> list[RagAnswer]:
    with place(retriever or ByLastName(), most_iterations=most) as here:
        return AgentSystem(goal_seeking(here, METADATA)).answer(asked(*questions))


def planned(known: Insights) -> SearchPlan:
    (found,) = RulesPlanner(METADATA).plan([known])
    assert found.plan is not None
    return found.plan


def test_the_second_hop_is_looked_for_with_what_the_first_told() -> None:
    (found,) = answer(QUESTION)
    assert found.text == "Halden Shipping"
    assert (found.entity, found.chunk) == ("entity-Halden Shipping", "chunk-2")
    assert actions(found) == [
        "plan",
        "retrieve",
        "extract_evidence",
        "generate_next_query",
        "retrieve",
        "extract_evidence",
        "assess_sufficiency",
        "synthesize_answer",
        "evaluate",
        "answer",
    ]
    first, second = (one.query for one in found.steps if one.retrieves)
    assert first == "Which club does Mira Tolland play for?"
    assert "Ostby Rovers" in second
    assert last(found).thought.startswith("achieved after 1 iteration: ")
    assert {one.chunk for one in found.retrieved} == {"chunk-1", "chunk-2"}
    assert not faults_of(found)


def test_questions_go_side_by_side_and_each_has_its_own_answer() -> None:
    retriever = ByLastName()
    first, second = answer(QUESTION, SIMPLE, retriever=retriever)
    assert (first.text, second.text) == ("Halden Shipping", "Anton Brask")
    assert len(retriever.rounds[0]) == 2
    assert (first.question, second.question) == ("q0", "q1")


def test_where_nothing_is_left_to_try_it_stops_and_says_that_it_does_not_know() -> None:
    (found,) = answer("Which emperor was crowned in the cathedral that the Harbour Fair burnt down?")
    assert found.text == "Insufficient information"
    assert last(found).thought.startswith("stopped after ")
    queries = [one.query for one in found.steps if one.retrieves]
    assert len(queries) == len(set(queries))
    assert not faults_of(found)


def test_no_more_iterations_are_made_than_allowed() -> None:
    (found,) = answer("Which emperor was crowned in the cathedral that the Harbour Fair burnt down?", most=1)
    assert actions(found).count("plan") == 1
    assert last(found).thought == "stopped after 1 iteration: its iterations are used up"


@pytest.mark.parametrize(
    ("question", "pattern", "primitives"),
    [
        (QUESTION, "two-hop inference", ["retrieve", "retrieve"]),
        (SIMPLE, "single retrieval with check", ["retrieve"]),
        (ABOUT_TWO, "consistency comparison", ["retrieve_by_source", "retrieve_by_source"]),
        (
            "Which company do The Ostby Post article and the Norholm Echo article both tell of?",
            "entities across sources",
            ["retrieve_by_source", "retrieve_by_source"],
        ),
        (
            "Does the Norholm Echo article of 5 March 2021 disagree with The Ostby Post article of 6 May "
            "2022?",
            "yes or no over time",
            ["retrieve_filtered", "retrieve_filtered"],
        ),
        (
            "Which town was named by the Norholm Echo report of 5 March 2021 and The Ostby Post report of "
            "6 May 2022?",
            "comparison over time",
            ["retrieve_filtered", "retrieve_filtered"],
        ),
        (
            "Which of Ostby and Kaldmere has more ships, according to The Ostby Post article and the Norholm "
            "Echo article?",
            "source comparison",
            ["retrieve_by_source", "retrieve_by_source"],
        ),
        (
            "According to the Norholm Echo report of 5 March 2021, who won?",
            "single retrieval with check",
            ["retrieve_filtered"],
        ),
    ],
)
def test_the_form_of_a_question_says_which_pattern_it_takes(
    question: str, pattern: str, primitives: list[str]
) -> None:
    made = planned(Insights(question))
    assert made.pattern == pattern
    assert [one.primitive for one in made.steps if one.primitive.startswith("retrieve")] == primitives


def test_a_category_that_a_question_names_is_looked_in() -> None:
    (first, *_) = planned(Insights("Who won, according to the articles in the Sport section?")).steps
    assert (first.primitive, first.category) == ("retrieve_by_category", "Sport")


def test_a_later_plan_looks_for_what_is_missing_and_never_twice() -> None:
    known = Insights(
        "Who?", queries=(PastQuery("Who?", "", 3),), missing=("Which club?", "Who?"), iteration=1
    )
    assert planned(known).steps[0].text == "Which club?"
    tried = Insights(
        "Who?", queries=(PastQuery("Who?", "", 3), PastQuery("which CLUB", "", 3)), missing=("Which club?",)
    )
    assert planned(tried).steps == ()


def test_a_name_that_was_found_is_followed_when_nothing_else_is_missing() -> None:
    known = Insights("Who?", queries=(PastQuery("Who?", "", 3),), entities=("Anton Brask",))
    assert planned(known).steps[0].text == "Who? Anton Brask"


def test_a_question_that_was_looked_for_in_one_source_alone_is_looked_for_everywhere() -> None:
    known = Insights("Who?", queries=(PastQuery("Who?", "source A", 0),), iteration=1)
    assert planned(known).steps[0].text == "Who?"


PIECE = EvidencePiece("Anton Brask wrote it.", "chunk-3")


@pytest.mark.parametrize(
    ("known", "achieved"),
    [
        (Insights("Who?", sufficient=True, answer="Anton Brask", evidence=(PIECE,)), True),
        (Insights("Who?", sufficient=True, answer="Insufficient information", evidence=(PIECE,)), False),
        (
            Insights(
                "Who?",
                sufficient=True,
                answer="Insufficient information",
                silences=(Silence("Who?", "A", 3),),
            ),
            True,
        ),
        (Insights("Who?", sufficient=True, evidence=(PIECE,)), False),
        (Insights("Who?", sufficient=False, answer="Anton Brask", evidence=(PIECE,)), False),
        (Insights("Who?", answer="Anton Brask", evidence=(PIECE,)), False),
    ],
)
def test_the_goal_is_an_answer_from_evidence_that_is_enough(known: Insights, achieved: bool) -> None:
    (read,) = RulesEvaluator().evaluate([known])
    assert isinstance(read.result, Verdict)
    assert read.result.achieved is achieved


def test_a_report_that_nothing_was_found_of_is_missing() -> None:
    (found,) = answer(ABOUT_TWO)
    assessed = next(one.observation for one in found.steps if one.action == "assess_sufficiency")
    assert "a report of The Ostby Post" in assessed
    assert last(found).thought == (
        "achieved after 2 iterations: sources that the question names were searched and tell nothing of it"
    )


class WithinSources(ByLastName):
    """Finds only in the sources that a search is limited to."""

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        found = super().retrieve(questions)
        inside = {one.chunk: one.source for one in world.CHUNKS}
        return [
            [hit for hit in hits if not one.filters.sources or inside[hit.chunk] in one.filters.sources]
            for one, hits in zip(questions, found, strict=True)
        ]


@pytest.mark.parametrize("rain", ["It rained in Kaldmere all week.", ""])
def test_a_source_that_was_searched_in_other_words_and_tells_nothing_ends_the_search(
    monkeypatch: pytest.MonkeyPatch, rain: str
) -> None:
    """The Norholm Echo writes of rain, or not at all; the Ostby Post tells its half."""
    post = replace(world.CHUNKS[0], source="The Ostby Post", text="The harbour dues rise in Ostby.", facts=())
    echo = replace(world.CHUNKS[3], source="Norholm Echo" if rain else "Another", text=rain)
    monkeypatch.setattr(world, "CHUNKS", [post, *world.CHUNKS[1:3], echo])
    (found,) = answer(ABOUT_TWO, retriever=WithinSources())
    searches = [(one.query, one.filters.sources) for one in found.steps if one.retrieves]
    assert searches == [
        (ABOUT_TWO, ("The Ostby Post",)),
        (ABOUT_TWO, ("Norholm Echo",)),
        (" ".join(words(ABOUT_TWO)), ("Norholm Echo",)),
    ]
    assessed = [one.observation for one in found.steps if one.action == "assess_sufficiency"]
    assert "a report of Norholm Echo" in assessed[0]
    assert assessed[-1] == "enough"
    assert last(found).thought.startswith("achieved after 2 iterations")
    extracted = "\n".join(one.observation for one in found.steps if one.action == "extract_evidence")
    assert ("of Norholm Echo read, none tells" in extracted) is bool(rain)


def test_without_sources_nothing_filters() -> None:
    (found,) = RulesPlanner(index_metadata([])).plan([Insights(ABOUT_TWO)])
    assert found.plan is not None
    assert {one.primitive for one in found.plan.steps if one.primitive.startswith("retrieve")} == {"retrieve"}
