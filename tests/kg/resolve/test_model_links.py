"""Equivalent entities by a model, against a scripted endpoint."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kg.errors import BudgetReachedError
from kg.llm.budget import Budget
from kg.llm.open import open_model
from kg.llm.protocol import Model
from kg.model import EntityType
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.model_links import ModelLinkFinder, estimate_links, links_name, model_links
from tests.scripted_endpoint import FOR_NOW, Answer, Asked, Endpoint, Said, Storm, scripted_endpoint
from tests.scripted_reader import fences, outside

TYPES: dict[str, EntityType] = {
    "Oda Wexler": "PERSON",
    "lighthouse keeper": "CONCEPT",
    "Tarn Museum": "ORG",
    "TM": "ORG",
    "Tarn Museum Trust": "ORG",
    "2031": "DATE",
}
CARDS = {name: EntityCard(name, name, kind) for name, kind in TYPES.items()}
TEXTS = {
    "c1": "Oda Wexler sold the lighthouse lamp to the Tarn Museum.",
    "c2": "The lighthouse keeper signed the contract with the TM about the lamp.",
    "c3": "The Tarn Museum Trust opened the Tarn Museum in 2031, with the lamp under contract.",
}


def fact(subject: str, predicate: str, other: str, claim: str) -> Fact:
    return Fact(f"{claim}|{subject}|{predicate}|{other}", subject, predicate, other, claim)


FACTS = [
    fact("Oda Wexler", "sold lamp to", "Tarn Museum", "c1"),
    fact("lighthouse keeper", "signed contract with", "TM", "c2"),
    fact("Tarn Museum Trust", "opened", "Tarn Museum", "c3"),
    fact("Tarn Museum Trust", "opened museum in", "2031", "c3"),
]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(lambda _: {"groups": []}) as running:
        yield running


@pytest.fixture
def model(endpoint: Endpoint, tmp_path: Path) -> Iterator[Model]:
    with open_model("extract", endpoint.settings(tmp_path), sleep=lambda _: None) as opened:
        yield opened


def numbers(asked: Asked) -> dict[str, int]:
    """The number of each listed entity."""
    listed = (line.split(" ", 1) for line in fences(asked)["entities"].splitlines())
    return {name.rpartition(" (")[0]: int(number) for number, name in listed}


def groups(*wanted: tuple[list[str], str]) -> Any:  # noqa: ANN401
    """A responder that gives these groups where all their members are listed."""

    def respond(asked: Asked) -> Answer:
        known = numbers(asked)
        return {
            "groups": [
                {
                    "members": [{"number": known[name], "name": name} for name in names],
                    "verdict": verdict,
                    "reason": "c2 says so",
                }
                for names, verdict in wanted
                if known.keys() >= set(names)
            ]
        }

    return respond


def test_verdicts_become_exact_pairs_and_contextual_links(endpoint: Endpoint, model: Model) -> None:
    endpoint.responder = groups(
        (["Tarn Museum", "TM"], "always"), (["lighthouse keeper", "Oda Wexler"], "context")
    )
    found = model_links(model, {"k1": FACTS}, CARDS, TEXTS)
    (pair,) = found.always
    assert (pair.a, pair.b, pair.evidence) == ("TM", "Tarn Museum", "scripted: c2 says so")
    (link,) = found.context
    assert (link.a, link.b, link.cluster) == ("Oda Wexler", "lighthouse keeper", "k1")
    assert 0 < link.score < 1
    assert found.failures == found.dropped == ()


def test_facts_and_claims_are_shown_inside_the_fence(endpoint: Endpoint, model: Model) -> None:
    model_links(model, {"k1": FACTS}, CARDS, TEXTS)
    (asked,) = endpoint.requests
    assert '(lighthouse keeper; signed contract with; TM): "The lighthouse keeper' in fences(asked)["facts"]
    assert "2031" not in numbers(asked)
    assert "Tarn" not in outside(asked)


@pytest.mark.parametrize("verdict", ["always", "context"])
@pytest.mark.parametrize(
    ("members", "reason"),
    [
        (["Tarn Museum", "Tarn Museum Trust", "TM"], "a fact relates them as two"),
        (["Oda Wexler", "TM"], "types or numbers differ"),
    ],
)
def test_what_the_facts_speak_against_is_dropped_whole(
    endpoint: Endpoint, model: Model, members: list[str], verdict: str, reason: str
) -> None:
    endpoint.responder = groups((members, verdict))
    found = model_links(model, {"k1": FACTS}, CARDS, TEXTS)
    assert not found.always
    assert not found.context
    assert [reason in one.reason for one in found.dropped] == [True]
    assert found.dropped[0].place == "k1, request 1"


@pytest.mark.parametrize(
    "members",
    [
        [{"number": 1, "name": "Napoleon"}, {"number": 2, "name": "TM"}],
        [{"number": 1, "name": "TM"}, {"number": 77, "name": "TM"}],
        [{"number": 0, "name": "Oda Wexler"}, {"number": -1, "name": "TM"}],
        [],
    ],
)
def test_members_that_are_not_listed_are_no_members(
    endpoint: Endpoint, model: Model, members: list[dict[str, object]]
) -> None:
    endpoint.responder = lambda _: {"groups": [{"members": members, "verdict": "always", "reason": ""}]}
    found = model_links(model, {"k1": FACTS}, CARDS, TEXTS)
    assert not found.always
    assert not found.context
    assert len(found.dropped) == 1


def test_a_description_is_never_one_with_a_name_everywhere(endpoint: Endpoint, model: Model) -> None:
    endpoint.responder = groups((["lighthouse keeper", "Oda Wexler"], "always"))
    found = model_links(model, {"k1": FACTS}, CARDS, TEXTS)
    assert found.always == ()
    assert [(link.a, link.b) for link in found.context] == [("Oda Wexler", "lighthouse keeper")]


def test_always_in_one_cluster_needs_no_context_in_another(endpoint: Endpoint, model: Model) -> None:
    def respond(asked: Asked) -> Answer:
        verdict = "always" if "lamp" in fences(asked)["facts"] else "context"
        answer: Answer = groups((["Tarn Museum", "TM"], verdict))(asked)
        return answer

    endpoint.responder = respond
    other = [fact("TM", "closed", "2031", "c4"), fact("Tarn Museum", "closed", "2031", "c5")]
    found = model_links(model, {"k1": FACTS, "k0": other}, CARDS, TEXTS)
    assert [(pair.a, pair.b) for pair in found.always] == [("TM", "Tarn Museum")]
    assert found.context == ()


def test_a_cluster_that_a_model_declines_is_a_failure_and_no_other(endpoint: Endpoint, model: Model) -> None:
    links = groups((["Tarn Museum", "TM"], "context"))
    refusal = Said(content=None, refusal="No.")
    endpoint.responder = lambda asked: refusal if "lamp" in asked.question else links(asked)
    other = [fact("TM", "closed", "2031", "c4"), fact("Tarn Museum", "closed", "2031", "c5")]
    found = model_links(model, {"k1": FACTS, "k2": other}, CARDS, TEXTS)
    assert [link.cluster for link in found.context] == ["k2"]
    (failure,) = found.failures
    assert (failure.place, failure.reason.partition(": N")[0]) == (
        "k1, request 1",
        "links: refusal",
    )


def test_the_order_of_clusters_and_facts_does_not_matter(endpoint: Endpoint, model: Model) -> None:
    endpoint.responder = groups((["Tarn Museum", "TM"], "context"))
    one = model_links(model, {"k1": FACTS, "k2": FACTS}, CARDS, TEXTS)
    again = model_links(model, {"k2": FACTS[::-1], "k1": FACTS}, dict(reversed(CARDS.items())), TEXTS)
    assert one == again
    assert [link.cluster for link in one.context] == ["k1", "k2"]
    assert len(endpoint.requests) == 1


def test_a_cluster_without_candidates_asks_nothing(endpoint: Endpoint, model: Model) -> None:
    lone: dict[str, EntityType] = {"Ana Brel": "PERSON", "Vell": "GPE"}
    cards = {name: EntityCard(name, name, kind) for name, kind in lone.items()}
    facts = {"k1": [fact("Ana Brel", "was born in", "Vell", "c1")], "k2": []}
    assert estimate_links(model, facts, cards, {}).calls == 0
    assert model_links(model, facts, cards, {}).context == ()
    assert endpoint.requests == []


def test_the_estimate_is_exact_and_asked_links_cost_nothing_again(endpoint: Endpoint, model: Model) -> None:
    before = estimate_links(model, {"k1": FACTS}, CARDS, TEXTS)
    assert (before.calls, before.cached) == (1, 0)
    model_links(model, {"k1": FACTS}, CARDS, TEXTS)
    assert len(endpoint.requests) == before.calls
    assert estimate_links(model, {"k1": FACTS}, CARDS, TEXTS).cached == 1


def test_the_finder_has_a_name_for_the_ledger(endpoint: Endpoint, tmp_path: Path) -> None:
    settings = endpoint.settings(tmp_path)
    finder = ModelLinkFinder("scripted", lambda: open_model("extract", settings))
    assert finder.name == links_name("scripted") == "model-links-1/scripted/match-entities@1"
    endpoint.responder = groups((["Tarn Museum", "TM"], "always"))
    assert len(finder.find({"k1": FACTS}, CARDS, TEXTS).always) == 1


def many() -> dict[str, list[Fact]]:
    """Clusters that are asked about apart."""
    return {
        f"k{number:02}": [
            fact("TM", f"closed hall {number} in", "2031", "c4"),
            fact("Tarn Museum", f"closed hall {number} in", "2031", "c5"),
        ]
        for number in range(30)
    }


def test_a_storm_and_a_spent_budget_change_no_link(endpoint: Endpoint, model: Model, tmp_path: Path) -> None:
    endpoint.responder = groups((["Tarn Museum", "TM"], "context"))
    calm = model_links(model, many(), CARDS, TEXTS)
    assert len(calm.context) == 30
    kinds = [kind for kind in FOR_NOW if kind != "silence"]
    endpoint.storm = Storm(seed=4, share=0.4, kinds=kinds)
    endpoint.requests.clear()
    endpoint.answered.clear()
    settings = endpoint.settings(tmp_path / "fresh")
    with (
        pytest.raises(BudgetReachedError, match=r"\d+ of 30 requests for links are answered, \d+ are left"),
        open_model("extract", settings, Budget(tokens=20_000), sleep=lambda _: None) as poor,
    ):
        model_links(poor, many(), CARDS, TEXTS)
    assert 0 < len(endpoint.answered) < 30
    with open_model("extract", settings, sleep=lambda _: None) as rich:
        assert model_links(rich, many(), CARDS, TEXTS) == calm
    assert len(endpoint.answered) == 30
    assert set(endpoint.answered.values()) == {1}
    assert sum(endpoint.storm.met.values()) > 10
