"""Which prompts a job needs follows from what is chosen for it."""

from services.preflight.job_needs import question_needs
from services.questions.choice import QuestionChoice

FROM_MEMORY = {"answer-closed-book", "compare-from-memory"}


def test_questions_that_may_be_known_are_not_asked_from_memory() -> None:
    rejecting = QuestionChoice(generator="model", checks="model")
    keeping = QuestionChoice(generator="model", checks="model", known="keep")
    asked, spared = ({need.prompt for need in question_needs(one)} for one in (rejecting, keeping))
    assert asked - spared == FROM_MEMORY
    assert spared < asked
