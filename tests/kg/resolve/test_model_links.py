"""Equivalent entities by a model, against a scripted endpoint."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from kg.errors import BudgetReachedError
from kg.llm.budget import Budget
from kg.llm.protocol import Model
from kg.llm.roles import open_model
from kg.model import EntityType
from kg.progress import Silent
from kg.resolve.cluster_context import EntityCard, Fact, FoundLinks
from kg.resolve.link_batches import LONGEST_CLAIM, PAIRS_A_REQUEST
from kg.resolve.model_links import (
    ModelLinkFinder,
    estimate_links,
    expected_links,
    links_name,
    model_links,
    plain_reason,
)
from kg.resolve.pair_likeness import is_role
from tests.examples import examples, read_examples
from tests.scripted_endpoint import FOR_NOW, Answer, Asked, Endpoint, Said, Storm, scripted_endpoint
from tests.scripted_reader import fences, outside

TYPES: dict[str, EntityType] = read_examples("kg/resolve/model_links")["types"]
CARDS = {name: EntityCard(name, name, kind) for name, kind in TYPES.items()}
TEXTS: dict[str, str] = read_examples("kg/resolve/model_links")["texts"]


@dataclass
class Steps(Silent):
    """A progress that remembers."""

    steps: list[tuple[str, int | None]] = field(default_factory=list)
    advanced: int = 0

    def step(self, name: str, total: int | None = None) -> None:
        self.steps.append((name, total))

    def advance(self, steps: int = 1) -> None:
        self.advanced += steps


def fact(subject: str, predicate: str, other: str, claim: str) -> Fact:
    return Fact(f"{claim}|{subject}|{predicate}|{other}", subject, predicate, other, claim)


FACTS = [
    fact("Oda Wexler", "sold lamp to", "Tarn Museum", "c1"),
    fact("lighthouse keeper", "signed contract with", "Tarn Museum", "c2"),
    fact("TM", "bought lamp from", "lighthouse keeper", "c2"),
    fact("Tarn Museum Trust", "opened", "Tarn Museum", "c3"),
    fact("Tarn Museum Trust", "opened museum in", "2031", "c3"),
]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(verdicts()) as running:
        yield running


@pytest.fixture
def model(endpoint: Endpoint, tmp_path: Path) -> Iterator[Model]:
    with open_model("extract", endpoint.settings(tmp_path), sleep=lambda _: None) as opened:
        yield opened


_PAIR = re.compile(r'^(\d+)\. "(.+)" \(\w+\) and "(.+)" \(\w+\): statements? [\d, ]+$', re.MULTILINE)


def pairs(asked: Asked) -> dict[int, frozenset[str]]:
    """The pairs that are asked about, by number."""
    listed = fences(asked)["pairs"]
    found = {int(number): frozenset((one, other)) for number, one, other in _PAIR.findall(listed)}
    assert len(found) == len(listed.splitlines()), listed
    return found


def verdicts(*wanted: tuple[str, str, str]) -> Any:  # noqa: ANN401
    """A responder that gives these verdicts (name, name, verdict), and "different" for all other pairs."""
    known = {frozenset(names): verdict for *names, verdict in wanted}

    def respond(asked: Asked) -> Answer:
        return {
            "pairs": [
                {"number": number, "reason": "c2 says so", "verdict": known.get(pair, "different")}
                for number, pair in pairs(asked).items()
            ]
        }

    return respond


def linked(model: Model, clusters: dict[str, list[Fact]]) -> FoundLinks:
    return model_links(model, clusters, CARDS, TEXTS, Silent())


def test_verdicts_become_exact_pairs_and_contextual_links(endpoint: Endpoint, model: Model) -> None:
    endpoint.responder = verdicts(
        ("Tarn Museum", "TM", "always"), ("lighthouse keeper", "Oda Wexler", "context")
    )
    found = linked(model, {"k1": FACTS})
    (pair,) = found.always
    assert (pair.a, pair.b, pair.evidence) == ("TM", "Tarn Museum", "scripted: c2 says so")
    (link,) = found.context
    assert (link.a, link.b, link.cluster) == ("Oda Wexler", "lighthouse keeper", "k1")
    assert 0 < link.score < 1
    assert found.failures == found.dropped == ()


def test_each_statement_is_shown_once_with_its_facts_inside_the_fence(
    endpoint: Endpoint, model: Model
) -> None:
    linked(model, {"k1": FACTS})
    (asked,) = endpoint.requests
    shown = fences(asked)["statements"]
    assert "The lighthouse keeper signed the contract with the museum, the TM, about the lamp.\n" in shown
    assert "\n    lighthouse keeper | signed contract with | Tarn Museum" in shown
    assert [shown.count(text) for text in TEXTS.values() if text in shown] == [1] * shown.count("[")
    assert "2031" not in fences(asked)["pairs"]
    assert "Tarn" not in outside(asked)


def test_claims_in_the_same_words_are_one_statement(endpoint: Endpoint, model: Model) -> None:
    again = [fact("Tarn Museum Trust", "opened", "Tarn Museum", "c4")]
    model_links(model, {"k1": [*FACTS, *again]}, CARDS, {**TEXTS, "c4": TEXTS["c2"]}, Silent())
    (asked,) = endpoint.requests
    lines = fences(asked)["statements"].splitlines()
    assert len(lines) == len(set(lines))
    assert sum(TEXTS["c2"] in line for line in lines) == 1


@examples("evidence, reason")
def test_a_reason_shows_neither_models_nor_numbers(evidence: str, reason: str) -> None:
    assert plain_reason(evidence) == reason


def test_what_the_facts_speak_against_is_not_even_asked(endpoint: Endpoint, model: Model) -> None:
    linked(model, {"k1": FACTS})
    (asked,) = endpoint.requests
    assert frozenset({"Tarn Museum", "Tarn Museum Trust"}) not in pairs(asked).values(), (
        "one opened the other"
    )
    assert frozenset({"Oda Wexler", "TM"}) not in pairs(asked).values(), "a person is no museum"
    assert frozenset({"Tarn Museum", "TM"}) in pairs(asked).values()


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([{"number": 77, "reason": "", "verdict": "always"}], "a verdict for a pair that nobody asked about"),
        ([{"number": -1, "reason": "", "verdict": "always"}], "a verdict for a pair that nobody asked about"),
        ([], "no verdict for a pair"),
        (
            [{"number": 1, "reason": "", "verdict": one} for one in ("always", "context")],
            "two verdicts for one pair",
        ),
    ],
)
def test_an_answer_that_does_not_fit_the_pairs_is_told_and_links_nothing(
    endpoint: Endpoint, model: Model, items: list[dict[str, object]], reason: str
) -> None:
    endpoint.responder = lambda _: {"pairs": items}
    found = linked(model, {"k1": FACTS})
    assert not found.always
    assert not found.context
    assert any(reason in one.reason for one in found.dropped)
    assert {one.place for one in found.dropped} == {"request 1"}


def test_a_description_is_never_one_with_a_name_everywhere(endpoint: Endpoint, model: Model) -> None:
    endpoint.responder = verdicts(("lighthouse keeper", "Oda Wexler", "always"))
    found = linked(model, {"k1": FACTS})
    assert found.always == ()
    assert [(link.a, link.b) for link in found.context] == [("Oda Wexler", "lighthouse keeper")]


OFFICES: dict[str, EntityType] = read_examples("kg/resolve/model_links")["offices"]


def test_an_office_is_its_holder_s_name_nowhere_and_nobody_s_where_two_hold_it(
    endpoint: Endpoint, model: Model
) -> None:
    """Recorded: a real model merged two descriptions of the office for good, where two holders met."""
    cards = {name: EntityCard(name, name, kind) for name, kind in OFFICES.items()}
    facts = [
        fact("Mike Pence", "is", "Vice President", "c1"),
        fact("Vice President", "takes over under", "25th Amendment", "c1"),
        fact("Kamala Harris", "is", "Vice President", "c2"),
        fact("Vice President of the United States", "presides over", "Senate", "c3"),
        fact("Joe Biden", "was", "Vice President of the United States", "c4"),
    ]
    every_pair = [(one, other, "always") for one, other in combinations(OFFICES, 2)]
    endpoint.responder = verdicts(*every_pair)
    found = model_links(model, {"k1": facts}, cards, {}, Silent())
    assert found.always == ()
    assert [(link.a, link.b) for link in found.context] == [
        ("Joe Biden", "Vice President of the United States")
    ]
    assert [one.reason for one in found.dropped] == ['links: "Vice President" would stand for several names']
    (asked,) = endpoint.requests
    assert frozenset({"Vice President", "Vice President of the United States"}) not in pairs(asked).values()


@examples("one, other, always")
def test_always_merges_names_and_never_a_role(
    endpoint: Endpoint, model: Model, one: str, other: str, always: bool
) -> None:
    cards = {name: EntityCard(name, name, "PERSON") for name in (one, other)}
    facts = [fact(one, "is", other, "c1"), fact(one, "left", "Vell", "c2"), fact(other, "left", "Vell", "c3")]
    endpoint.responder = verdicts((one, other, "always"))
    found = model_links(model, {"k1": facts}, cards, {}, Silent())
    assert (len(found.always), len(found.context)) == ((1, 0) if always else (0, 1))


def test_a_role_typed_person_is_nobody_s_where_two_hold_it(endpoint: Endpoint, model: Model) -> None:
    names = ("Ana Brel", "Bo Tarn", "CEO")
    cards = {name: EntityCard(name, name, "PERSON") for name in names}
    facts = [fact(name, "is", "CEO", name) for name in names[:2]]
    endpoint.responder = verdicts(*((name, "CEO", "always") for name in names[:2]))
    found = model_links(model, {"k1": facts}, cards, {}, Silent())
    assert (found.always, found.context) == ((), ())
    assert [one.reason for one in found.dropped] == ['links: "CEO" would stand for several names']


@examples("name, kind, role")
def test_a_role_is_told_by_its_head(name: str, kind: EntityType, role: bool) -> None:
    assert is_role(EntityCard(name, name, kind)) is role


def test_always_in_one_cluster_needs_no_context_in_another(endpoint: Endpoint, model: Model) -> None:
    museum = frozenset({"Tarn Museum", "TM"})

    def respond(asked: Asked) -> Answer:
        told = {
            number: line for line in fences(asked)["pairs"].splitlines() for number in [line.split(".")[0]]
        }
        return {
            "pairs": [
                {
                    "number": number,
                    "reason": "",
                    "verdict": "different" if pair != museum else
                    "context" if len(told[str(number)].split(", ")) == 1 else "always",
                }
                for number, pair in pairs(asked).items()
            ]
        }  # fmt: skip

    endpoint.responder = respond
    other = [fact("TM", "closed", "2031", "c4"), fact("Tarn Museum", "closed", "2031", "c4")]
    found = linked(model, {"k1": FACTS, "k0": other})
    assert [(pair.a, pair.b) for pair in found.always] == [("TM", "Tarn Museum")]
    assert museum not in {frozenset((link.a, link.b)) for link in found.context}


def test_a_request_that_a_model_declines_is_a_failure_and_costs_no_other(
    endpoint: Endpoint, model: Model
) -> None:
    clusters = many()
    links = verdicts(("Tarn Museum", "TM", "context"))
    refusal = Said(content=None, refusal="No.")
    endpoint.responder = lambda asked: refusal if "hall 7 " in asked.question else links(asked)
    found = linked(model, clusters)
    (failure,) = found.failures
    assert failure.reason.startswith("links: refusal")
    missing = set(clusters) - {link.cluster for link in found.context}
    assert "k07" in missing
    assert len(missing) <= PAIRS_A_REQUEST


def test_progress_tells_each_answered_request(endpoint: Endpoint, model: Model) -> None:
    watched = Steps()
    endpoint.responder = verdicts()
    model_links(model, many(), CARDS, TEXTS, watched)
    assert watched.steps == [("links by a model, requests", len(endpoint.requests))]
    assert watched.advanced == len(endpoint.requests) > 1


def test_the_order_of_clusters_and_facts_does_not_matter(endpoint: Endpoint, model: Model) -> None:
    endpoint.responder = verdicts(("Tarn Museum", "TM", "context"))
    one = linked(model, {"k1": FACTS, "k2": FACTS})
    clusters = {"k2": FACTS[::-1], "k1": FACTS}
    again = model_links(model, clusters, dict(reversed(CARDS.items())), TEXTS, Silent())
    assert one == again
    assert [link.cluster for link in one.context] == ["k1", "k2"]
    assert len(endpoint.requests) == 1


def test_a_cluster_without_candidates_asks_nothing(endpoint: Endpoint, model: Model) -> None:
    lone: dict[str, EntityType] = {"Ana Brel": "PERSON", "Vell": "GPE"}
    cards = {name: EntityCard(name, name, kind) for name, kind in lone.items()}
    facts = {"k1": [fact("Ana Brel", "was born in", "Vell", "c1")], "k2": []}
    assert estimate_links(model, facts, cards, {}).calls == 0
    assert model_links(model, facts, cards, {}, Silent()).context == ()
    assert endpoint.requests == []


def test_the_estimate_is_exact_and_asked_links_cost_nothing_again(endpoint: Endpoint, model: Model) -> None:
    before = estimate_links(model, {"k1": FACTS}, CARDS, TEXTS)
    assert (before.calls, before.cached) == (1, 0)
    linked(model, {"k1": FACTS})
    assert len(endpoint.requests) == before.calls
    assert estimate_links(model, {"k1": FACTS}, CARDS, TEXTS).cached == 1


def test_links_of_articles_not_read_yet_are_expected_by_their_sentences(model: Model) -> None:
    assert expected_links(model, 0).calls == 0
    few, many_more = expected_links(model, 100), expected_links(model, 1_000)
    assert 1 < few.calls < many_more.calls
    assert few.cached == 0
    assert 8 < many_more.input_tokens / few.input_tokens < 12


def test_the_finder_has_a_name_for_the_ledger(endpoint: Endpoint, tmp_path: Path) -> None:
    settings = endpoint.settings(tmp_path)
    finder = ModelLinkFinder("scripted", lambda: open_model("extract", settings))
    assert finder.name == links_name("scripted") == "model-links-5/scripted/match-entities@6"
    endpoint.responder = verdicts(("Tarn Museum", "TM", "always"))
    assert len(finder.find({"k1": FACTS}, CARDS, TEXTS, Silent()).always) == 1


def many() -> dict[str, list[Fact]]:
    """Clusters of which each has the museum and its abbreviation, by facts of their own."""
    return {
        f"k{number:02}": [
            fact("TM", f"closed hall {number} in", "2031", f"a{number}"),
            fact("Tarn Museum", f"closed hall {number} in", "2031", f"b{number}"),
        ]
        for number in range(40)
    }


def test_a_storm_and_a_spent_budget_change_no_link(endpoint: Endpoint, model: Model, tmp_path: Path) -> None:
    endpoint.responder = verdicts(("Tarn Museum", "TM", "context"))
    calm = linked(model, many())
    assert len(calm.context) == 40
    wanted = len(endpoint.requests)
    kinds = [kind for kind in FOR_NOW if kind != "silence"]
    endpoint.storm = Storm(seed=4, share=0.6, kinds=kinds)
    endpoint.requests.clear()
    endpoint.answered.clear()
    settings = endpoint.settings(tmp_path / "fresh", hopgrade_model_concurrency=1)
    with (
        pytest.raises(
            BudgetReachedError, match=rf"\d+ of {wanted} requests for links are answered, \d+ are left"
        ),
        open_model("extract", settings, Budget(tokens=4_500), sleep=lambda _: None) as poor,
    ):
        linked(poor, many())
    assert 0 < len(endpoint.answered) < wanted
    with open_model("extract", settings, sleep=lambda _: None) as rich:
        assert linked(rich, many()) == calm
    assert len(endpoint.answered) == wanted
    assert set(endpoint.answered.values()) == {1}
    assert sum(endpoint.storm.met.values()) > 2


def test_a_name_that_many_bodies_have_is_never_always_one(endpoint: Endpoint, model: Model) -> None:
    known = {
        name: EntityCard(name, name, "ORG")
        for name in ("House of Representatives", "U.S. House of Representatives")
    }
    both = [
        fact("House of Representatives", "passed bill on", "2031", "c1"),
        fact("U.S. House of Representatives", "passed bill on", "2031", "c2"),
    ]
    endpoint.responder = verdicts(("House of Representatives", "U.S. House of Representatives", "always"))
    found = model_links(model, {"k1": both}, known, TEXTS, Silent())
    assert found.always == ()
    assert [(link.a, link.b) for link in found.context] == [tuple(sorted(known))]


def test_a_long_statement_is_cut_between_words_around_its_names(endpoint: Endpoint, model: Model) -> None:
    before, after = ("before " * 80).strip(), ("after " * 80).strip()
    long = {**TEXTS, "c1": f"{before} Oda Wexler sold the lamp to the Tarn Museum {after}."}
    model_links(model, {"k1": FACTS}, CARDS, long, Silent())
    lines = fences(endpoint.requests[0])["statements"].splitlines()
    (shown,) = [line for line in lines if "Oda Wexler sold the lamp to the Tarn Museum" in line]
    assert "] ... before" in shown
    assert shown.endswith("after ...")
    assert len(shown) < LONGEST_CLAIM + 20


def test_a_denied_fact_reads_as_one(endpoint: Endpoint, model: Model) -> None:
    denied = replace(FACTS[0], negated=True, predicate="sold lamps to", object="Vell", id="c1|denied")
    model_links(model, {"k1": [*FACTS, denied]}, CARDS, TEXTS, Silent())
    told = "\n".join(fences(asked)["statements"] for asked in endpoint.requests)
    assert "Oda Wexler | sold lamps to | something else (denied)" in told
