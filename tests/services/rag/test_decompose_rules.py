"""Questions of people, and of benchmarks; those of our own chains are tested beside their wording."""

from hypothesis import given
from hypothesis import strategies as st

from services.rag.decompose_rules import MOST_PARTS, decompose
from tests.examples import examples, read_examples


@examples("question, parts")
def test_the_innermost_description_is_asked_first(question: str, parts: tuple[str, ...]) -> None:
    assert decompose(question) == parts


@examples("question")
def test_what_cannot_be_taken_apart_stays_as_it_is(question: str) -> None:
    assert decompose(question) == (question,)


WORDS: list[str] = list(read_examples("services/rag/decompose_rules")["words"])


@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_row_of_words_gives_parts_that_only_look_back(words: list[str]) -> None:
    parts = decompose(" ".join(words))
    assert 1 <= len(parts) <= MOST_PARTS + 1
    if "#1" not in words:
        for number, part in enumerate(parts, 1):
            assert all(f"#{later}" not in part for later in range(number, MOST_PARTS + 2))
