"""Retrieval by what a question names, and by the paths among that, on graphs made by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Filters, Hit, RagQuestion
from services.rag.retrieval.hop_path import (
    explain_entities,
    explain_hop_paths,
    prepare_entities,
    prepare_hop_paths,
    search_entities,
    search_hop_paths,
)
from tests.services.rag.graph_search.made_snapshot import DIMENSIONS, Page, made_snapshot

ANY = Filters()
CHAIN = made_snapshot(
    [
        Page("0", {"Mira": 1, "Rovers": 1}, [("Mira", "plays for", "Rovers")], source="Post"),
        Page("1", {"Rovers": 1, "Halden": 1}, [("Rovers", "owned by", "Halden")], source="Echo"),
        Page("2", {"Halden": 1, "Greta": 1}, [("Halden", "founded by", "Greta")], source="Post"),
        Page("3", {"Greta": 1, "Verrin": 1}, [("Greta", "studied at", "Verrin")], source="Post"),
        Page("4", {"Halden": 3, "Verrin": 1}, [("Halden", "met in", "1412"), ("Verrin", "met in", "1412")]),
        Page("5", {"Nobody": 1}, source="Post"),
    ],
    types={"1412": "DATE"},
)


def none(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.zeros((len(texts), DIMENSIONS), np.float32)


def asked(text: str, filters: Filters = ANY) -> RagQuestion:
    return RagQuestion("q", text, np.zeros(DIMENSIONS, np.float32), filters)


def by_entities(text: str, filters: Filters = ANY, limit: int = 10) -> list[Hit]:
    (hits,) = search_entities(CHAIN, prepare_entities(CHAIN), [asked(text, filters)], none, limit)
    return hits


def by_paths(text: str, filters: Filters = ANY, snapshot: Snapshot = CHAIN) -> list[Hit]:
    (hits,) = search_hop_paths(snapshot, prepare_hop_paths(snapshot), [asked(text, filters)], none, 10)
    return hits


def titles(hits: Sequence[Hit], snapshot: Snapshot = CHAIN) -> str:
    return "".join(snapshot.chunks.titles[snapshot.chunks.ids.index(hit.chunk)] for hit in hits)


def test_rare_names_count_more_and_equal_chunks_come_by_id() -> None:
    hits = by_entities("Did Mira meet Halden?")
    assert titles(hits) == "0124"
    assert [hit.score for hit in hits] == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3], rel=1e-5)
    assert hits[0].parts == (("Mira", 1.0),)


def test_filters_come_before_the_limit() -> None:
    assert titles(by_entities("Did Mira meet Halden?", Filters(sources=("echo",)), limit=1)) == "1"
    assert sorted(titles(by_paths("From Mira to Verrin", Filters(sources=("post",))))) == ["0", "2", "3"]


def test_a_question_that_names_nothing_finds_nothing() -> None:
    assert by_entities("Who is it?") == by_paths("Who is it?") == by_entities("") == []


def test_the_chunks_of_a_path_come_before_those_that_only_name() -> None:
    hits = by_paths("How is Mira linked to Greta?")
    assert titles(hits[:3]) in {"012", "021"}
    assert [dict(hit.parts)["paths"] for hit in hits[:3]] == [1.0, 1.0, 1.0]
    assert titles(hits[3:]) == "3"


def test_no_path_leads_through_a_date_and_one_may_end_there() -> None:
    on_path = [hit for hit in by_paths("Halden, Verrin") if dict(hit.parts)["paths"]]
    assert sorted(titles(on_path)) == ["2", "3"]
    ended = made_snapshot(
        [Page("0", {"Verrin": 1, "1412": 1}, [("Verrin", "met in", "1412")]), Page("1", {"Verrin": 1})],
        types={"1412": "DATE"},
    )
    assert dict(by_paths("Verrin in 1412", snapshot=ended)[0].parts)["paths"] == 1.0


def test_facts_that_can_be_taken_for_one_hop_share_it() -> None:
    snapshot = made_snapshot(
        [
            Page("0", {"Anna": 1}, [("Anna", "r", "Berta")]),
            Page("1", {"Carla": 1}, [("Berta", "r", "Carla")]),
            Page("2", {"Berta": 1}, [("Carla", "s", "Berta")]),
        ]
    )
    parts = [dict(hit.parts)["paths"] for hit in by_paths("Anna and Carla", snapshot=snapshot)]
    assert sorted(parts) == [0.5, 0.5, 1.0]


def test_paths_are_explained_by_their_facts_and_names_by_their_words() -> None:
    question = asked("How is Mira linked to Halden?")
    told = explain_hop_paths(CHAIN, prepare_hop_paths(CHAIN), question, none, [1, 5])
    assert [(one.words, one.name, one.chunks) for one in told.linked] == [
        ("Mira", "Mira", 1),
        ("Halden", "Halden", 3),
    ]
    (way,) = told.reasons[0].ways
    assert [stop.text for stop in way.stops] == ["Rovers | owned by | Halden"]
    assert told.reasons[1].ways == ()
    named = explain_entities(CHAIN, prepare_entities(CHAIN), question, none, [0])
    (way,) = named.reasons[0].ways
    assert [(stop.kind, stop.text) for stop in way.stops] == [("words", "Mira"), ("entity", "Mira")]
