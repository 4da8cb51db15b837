"""What is drawn: paths in their order, edges in their direction, and what says the same drawn once."""

import json

from services.rag.ask import PathStep
from services.web.pages.pictures import answer_picture, neighbour_picture, question_picture
from services.web.views.page_entity import Fact, Named
from services.web.views.page_question import Hop

STOPS = (Named("a", "Ana", "PERSON"), Named("b", "Boat", "PRODUCT", 0.5), Named("c", "Cove", "LOC", 1.0))


def hop(index: int, backwards: bool = False, link: str = "shared") -> Hop:
    return Hop("s", "p", "o", link, "", "claim", "A sentence.", "article", index, backwards, "T", "", "")


def fact(id_: str, subject: str, predicate: str, object_: str, mirrored: bool = False) -> Fact:
    one, other = (Named(name, name.title(), "ORG") for name in (subject, object_))
    return Fact(id_, mirrored, one, predicate, other, "", f"Sentence {id_}.", "k", "t", "Title")


def test_a_hop_that_is_walked_backwards_keeps_the_direction_of_its_fact() -> None:
    picture = question_picture("mine", STOPS, (hop(0), hop(1, backwards=True, link="context")))
    assert picture is not None
    assert [(edge.source, edge.target, edge.kind) for edge in picture.edges] == [
        ("a", "b", "paths"),
        ("c", "b", "mirrored"),
    ]
    assert [(node.layer, node.role, node.heat) for node in picture.nodes] == [
        (0, "start", -1),
        (1, "", 5),
        (2, "end", 9),
    ]


def test_a_question_without_a_path_is_not_drawn() -> None:
    assert question_picture("mine", (), (hop(0),)) is None


def test_the_path_of_an_answer_follows_its_names_whatever_way_its_facts_point() -> None:
    steps = [PathStep("Boat", "is owned by", "Ana"), PathStep("Boat", "lies in", "Cove")]
    picture = answer_picture(steps)
    assert picture is not None
    assert [node.label for node in picture.nodes] == ["Ana", "Boat", "Cove"]
    assert [node.role for node in picture.nodes] == ["start", "", "end"]
    assert [(edge.source, edge.target) for edge in picture.edges] == [("Boat", "Ana"), ("Boat", "Cove")]
    assert answer_picture([]) is None


def test_facts_that_say_the_same_are_drawn_once_with_their_number() -> None:
    facts = [
        fact("1", "ana", "owns", "boat"),
        fact("2", "ana", "owns", "boat"),
        fact("3", "ana", "owns", "boat", mirrored=True),
        fact("4", "boat", "belongs to", "ana"),
    ]
    picture = neighbour_picture("mine", "ana", facts)
    assert picture is not None
    assert [edge.label for edge in picture.edges] == ["owns (2)", "owns", "belongs to"]
    assert picture.edges[0].claim == "Sentence 1."
    assert "1 entities" not in picture.alt
    assert neighbour_picture("mine", "ana", []) is None


def test_what_is_unseen_in_a_name_is_written_out() -> None:
    picture = neighbour_picture("mine", "ana", [fact("1", "ana", "says\u202eevil", "boat")])
    assert picture is not None
    told = json.loads(picture.json)
    assert told["edges"][0]["label"] == "says\\u202eevil"
