"""`kg graph entity`: look at an entity, correct it, and see the correction hold."""

import json
from collections.abc import Iterator

import pytest

from kg.corpus import fingerprint
from kg.store.graph import Graph
from tests.cli.conftest import Built, Kg
from tests.examples import examples
from tests.small_world import run_small_job


@pytest.fixture
def own(graph: Graph, corpus: str) -> Iterator[str]:
    """A corpus that a test may change."""
    run_small_job(graph, corpus)
    yield corpus


def test_an_entity_is_shown_with_all_that_makes_it(kg: Kg, built: Built) -> None:
    shown = kg("graph", "entity", "show", "NHB", "--corpus", built.corpus)
    assert shown.code == 0
    assert shown.out.startswith("Norholm Health Board  ORG  entity-")
    assert "no hub" in shown.out
    for part in ("Names", "Articles", "Facts", "Facts about it", "Mirrored edges"):
        assert f"\n{part}\n" in shown.out or f"\n{part} " in shown.out, part
    assert "declared" in shown.out
    assert "Otto Pelham" in shown.out


def test_the_same_as_json(kg: Kg, built: Built) -> None:
    found = kg("graph", "entity", "show", "Venning", "--corpus", built.corpus, "--json").json
    assert found["entity"]["name"] == "Venning"
    assert found["entity"]["hub"] is False
    assert [link["name"] for link in found["links"]] == ["Orla Venning"]
    assert {(row["from"], row["to"]) for row in found["mirrored"]} == {("Venning", "Norholm Health Board")}
    assert found["corrections"] == []
    assert found["totals"]["mirrored"] == len(found["mirrored"])
    assert found["totals"]["facts_out"] == len(found["facts_out"])


def test_an_entity_goes_by_the_beginning_of_its_id(kg: Kg, built: Built) -> None:
    whole = kg("graph", "entity", "show", "Venning", "--corpus", built.corpus, "--json").json["entity"]["id"]
    digits = whole.removeprefix("entity-")
    for given in (whole, whole[:15], digits, digits[:8]):
        found = kg("graph", "entity", "show", given, "--corpus", built.corpus, "--json")
        assert found.json["entity"]["id"] == whole, given
    assert kg("graph", "entity", "show", digits[:3], "--corpus", built.corpus).code == 2


def test_what_is_cut_says_so(kg: Kg, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.entity.MOST_ARTICLES", 1)
    shown = kg("graph", "entity", "show", "Halden Shipping", "--corpus", built.corpus)
    assert "\nArticles: 1 of " in shown.out


def test_without_corrections_it_says_how_to_make_one(kg: Kg, built: Built) -> None:
    listed = kg("graph", "entity", "corrections", "--corpus", built.corpus)
    assert listed.out.startswith(f"No corrections in '{built.corpus}'.")
    assert "kg graph entity split" in listed.out
    assert kg("graph", "entity", "corrections", "--corpus", built.corpus, "--json").json == []


def test_a_misspelt_name_is_answered_with_near_ones(kg: Kg, built: Built) -> None:
    ended = kg("graph", "entity", "show", "Haldn Shiping", "--corpus", built.corpus)
    assert ended.code == 2
    assert "'Halden Shipping'" in ended.err


@pytest.mark.campaign
def test_a_split_and_its_undoing(kg: Kg, own: str) -> None:
    where = ("--corpus", own)
    said = kg("graph", "entity", "split", "NHB", "--reason", "another board", "--by", "ana", *where)
    assert said.code == 0
    assert said.out.startswith('kept: "NHB" is not "Norholm Health Board" (correction-')
    assert f"kg corpus build --corpus {own}" in said.out
    (pending,) = kg("graph", "entity", "corrections", *where, "--json").json
    assert (pending["effect"], pending["by"], pending["reason"]) == (
        "not applied yet",
        "ana",
        "another board",
    )
    assert kg("corpus", "build", *where).code == 0
    assert kg("graph", "entity", "show", "NHB", *where, "--json").json["entity"]["name"] == "NHB"
    listed = kg("graph", "entity", "corrections", *where)
    assert "another board" in listed.out
    assert "applied" in listed.out
    undone = kg("graph", "entity", "undo", *where)
    assert undone.out.startswith('forgotten: "NHB" is not "Norholm Health Board".')
    assert kg("corpus", "build", *where).code == 0
    assert (
        kg("graph", "entity", "show", "NHB", *where, "--json").json["entity"]["name"]
        == "Norholm Health Board"
    )


def test_a_merge_is_kept_as_json_too(kg: Kg, graph: Graph, own: str) -> None:
    made = kg("graph", "entity", "merge", "Mira Tolland", "Anton Brask", "--corpus", own, "--json").json
    assert (made["kind"], made["name"], made["other"]) == ("merge", "Mira Tolland", "Anton Brask")
    assert made["by"]
    before = fingerprint(graph, own)
    again = kg(
        "graph",
        "entity",
        "merge",
        "Mira Tolland",
        "Anton Brask",
        "--corpus",
        own,
        "--by",
        made["by"],
        "--json",
    )
    assert again.json["id"] == made["id"]
    assert fingerprint(graph, own) == before
    assert (
        json.loads(kg("graph", "entity", "undo", made["id"], "--corpus", own, "--json").out)["id"]
        == made["id"]
    )


@pytest.mark.campaign
def test_who_said_it_and_why_is_kept_and_an_opposite_word_is_told(kg: Kg, own: str) -> None:
    pair, where = ("Mira Tolland", "Anton Brask"), ("--corpus", own)
    assert kg("graph", "entity", "merge", *pair, "--reason", "one person", "--by", "ana", *where).code == 0
    again = kg("graph", "entity", "merge", *pair, "--by", "bo", *where)
    assert again.out.startswith('known: "Mira Tolland" is "Anton Brask" (correction-')
    assert "said by ana before" in again.out
    (kept,) = kg("graph", "entity", "corrections", *where, "--json").json
    assert (kept["by"], kept["reason"]) == ("ana", "one person")
    kg("graph", "entity", "merge", *pair, "--reason", "same face", "--by", "bo", *where)
    (kept,) = kg("graph", "entity", "corrections", *where, "--json").json
    assert (kept["by"], kept["reason"]) == ("bo", "same face")
    split = kg("graph", "entity", "split", pair[0], "--from", pair[1], *where)
    assert 'forgotten, as it says the opposite: "Mira Tolland" is "Anton Brask"' in split.out
    assert [row["kind"] for row in kg("graph", "entity", "corrections", *where, "--json").json] == ["split"]


@examples("arguments, words")
def test_what_can_not_be_done_is_one_sentence(
    kg: Kg, built: Built, arguments: tuple[str, ...], words: str
) -> None:
    ended = kg("graph", "entity", *arguments, "--corpus", built.corpus)
    assert ended.code == 2
    assert ended.out == ""
    assert words in ended.err
    assert ended.err.strip().count("\n") == 0
