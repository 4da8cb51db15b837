"""What an object of another library is taken for, and what is refused."""

import subprocess
import sys

import pytest

from kg.errors import SettingsError
from kg.own_system import OwnAnswer
from services.external.adapters.adapt import adapt, only_retrieves
from tests.services.external.adapters.test_langchain import own_retriever


def answer(question: str) -> str:
    return question


class Callable:
    def __call__(self, question: str) -> str:
        return question


class GraphRAG:
    """Named like the library's, but of another."""


def test_a_function_stays_as_it_is() -> None:
    assert adapt(answer) is answer
    callable_object = Callable()
    assert adapt(callable_object) is callable_object


@pytest.mark.parametrize("found", [None, 3, "module", GraphRAG(), Callable])
def test_what_can_not_be_asked_is_refused_with_what_can(found: object) -> None:
    with pytest.raises(SettingsError, match="can't be asked") as caught:
        adapt(found)
    assert "LangChain" in caught.value.remedy


def test_a_retriever_without_anyone_to_answer_is_refused() -> None:
    with pytest.raises(SettingsError, match="only retrieves"):
        adapt(own_retriever())
    assert only_retrieves(own_retriever())
    assert not only_retrieves(answer)


def test_no_library_is_imported_to_recognise_an_object() -> None:
    code = (
        "import sys\n"
        "from services.external.adapters.adapt import adapt\n"
        "adapt(lambda question: question)\n"
        "found = {name.partition('.')[0] for name in sys.modules}\n"
        "print(found & {'langchain_core', 'llama_index', 'haystack', 'neo4j_graphrag'})"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()", said.stdout


def test_answers_of_an_adapted_object_are_typed() -> None:
    system = adapt(own_retriever(), lambda question, texts: OwnAnswer(question, tuple(texts)))
    assert isinstance(system("Who?"), OwnAnswer)
