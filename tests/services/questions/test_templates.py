import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from services.questions.templates import Step, chain_question


@pytest.mark.parametrize(
    ("start", "steps", "question"),
    [
        (
            "Roz Vale",
            [Step("plays for", "ORG"), Step("is owned by", "ORG"), Step("developed", "PRODUCT")],
            "Roz Vale plays for an organisation that is owned by an organisation that developed "
            "which product?",
        ),
        (
            "the Corrin Medal",
            [Step("was awarded to", "PERSON"), Step("was born in", "GPE")],
            "The Corrin Medal was awarded to a person who was born in which place?",
        ),
        (
            "Verrin",
            [Step("hosted", "EVENT"), Step("took place on", "DATE")],
            "Verrin hosted an event that took place on which date?",
        ),
        ("Ana Brel", [Step("wrote", "WORK"), Step("praises", "NORP")],
         "Ana Brel wrote a work that praises which group?"),
        ("Ana Brel", [Step("owns", "MISC"), Step("beat", "CONCEPT")],
         "Ana Brel owns a thing that beat which thing?"),
        ("Ana Brel", [Step("visited", "GPE")], "Ana Brel visited which place?"),
    ],
)  # fmt: skip
def test_worked_examples(start: str, steps: list[Step], question: str) -> None:
    assert chain_question(start, steps) == question


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["met", "is part of", "was founded by"]),
            st.sampled_from(["PERSON", "ORG", "GPE", "EVENT", "DATE", "LAW"]),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_each_step_leaves_its_predicate_and_one_question(steps: list[tuple[str, EntityType]]) -> None:
    text = chain_question("Ana Brel", [Step(predicate, kind) for predicate, kind in steps])
    assert text.startswith("Ana Brel ")
    assert text.count("which") == text.count("?") == 1
    position = 0
    for predicate, _ in steps:
        position = text.index(f"{predicate} ", position) + len(predicate)
    assert text.count(" that ") + text.count(" who ") == len(steps) - 1
