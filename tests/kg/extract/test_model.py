"""The extractor that asks a model, against a scripted endpoint."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kg.errors import BudgetReachedError, ModelRefusedError, SettingsError
from kg.extract.choose import extractor_name, make_extractor, parse_extractor
from kg.extract.model import estimate
from kg.extract.protocol import ExtractionInput
from kg.llm.open import open_model
from kg.model import Extraction
from kg.settings import Settings
from tests import scripted_reader
from tests.kg.extract.conftest import as_input, facts_of, triples_of
from tests.scripted_endpoint import Asked, Endpoint, Said, scripted_endpoint
from tests.scripted_reader import changed, fact, task

TWO_SIDES = (
    "Mira Tolland founded Halden Shipping. It was a sad day for the valley. "
    "Tolland was born in Kaldmere. Anton Brask never founded Halden Shipping."
)
REFUSAL = Said(content=None, refusal="I can't help with that.")
LONG = " ".join(f"Mira Tolland opened in 20{number:02}." for number in range(25))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(scripted_reader.read) as running:
        yield running


Read = Callable[..., list[Extraction]]


@pytest.fixture
def read(endpoint: Endpoint, tmp_path: Path) -> Read:
    def run(*bodies: str, title: str = "", **settings: object) -> list[Extraction]:
        extractor = make_extractor("model", endpoint.settings(tmp_path, **settings))
        return list(extractor.extract(as_input(body, title) for body in bodies))

    return run


def test_facts_become_claims_with_triples_and_opinions_nothing(read: Read) -> None:
    (found,) = read(TWO_SIDES)
    assert [claim.sentence for claim in found.claims] == [
        "Mira Tolland founded Halden Shipping.",
        "Tolland was born in Kaldmere.",
        "Anton Brask never founded Halden Shipping.",
    ]
    assert all(TWO_SIDES[claim.start : claim.end] == claim.sentence for claim in found.claims)
    assert facts_of(found) == {
        ("Mira Tolland", "founded", "Halden Shipping"),
        ("Mira Tolland", "was born in", "Kaldmere"),
        ("Anton Brask", "founded", "Halden Shipping"),
    }
    assert [triple.negated for triple in triples_of(found)] == [False, False, True]
    assert {triple.rule for triple in triples_of(found)} == {"find-triples@3"}
    assert found.failures == ()


def test_names_are_found_where_the_article_has_them(read: Read) -> None:
    (found,) = read(TWO_SIDES)
    assert [TWO_SIDES[one.start : one.end] for one in found.mentions] == [
        one.surface for one in found.mentions
    ]
    assert [(one.surface, one.name, one.type) for one in found.mentions] == [
        ("Mira Tolland", "Mira Tolland", "PERSON"),
        ("Halden Shipping", "Halden Shipping", "ORG"),
        ("Tolland", "Mira Tolland", "PERSON"),
        ("Kaldmere", "Kaldmere", "GPE"),
        ("Anton Brask", "Anton Brask", "PERSON"),
        ("Halden Shipping", "Halden Shipping", "ORG"),
    ]


def test_a_claim_that_does_not_hold_stays_with_its_doubt(read: Read) -> None:
    (found,) = read("Mira Tolland founded Halden Shipping. Ivo Darrow perhaps leads Kald Foods.")
    assert [claim.doubt for claim in found.claims] == [
        "",
        "says more than its sentence: the sentence leaves it open",
    ]


@pytest.mark.parametrize(
    ("added", "doubt"),
    [
        ("in Paris", "names what the article doesn't: Paris"),
        ("for 17 crowns", "has numbers that the article doesn't: 17"),
    ],
)
def test_a_claim_with_what_the_article_lacks_is_doubted_whatever_the_model_says(
    endpoint: Endpoint, read: Read, added: str, doubt: str
) -> None:
    endpoint.responder = changed(
        sentences=lambda _, answer: {
            "sentences": [{**item, "claim": f"{item['claim'][:-1]} {added}."} for item in answer["sentences"]]
        }
    )
    (found,) = read("Mira Tolland founded Halden Shipping.")
    assert found.claims[0].doubt == doubt
    assert not [asked for asked in endpoint.requests if task(asked) == "checks"]


def test_articles_come_in_order_and_many_requests_are_under_way(endpoint: Endpoint, read: Read) -> None:
    endpoint.latency_seconds = 0.02
    bodies = [
        f"{person} founded {firm}. " * (1 + number % 3) for number, (person, firm) in enumerate(_pairs())
    ]
    found = read(*bodies, hopgrade_model_concurrency=6)
    assert [triples_of(one)[0].subject for one in found] == [person for person, _ in _pairs()]
    assert [len(one.claims) for one in found] == [1 + number % 3 for number in range(len(bodies))]
    assert endpoint.most_at_once >= 5


def _pairs() -> list[tuple[str, str]]:
    people, firms = scripted_reader.PERSONS[:6], scripted_reader.FIRMS[:6]
    return [(person, firm) for person in people for firm in firms]


def test_articles_are_read_ahead_within_bounds(endpoint: Endpoint, tmp_path: Path) -> None:
    taken = 0

    def items() -> Iterator[ExtractionInput]:
        nonlocal taken
        for _ in range(500):
            taken += 1
            yield as_input("Mira Tolland founded Halden Shipping.")

    extractor = make_extractor("model", endpoint.settings(tmp_path))
    extractions = extractor.extract(items())
    assert taken == 0
    next(extractions)
    assert 0 < taken <= 49


def test_a_long_article_goes_in_batches_that_see_what_was_before(endpoint: Endpoint, read: Read) -> None:
    (found,) = read(LONG)
    assert [claim.sentence for claim in found.claims] == LONG.replace(". ", ".|").split("|")
    asked = [scripted_reader.wanted(one) for one in endpoint.requests if task(one) == "sentences"]
    assert sorted(asked) == [list(range(1, 10)), list(range(10, 19)), list(range(19, 26))]
    assert all(
        "Mira Tolland opened in 2000." in one.question
        for one in endpoint.requests
        if task(one) != "statements"
    )
    shown = [scripted_reader.lines(scripted_reader.fences(one)["article"]) for one in endpoint.requests
             if task(one) == "sentences" and 25 in scripted_reader.wanted(one)]  # fmt: skip
    assert [sorted(one) for one in shown] == [[1, 2, *range(14, 26)]]


def test_an_empty_article_asks_nothing(endpoint: Endpoint, read: Read) -> None:
    assert read("", "* * *") == [Extraction((), ()), Extraction((), ())]
    assert endpoint.requests == []


def _without(numbers: set[int]) -> Callable[[Asked, Any], Any]:
    """Leaves numbers out of the answers to requests for more than three."""

    def change(asked: Asked, answer: Any) -> Any:  # noqa: ANN401
        (name, items), *_ = answer.items()
        left = len(items) > 3
        return {name: [item for item in items if not (left and item["number"] in numbers)]}

    return change


@pytest.mark.parametrize("name", ["sentences", "checks", "statements"])
def test_what_an_answer_leaves_out_is_asked_about_once_more(
    endpoint: Endpoint, read: Read, name: str
) -> None:
    expected = read(LONG)
    endpoint.responder = changed(**{name: _without({4, 7})})
    sent = len(endpoint.requests)
    assert read(LONG, hopgrade_model="scripted-2") == expected
    again = [
        one for one in endpoint.requests[sent:] if task(one) == name and len(scripted_reader.wanted(one)) < 5
    ]
    assert [scripted_reader.wanted(one) for one in again] == [[4, 7]]


def test_what_is_never_answered_is_a_failure_with_its_place(endpoint: Endpoint, read: Read) -> None:
    endpoint.responder = changed(
        sentences=lambda _, answer: {"sentences": [one for one in answer["sentences"] if one["number"] != 2]}
    )
    (found,) = read(TWO_SIDES)
    assert len(found.claims) == 3
    assert [(one.place, one.reason) for one in found.failures] == [
        ("sentence 2", "claims: the model left it out")
    ]


def test_two_answers_for_one_sentence_are_none_unless_they_agree(endpoint: Endpoint, read: Read) -> None:
    def twice(_: Asked, answer: Any) -> Any:  # noqa: ANN401
        items = answer["sentences"]
        first, last = items[0], items[-1]
        return {"sentences": [first, *items, {**last, "claim": f"{last['claim'][:-1]} or not."}]}

    endpoint.responder = changed(sentences=twice)
    (found,) = read(TWO_SIDES)
    assert [claim.start for claim in found.claims] == [0, TWO_SIDES.index("Tolland was")]
    assert [(one.place, one.reason) for one in found.failures] == [
        ("sentence 4", "claims: the model answered it twice, differently")
    ]


def test_one_sentence_that_a_model_declines_costs_no_other(endpoint: Endpoint, read: Read) -> None:
    def decline(asked: Asked, answer: Any) -> Any:  # noqa: ANN401
        numbers = [item["number"] for item in answer["sentences"]]
        return REFUSAL if 9 in numbers else answer

    endpoint.responder = changed(sentences=decline)
    (found,) = read(LONG)
    starts = {claim.sentence for claim in found.claims}
    assert len(starts) == 21
    (failure,) = found.failures
    assert failure.place == "sentences 6-9"
    assert failure.reason.startswith("claims: refusal")


def test_a_check_that_fails_leaves_its_claims_unverified(endpoint: Endpoint, read: Read) -> None:
    endpoint.responder = changed(checks=lambda _, __: REFUSAL)
    (found,) = read(TWO_SIDES)
    assert [claim.doubt for claim in found.claims] == ["could not be checked against its sentence"] * 3
    assert facts_of(found)
    assert {one.reason.partition(":")[0] for one in found.failures} == {"check of claims"}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (fact("Mira Tolland", "met", "Napoleon Bonaparte"), "its object is not in the article"),
        (fact("Elvis", "founded", "Halden Shipping"), "its subject is not in the article"),
        (fact("She", "founded", "Halden Shipping"), "its subject is empty, a pronoun or too long"),
        (fact("Mira Tolland", "", "Halden Shipping"), "its predicate is empty or too long"),
        (fact("Mira Tolland", "is", "Mira Tolland"), "its subject is its object"),
        (
            fact("Mira Tolland", "founded", "Halden Shipping", attributed_to="Elvis"),
            "who is said to say it is not in the article",
        ),
        (
            fact("Mira Tolland", "founded", "Halden Shipping", subject_type="NUMBER"),
            "its subject is a date or a number",
        ),
        (
            fact("Mira Tolland", "founded", "Halden Shipping", object_type="DATE"),
            "its date has no year and can't be counted from the article's date",
        ),
    ],
)
def test_a_triple_that_the_text_does_not_bear_is_dropped(
    endpoint: Endpoint, read: Read, wrong: dict[str, Any], reason: str
) -> None:
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


@pytest.mark.parametrize(
    ("given", "kept", "dropped"),
    [
        # Recorded forms of a real model, with names of the valley.
        (
            [
                person("Mira Tolland", "endorsed", "Anton Brask"),
                person("Mira Tolland", "endorsed Anton Brask on", "3 May 2031", "DATE"),
            ],
            [("Mira Tolland", "endorsed", "Anton Brask")],
            1,
        ),
        (
            [
                person("Mira Tolland", "endorsed Anton Brask on", "3 May 2031", "DATE"),
                person("Anton Brask", "was born in", "Verrin", "GPE"),
            ],
            [("Anton Brask", "was born in", "Verrin"), ("Mira Tolland", "endorsed", "Anton Brask")],
            0,
        ),
        ([person("Mira Tolland", "called Verrin for", "Anton Brask")], [], 1),
        (
            [person("Mira Tolland", "labeled as thief", "Anton Brask")],
            [("Anton Brask", "was labeled a thief by", "Mira Tolland")],
            0,
        ),
        (
            [person("Mira Tolland", "lost vote in 2031 to", "Anton Brask")],
            [("Mira Tolland", "lost vote to", "Anton Brask")],
            0,
        ),
        (
            [person("Anton Brask", "was named mayor", "3 May 2031", "DATE")],
            [("Anton Brask", "was named mayor on", "3 May 2031")],
            0,
        ),
    ],
)
def test_a_fact_of_which_no_question_can_be_made_is_mended_or_dropped(
    endpoint: Endpoint, read: Read, given: list[dict[str, Any]], kept: list[tuple[str, ...]], dropped: int
) -> None:
    endpoint.responder = answering(*given)
    (found,) = read("Mira Tolland endorsed Anton Brask of Verrin on 3 May 2031.")
    assert sorted(facts_of(found)) == kept
    reasons = [one.reason for one in found.failures]
    assert reasons == ["1 triple dropped: a name stands inside its predicate"] * dropped


@pytest.mark.parametrize(
    ("predicate", "when", "kept"),
    [
        ("declared epidemic on", "13 May 2031", ["13 May 2031"]),
        ("declared epidemic two days before", "13 May 2031", []),
        ("declared epidemic in", "10 days from 13 May 2031", []),
        ("declared epidemic in", "mid-May 2031", ["May 2031"]),
        ("declared epidemic late on", "early 13 May 2031", ["13 May 2031"]),
        ("declared epidemic before", "mid-May 2031", []),
        ("declared epidemic in", "week of 13 May 2031", []),
        ("declared epidemic for", "two weeks", ["two weeks"]),
    ],
)
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


@pytest.mark.parametrize(
    ("sentence", "given", "is_certain"),
    [
        ("Anton Brask claimed that Mira Tolland robbed Kald Foods.", ("robbed", ""), False),
        ("Anton Brask claimed that Mira Tolland robbed Kald Foods.", ("robbed", "Anton Brask"), True),
        ("Mira Tolland allegedly robbed Kald Foods.", ("robbed", ""), False),
        ("Mira Tolland robbed Kald Foods, Anton Brask claimed.", ("robbed", ""), False),
        ("Mira Tolland leads Kald Foods and denied a theft.", ("leads", ""), True),
        ("Anton Brask announced that Mira Tolland leads Kald Foods.", ("leads", ""), True),
        ("Mira Tolland accused Kald Foods.", ("accused", ""), True),
    ],
)
def test_an_allegation_is_never_a_sure_fact_of_nobody_s(
    endpoint: Endpoint, read: Read, sentence: str, given: tuple[str, str], is_certain: bool
) -> None:
    predicate, speaker = given
    endpoint.responder = answering(fact("Mira Tolland", predicate, "Kald Foods", attributed_to=speaker))
    (found,) = read(sentence)
    (triple,) = triples_of(found)
    assert triple.attributed_to == speaker
    assert (triple.confidence >= 0.6) == is_certain


def test_the_budget_stops_after_whole_articles(endpoint: Endpoint, tmp_path: Path) -> None:
    settings = endpoint.settings(tmp_path, hopgrade_budget_tokens=14_000, hopgrade_model_concurrency=1)
    items = [as_input(f"{person} founded {firm}.") for person, firm in _pairs()]
    done = []
    with pytest.raises(BudgetReachedError):
        for extraction in make_extractor("model", settings).extract(items):
            done.append(extraction)
    assert 0 < len(done) < len(items)
    rest = endpoint.settings(tmp_path)
    assert list(make_extractor("model", rest).extract(items))[: len(done)] == done
    assert set(endpoint.answered.values()) == {1}


def test_a_wrong_key_ends_it_at_once(endpoint: Endpoint, read: Read) -> None:
    endpoint.faults = ["401"]
    with pytest.raises(ModelRefusedError):
        read(TWO_SIDES)


def test_the_estimate_is_kept_to(endpoint: Endpoint, tmp_path: Path) -> None:
    settings = endpoint.settings(tmp_path)
    items = [as_input(TWO_SIDES, "Shipping"), as_input(LONG)]
    with open_model("extract", settings) as model:
        before = estimate(model, items)
    assert endpoint.requests == []
    list(make_extractor("model", settings).extract(items))
    assert before.calls == len(endpoint.requests) == 12
    with open_model("extract", settings) as model:
        after = estimate(model, items)
    assert after.cached >= 4
    assert after.output_tokens_at_most < before.output_tokens_at_most


def test_the_name_is_known_without_the_endpoint(endpoint: Endpoint, tmp_path: Path) -> None:
    settings = endpoint.settings(tmp_path, hopgrade_extract_model="reader")
    name = "model-3/reader/write-claims@3+check-claims@3+find-triples@3"
    assert extractor_name("model", settings) == make_extractor("model", settings).name == name
    assert extractor_name() == extractor_name("rules", settings)


def test_without_a_model_the_reader_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOPGRADE_MODEL", raising=False)
    with pytest.raises(SettingsError, match="HOPGRADE_EXTRACT_MODEL"):
        extractor_name("model", Settings(hopgrade_model=None, hopgrade_extract_model=None))


def test_an_unknown_extractor_is_refused_with_the_choices() -> None:
    assert parse_extractor("model") == "model"
    with pytest.raises(SettingsError, match="rules, model"):
        parse_extractor("magic")


def test_an_endpoint_without_schemas_is_read_all_the_same(endpoint: Endpoint, read: Read) -> None:
    expected = read(TWO_SIDES)
    endpoint.unsupported = {"json_schema", "temperature"}
    assert read(TWO_SIDES, hopgrade_model="scripted-2") == expected
