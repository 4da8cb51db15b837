"""What of a model's facts is taken, mended or dropped, against a scripted endpoint."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kg.extract.choose import EXTRACTORS, extractor_option, make_extractor
from kg.extract.model_requests import triples_prompt
from kg.model import Extraction
from tests.examples import examples
from tests.kg.extract.conftest import as_input, facts_of, triples_of
from tests.scripted_endpoint import Asked, Endpoint
from tests.scripted_reader import changed, fact

Read = Callable[..., list[Extraction]]


@pytest.fixture
def read(model_read: Read) -> Read:
    return model_read


@examples("ends, more, reason")
def test_a_triple_that_the_text_does_not_bear_is_dropped(
    endpoint: Endpoint, read: Read, ends: tuple[str, str, str], more: dict[str, str], reason: str
) -> None:
    wrong = fact(*ends, **more)
    endpoint.responder = changed(
        statements=lambda _, answer: {
            "statements": [{**item, "facts": [*item["facts"], wrong]} for item in answer["statements"]]
        }
    )
    (found,) = read("Mira Tolland founded Halden Shipping.")
    assert facts_of(found) == {("Mira Tolland", "founded", "Halden Shipping")}
    assert [(one.place, one.reason) for one in found.failures] == [("", f"1 triple dropped: {reason}")]


def test_an_attribution_and_a_doubtful_reading_are_kept_with_the_triple(
    endpoint: Endpoint, read: Read
) -> None:
    endpoint.responder = changed(
        statements=lambda _, __: {
            "statements": [
                {
                    "number": 1,
                    "facts": [
                        fact(
                            "Mira Tolland",
                            "founded",
                            "the Halden Shipping",
                            attributed_to="Anton Brask",
                            confidence="unsure",
                        )
                    ],
                }
            ]
        }
    )
    (found,) = read("Anton Brask said that Mira Tolland founded Halden Shipping.")
    (triple,) = triples_of(found)
    assert (triple.object, triple.attributed_to) == ("Halden Shipping", "Anton Brask")
    assert triple.confidence < 0.6


def answering(*given: dict[str, Any]) -> Callable[[Asked], Any]:
    """The reader, but with these facts for the first sentence."""
    return changed(statements=lambda _, __: {"statements": [{"number": 1, "facts": list(given)}]})


def person(subject: str, predicate: str, target: str, kind: str = "PERSON", **more: object) -> dict[str, Any]:
    return fact(subject, predicate, target, subject_type="PERSON", object_type=kind, **more)


@examples("given, kept, dropped")
def test_a_fact_of_which_no_question_can_be_made_is_mended_or_dropped(
    endpoint: Endpoint, read: Read, given: list[tuple[str, ...]], kept: list[tuple[str, ...]], dropped: int
) -> None:
    endpoint.responder = answering(*(person(*one) for one in given))
    (found,) = read("Mira Tolland endorsed Anton Brask of Verrin on 3 May 2031.")
    assert sorted(facts_of(found)) == kept
    reasons = [one.reason for one in found.failures]
    assert reasons == ["1 triple dropped: a name stands inside its predicate"] * dropped


@examples("predicate, when, kept")
def test_a_date_that_is_only_told_by_its_distance_is_no_fact_s(
    endpoint: Endpoint, read: Read, predicate: str, when: str, kept: list[str]
) -> None:
    endpoint.responder = answering(fact("Kald Foods", predicate, when, object_type="DATE"))
    (found,) = read(f"Kald Foods told of {when}.")
    assert [triple.object for triple in triples_of(found)] == kept
    reasons = {one.reason for one in found.failures}
    assert reasons == (
        set() if kept else {"1 triple dropped: its date is only told by its distance from another"}
    )


def test_a_description_ends_no_path_and_its_facts_stay_with_a_name_in_it(
    endpoint: Endpoint, read: Read
) -> None:
    endpoint.responder = answering(
        person("Kald Foods driver", "robbed", "nearby hotel", "FAC"),
        person("driver", "robbed", "hotel", "FAC"),
        fact("Verrin and Kaldmere roads", "is for", "Mira Tolland"),
    )
    (found,) = read("A Kald Foods driver robbed a nearby hotel. The Verrin and Kaldmere roads; Mira Tolland.")
    (triple,) = triples_of(found)
    assert (triple.subject, triple.subject_type, triple.object_type) == (
        "Kald Foods driver",
        "CONCEPT",
        "CONCEPT",
    )
    assert {one.reason for one in found.failures} >= {
        "1 triple dropped: neither subject nor object is a name",
        "1 triple dropped: its predicate tells no relation",
    }


def test_members_of_a_group_and_two_speakers_are_found_in_the_text(endpoint: Endpoint, read: Read) -> None:
    endpoint.responder = answering(
        fact("River Party", "met", "Mira Tolland", attributed_to="Anton Brask and Kald Foods"),
        fact("Harbour Party", "must meet", "Mira Tolland", negated=True),
        fact("Valley Party", "met", "Mira Tolland"),
    )
    (found,) = read("The River and Harbour parties met Mira Tolland, Anton Brask said to Kald Foods.")
    assert facts_of(found) == {
        ("River Party", "met", "Mira Tolland"),
        ("Harbour Party", "is forbidden to meet", "Mira Tolland"),
    }
    assert not any(triple.negated for triple in triples_of(found))


@examples("sentence, given, is_certain")
def test_an_allegation_is_never_a_sure_fact_of_nobody_s(
    endpoint: Endpoint, read: Read, sentence: str, given: tuple[str, str], is_certain: bool
) -> None:
    predicate, speaker = given
    endpoint.responder = answering(fact("Mira Tolland", predicate, "Kald Foods", attributed_to=speaker))
    (found,) = read(sentence)
    (triple,) = triples_of(found)
    assert triple.attributed_to == speaker
    assert (triple.confidence >= 0.6) == is_certain


def test_what_only_an_article_tells_apart_is_named_from_it_or_dropped(endpoint: Endpoint, read: Read) -> None:
    by_number = {
        1: [fact("fire at Verrin Hall", "began in", "Kald Foods", subject_type="EVENT")],
        2: [fact("fire", "reached", "Kaldmere", subject_type="CONCEPT")],
        3: [fact("woman", "was hurt in", "Kaldmere", subject_type="CONCEPT")],
        4: [fact("Kald Foods", "hired", "divers", object_type="CONCEPT")],
    }
    endpoint.responder = changed(
        statements=lambda _, __: {
            "statements": [{"number": number, "facts": facts} for number, facts in by_number.items()]
        }
    )
    (found,) = read(
        "The fire at Verrin Hall began in Kald Foods. The fire reached Kaldmere. "
        "A woman was hurt in Kaldmere. Kald Foods hired 3 divers."
    )
    assert facts_of(found) == {
        ("fire at Verrin Hall", "began in", "Kald Foods"),
        ("fire at Verrin Hall", "reached", "Kaldmere"),
        ("Kald Foods", "hired", "3 divers"),
    }
    assert [one.reason for one in found.failures] == [
        "1 triple dropped: its subject is a description that doesn't tell which is meant"
    ]


@pytest.mark.parametrize("hour", ["8:10 am on 3 May 2031", "8 p.m.", "20:10"])
def test_a_time_of_day_is_no_date(endpoint: Endpoint, read: Read, hour: str) -> None:
    endpoint.responder = answering(fact("Kald Foods", "opened at", hour, object_type="DATE"))
    (found,) = read(f"Kald Foods opened at {hour}.")
    assert triples_of(found) == []
    assert [one.reason for one in found.failures] == ["1 triple dropped: a time of day is no date"]


def test_a_duty_and_a_plan_reach_the_graph_as_such(endpoint: Endpoint, read: Read) -> None:
    endpoint.responder = answering(
        fact("Kald Foods", "keeps lamp in", "Verrin"),
        fact("Halden Shipping", "would move to", "Verrin"),
        person("Mira Tolland", "leads", "Halden Shipping", "ORG"),
    )
    (found,) = read(
        "Mira Tolland said that Kald Foods must keep its lamp in Verrin, "
        "and Halden Shipping would move to Verrin."
    )
    told = {(one.subject, one.predicate): one.attributed_to for one in triples_of(found)}
    assert told == {
        ("Kald Foods", "must keep lamp in"): "",
        ("Halden Shipping", "would move to"): "Mira Tolland",
        ("Mira Tolland", "leads"): "",
    }


def test_where_paths_take_any_noun_phrase_the_model_is_told_so(endpoint: Endpoint, tmp_path: Path) -> None:
    concepts = {"subject_type": "CONCEPT", "object_type": "CONCEPT"}
    endpoint.responder = answering(fact("ketamine use", "can cause", "respiratory depression", **concepts))
    settings = endpoint.settings(tmp_path, hopgrade_extract_model="reader")
    read = {}
    for option in EXTRACTORS[1:]:
        with_option = make_extractor(option, settings)
        assert extractor_option(with_option.name) == option
        (found,) = with_option.extract([as_input("Ketamine use can cause respiratory depression.")])
        read[option] = [(one.subject, one.object, one.rule) for one in triples_of(found)]
    ends = ("ketamine use", "respiratory depression")
    assert read == {"model": [], "model-concepts": [(*ends, "find-triples-concepts@4")]}
    plain, told = (triples_prompt(one).system for one in (False, True))
    assert [("At least one of the two is a name" in text) for text in (plain, told)] == [True, False]
    assert plain.split("- Somebody who reads")[1] == told.split("- Somebody who reads")[1]
