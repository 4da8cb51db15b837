"""Which prompts a job needs follows from what is chosen for it."""

from pathlib import Path

import pytest

from kg.settings import Settings
from services.preflight.job_needs import Need, left_to_try, question_needs, remember_passes
from services.questions.choice import QuestionChoice
from services.questions.draft import QuestionKind

FROM_MEMORY = {"answer-closed-book", "compare-from-memory"}


def test_questions_that_may_be_known_are_not_asked_from_memory() -> None:
    rejecting = QuestionChoice(generator="model", checks="model")
    keeping = QuestionChoice(generator="model", checks="model", known="keep")
    asked, spared = ({need.prompt for need in question_needs(one)} for one in (rejecting, keeping))
    assert asked - spared == FROM_MEMORY
    assert spared < asked


@pytest.mark.parametrize(
    ("kind", "prompts"),
    [
        ("chain", {"answer-closed-book"}),
        ("bridge entity", {"answer-closed-book"}),
        ("comparison", {"compare-from-memory"}),
        ("temporal", {"compare-from-memory"}),
        ("bridge topic", FROM_MEMORY),
        ("null", set()),
    ],
)
def test_what_may_be_guessed_is_tried_with_the_prompt_that_asks_for_both_sides(
    kind: QuestionKind, prompts: set[str]
) -> None:
    choice = QuestionChoice(generator="model", checks="model", kinds=(kind,))
    assert {need.prompt for need in question_needs(choice)} & FROM_MEMORY == prompts


def test_a_model_that_is_to_think_less_is_tried_again(tmp_path: Path) -> None:
    need = Need("write-claims", "extract")
    passed = Settings(hopgrade_model="m", openai_base_url="http://127.0.0.1:1/v1", hopgrade_home=tmp_path)
    remember_passes([need], passed)
    assert left_to_try([need], passed) == ()
    for change in ({"hopgrade_extract_reasoning": "off"}, {"hopgrade_model_output_room": 1.0}):
        assert left_to_try([need], passed.model_copy(update=change)) == (need,)
