"""What the page on the papers names exists, and the page can't quietly lose a line's field."""

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import typer

from kg.llm.prompts import all_prompts
from tests.cli.command_tree import find
from tests.docs.reference_papers import HAD, PAPERS, Document, Item, read_papers
from tests.docs.test_reference import check_call
from tests.examples import examples

ROOT = Path(__file__).parents[2]
LINES = {"GRADE": 39, "AgenticRAGTracer": 39, "MultiHop-RAG": 32, "GoalSeeking": 23, "GADMEC": 26}
"""Of each document in its order; no line comes or goes unnoticed."""

TEXT = PAPERS.read_text(encoding="utf-8")


def faults(documents: tuple[Document, ...]) -> list[str]:
    """What is wrong with the lines, a sentence each."""
    counts = Counter((document.name, one.what) for document in documents for one in document.items)
    twice = [f"{document}: {what!r} stands there twice" for (document, what), n in counts.items() if n > 1]
    return twice + [
        f"{document.name}, {one.what!r}: {fault}"
        for document in documents
        for one in document.items
        for fault in item_faults(one)
    ]


def item_faults(one: Item) -> Iterator[str]:
    """What is wrong with a line."""
    rest = one.how.removeprefix(one.had)
    if not one.had or (one.had == "as there" and rest and not rest.startswith("; ")) or rest == "; ":
        yield f"how is none of {list(HAD)}"
    if not (one.place and one.what and (rest or one.had == "as there")):
        yield "a field is empty"
    if one.had != "left out: " and not (one.where and one.command):
        yield "what is not left out has a place and a command"
    for name in one.where:
        if not exists(name):
            yield f"{name} doesn't exist"
    if one.command:
        try:
            find(one.command)
            check_call(one.command)
        except (AssertionError, typer.TyperException) as error:
            yield f"{one.command}: {error}"


def exists(name: str) -> bool:
    """Whether there is a prompt, a statement, a module or a symbol of this name."""
    if name.endswith(".md"):
        return name in {f"kg/prompts/{prompt.name}.md" for prompt in all_prompts()}
    if name.endswith(".cypher"):
        return name.startswith("cypher/") and (ROOT / name).is_file()
    try:
        import_module(name)
    except ModuleNotFoundError:
        module, _, symbol = name.rpartition(".")
        try:
            return bool(module) and hasattr(import_module(module), symbol)
        except ModuleNotFoundError:
            return False
    return True


def test_each_line_on_the_papers_holds() -> None:
    documents = read_papers(TEXT)
    assert faults(documents) == []
    assert {one.name: len(one.items) for one in documents} == LINES
    assert [one.name for one in documents] == list(LINES)


LINE = """
- name: GRADE
  title: A paper
  items:
    - place: "3.1"
      what: Chunks
      how: as there
      where: kg.text.chunks.chunk, kg/prompts/find-triples.md, cypher/links/write_mirrors.cypher
      command: kg corpus ingest news.jsonl --chunks small
"""


@examples("was, becomes, noticed")
def test_a_line_that_does_not_hold_is_noticed(was: str, becomes: str, noticed: str) -> None:
    assert faults(read_papers(LINE)) == []
    assert was in LINE
    found = faults(read_papers(LINE.replace(was, becomes)))
    assert len(found) == 1
    assert noticed in found[0]


def test_a_line_that_stands_there_twice_or_lacks_a_field_is_noticed() -> None:
    (document,) = read_papers(LINE)
    (item,) = document.items
    twice = Document(document.name, document.title, (item, item))
    assert faults((twice,)) == ["GRADE: 'Chunks' stands there twice"]
    with pytest.raises(ValueError, match="has the fields"):
        read_papers(LINE.replace('place: "3.1"', 'page: "3.1"'))
