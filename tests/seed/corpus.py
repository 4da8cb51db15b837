"""The seed corpus and its gold, as these tests read them."""

import json
import re
from functools import cache
from pathlib import Path
from typing import TypedDict

from kg.ingest.read import read_articles
from kg.model import ArticleRow

SEED = Path(__file__).parents[2] / "seed"


class Evidence(TypedDict):
    article: str
    sentence: str


class GoldTriple(Evidence):
    fact: str
    subject: str
    predicate: str
    object: str
    subject_form: str
    object_form: str


class Alias(TypedDict):
    alias: str
    articles: list[str]


class NamedEntity(TypedDict):
    name: str
    type: str
    aliases: list[Alias]


class ContextualName(TypedDict):
    expression: str
    entity: str
    articles: list[str]
    sentence: str
    evidence: list[Evidence]


class _Step(TypedDict):
    fact: str
    article: str


class Step(_Step, total=False):
    inverse: bool
    ruled_out: list[str]


class _Question(TypedDict):
    id: str
    kind: str
    hops: int
    question: str
    answer: str
    aliases: list[str]
    chain: list[Step]
    evidence: list[Evidence]


class Question(_Question, total=False):
    entities: list[str]
    why: str


@cache
def articles() -> dict[str, ArticleRow]:
    """The articles by id, as the project's own reader makes them."""
    rows = list(read_articles([SEED / "articles"], {}))
    wrong = [row for row in rows if not isinstance(row, ArticleRow)]
    assert not wrong, f"the reader changed or refused an article: {wrong}"
    by_id = {row.given_id: row for row in rows if isinstance(row, ArticleRow)}
    assert len(by_id) == len(rows), "two articles have one id"
    return by_id


def body(article: str) -> str:
    return articles()[article].body


@cache
def triples() -> tuple[GoldTriple, ...]:
    return tuple(json.loads(line) for line in _lines("triples.jsonl"))


@cache
def entities() -> tuple[NamedEntity, ...]:
    return tuple(json.loads(line) for line in _lines("aliases.jsonl"))


@cache
def contextual_names() -> tuple[ContextualName, ...]:
    return tuple(json.loads(line) for line in _lines("contextual.jsonl"))


@cache
def questions() -> tuple[Question, ...]:
    return tuple(json.loads(line) for line in _lines("questions.jsonl"))


@cache
def names_of(entity: str) -> tuple[str, ...]:
    """The canonical name and every alias; a value such as a date has only itself."""
    for row in entities():
        if row["name"] == entity:
            return (entity, *(alias["alias"] for alias in row["aliases"]))
    return (entity,)


def stands_in(name: str, text: str) -> bool:
    """Whether the name stands in the text as whole words, its article small or capital."""
    pattern = re.escape(name)
    if name.startswith("the "):
        pattern = f"[Tt]{pattern[1:]}"
    return re.search(rf"(?<![\w-]){pattern}(?![\w-])", text) is not None


def is_whole_sentence(sentence: str, text: str) -> bool:
    """Whether the sentence stands in the text between white space, quotes or the text's ends."""
    return re.search(rf'(?:^|[\s"]){re.escape(sentence)}(?=$|[\s"])', text) is not None


def _lines(name: str) -> list[str]:
    return (SEED / "gold" / name).read_text(encoding="utf-8").splitlines()
