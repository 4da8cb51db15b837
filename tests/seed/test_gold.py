"""The gold of facts and names: whatever it claims to stand in an article does stand there."""

import re
from collections import Counter

import pytest

from tests.seed import corpus
from tests.seed.corpus import ContextualName

VALUE = re.compile(r"\d{1,2} [A-Z][a-z]+ 2031|\d{4}|\d\d,\d{3}|4\.2 million crowns|6\.4 metres")


def test_a_fact_stands_in_its_article() -> None:
    for triple in corpus.triples():
        where = triple["fact"], triple["article"]
        assert corpus.is_whole_sentence(triple["sentence"], corpus.body(triple["article"])), where
        for form, end in (
            (triple["subject_form"], triple["subject"]),
            (triple["object_form"], triple["object"]),
        ):
            assert corpus.stands_in(form, triple["sentence"]), where
            names = {name.removeprefix("the ") for name in corpus.names_of(end)}
            assert form.removeprefix("The ").removeprefix("the ") in names, where


def test_a_fact_means_the_same_in_every_article() -> None:
    meanings: dict[str, set[tuple[str, str, str]]] = {}
    for row in corpus.triples():
        meanings.setdefault(row["fact"], set()).add((row["subject"], row["predicate"], row["object"]))
    assert {fact: said for fact, said in meanings.items() if len(said) > 1} == {}
    assert len({meaning for said in meanings.values() for meaning in said}) == len(meanings)


def test_facts_are_sorted_and_stated_once_an_article() -> None:
    keys = [(row["fact"], row["article"]) for row in corpus.triples()]
    assert keys == sorted(set(keys))


def test_every_end_of_a_fact_is_an_entity_a_value_or_an_old_name() -> None:
    entities = {row["name"] for row in corpus.entities()}
    aliases = {alias["alias"] for row in corpus.entities() for alias in row["aliases"]}
    ends = {row["subject"] for row in corpus.triples()} | {row["object"] for row in corpus.triples()}
    assert [end for end in sorted(ends - entities - aliases) if not VALUE.fullmatch(end)] == []


def test_every_article_states_facts() -> None:
    stated = Counter(row["article"] for row in corpus.triples())
    assert set(stated) == set(corpus.articles())
    assert min(stated.values()) >= 5


def test_an_entity_goes_by_its_names_in_the_articles() -> None:
    bodies = [article.body for article in corpus.articles().values()]
    for entity in corpus.entities():
        assert any(corpus.stands_in(entity["name"], body) for body in bodies), entity["name"]
        for alias in entity["aliases"]:
            assert alias["articles"], alias["alias"]
            for article in alias["articles"]:
                assert corpus.stands_in(alias["alias"], corpus.body(article)), (alias["alias"], article)


def test_a_name_belongs_to_one_entity() -> None:
    names = Counter(name for entity in corpus.entities() for name in corpus.names_of(entity["name"]))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("name", corpus.contextual_names(), ids=lambda row: row["expression"])
def test_a_contextual_name_stands_where_it_is_true(name: ContextualName) -> None:
    assert name["entity"] in {entity["name"] for entity in corpus.entities()}
    assert [row["article"] for row in name["evidence"]] == name["articles"]
    assert name["sentence"] == name["evidence"][0]["sentence"]
    for row in name["evidence"]:
        assert name["expression"].lower() in row["sentence"].lower()
        assert corpus.is_whole_sentence(row["sentence"], corpus.body(row["article"]))


def test_a_contextual_name_stands_nowhere_else() -> None:
    claimed = {
        (row["expression"], article) for row in corpus.contextual_names() for article in row["articles"]
    }
    found = {
        (expression, name)
        for expression in {row["expression"] for row in corpus.contextual_names()}
        for name, article in corpus.articles().items()
        if corpus.stands_in(expression, article.body)
    }
    assert found == claimed
