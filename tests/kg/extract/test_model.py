"""The extractor that asks a model, against a scripted endpoint."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kg.errors import BudgetReachedError, ModelRefusedError, SettingsError
from kg.extract.choose import extractor_name, make_extractor, parse_extractor
from kg.extract.model import estimate
from kg.extract.protocol import ExtractionInput
from kg.llm.roles import open_model
from kg.model import Extraction
from kg.settings import Settings
from tests import scripted_reader
from tests.examples import examples
from tests.kg.extract.conftest import as_input, facts_of, triples_of
from tests.scripted_endpoint import Asked, Endpoint, Said
from tests.scripted_reader import changed, task

TWO_SIDES = (
    "Mira Tolland founded Halden Shipping. It was a sad day for the valley. "
    "Tolland was born in Kaldmere. Anton Brask never founded Halden Shipping."
)
REFUSAL = Said(content=None, refusal="I can't help with that.")
LONG = " ".join(f"Mira Tolland opened in 20{number:02}." for number in range(25))


Read = Callable[..., list[Extraction]]


@pytest.fixture
def read(model_read: Read) -> Read:
    return model_read


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
    assert {triple.rule for triple in triples_of(found)} == {"find-triples@4"}
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


@examples("added, doubt")
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


@pytest.mark.campaign
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


@pytest.mark.campaign
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
    name = "model-4/reader/write-claims@4+check-claims@4+find-triples@4"
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
